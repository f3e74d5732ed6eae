//! The providers of one model behind OpenRouter, each with a circuit of its own: one that fails does not stop the others.
//!
//! OpenRouter says who answered (`provider`) and who failed (`error.metadata.provider_name`). A provider that fails again
//! and again is left out of the requests (`provider.ignore`) until its circuit lets a trial through; the model goes on with
//! those that are left. What nobody is named for is the server's own failure and counts for the breaker of the server.
//! Where a provider is pinned there is nobody else to go to: then all is the server's, whose breaker is the provider's.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::circuit::{Circuit, Leave};

/// The providers of a model.
pub(super) struct Providers {
    /// Whether any may be left out.
    choice: bool,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    circuits: BTreeMap<String, Circuit>,
    /// Without them nobody is left: they are never left out.
    needed: BTreeSet<String>,
}

/// Who may serve a request. Dropped without an outcome, it is as if it had never been asked for.
pub(super) struct Route<'a> {
    providers: &'a Providers,
    ignored: Vec<String>,
    /// Providers whose trial this is, should one of them serve it.
    trials: Vec<String>,
}

/// Whose affair a failure is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Blame {
    /// The server's: nobody was named, the provider cannot be left out, or it was and served all the same.
    Server,
    /// The provider's own.
    Provider {
        /// Whether the next request leaves it out, and so need not wait for it.
        left_out: bool,
    },
}

impl Providers {
    /// Without a choice (another server than OpenRouter, a pinned provider) nobody is left out.
    pub(super) fn new(choice: bool) -> Self {
        Self { choice, state: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Who is to be left out of the next request.
    pub(super) fn route(&self) -> Route<'_> {
        let mut route = Route { providers: self, ignored: Vec::new(), trials: Vec::new() };
        if self.choice {
            let now = Instant::now();
            for (name, circuit) in &mut self.state().circuits {
                match circuit.leave(now) {
                    Leave::Go => {}
                    Leave::Trial => route.trials.push(name.clone()),
                    Leave::Wait(_) => route.ignored.push(name.clone()),
                }
            }
        }
        route
    }
}

impl Route<'_> {
    /// The providers to leave out, by the names that requests have for them.
    pub(super) fn ignored(&self) -> &[String] {
        &self.ignored
    }

    /// A provider answered, were it with a refusal.
    pub(super) fn answered(mut self, provider: Option<&str>) {
        let Some(name) = provider.map(slug).filter(|_| self.providers.choice) else { return };
        let mut state = self.providers.state();
        if let Some(circuit) = state.circuits.get_mut(&name) {
            circuit.answered();
        }
        // There is somebody else after all.
        if !state.needed.contains(&name) {
            state.needed.clear();
        }
        self.trials.retain(|trial| *trial != name);
    }

    /// A provider failed.
    pub(super) fn failed(mut self, provider: Option<&str>) -> Blame {
        let Some(name) = self.of_its_own(provider) else { return Blame::Server };
        let trial = self.trials.contains(&name);
        self.trials.retain(|trial| *trial != name);
        let mut state = self.providers.state();
        let circuit = state.circuits.entry(name).or_default();
        circuit.failed(trial, Instant::now());
        Blame::Provider { left_out: !circuit.is_closed() }
    }

    /// A provider asked for a pause. Whether that is its own affair, and it is left out for so long.
    pub(super) fn paused(mut self, provider: Option<&str>, pause: Duration) -> bool {
        let Some(name) = self.of_its_own(provider) else { return false };
        let trial = self.trials.contains(&name);
        self.trials.retain(|trial| *trial != name);
        // Longer than any run takes, and short of what the clock can count.
        let until = Instant::now() + pause.min(Duration::from_secs(366 * 24 * 3600));
        self.providers.state().circuits.entry(name).or_default().open(trial, until);
        true
    }

    /// The server took no request that leaves these out: nobody else serves the model, or it does not know the names.
    /// They are not left out again, until somebody else answers.
    pub(super) fn nobody_left(self) {
        let mut state = self.providers.state();
        for name in &self.ignored {
            state.circuits.remove(name);
            state.needed.insert(name.clone());
        }
    }

    fn of_its_own(&self, provider: Option<&str>) -> Option<String> {
        let name = provider.map(slug).filter(|name| self.providers.choice && !self.ignored.contains(name))?;
        (!self.providers.state().needed.contains(&name)).then_some(name)
    }
}

