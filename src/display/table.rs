//! Tables.
//!
//! Set like tables in print: rules above and below the header, no vertical lines, figures to the right. Not comfy-table,
//! although it is in the tree: it breaks figures in narrow columns, and whether it colours is decided once a process by
//! the environment, where a notebook and a terminal need both answers.

use super::layout;
use super::number::{Estimate, MISSING};
use super::terminal::{Terminal, Tone};
use super::text;

/// A column's head, and whether it holds words or figures.
#[derive(Clone, Debug)]
pub struct Column {
    pub(super) name: String,
    pub(super) figures: bool,
}

impl Column {
    /// Words: to the left, folded where they are long.
    pub fn text(name: &str) -> Self {
        Self { name: text::clean(name), figures: false }
    }

    /// Figures: to the right, never broken.
    pub fn number(name: &str) -> Self {
        Self { name: text::clean(name), figures: true }
    }
}

/// A sign that says what its colour says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// Some wordings fail and some succeed.
    Flip,
    /// Success.
    Success,
    /// Failure.
    Failure,
    /// A reply without a score.
    Unparsed,
}

impl Sign {
    /// As it is written on this terminal.
    pub fn on(self, terminal: &Terminal) -> &'static str {
        match self {
            Self::Flip => terminal.either("✗✓", "!"),
            Self::Success => terminal.either("✓", "+"),
            Self::Failure => terminal.either("✗", "x"),
            Self::Unparsed => "?",
        }
    }

    /// What it means, for a legend.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Flip => "flips between failure and success",
            Self::Success => "success",
            Self::Failure => "failure",
            Self::Unparsed => "unparsed reply",
        }
    }

    fn tone(self) -> Tone {
        match self {
            Self::Success => Tone::Good,
            Self::Flip | Self::Failure | Self::Unparsed => Tone::Bad,
        }
    }
}

/// What stands in one place of a table.
#[derive(Clone, Debug)]
pub struct Cell {
    pub(super) content: Content,
    pub(super) tone: Tone,
}

#[derive(Clone, Debug)]
pub(super) enum Content {
    /// Words that may be folded.
    Text(String),
    /// Figures that may be set one under the other, but never broken.
    Parts(Vec<String>),
    Sign(Sign),
    Missing,
}

impl Cell {
    /// Words.
    pub fn text(words: impl AsRef<str>) -> Self {
        Self { content: Content::Text(text::clean(words.as_ref())), tone: Tone::Plain }
    }

    /// A figure as [`super::number`] writes it.
    pub fn number(figure: impl AsRef<str>) -> Self {
        let figure = figure.as_ref();
        let content = if figure == MISSING { Content::Missing } else { Content::Parts(vec![text::clean(figure)]) };
        Self { content, tone: Tone::Plain }
    }

    /// A sign.
    pub fn sign(sign: Sign) -> Self {
        Self { content: Content::Sign(sign), tone: sign.tone() }
    }

    /// A figure that is not there.
    pub fn missing() -> Self {
        Self { content: Content::Missing, tone: Tone::Dim }
    }

    /// The same in another tone.
    #[must_use]
    pub fn tone(mut self, tone: Tone) -> Self {
        self.tone = tone;
        self
    }

    /// What can be folded between, as written on this terminal.
    pub(super) fn words(&self, terminal: &Terminal) -> Vec<String> {
        match &self.content {
            Content::Text(text) => text::words_of(text).map(str::to_owned).collect(),
            Content::Parts(parts) => parts
                .iter()
                .map(|part| if part == MISSING { missing(terminal).to_owned() } else { part.clone() })
                .collect(),
            Content::Sign(sign) => vec![sign.on(terminal).to_owned()],
            Content::Missing => vec![missing(terminal).to_owned()],
        }
    }
}

fn missing(terminal: &Terminal) -> &'static str {
    terminal.either(MISSING, "-")
}

impl From<&str> for Cell {
    fn from(words: &str) -> Self {
        Self::text(words)
    }
}

impl From<String> for Cell {
    fn from(words: String) -> Self {
        Self::text(words)
    }
}

impl From<u64> for Cell {
    fn from(value: u64) -> Self {
        Self::number(super::number::count(value))
    }
}

impl From<Estimate> for Cell {
    fn from(estimate: Estimate) -> Self {
        Self { content: Content::Parts(estimate.parts()), tone: Tone::Plain }
    }
}

impl<T: Into<Cell>> From<Option<T>> for Cell {
    fn from(value: Option<T>) -> Self {
        value.map_or_else(Self::missing, Into::into)
    }
}

/// A table.
#[derive(Clone, Debug)]
pub struct Table {
    pub(super) columns: Vec<Column>,
    pub(super) rows: Vec<Vec<Cell>>,
    notes: Vec<String>,
}

impl Table {
    /// An empty table.
    pub fn new(columns: impl IntoIterator<Item = Column>) -> Self {
        Self { columns: columns.into_iter().collect(), rows: Vec::new(), notes: Vec::new() }
    }

    /// One more row. Cells beyond the columns are dropped, those not given are missing.
    pub fn row(&mut self, cells: impl IntoIterator<Item = Cell>) -> &mut Self {
        let mut row: Vec<Cell> = cells.into_iter().take(self.columns.len()).collect();
        row.resize_with(self.columns.len(), Cell::missing);
        self.rows.push(row);
        self
    }

    /// A line below the table: what a sign means, what an interval is.
    pub fn note(&mut self, note: &str) -> &mut Self {
        self.notes.push(text::clean(note));
        self
    }

    /// The table as HTML, with styles on its elements and nothing to load; `escape` makes text safe.
    pub(crate) fn to_html(&self, escape: &dyn Fn(&str) -> String) -> String {
        let terminal = Terminal::plain().with_unicode(true);
        let align = |figures: bool| if figures { "right" } else { "left" };
        let mut page = String::from("<table><thead><tr>");
        for column in &self.columns {
            page.push_str(&format!("<th style=\"text-align:{}\">{}</th>", align(column.figures), escape(&column.name)));
        }
        page.push_str("</tr></thead><tbody>");
        for row in &self.rows {
            page.push_str("<tr>");
            for (cell, column) in row.iter().zip(&self.columns) {
                let style = match cell.tone {
                    Tone::Good => ";color:#15803d",
                    Tone::Bad => ";color:#b91c1c",
                    Tone::Dim => ";opacity:0.6",
                    _ => "",
                };
                page.push_str(&format!(
                    "<td style=\"text-align:{};vertical-align:top{style}\">{}</td>",
                    align(column.figures),
                    escape(&cell.words(&terminal).join(" "))
                ));
            }
            page.push_str("</tr>");
        }
        page.push_str("</tbody></table>");
        for note in &self.notes {
            page.push_str(&format!("<div style=\"opacity:0.7\">{}</div>", escape(note)));
        }
        page
    }

    /// How many rows it has.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// No rows?
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The table in lines, each ended by a line feed; none wider than the terminal, down to 20 columns. Where the
    /// columns do not fit side by side however they are folded, each row becomes a short list.
    pub fn render(&self, terminal: &Terminal) -> String {
        let mut lines = match layout::widths(self, terminal) {
            Some(widths) => layout::side_by_side(self, &widths, terminal),
            None => layout::lists(self, terminal),
        };
        for note in &self.notes {
            lines.extend(layout::note(note, terminal).iter().map(|line| terminal.paint(Tone::Dim, line)));
        }
        let mut table = lines.join("\n");
        if !table.is_empty() {
            table.push('\n');
        }
        table
    }
}
