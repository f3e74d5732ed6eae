//! A report as HTML: what the templates need to know.

use std::borrow::Cow;

use askama::Template;
use serde_json::Value;

use super::{Block as Part, Case, ContactSheet, Figure, Report};
use crate::chart::embed::{draw_js, headings, plotly_js, script_json};
use crate::chart::text::{clean, number};
use crate::chart::wording::{differences, smallest_flip};
use crate::chart::{ScorePoint, Table, trajectory, wording_table};
use crate::{Error, Result};

const CSS: &str = include_str!("../../../templates/report.css");

#[derive(Template)]
#[template(path = "report.html")]
struct Page<'a> {
    title: &'a str,
    version: &'static str,
    nonce: &'a str,
    css: &'static str,
    body: &'a str,
    charts: bool,
    plotly: &'static str,
    draw: String,
}

#[derive(Template)]
#[template(path = "body.html")]
struct Body<'a> {
    report: View<'a>,
    definitions: Vec<(&'static str, String)>,
    charts: bool,
}

struct View<'a> {
    title: &'a str,
    subtitle: &'a str,
    warnings: &'a [String],
    facts: &'a [(String, String)],
    provenance: &'a [(String, String)],
    sections: Vec<SectionView<'a>>,
}

struct SectionView<'a> {
    heading: &'a str,
    blocks: Vec<Block<'a>>,
}

enum Block<'a> {
    Text(&'a str),
    Table(&'a Table),
    Figure(FigureView<'a>),
    Sheet(SheetView<'a>),
    Cases(Vec<CaseView<'a>>),
}

struct FigureView<'a> {
    title: String,
    subtitle: String,
    note: &'a str,
    json: Cow<'a, Value>,
    table: Option<Cow<'a, Table>>,
}

struct SheetView<'a> {
    sheet: &'a ContactSheet,
    width: u32,
    height: u32,
    alt: String,
}

struct CaseView<'a> {
    case: &'a Case,
    trajectory: String,
    task: String,
    sheet: Option<SheetView<'a>>,
    flip: Option<Flip>,
    figure: FigureView<'a>,
}

/// The smallest rewording that flips.
struct Flip {
    success: Wording,
    failure: Wording,
}

struct Wording {
    score: String,
    strategy: String,
    pieces: Vec<(String, bool)>,
}

pub(super) fn render(report: &Report) -> Result<String> {
    let sections = report.sections.iter().map(|section| {
        let blocks = section.blocks.iter().map(block).collect::<Result<Vec<_>>>()?;
        Ok(SectionView { heading: &section.heading, blocks })
    });
    let view = View {
        title: &report.title,
        subtitle: &report.subtitle,
        warnings: &report.warnings,
        facts: &report.facts,
        provenance: &report.provenance,
        sections: sections.collect::<Result<Vec<_>>>()?,
    };
    let charts = view.sections.iter().flat_map(|section| &section.blocks).any(|block| match block {
        Block::Figure(_) => true,
        Block::Cases(cases) => !cases.is_empty(),
        _ => false,
    });
    let definitions = report.method.map(|method| method.definitions()).unwrap_or_default();
    let body = fill(&Body { report: view, definitions, charts })?;
    // A nonce that data cannot know: it is made from all of the data. It keeps the same report the same file.
    let nonce = blake3::hash(body.as_bytes()).to_hex();
    fill(&Page {
        title: &report.title,
        version: env!("CARGO_PKG_VERSION"),
        nonce: nonce.get(..32).unwrap_or_default(),
        css: CSS,
        body: &body,
        charts,
        plotly: plotly_js(),
        draw: draw_js(false),
    })
}

fn fill(template: &impl Template) -> Result<String> {
    template.render().map_err(|error| Error::input(format!("report cannot be written: {error}")))
}

fn block(part: &Part) -> Result<Block<'_>> {
    Ok(match part {
        Part::Text(text) => Block::Text(text),
        Part::Table(table) => Block::Table(table),
        Part::Figure(figure) => Block::Figure(FigureView::of(figure)?),
        Part::Sheet(sheet) => Block::Sheet(SheetView::of(sheet)),
        Part::Cases(cases) => Block::Cases(cases.iter().map(CaseView::of).collect::<Result<Vec<_>>>()?),
    })
}

impl<'a> FigureView<'a> {
    fn of(figure: &'a Figure) -> Result<Self> {
        let json = figure.json.as_ref().map_err(Error::clone)?;
        let (title, subtitle) = headings(json);
        let table = figure.table.as_ref().map(Cow::Borrowed);
        Ok(Self { title, subtitle, note: &figure.note, json: Cow::Borrowed(json), table })
    }

    fn script(&self) -> String {
        script_json(&self.json)
    }
}

impl<'a> SheetView<'a> {
    fn of(sheet: &'a ContactSheet) -> Self {
        Self { sheet, width: sheet.width(), height: sheet.height(), alt: sheet.alt() }
    }

    fn data_uri(&self) -> String {
        self.sheet.data_uri()
    }

    fn caption(&self) -> String {
        self.sheet.caption()
    }
}

impl<'a> CaseView<'a> {
    fn of(case: &'a Case) -> Result<Self> {
        let json = trajectory::draft(&case.scores)
            .json()
            .map_err(|error| Error::input(format!("chart cannot be written as JSON: {error}")))?;
        let (title, subtitle) = headings(&json);
        let figure = FigureView {
            title,
            subtitle,
            note: "",
            json: Cow::Owned(json),
            table: Some(Cow::Owned(wording_table(&case.scores))),
        };
        let flip = smallest_flip(&case.scores).map(|(success, failure)| Flip {
            success: Wording::of(success, failure),
            failure: Wording::of(failure, success),
        });
        let (trajectory, task) = (clean(&case.scores.trajectory), clean(&case.scores.task));
        Ok(Self { case, trajectory, task, sheet: case.sheet.as_ref().map(SheetView::of), flip, figure })
    }

    fn summary(&self) -> String {
        self.case.summary()
    }
}

impl Wording {
    fn of(point: &ScorePoint, other: &ScorePoint) -> Self {
        Self {
            score: point.score.map(number).unwrap_or_default(),
            strategy: clean(point.strategy.as_str()),
            pieces: differences(&clean(&point.instruction), &clean(&other.instruction)),
        }
    }
}
