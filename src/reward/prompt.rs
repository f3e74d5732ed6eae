//! The words around the instruction.

/// A prompt template with a version: the text before and after the instruction, and where the frames go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompt {
    /// The name and version, a column of the score table; it changes whenever a byte of the prompt does.
    pub version: &'static str,
    /// Text before the instruction.
    pub before: &'static str,
    /// Text after the instruction.
    pub after: &'static str,
    /// The order of the parts.
    pub order: &'static [Part],
}

/// A part of the message to a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// All frames, in order.
    Frames,
    /// The text with the instruction in it.
    Text,
}

impl Prompt {
    /// The text with `instruction` in its place.
    pub fn text(&self, instruction: &str) -> String {
        [self.before, instruction, self.after].concat()
    }
}
