//! How far a long job is, told on standard error.

use std::io::Write;
use std::sync::{Mutex, MutexGuard, PoisonError};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use super::terminal::Terminal;
use super::{number, text, wrap};

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
    match terminal.is_live() {
        true => Box::new(Live::new(terminal)),
        false => Box::new(Lines::new(std::io::stderr()).on(terminal)),
    }
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
    terminal: Terminal,
    what: String,
    total: u64,
    done: u64,
    /// Tenths that were told.
    told: u64,
}

impl<W: Write + Send> Lines<W> {
    /// Lines written to `out`. What it refuses is lost: progress is never a reason to stop.
    pub fn new(out: W) -> Self {
        let terminal = Terminal::plain();
        Self { state: Mutex::new(State { out, terminal, what: String::new(), total: 0, done: 0, told: 0 }) }
    }

    /// The same folded to the width of a terminal.
    #[must_use]
    pub fn on(self, terminal: &Terminal) -> Self {
        self.state().terminal = terminal.clone();
        self
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
        let lines = wrap(line, &self.terminal);
        let _ = self.out.write_all(lines.as_bytes()).and_then(|()| self.out.flush());
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
    terminal: Terminal,
}

/// Columns of the bar itself: at most, and what it is left out below.
const BAR: std::ops::RangeInclusive<usize> = 4..=24;
/// Columns of the time that is left: `  59m left`.
const LEFT: usize = 12;

impl Live {
    fn new(terminal: &Terminal) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        Self { bar, terminal: terminal.clone() }
    }

    /// What it looks like: one line, as far as the window is wide enough for that.
    fn style(&self, total: u64, what: &str) -> ProgressStyle {
        let count = text::width(&number::count(total));
        let words = text::width(what) + 1 + 2 * count + " of ".len() + LEFT;
        let [begin, end] = self.terminal.either(["", ""], ["[", "]"]);
        let room = self.terminal.columns(usize::MAX).saturating_sub(words + 1 + begin.len() + end.len());
        let drawn = match room.min(*BAR.end()) {
            columns if columns >= *BAR.start() => format!("{begin}{{bar:{columns}}}{end} "),
            _ => String::new(),
        };
        let template = format!("{{prefix}} {drawn}{{human_pos}} of {{human_len}}{{msg}}{{left}}");
        // The template is ours: should indicatif refuse it, its own style is as good.
        let style = ProgressStyle::with_template(&template).unwrap_or_else(|_| ProgressStyle::default_bar());
        style.progress_chars(self.terminal.either("━╸─", "#>-")).with_key("left", left)
    }
}

/// How long the rest takes, once there is something to tell it by.
fn left(state: &ProgressState, out: &mut dyn std::fmt::Write) {
    let seconds = state.eta().as_secs();
    if seconds == 0 || state.len().is_some_and(|total| state.pos() >= total) {
        return;
    }
    let units = [(86_400, "d"), (3_600, "h"), (60, "m"), (1, "s")];
    let (length, unit) = units.into_iter().find(|(length, _)| seconds >= 2 * length).unwrap_or((1, "s"));
    // Where it cannot be written there is no line.
    let _ = write!(out, "  {}{unit} left", (seconds + length / 2) / length);
}

impl Progress for Live {
    fn begin(&self, total: u64, done: u64, what: &str) {
        let what = text::clean(what);
        self.bar.set_draw_target(ProgressDrawTarget::hidden());
        self.bar.reset();
        self.bar.set_style(self.style(total, &what));
        self.bar.set_length(total);
        self.bar.set_position(done.min(total));
        // What was there before says nothing about how long the rest takes.
        self.bar.reset_eta();
        self.bar.set_prefix(what);
        self.bar.set_message("");
        // Shown when all of it is there.
        self.bar.set_draw_target(ProgressDrawTarget::stderr());
        self.bar.tick();
    }

    fn advance(&self, by: u64, note: &str) {
        if !note.is_empty() {
            self.bar.set_message(format!("  {}", text::clean(note)));
        }
        self.bar.inc(by);
    }

    fn say(&self, line: &str) {
        // As wide as the window is by now.
        let lines = wrap(&text::clean(line), &Terminal::stderr());
        self.bar.suspend(|| {
            let _ = std::io::stderr().write_all(lines.as_bytes());
        });
    }

    fn end(&self, summary: &str) {
        self.bar.finish_and_clear();
        if !summary.is_empty() {
            self.say(summary);
        }
    }
}
