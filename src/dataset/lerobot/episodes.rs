//! The list of episodes, of either layout.

use std::path::{Path, PathBuf};

use super::info::{Info, Layout};
use super::tasks::Tasks;
use crate::dataset::Label;
use crate::dataset::rows::{Cell, Row, Rows};
use crate::{Error, Result};

/// One episode.
pub(super) struct Episode {
    pub(super) index: i64,
    /// In words, those that are not blank.
    pub(super) tasks: Vec<String>,
    /// Frames.
    pub(super) length: Option<i64>,
    pub(super) label: Option<Label>,
    /// v3.0: its part of a video file.
    pub(super) part: Option<Part>,
    pub(super) place: Place,
}

/// Where an episode is in the video files of its camera.
pub(super) struct Part {
    pub(super) chunk: i64,
    pub(super) file: i64,
    pub(super) from_s: f64,
    pub(super) to_s: f64,
}

/// A file of the list and a row in it.
#[derive(Clone, Copy)]
pub(super) struct Place {
    file: usize,
    row: usize,
}

pub(super) struct Episodes {
    /// By index.
    pub(super) list: Vec<Episode>,
    pub(super) notes: Vec<String>,
    files: Vec<(PathBuf, Rows)>,
}

impl Episodes {
    pub(super) fn read(folder: &Path, info: &Info, camera: &str) -> Result<Self> {
        let columns = Columns::new(info.layout, camera);
        let files = match info.layout {
            Layout::FileAnEpisode => vec![folder.join("meta/episodes.jsonl")],
            Layout::FilesOfMany => parquet_files(&folder.join("meta/episodes"))?,
        };
        let mut read = Vec::with_capacity(files.len());
        for path in files {
            let rows = Rows::read(&path, &columns.all())?;
            rows.require(&columns.required())?;
            read.push((path, rows));
        }
        let mut episodes = Self { list: Vec::new(), notes: Vec::new(), files: read };
        let label_column = episodes.label_column();
        let mut tasks = Tasks::new(folder, info.layout);
        for (file, (_, rows)) in episodes.files.iter().enumerate() {
            for (row, it) in rows.iter().enumerate() {
                episodes.list.push(Episode {
                    index: it.whole("episode_index")?.filter(|&index| index >= 0).ok_or_else(|| {
                        it.at(Error::input(format!("episode_index {} is no index", it.cell("episode_index"))))
                    })?,
                    tasks: words(it, &mut tasks)?,
                    length: it.whole("length")?.filter(|&length| length > 0),
                    label: match label_column {
                        Some(column) => it.whole(column)?.map(Label::new).transpose().map_err(|error| it.at(error))?,
                        None => None,
                    },
                    part: columns.part.as_ref().map(|part| part.read(it)).transpose()?,
                    place: Place { file, row },
                });
            }
        }
        episodes.list.sort_by_key(|episode| episode.index);
        if let Some(expected) = info.episodes.filter(|&expected| expected != episodes.list.len()) {
            let (found, folder) = (episodes.list.len(), folder.display());
            episodes.notes.push(format!("{folder} lists {found} episodes, though its info.json counts {expected}"));
        }
        Ok(episodes)
    }

    pub(super) fn place(&self, Place { file, row }: Place) -> String {
        let (path, rows) = &self.files[file];
        format!("{} of {}", rows.line(row), path.display())
    }

    /// `error` with the episode and its place in front.
    pub(super) fn at(&self, episode: &Episode, error: Error) -> Error {
        let Place { file, row } = episode.place;
        self.files[file].1.row(row).at(error.at(format!("episode {}", episode.index)))
    }

