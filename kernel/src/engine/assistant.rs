//! Completion and documentation, answered while a cell runs.

/// Answers what a cell could become and what its names mean. Clones ask the same engine; every method may be called from
/// any thread, at any time.
#[derive(Clone)]
pub struct Assistant {}

/// What could stand in a cell's text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Completions {
    /// The bytes of the source that a completion replaces.
    pub start: usize,
    /// Their end.
    pub end: usize,
    /// The completions, best first.
    pub items: Vec<Completion>,
}

/// One completion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// What replaces the bytes.
    pub text: String,
    /// What to show in a list.
    pub label: String,
    /// What it is, in Jupyter's words: `function`, `class`, `module`, `instance`, `keyword`, `path`, `magic`.
    pub kind: &'static str,
}

/// What a name is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inspection {
    /// As text.
    pub plain: String,
    /// As Markdown.
    pub markdown: String,
}

impl Assistant {
    /// What the text at `byte` of `source` could become.
    pub fn complete(&self, source: &str, byte: usize) -> Completions {
        let _ = source;
        Completions { start: byte, end: byte, items: Vec::new() }
    }

    /// What the name at `byte` of `source` is.
    pub fn inspect(&self, source: &str, byte: usize) -> Option<Inspection> {
        let _ = (source, byte);
        None
    }
}
