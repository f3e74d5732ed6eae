//! How far a long job is, told on standard error.

use std::io::Write;
use std::sync::{Mutex, MutexGuard, PoisonError};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::terminal::Terminal;
use super::{number, text};

/// What a long job tells of itself; shared between its threads. One object tells of one job at a time.
pub trait Progress: Send + Sync {
    /// The job begins: `total` things, of which `done` were there before; `what` names it ("scoring").
    fn begin(&self, total: u64, done: u64, what: &str);
    /// `by` more are done; `note` is the news (what it cost so far), or empty.
    fn advance(&self, by: u64, note: &str);
    /// A line to be kept, such as a warning.
    fn say(&self, line: &str);
    /// The job ends; `summary` is kept, unless empty.
    fn end(&self, summary: &str);
}

/// A bar where standard error is a terminal, sparse lines elsewhere.
pub fn progress(terminal: &Terminal) -> Box<dyn Progress> {
    if terminal.is_live() { Box::new(Live::new(terminal)) } else { Box::new(Lines::new(std::io::stderr())) }
}

/// Says nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Quiet;

impl Progress for Quiet {
    fn begin(&self, _total: u64, _done: u64, _what: &str) {}
    fn advance(&self, _by: u64, _note: &str) {}
    fn say(&self, _line: &str) {}
    fn end(&self, _summary: &str) {}
}

/// A line at the start and at every tenth of the way: for log files and cells of a notebook.
#[derive(Debug)]
pub struct Lines<W> {
    state: Mutex<State<W>>,
}

#[derive(Debug)]
struct State<W> {
    out: W,
    what: String,
    total: u64,
    done: u64,
    /// Tenths that were told.
    told: u64,
}

impl<W: Write + Send> Lines<W> {
    /// Lines written to `out`. What it refuses is lost: progress is never a reason to stop.
    pub fn new(out: W) -> Self {
        Self { state: Mutex::new(State { out, what: String::new(), total: 0, done: 0, told: 0 }) }
    }

    /// What was written to.
    pub fn into_inner(self) -> W {
        self.state.into_inner().unwrap_or_else(PoisonError::into_inner).out
    }

    fn state(&self) -> MutexGuard<'_, State<W>> {
        // A thread that died while it wrote a line leaves nothing broken behind.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<W: Write> State<W> {
    /// Tenths of the way, 0 to 10.
    fn tenths(&self) -> u64 {
        let share = u128::from(self.done) * 10 / u128::from(self.total.max(1));
        if self.total == 0 { 10 } else { u64::try_from(share).unwrap_or(10).min(10) }
    }

    fn tell(&mut self, note: &str) {
        self.told = self.tenths();
        let (done, total) = (number::count(self.done), number::count(self.total));
        let note = if note.is_empty() { String::new() } else { format!(", {}", text::clean(note)) };
        let percent = u128::from(self.done) * 100 / u128::from(self.total.max(1));
        let percent = if self.total == 0 { 100 } else { percent.min(100) };
        let line = format!("{}: {done} of {total} ({percent} %){note}", self.what);
        self.write(&line);
    }

    fn write(&mut self, line: &str) {
        let _ = writeln!(self.out, "{line}").and_then(|()| self.out.flush());
    }
}

impl<W: Write + Send> Progress for Lines<W> {
    fn begin(&self, total: u64, done: u64, what: &str) {
        let mut state = self.state();
        state.what = text::clean(what);
        state.total = total;
        state.done = done.min(total);
        state.tell("");
    }

    fn advance(&self, by: u64, note: &str) {
        let mut state = self.state();
        state.done = state.done.saturating_add(by).min(state.total);
        if state.tenths() > state.told {
            state.tell(note);
        }
    }

    fn say(&self, line: &str) {
        let line = text::clean(line);
        self.state().write(&line);
    }

    fn end(&self, summary: &str) {
        if !summary.is_empty() {
            self.say(summary);
        }
    }
}

/// A bar that is drawn over itself.
struct Live {
    bar: ProgressBar,
}

impl Live {
    fn new(terminal: &Terminal) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        let [begin, end] = terminal.either(["", ""], ["[", "]"]);
        let template =
            format!("{{prefix}} {begin}{{bar:24}}{end} {{human_pos}} of {{human_len}}  {{msg}}  {{eta}} left");
        // The template is ours: should indicatif refuse it, its own style is as good.
        if let Ok(style) = ProgressStyle::with_template(&template) {
            bar.set_style(style.progress_chars(terminal.either("━╸─", "#>-")));
        }
        Self { bar }
    }
}

impl Progress for Live {
    fn begin(&self, total: u64, done: u64, what: &str) {
        self.bar.set_draw_target(ProgressDrawTarget::hidden());
        self.bar.reset();
        self.bar.set_length(total);
        self.bar.set_position(done.min(total));
        // What was there before says nothing about how long the rest takes.
        self.bar.reset_eta();
        self.bar.set_prefix(text::clean(what));
        self.bar.set_message("");
        // Shown when all of it is there.
        self.bar.set_draw_target(ProgressDrawTarget::stderr());
        self.bar.tick();
    }

    fn advance(&self, by: u64, note: &str) {
        if !note.is_empty() {
            self.bar.set_message(text::clean(note));
        }
        self.bar.inc(by);
    }

    fn say(&self, line: &str) {
        let line = text::clean(line);
        self.bar.suspend(|| {
            let _ = writeln!(std::io::stderr(), "{line}");
        });
    }

    fn end(&self, summary: &str) {
        self.bar.finish_and_clear();
        if !summary.is_empty() {
            self.say(summary);
        }
    }
}
