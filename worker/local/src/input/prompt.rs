//! The chat around a text, with the frames' places in it.

use roborm_wire::local::stored_video;

use super::Grid;
use super::template::Template;
use crate::checkpoint::Checkpoint;
use crate::tokenizer::Tokenizer;
use crate::{Error, Result};

/// Whether the outer pair of vision marks stays around an expanded video.
///
/// Versions of transformers before 5.10 replaced `<|vision_start|><|video_pad|><|vision_end|>` of the chat template as a
/// whole, later ones its middle alone: two more tokens. What a checkpoint was trained and evaluated with decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// No outer pair.
    Flat,
    /// An outer pair.
    Nested,
}

impl Layout {
    /// By its name, or, for `stored`, by the version of transformers that wrote the checkpoint ([`stored_video`]).
    ///
    /// # Errors
    /// Where the name is none of `flat`, `nested`, `stored`.
    pub fn parse(name: &str, version: Option<&str>) -> Result<Self> {
        match name {
            "flat" => Ok(Self::Flat),
            "nested" => Ok(Self::Nested),
            "stored" => Self::parse(stored_video(version), None),
            other => Err(Error::setup(format!("the video layout '{other}' is not known"))
                .with_help("flat (transformers before 5.10), nested (later), or stored")),
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Flat => "flat",
            Self::Nested => "nested",
        }
    }
}

/// What is to be seen.
#[derive(Clone, Debug, PartialEq)]
pub enum Visual {
    /// A video: seconds at each pair of frames.
    Video(Vec<f64>),
    /// One image.
    Image,
}

/// Makes token ids out of texts; everything but the text stays the same.
pub struct Prompt {
    layout: Layout,
    /// What the chat template puts before the answer.
    opening: String,
    merge: i64,
    note: Option<String>,
}

impl Prompt {
    /// For a checkpoint: its special tokens are looked for, and the chat template for whether it writes what is written
    /// here and whether the answer opens with a thought.
    ///
    /// # Errors
    /// Where the tokenizer lacks a token of the chat, or gives one another id than `config.json`, or the chat template
    /// writes other words around a message.
    pub fn new(checkpoint: &Checkpoint, tokenizer: &Tokenizer, layout: Layout) -> Result<Self> {
        let config = &checkpoint.config;
        let file = checkpoint.folder.join("tokenizer.json");
        let trouble = |what: String| Error::setup(format!("{}: {what}", file.display()));
        for (text, id) in [
            ("<|im_start|>", None),
            ("<|im_end|>", None),
            ("<|vision_start|>", None),
            ("<|vision_end|>", None),
            ("<|image_pad|>", Some(config.image_token)),
            ("<|video_pad|>", Some(config.video_token)),
        ] {
            match (tokenizer.special(text), id) {
                (None, _) => return Err(trouble(format!("the special token {text} is missing"))),
                (Some(here), Some(there)) if here != there => {
                    return Err(trouble(format!("{text} is {here}, and config.json has {there}")));
                }
                _ => {}
            }
        }
        if tokenizer.largest() >= config.text.vocab {
            let (ids, rows) = (tokenizer.largest(), config.text.vocab);
            return Err(trouble(format!("ids go up to {ids}, and the embedding has {rows} rows")));
        }
        let Template { thinks, is_cut, note } = Template::read(&checkpoint.folder)?;
        let opening = if thinks { "<|im_start|>assistant\n<think>" } else { "<|im_start|>assistant" };
        let opening = [opening, if is_cut { "" } else { "\n" }].concat();
        Ok(Self { layout, opening, merge: config.vision.merge, note })
    }

    /// What the user should know of the chat template.
    pub fn note(&self) -> Option<&str> {
        self.note.as_deref()
    }

    /// The whole prompt, every patch of the picture a token of its own.
    ///
    /// Special tokens that stand in `text` are broken up by a space: an instruction is words, and a mark of the chat in
    /// it would end the user's turn or count as a frame.
    pub fn expand(&self, text: &str, visual: &Visual, grid: Grid, text_first: bool) -> String {
        let seen = self.seen(visual, grid);
        let text = text.replace("<|", "< |");
        let (first, second) = if text_first { (&text, &seen) } else { (&seen, &text) };
        format!("<|im_start|>user\n{first}{second}<|im_end|>\n{}", self.opening)
    }

    fn seen(&self, visual: &Visual, grid: Grid) -> String {
        let count = grid.tokens_a_pair(self.merge) as usize;
        match visual {
            Visual::Image => {
                format!("<|vision_start|>{}<|vision_end|>", "<|image_pad|>".repeat(count * grid.t as usize))
            }
            Visual::Video(seconds) => {
                let pads = "<|video_pad|>".repeat(count);
                let pair = |seconds: &f64| format!("<{seconds:.1} seconds><|vision_start|>{pads}<|vision_end|>");
                let pairs: String = seconds.iter().map(pair).collect();
                match self.layout {
                    Layout::Flat => pairs,
                    Layout::Nested => format!("<|vision_start|>{pairs}<|vision_end|>"),
                }
            }
        }
    }
}

/// Seconds at each pair of frames: the mean of its two, the last frame doubled where their number is odd.
pub fn timestamps(times: &[f64], together: i64) -> Vec<f64> {
    let together = usize::try_from(together).unwrap_or(1).max(1);
    let mean = |pair: &[f64]| {
        let first = pair.first().copied().unwrap_or(0.0);
        let last = if pair.len() == together { pair.last() } else { times.last() };
        (first + last.copied().unwrap_or(first)) / 2.0
    };
    times.chunks(together).map(mean).collect()
}
