//! A manifest: a table of one's own that names the trajectories; its columns are told in [the module](super).

use std::path::Path;

use super::fence::{Fence, Found};
use super::open::{is_rate, name_of};
use super::rows::{Row, Rows};
use super::{Dataset, Label, OpenOptions, Source, Span, Trajectory};
use crate::{Error, Result};

/// Of a manifest, and of a RoboReward split, since only its columns tell which of the two a file is.
const COLUMNS: [&str; 10] =
    ["trajectory", "video", "frames", "task", "label", "rate_hz", "from_s", "to_s", "file_name", "reward"];

pub(super) fn read(file: &Path) -> Result<Rows> {
    Rows::read(file, &COLUMNS)
}

pub(super) fn open(file: &Path, rows: &Rows, options: &OpenOptions) -> Result<Dataset> {
    rows.require(&["trajectory", "task"])?;
    if !rows.has("video") {
        // Either will do; where both are missing, it is `video` that is asked for.
        rows.require(&["frames"]).or_else(|_| rows.require(&["video"]))?;
    }
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut fence = match &options.root {
        Some(root) => Fence::new(root, None)?,
        None => Fence::new(folder, None)?,
    };
    let mut trajectories = Vec::with_capacity(rows.len());
    for row in rows.iter() {
        let id = match row.name("trajectory")? {
            Some(id) if !id.trim().is_empty() => id,
            _ => return Err(row.at(Error::input("no trajectory"))),
        };
        let label = row.whole("label")?.map(Label::new).transpose().map_err(|error| row.at(error))?;
        trajectories.push(Trajectory {
            id,
            task: row.words("task")?.to_owned(),
            label,
            duration_s: span(row)?.map(|span| span.to_s - span.from_s),
            source: source(row, &mut fence, options)?,
        });
    }
    let shown = file.display();
    let dataset = Dataset::build(name_of(file), trajectories, |index| format!("{} of {shown}", rows.line(index)))?;
    Ok(dataset.with_notes(notes(file, rows)))
}

fn source(row: Row<'_>, fence: &mut Fence, options: &OpenOptions) -> Result<Source> {
    let one = |error: &str| row.at(Error::input(error)).with_help("a row names either a video or a folder of frames");
    let (video, frames) = (row.text("video")?, row.text("frames")?);
    match (video, frames) {
        (Some(_), Some(_)) => Err(one("both video and frames")),
        (None, None) => Err(one("neither video nor frames")),
        (Some(video), None) => {
            // That it is no file is an error of this trajectory, when its frames are wanted.
            let (path, _) = fence.resolve(video).map_err(|error| row.at(error))?;
            Ok(Source::Video { path, span: span(row)? })
        }
        (None, Some(frames)) => {
            let (folder, found) = fence.resolve(frames).map_err(|error| row.at(error))?;
            if found == Found::Folder {
                fence.holds(&folder).map_err(|error| row.at(error))?;
            }
            if span(row)?.is_some() {
                return Err(row.at(Error::input("from_s and to_s are for a video, not for frames")));
            }
            let rate_hz = match (row.number("rate_hz")?, options.rate_hz) {
                (Some(rate_hz), _) if is_rate(rate_hz) => rate_hz,
                (Some(rate_hz), _) => return Err(row.at(Error::input(format!("rate_hz {rate_hz} is not above 0")))),
                (None, Some(rate_hz)) => rate_hz,
                (None, None) => {
                    return Err(row
                        .at(Error::input(format!("no rate_hz for frames {frames}")))
                        .with_help("add a column rate_hz, frames a second, or give --rate HZ for all"));
                }
            };
            Ok(Source::Images { folder, rate_hz })
        }
    }
}

fn span(row: Row<'_>) -> Result<Option<Span>> {
    match (row.number("from_s")?, row.number("to_s")?) {
        (None, None) => Ok(None),
        (Some(from_s), Some(to_s)) if 0.0 <= from_s && from_s < to_s => Ok(Some(Span { from_s, to_s })),
        (Some(from_s), Some(to_s)) => Err(row.at(Error::input(format!("from_s {from_s} to to_s {to_s} is no span")))),
        _ => Err(row.at(Error::input("one of from_s and to_s without the other"))),
    }
}

fn notes(file: &Path, rows: &Rows) -> Vec<String> {
    if rows.has("label") {
        return Vec::new();
    }
    let meant = match rows.similar("label")[..] {
        [] => String::new(),
        [ref near, ..] => format!(" (is {near} meant?)"),
    };
    vec![format!(
        "{} has no column label{meant}: crossing and spread can be told, failure rate and error cannot",
        file.display()
    )]
}
