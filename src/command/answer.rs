//! What a command answers, before any front shows it.

use image::RgbImage;
use serde_json::Value;

use crate::display::{self, Bar, Table, Terminal};

/// The answer of a command: what people see, what programs read, and how it ended.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// What people see, in order.
    pub blocks: Vec<Block>,
    /// What `--json` prints.
    pub json: Value,
    /// Lines for standard error: warnings, and how to go on.
    pub notes: Vec<String>,
    /// The exit status.
    pub status: u8,
}

/// What a note begins with that tells the command which goes on where one ended; the rest of it is that command.
pub const GO_ON: &str = "go on with: ";

/// One thing to show.
#[derive(Clone, Debug)]
pub enum Block {
    /// Prose.
    Text(String),
    /// A table.
    Table(Table),
    /// A picture, and what it shows for those who cannot see it.
    Picture {
        /// The pixels.
        image: RgbImage,
        /// A line of what it shows.
        what: String,
    },
    /// Bars with intervals, on a scale from 0 to `most`.
    Bars {
        /// The bars.
        bars: Vec<Bar>,
        /// The scale's end.
        most: f64,
    },
    /// Scores on the scale from 1 to 5 with the success boundary.
    Strip {
        /// The scores.
        scores: Vec<f64>,
        /// Success is a score above it.
        boundary: f64,
    },
}

impl Answer {
    /// An answer that is all there.
    pub fn new(json: Value) -> Self {
        Self { json, ..Self::default() }
    }

    /// With one more thing to show.
    #[must_use]
    pub fn show(mut self, block: Block) -> Self {
        self.blocks.push(block);
        self
    }

    /// With several more things to show.
    #[must_use]
    pub fn show_all(mut self, blocks: impl IntoIterator<Item = Block>) -> Self {
        self.blocks.extend(blocks);
        self
    }

    /// With a line of prose.
    #[must_use]
    pub fn say(self, text: impl Into<String>) -> Self {
        self.show(Block::Text(text.into()))
    }

    /// With a line for standard error.
    #[must_use]
    pub fn note(mut self, line: impl Into<String>) -> Self {
        self.notes.push(line.into());
        self
    }

    /// The blocks as text for a terminal or a pipe.
    pub fn render(&self, terminal: &Terminal) -> String {
        self.blocks.iter().map(|block| block.render(terminal)).collect::<Vec<_>>().join("\n")
    }
}

impl Block {
    /// The block as text for a terminal or a pipe.
    pub fn render(&self, terminal: &Terminal) -> String {
        match self {
            Self::Text(text) => {
                // Prose may quote data.
                let lines: Vec<String> = text.lines().map(display::text::clean).collect();
                display::wrap(&lines.join("\n"), terminal)
            }
            Self::Table(table) => table.render(terminal),
            Self::Picture { image, what } => {
                let columns = terminal.columns(120);
                display::picture(image.as_raw(), image.width(), image.height(), columns, what, terminal)
            }
            Self::Bars { bars, most } => display::bars(bars, *most, terminal),
            Self::Strip { scores, boundary } => display::strip(scores, *boundary, terminal),
        }
    }
}
