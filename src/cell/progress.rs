//! The progress of a long job as one display that is shown anew in its place.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::bundle::Bundle;
use super::display::Display;
use super::html::escape;
use crate::display::{self, number, text};
use crate::study;

/// It is not shown anew more often than this.
const LEAST: Duration = Duration::from_millis(100);

/// A bar of one job at a time.
#[derive(Default)]
pub(super) struct Bar(Mutex<State>);

#[derive(Default)]
struct State {
    display: Option<Display>,
    what: String,
    note: String,
    total: u64,
    done: u64,
    began: Option<Instant>,
    shown: Option<Instant>,
}

impl Bar {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn show(&mut self) {
        self.shown = Some(Instant::now());
        let bundle = self.bundle();
        match &self.display {
            Some(display) => display.update_bundle(bundle),
            None => self.display = Some(Display::of_bundle(bundle)),
        }
    }

    fn show_if_due(&mut self) {
        if self.shown.is_none_or(|shown| shown.elapsed() >= LEAST) || self.done == self.total {
            self.show();
        }
    }

    fn bundle(&self) -> Bundle {
        let seconds = self.began.map_or(0.0, |began| began.elapsed().as_secs_f64());
        let note = if self.note.is_empty() { String::new() } else { format!(", {}", self.note) };
        let line = format!(
            "{}: {} of {} in {seconds:.1} s{note}",
            self.what,
            number::count(self.done),
            number::count(self.total)
        );
        Bundle::text(&line).html(format!(
            "<div><progress value=\"{}\" max=\"{}\" style=\"vertical-align:middle;width:16em\"></progress> {}</div>",
            self.done,
            self.total.max(1),
            escape(&line)
        ))
    }
}

impl display::Progress for Bar {
    fn begin(&self, total: u64, done: u64, what: &str) {
        let mut state = self.state();
        *state = State {
            what: text::clean(what),
            total,
            done: done.min(total),
            began: Some(Instant::now()),
            ..State::default()
        };
        state.show();
    }

    fn advance(&self, by: u64, note: &str) {
        let mut state = self.state();
        state.done = state.done.saturating_add(by).min(state.total);
        if !note.is_empty() {
            state.note = text::clean(note);
        }
        state.show_if_due();
    }

    fn say(&self, line: &str) {
        super::work::complain(line);
    }

    fn end(&self, summary: &str) {
        self.state().show();
        if !summary.is_empty() {
            super::work::complain(summary);
        }
    }
}

impl study::Progress for Bar {
    fn begin(&self, pairs: u64) {
        display::Progress::begin(self, pairs, 0, "scoring");
    }

    fn advance(&self, event: &study::Event<'_>) {
        match event {
            study::Event::Cached { pairs, .. }
            | study::Event::Unknown { pairs, .. }
            | study::Event::Failed { pairs, .. } => display::Progress::advance(self, *pairs, ""),
            study::Event::Called { .. } => display::Progress::advance(self, 1, ""),
            study::Event::Retrying { .. } => {}
            study::Event::Stopping { in_flight, billed, reason } => {
                super::work::complain(&crate::command::stopping(*in_flight, *billed, reason));
            }
        }
    }

    fn end(&self, _counts: &study::Counts) {
        display::Progress::end(self, "");
    }
}