    /// The column that can be read as labels on the protocol's scale, by the rule of [the module](crate::dataset).
    fn label_column(&mut self) -> Option<&'static str> {
        let present = |column: &str| self.files.iter().any(|(_, rows)| rows.has(column));
        let column = match (present("label"), present("reward")) {
            (false, false) => return None,
            (true, false) => "label",
            (false, true) => "reward",
            (true, true) => {
                self.notes.push("the episodes have both label and reward: neither is taken for the label".to_owned());
                return None;
            }
        };
        let values = || self.files.iter().flat_map(|(_, rows)| rows.iter()).map(|row| row.whole(column));
        let on_scale = values().all(|value| matches!(value, Ok(None | Some(1..=5))));
        let flag = column == "reward" && values().all(|value| matches!(value, Ok(None | Some(1))));
        if on_scale && !flag {
            return Some(column);
        }
        self.notes
            .push(format!("the episodes' {column} is not on the scale of labels, 1 to 5, and is not taken for it"));
        None
    }
}

/// The names of the columns that are needed.
struct Columns {
    part: Option<PartColumns>,
}

struct PartColumns {
    chunk: String,
    file: String,
    from_s: String,
    to_s: String,
}

impl Columns {
    fn new(layout: Layout, camera: &str) -> Self {
        let of = |what: &str| format!("videos/{camera}/{what}");
        let part = (layout == Layout::FilesOfMany).then(|| PartColumns {
            chunk: of("chunk_index"),
            file: of("file_index"),
            from_s: of("from_timestamp"),
            to_s: of("to_timestamp"),
        });
        Self { part }
    }

    fn required(&self) -> Vec<&str> {
        let mut columns = vec!["episode_index", "tasks"];
        if let Some(PartColumns { chunk, file, from_s, to_s }) = &self.part {
            columns.extend([chunk, file, from_s, to_s].map(String::as_str));
        }
        columns
    }

    fn all(&self) -> Vec<&str> {
        let mut columns = self.required();
        columns.extend(["length", "label", "reward"]);
        columns
    }
}

impl PartColumns {
    fn read(&self, row: Row<'_>) -> Result<Part> {
        let index = |column: &str| match row.whole(column)? {
            Some(index) if index >= 0 => Ok(index),
            _ => Err(row.at(Error::input(format!("{column} {} is no index", row.cell(column))))),
        };
        let (chunk, file) = (index(&self.chunk)?, index(&self.file)?);
        match (row.number(&self.from_s)?, row.number(&self.to_s)?) {
            (Some(from_s), Some(to_s)) if 0.0 <= from_s && from_s < to_s => Ok(Part { chunk, file, from_s, to_s }),
            _ => Err(row.at(Error::input(format!(
                "{} {} to {} {} is no span",
                self.from_s,
                row.cell(&self.from_s),
                self.to_s,
                row.cell(&self.to_s)
            )))),
        }
    }
}

/// The tasks of an episode: a list of texts, a text, or numbers of the table of tasks.
fn words(row: Row<'_>, tasks: &mut Tasks) -> Result<Vec<String>> {
    let cells = match row.cell("tasks") {
        Cell::List(cells) => cells.as_slice(),
        cell => std::slice::from_ref(cell),
    };
    let mut words = Vec::with_capacity(cells.len());
    for cell in cells {
        match cell {
            Cell::Null => {}
            Cell::Text(task) => words.push(task.clone()),
            Cell::Whole(number) => words.push(tasks.get(*number).map_err(|error| row.at(error))?),
            other => return Err(row.at(Error::input(format!("task {other} is neither text nor a task's number")))),
        }
    }
    words.retain(|task| !task.trim().is_empty());
    Ok(words)
}

/// `chunk-*/file-*.parquet`.
fn parquet_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let list = |folder: &Path| -> Result<Vec<PathBuf>> {
        let cannot_read = |error: std::io::Error| Error::io(format!("cannot read {}", folder.display()), &error);
        folder.read_dir().map_err(cannot_read)?.map(|entry| Ok(entry.map_err(cannot_read)?.path())).collect()
    };
    let mut files = Vec::new();
    for chunk in list(folder)?.into_iter().filter(|path| path.is_dir()) {
        files.extend(list(&chunk)?.into_iter().filter(|path| path.extension().is_some_and(|it| it == "parquet")));
    }
    if files.is_empty() {
        return Err(Error::input(format!("{} has no chunk-*/file-*.parquet", folder.display()))
            .with_help("the download of the dataset may be incomplete"));
    }
    files.sort();
    Ok(files)
}
