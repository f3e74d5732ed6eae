//! The report: one HTML file that works offline.

mod case;
mod html;
mod sheet;

use std::io::Write as _;
use std::path::Path;

use plotly::Plot;
use serde_json::Value;

pub use case::Case;
pub use sheet::ContactSheet;

use super::text::clean;
use super::{Method, Table};
use crate::{Result, whole};

/// A report under construction: title, what was measured, sections, how it was made.
///
/// Whatever text goes in is data: it is escaped where it is shown. The file loads nothing from anywhere (its content
/// security policy forbids it), carries plotly.js once, follows the light or dark preference of the reader, fits a phone,
/// and says every number in a table, so that it can be read without JavaScript and on paper.
#[derive(Clone, Debug, Default)]
pub struct Report {
    title: String,
    subtitle: String,
    facts: Vec<(String, String)>,
    warnings: Vec<String>,
    method: Option<Method>,
    sections: Vec<Section>,
    provenance: Vec<(String, String)>,
}

/// A part of a report under a heading of its own.
#[derive(Clone, Debug, Default)]
pub struct Section {
    heading: String,
    blocks: Vec<Block>,
}

/// A chart in a report, with its numbers.
#[derive(Clone, Debug)]
pub struct Figure {
    json: Result<Value>,
    note: String,
    table: Option<Table>,
}

/// What a section is made of.
#[derive(Clone, Debug)]
enum Block {
    Text(String),
    Table(Table),
    Figure(Figure),
    Sheet(ContactSheet),
    Cases(Vec<Case>),
}

impl Report {
    /// A report with a title.
    pub fn new(title: impl AsRef<str>) -> Self {
        Self { title: clean(title.as_ref()), ..Self::default() }
    }

    /// A line under the title.
    #[must_use]
    pub fn subtitle(mut self, subtitle: impl AsRef<str>) -> Self {
        self.subtitle = clean(subtitle.as_ref());
        self
    }

    /// Something of what was measured: models, dataset, n, frame rule, prompt version, config.
    #[must_use]
    pub fn fact(mut self, term: impl AsRef<str>, value: impl AsRef<str>) -> Self {
        self.facts.push((clean(term.as_ref()), clean(value.as_ref())));
        self
    }

    /// Something that the reader must not overlook: simulated figures, unparsed replies, several configs.
    #[must_use]
    pub fn warning(mut self, warning: impl AsRef<str>) -> Self {
        self.warnings.push(clean(warning.as_ref()));
        self
    }

    /// How the figures were made; adds a section that says what each of them means.
    #[must_use]
    pub fn method(mut self, method: Method) -> Self {
        self.method = Some(method);
        self
    }

    /// Adds a section.
    #[must_use]
    pub fn section(mut self, section: Section) -> Self {
        self.sections.push(section);
        self
    }

    /// How the report came about: command, versions, date.
    #[must_use]
    pub fn provenance(mut self, term: impl AsRef<str>, value: impl AsRef<str>) -> Self {
        self.provenance.push((clean(term.as_ref()), clean(value.as_ref())));
        self
    }

    /// The report as one HTML document. The same report gives the same bytes.
    ///
    /// # Errors
    /// Where a chart of the caller's own making cannot be written as JSON.
    pub fn to_html(&self) -> Result<String> {
        html::render(self)
    }

    /// Writes the report. The file is there in full or, after an error or a crash, as it was before.
    ///
    /// # Errors
    /// As [`Report::to_html`], and where the file cannot be written.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = path.as_ref();
        let html = self.to_html()?;
        whole::write(path, |out| out.write_all(html.as_bytes()).map_err(|error| whole::refused(path, &error)))
    }
}

impl Section {
    /// An empty section.
    pub fn new(heading: impl AsRef<str>) -> Self {
        Self { heading: clean(heading.as_ref()), blocks: Vec::new() }
    }

    /// Adds a paragraph.
    #[must_use]
    pub fn text(self, text: impl AsRef<str>) -> Self {
        self.with(Block::Text(clean(text.as_ref())))
    }

    /// Adds a table.
    #[must_use]
    pub fn table(self, table: Table) -> Self {
        self.with(Block::Table(table))
    }

    /// Adds a chart.
    #[must_use]
    pub fn figure(self, figure: Figure) -> Self {
        self.with(Block::Figure(figure))
    }

    /// Adds a contact sheet.
    #[must_use]
    pub fn sheet(self, sheet: ContactSheet) -> Self {
        self.with(Block::Sheet(sheet))
    }

    /// Adds a list of trajectories with their wordings, those whose verdict depends on wording most first.
    #[must_use]
    pub fn cases(self, cases: impl IntoIterator<Item = Case>) -> Self {
        self.with(Block::Cases(case::worst_first(cases)))
    }

    fn with(mut self, block: Block) -> Self {
        self.blocks.push(block);
        self
    }
}

impl Figure {
    /// A chart of this crate or any other plotly chart; its title and subtitle are written above it.
    pub fn new(plot: &Plot) -> Self {
        // As JSON at once: a `Plot` carries a copy of plotly.js along.
        Self { json: super::plotly_json(plot), note: String::new(), table: None }
    }

    /// What the reader should see in it.
    #[must_use]
    pub fn note(mut self, note: impl AsRef<str>) -> Self {
        self.note = clean(note.as_ref());
        self
    }

    /// The numbers that are drawn, shown on demand below the chart.
    #[must_use]
    pub fn table(mut self, table: Table) -> Self {
        self.table = Some(table);
        self
    }
}
