//! What the stub knows and counts.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};

use serde_json::{Value, json};

use crate::Config;
use crate::answer::{Given, draw};
use crate::bucket::Level;
use crate::fault::Fault;
use crate::question::{Preferences, Question};

/// A trajectory whose requests are expected: any other images are an error.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expected {
    /// blake3 of each image's bytes in hexadecimal, in order.
    pub images: Vec<String>,
    /// The instructions that may come with them; any where empty.
    pub instructions: Vec<String>,
    /// True progress, from 1 to 5: what answers lean to.
    pub label: Option<u8>,
}

/// What the stub has counted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tally {
    /// Chat requests that arrived in full, those with a fault included.
    pub requests: u64,
    /// Answers that were billed, whether they arrived or not.
    pub billed: u64,
    /// Dollars of them.
    pub cost: f64,
    /// Billed answers whose prompt was cached.
    pub cached: u64,
    /// Questions that were billed more than once.
    pub billed_twice: u64,
    /// Requests that were not what was expected, with what was wrong.
    pub mismatches: Vec<String>,
    /// Faults by name; `Limited` are the 429 of the token bucket.
    pub faults: BTreeMap<String, u64>,
    /// Chat requests under way at a time, at most.
    pub most_at_a_time: u64,
    /// Look-ups of an earlier answer that found one.
    pub looked_up: u64,
    /// `Authorization` headers that came, by how often.
    pub keys: BTreeMap<String, u64>,
    /// The body of the last chat request.
    pub last_body: String,
    /// Requests by the provider that they went to, those that failed there included.
    pub by_provider: BTreeMap<String, u64>,
}

impl Tally {
    /// As JSON, without keys and bodies.
    pub fn to_json(&self) -> Value {
        json!({
            "requests": self.requests,
            "billed": self.billed,
            "cost_usd": self.cost,
            "cached": self.cached,
            "billed_twice": self.billed_twice,
            "mismatches": self.mismatches,
            "faults": self.faults,
            "most_at_a_time": self.most_at_a_time,
            "looked_up": self.looked_up,
            "by_provider": self.by_provider,
        })
    }
}

pub(crate) struct State {
    pub(crate) config: Config,
    pub(crate) script: VecDeque<Fault>,
    pub(crate) level: Option<Level>,
    pub(crate) expected: HashMap<Vec<String>, Expected>,
    pub(crate) tries: HashMap<String, u64>,
    pub(crate) warm: HashSet<(String, Vec<String>)>,
    pub(crate) given: HashMap<String, Given>,
    pub(crate) billed: HashMap<Question, u64>,
    pub(crate) tally: Tally,
    pub(crate) last_body: Vec<u8>,
    /// Providers that fail.
    pub(crate) down: BTreeSet<String>,
    pub(crate) under_way: u64,
}

impl State {
    pub(crate) fn new(config: Config) -> Self {
        Self {
            script: config.script.iter().cloned().collect(),
            level: config.bucket.map(Level::full),
            config,
            expected: HashMap::new(),
            tries: HashMap::new(),
            warm: HashSet::new(),
            given: HashMap::new(),
            billed: HashMap::new(),
            tally: Tally::default(),
            last_body: Vec::new(),
            down: BTreeSet::new(),
            under_way: 0,
        }
    }

    /// The number of this try of a question, from 0.
    pub(crate) fn try_of(&mut self, digest: &str) -> u64 {
        let tries = self.tries.entry(digest.to_owned()).or_default();
        *tries += 1;
        *tries - 1
    }

    /// What is wrong with a question, where only certain ones are expected.
    pub(crate) fn mismatch(&self, question: &Question) -> Option<String> {
        if self.expected.is_empty() {
            return None;
        }
        let Some(expected) = self.expected.get(&question.images) else {
            return Some(format!("unexpected images (or their order) with '{}'", question.instruction));
        };
        let known = expected.instructions.is_empty() || expected.instructions.contains(&question.instruction);
        (!known).then(|| format!("unexpected instruction '{}'", question.instruction))
    }

    /// The provider that serves a question; `None` where nobody is left who may.
    pub(crate) fn route(&self, question: &Question, preferences: &Preferences) -> Option<String> {
        if let (Some(false), Some(only)) = (preferences.allow_fallbacks, preferences.order.first()) {
            return Some(only.clone());
        }
        let ignored = |name: &str| preferences.ignore.iter().any(|slug| slug_of(name) == slug_of(slug));
        let all = &self.config.providers;
        let first = draw(self.config.seed, "provider", question.images.iter().map(String::as_str)) * all.len() as f64;
        let mut turns = (0..all.len()).map(|turn| &all[(first as usize + turn) % all.len()]);
        turns.find(|name| !ignored(name)).cloned()
    }

    /// Answers and bills a question.
    pub(crate) fn bill(&mut self, question: &Question, provider: &str) -> Given {
        let prefix = (question.model.clone(), question.images.clone());
        let cached = self.warm.contains(&prefix);
        let label = self.expected.get(&question.images).and_then(|expected| expected.label);
        let given = Given::new(question, self.config.seed, label, cached, self.tally.billed, provider);
        self.warm.insert(prefix);
        self.tally.billed += 1;
        self.tally.cost += given.cost;
        self.tally.cached += u64::from(cached);
        let times = self.billed.entry(question.clone()).or_default();
        *times += 1;
        self.tally.billed_twice += u64::from(*times > 1);
        self.given.insert(given.id.clone(), given.clone());
        given
    }

    pub(crate) fn count(&mut self, fault: &Fault) {
        let name = format!("{fault:?}");
        let name = name.split([' ', '{', '(']).next().unwrap_or_default().to_owned();
        *self.tally.faults.entry(name).or_default() += 1;
    }
}

/// The name that requests have for a provider.
fn slug_of(name: &str) -> String {
    name.to_lowercase().replace(' ', "-")
}
