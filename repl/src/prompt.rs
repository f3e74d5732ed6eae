//! The prompt.

use roborm::display::{Color, Terminal, text};
use rustyline::error::ReadlineError;
use rustyline::history::DefaultHistory;
use rustyline::{ColorMode, CompletionType, Config, EditMode, Editor};

use crate::front::{Done, Front, Place};
use crate::helper::Helper;
use crate::history::History;
use crate::{lines, plain, speak};

/// Columns of the prompt: the rest is for what is typed.
const WIDEST: usize = 32;

/// Reads lines and runs them until the session is over.
pub fn run() -> u8 {
    let terminal = Terminal::stdout();
    let mut front = Front::of_prompt();
    let version = env!("CARGO_PKG_VERSION");
    speak::say(&format!("roborm {version}. :help lists the commands, :tour shows how to work, Ctrl-D ends."));
    if !terminal.is_live() {
        return plain::run(front);
    }
    let mut editor = match editor(&terminal) {
        Ok(editor) => editor,
        Err(error) => return broken(&error),
    };
    editor.set_helper(Some(Helper::new(front.current().clone(), front.engine().clone(), terminal)));
    let (mut history, note) = History::load(&mut editor);
    note.iter().chain(&wrong_mode()).for_each(|note| speak::complain(note));
    front.engine().start();

    loop {
        let prompt = prompt(&front);
        if let Some(helper) = editor.helper() {
            helper.prompt(&prompt);
        }
        match editor.readline(&prompt) {
            Ok(input) if input.trim().is_empty() => {
                if matches!(front.step(), Done::Quit) {
                    break;
                }
            }
            Ok(input) => {
                history.add(input.trim_end(), &mut editor).iter().for_each(|note| speak::complain(note));
                if matches!(all(&input, &mut front), Done::Quit) {
                    break;
                }
            }
            // Ctrl-C leaves the line; a window that changed its size is drawn anew.
            Err(ReadlineError::Interrupted | ReadlineError::Signal(_)) => {}
            Err(ReadlineError::Eof) => break,
            Err(ReadlineError::Io(error)) if error.kind() == std::io::ErrorKind::InvalidData => {
                speak::complain("error: what was typed is not UTF-8");
            }
            Err(error) => return broken(&error),
        }
    }
    0
}

/// What was typed or pasted, line by line up to the first that fails.
pub(crate) fn all(input: &str, front: &mut Front) -> Done {
    let mut last = Done::Line(0);
    for piece in lines::pieces(input, front.engine()) {
        last = front.run(&piece.text, &Place::default());
        if !matches!(last, Done::Line(0)) {
            break;
        }
    }
    last
}

/// `demo#bowl> `: what is open.
pub(crate) fn prompt(front: &Front) -> String {
    let open = front.current().dataset().map(|dataset| match front.current().trajectory() {
        Some(id) => format!("{}#{id}", dataset.name()),
        None => dataset.name().to_owned(),
    });
    format!("{}> ", text::shorten(&text::clean(open.as_deref().unwrap_or("roborm")), WIDEST, "~"))
}

fn editor(terminal: &Terminal) -> rustyline::Result<Editor<Helper, DefaultHistory>> {
    let mode = edit_mode();
    let config = Config::builder()
        .completion_type(CompletionType::List)
        .edit_mode(mode)
        // How long Escape waits for the rest of a key's code: in vi mode it is a key of its own, and half a second (what
        // rustyline takes) swallows what a quick hand types next.
        .keyseq_timeout((mode == EditMode::Vi).then_some(50))
        .color_mode(if terminal.color() == Color::None { ColorMode::Disabled } else { ColorMode::Enabled })
        .history_ignore_dups(true)?
        // A line that begins with a blank is not kept, as in shells.
        .history_ignore_space(true)
        .max_history_size(10_000)?
        .build();
    Editor::with_config(config)
}

/// vi where `ROBORM_EDITING` or the user's inputrc says so.
fn edit_mode() -> EditMode {
    let chosen = std::env::var("ROBORM_EDITING").unwrap_or_default();
    let vi = match chosen.as_str() {
        "vi" => true,
        "emacs" => false,
        _ => inputrc().lines().any(|line| line.split_whitespace().eq(["set", "editing-mode", "vi"])),
    };
    if vi { EditMode::Vi } else { EditMode::Emacs }
}

/// What is to be said of a `ROBORM_EDITING` that names no way to edit.
fn wrong_mode() -> Option<String> {
    let chosen = std::env::var("ROBORM_EDITING").ok()?;
    let is_wrong = !["", "vi", "emacs"].contains(&chosen.as_str());
    is_wrong.then(|| format!("note: ROBORM_EDITING={chosen} is passed over: it takes vi or emacs"))
}

/// The file of readline's settings; empty where there is none.
fn inputrc() -> String {
    let named = std::env::var_os("INPUTRC").map(std::path::PathBuf::from);
    let file = named.or_else(|| std::env::var_os("HOME").map(|home| std::path::Path::new(&home).join(".inputrc")));
    file.and_then(|file| std::fs::read_to_string(file).ok()).unwrap_or_default()
}

pub(crate) fn broken(error: &dyn std::fmt::Display) -> u8 {
    speak::fail(&roborm::Error::input(format!("the terminal cannot be read: {error}")))
}