impl Drop for Route<'_> {
    fn drop(&mut self) {
        if self.trials.is_empty() {
            return;
        }
        let mut state = self.providers.state();
        for name in &self.trials {
            if let Some(circuit) = state.circuits.get_mut(name) {
                circuit.abandon();
            }
        }
    }
}

/// The name that requests have for a provider: replies show `Google AI Studio` and `Z.AI`, requests take
/// `google-ai-studio` and `z-ai`. `Google` alone is Vertex.
fn slug(name: &str) -> String {
    let words = name.split(|c: char| c.is_whitespace() || c == '.').filter(|word| !word.is_empty());
    match words.collect::<Vec<_>>().join("-").to_lowercase() {
        google if google == "google" => "google-vertex".to_owned(),
        slug => slug,
    }
}

#[cfg(test)]
mod tests {
    use super::super::circuit::FAILURES;
    use super::*;

    fn failing(providers: &Providers, name: &str) {
        for failure in 1..=FAILURES {
            let left_out = failure == FAILURES;
            assert_eq!(providers.route().failed(Some(name)), Blame::Provider { left_out });
        }
    }

    /// The pause is over.
    fn elapse(providers: &Providers, name: &str) {
        let mut circuit = Circuit::default();
        circuit.open(false, Instant::now());
        providers.state().circuits.insert(name.to_owned(), circuit);
    }

    #[test]
    fn one_that_fails_is_left_out_and_the_others_are_not() {
        let providers = Providers::new(true);
        failing(&providers, "Google AI Studio");
        providers.route().answered(Some("Together"));
        assert_eq!(providers.route().ignored(), ["google-ai-studio"]);
        assert_eq!(providers.route().failed(None), Blame::Server, "nobody was named");
    }

    #[test]
    fn names_of_replies_are_those_of_requests() {
        let shown = ["Google AI Studio", "Google", "Z.AI", "Amazon Bedrock", "DeepInfra"];
        let asked = ["google-ai-studio", "google-vertex", "z-ai", "amazon-bedrock", "deepinfra"];
        assert_eq!(shown.map(slug), asked);
    }

    #[test]
    fn the_trial_of_one_is_settled_by_its_own_answer_alone() {
        let providers = Providers::new(true);
        failing(&providers, "a");
        elapse(&providers, "a");
        let trial = providers.route();
        assert!(trial.ignored().is_empty(), "it may be served by it");
        assert_eq!(providers.route().ignored(), ["a"], "one trial at a time");
        trial.answered(Some("b"));
        let again = providers.route();
        assert!(again.ignored().is_empty(), "another's answer tells nothing of it");
        // Who has failed in the trial goes elsewhere at once.
        assert_eq!(again.failed(Some("a")), Blame::Provider { left_out: true });
        assert_eq!(providers.route().ignored(), ["a"]);
        elapse(&providers, "a");
        providers.route().answered(Some("a"));
        assert!(providers.route().ignored().is_empty() && providers.route().trials.is_empty());
    }

    #[test]
    fn who_cannot_be_left_out_is_the_servers_affair_until_somebody_else_answers() {
        let providers = Providers::new(true);
        failing(&providers, "a");
        providers.route().nobody_left();
        assert!(providers.route().ignored().is_empty());
        assert_eq!(providers.route().failed(Some("a")), Blame::Server);
        providers.route().answered(Some("a"));
        assert_eq!(providers.route().failed(Some("a")), Blame::Server, "its own answer tells of nobody else");
        providers.route().answered(Some("b"));
        assert_eq!(providers.route().failed(Some("a")), Blame::Provider { left_out: false });
    }

    #[test]
    fn a_pause_that_one_asks_for_is_its_own() {
        let providers = Providers::new(true);
        assert!(providers.route().paused(Some("a"), Duration::from_secs(u64::MAX)));
        assert_eq!(providers.route().ignored(), ["a"]);
        assert_eq!(providers.route().failed(Some("a")), Blame::Server, "left out, and served all the same");
    }

    #[test]
    fn without_a_choice_nobody_is_left_out() {
        let providers = Providers::new(false);
        for _ in 0..2 * FAILURES {
            assert_eq!(providers.route().failed(Some("a")), Blame::Server);
        }
        assert!(providers.route().ignored().is_empty());
    }
}
