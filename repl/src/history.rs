//! What was typed before, kept for each project.

use std::fs;
use std::path::{Path, PathBuf};

use rustyline::Editor;
use rustyline::error::ReadlineError;
use rustyline::history::DefaultHistory;

use crate::helper::Helper;

/// Bytes of a file's name that file systems take, with room for an ending.
const LONGEST: usize = 200;

/// Bytes of what is kept: a file that was pasted would be read at every start.
const LONGEST_LINE: usize = 64 << 10;

/// The history file of a project. Trouble with it is told once, and no reason to stop.
pub struct History {
    /// `None`: not kept.
    path: Option<PathBuf>,
}

impl History {
    /// Loads the history of the project that the program was started in; the note says what is wrong with it.
    pub fn load(editor: &mut Editor<Helper, DefaultHistory>) -> (Self, Option<String>) {
        let Some(path) = place() else {
            return (Self { path: None }, Some("note: no history: neither XDG_STATE_HOME nor HOME is set".to_owned()));
        };
        match Self::read(&path, editor) {
            Ok(note) => (Self { path: Some(path) }, note),
            Err(error) => {
                (Self { path: None }, Some(format!("note: history is not kept: {}: {error}", path.display())))
            }
        }
    }

    fn read(path: &Path, editor: &mut Editor<Helper, DefaultHistory>) -> Result<Option<String>, ReadlineError> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        // A file that can be read but not written to would fail at the first line; better now.
        fs::OpenOptions::new().append(true).create(true).open(path)?;
        match editor.load_history(path) {
            Ok(()) => Ok(None),
            Err(ReadlineError::Io(error)) if error.kind() == std::io::ErrorKind::InvalidData => {
                editor.clear_history()?;
                let aside = path.with_extension("damaged");
                fs::rename(path, &aside)?;
                Ok(Some(format!("note: the history was damaged; it is put aside as {}", aside.display())))
            }
            Err(error) => Err(error),
        }
    }

    /// Adds what was typed; at once, so that a session that is killed keeps it. A note where that fails.
    pub fn add(&mut self, line: &str, editor: &mut Editor<Helper, DefaultHistory>) -> Option<String> {
        if line.len() > LONGEST_LINE {
            return None;
        }
        let added = editor.add_history_entry(line);
        let path = self.path.as_ref()?;
        match added.and_then(|_| editor.append_history(path)) {
            Ok(()) => None,
            Err(error) => {
                let note = format!("note: history is not kept from here: {}: {error}", path.display());
                self.path = None;
                Some(note)
            }
        }
    }
}

/// `$XDG_STATE_HOME/roborm/history/PROJECT.txt`, else in `~/.local/state`.
fn place() -> Option<PathBuf> {
    let absolute = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let state = absolute("XDG_STATE_HOME").or_else(|| absolute("HOME").map(|home| home.join(".local/state")))?;
    let name = project().to_string_lossy().replace('/', "%");
    // The end of a path tells projects apart, not its start.
    let start = name.char_indices().map(|(at, _)| at).find(|at| name.len() - at <= LONGEST).unwrap_or(0);
    Some(state.join("roborm/history").join(format!("{}.txt", &name[start..])))
}

/// The nearest folder upwards under version control, else the folder that the program was started in.
fn project() -> PathBuf {
    let here = std::env::current_dir().unwrap_or_default();
    here.ancestors().find(|folder| folder.join(".git").exists()).map(Path::to_path_buf).unwrap_or(here)
}
