//! A set of paraphrases, found by trajectory.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::{Key, Paraphrase, Strategy};
use crate::dataset::Trajectory;
use crate::{Error, Result};

/// Paraphrases by task or trajectory, in the order of their file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ParaphraseSet {
    paraphrases: Vec<Paraphrase>,
    /// The places of each key's paraphrases.
    places: HashMap<Key, Vec<usize>>,
}

impl ParaphraseSet {
    /// A set of these, but for needless ones: the strategy `original` with the task's own words.
    ///
    /// # Errors
    /// A blank instruction or key, an `original` that is not the task's own words, two of one key, strategy and
    /// instruction, or negative votes: with their places in `paraphrases`, from 1.
    pub fn new(paraphrases: Vec<Paraphrase>) -> Result<Self> {
        Self::build(paraphrases, |index| format!("paraphrase {}", index + 1))
    }

    /// As [`ParaphraseSet::new`]; `place` tells where in its file a paraphrase stands.
    pub(super) fn build(paraphrases: Vec<Paraphrase>, place: impl Fn(usize) -> String) -> Result<Self> {
        let mut set = Self::default();
        // Where each one kept came from, which is not its place in the set once a needless one was left out.
        let mut origins = Vec::with_capacity(paraphrases.len());
        let mut seen: HashMap<(Key, Strategy, String), usize> = HashMap::with_capacity(paraphrases.len());
        for (index, paraphrase) in paraphrases.into_iter().enumerate() {
            check(&paraphrase).map_err(|error| error.at(place(index)))?;
            let Paraphrase { key, strategy, instruction, .. } = &paraphrase;
            if *strategy == Strategy::Original {
                continue;
            }
            let identity = (key.clone(), strategy.clone(), instruction.clone());
            if let Some(first) = seen.insert(identity, set.paraphrases.len()) {
                return Err(Error::input(format!(
                    "{} and {} are the same {strategy} paraphrase {instruction:?}",
                    place(origins[first]),
                    place(index)
                ))
                .with_help("leave one of them out: a paraphrase counts once"));
            }
            set.places.entry(key.clone()).or_default().push(set.paraphrases.len());
            set.paraphrases.push(paraphrase);
            origins.push(index);
        }
        Ok(set)
    }

    /// Those to score a trajectory with: of its task, then of itself, each in the order of the file. Those that
    /// validators found not equivalent (`verified` is false) are left out, for a score that differs on another meaning
    /// says nothing of robustness; [`ParaphraseSet::iter`] still has them.
    pub fn for_trajectory(&self, trajectory: &Trajectory) -> Vec<&Paraphrase> {
        let keys = [Key::Task(trajectory.task.clone()), Key::Trajectory(trajectory.id.clone())];
        keys.iter()
            .flat_map(|key| self.places.get(key).into_iter().flatten())
            .map(|&place| &self.paraphrases[place])
            .filter(|paraphrase| paraphrase.verified != Some(false))
            .collect()
    }

    /// The tasks and trajectories that none of `trajectories` is of, in the order of the file.
    pub fn unused(&self, trajectories: &[Trajectory]) -> Vec<String> {
        let tasks: HashSet<&str> = trajectories.iter().map(|trajectory| trajectory.task.as_str()).collect();
        let ids: HashSet<&str> = trajectories.iter().map(|trajectory| trajectory.id.as_str()).collect();
        let mut unused: Vec<(usize, &String)> = self
            .places
            .iter()
            .filter_map(|(key, places)| match key {
                Key::Task(task) if !tasks.contains(task.as_str()) => Some((places[0], task)),
                Key::Trajectory(id) if !ids.contains(id.as_str()) => Some((places[0], id)),
                _ => None,
            })
            .collect();
        unused.sort_unstable();
        unused.into_iter().map(|(_, name)| name.clone()).collect()
    }

    /// One after the other.
    pub fn iter(&self) -> std::slice::Iter<'_, Paraphrase> {
        self.paraphrases.iter()
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.paraphrases.len()
    }

    /// None at all?
    pub fn is_empty(&self) -> bool {
        self.paraphrases.is_empty()
    }

    /// The tasks that have paraphrases, in alphabetical order.
    pub fn tasks(&self) -> Vec<&str> {
        let tasks: BTreeSet<&str> = self
            .places
            .keys()
            .filter_map(|key| match key {
                Key::Task(task) => Some(task.as_str()),
                Key::Trajectory(_) => None,
            })
            .collect();
        tasks.into_iter().collect()
    }

    /// The strategies there are, in the order of [`Strategy`].
    pub fn strategies(&self) -> Vec<Strategy> {
        let strategies: BTreeSet<&Strategy> = self.iter().map(|paraphrase| &paraphrase.strategy).collect();
        strategies.into_iter().cloned().collect()
    }
}

impl<'a> IntoIterator for &'a ParaphraseSet {
    type Item = &'a Paraphrase;
    type IntoIter = std::slice::Iter<'a, Paraphrase>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// What is wrong with a paraphrase by itself.
fn check(paraphrase: &Paraphrase) -> Result<()> {
    let blank = |text: &str| text.trim().is_empty();
    let (word, key) = match &paraphrase.key {
        Key::Task(task) => ("task", task),
        Key::Trajectory(id) => ("trajectory", id),
    };
    if blank(key) {
        return Err(Error::input(format!("{word} is empty")));
    }
    if blank(&paraphrase.instruction) {
        return Err(Error::input("instruction is empty"));
    }
    if blank(paraphrase.strategy.as_str()) {
        return Err(Error::input("strategy is empty"));
    }
    if let Some(votes) = paraphrase.votes.filter(|&votes| votes < 0) {
        return Err(Error::input(format!("votes {votes} is below 0")));
    }
    if paraphrase.strategy == Strategy::Original {
        return match &paraphrase.key {
            Key::Task(task) if *task == paraphrase.instruction => Ok(()),
            Key::Task(task) => Err(Error::input(format!(
                "strategy original with {:?}, which is not the task {task:?}",
                paraphrase.instruction
            ))),
            Key::Trajectory(id) => Err(Error::input(format!("strategy original for trajectory {id}"))),
        }
        .map_err(|error| error.with_help("leave the row out: the original instruction comes from the dataset"));
    }
    Ok(())
}
