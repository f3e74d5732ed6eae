//! What is to be scored: every (trajectory, wording, repeat), once.

mod pilot;
mod shard;

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

pub use shard::Shard;

use crate::dataset::{Dataset, Trajectory};
use crate::paraphrase::{Paraphrase, ParaphraseSet, Strategy};
use crate::{Error, Result};

/// The work of a study, whatever models do it: trajectories in the dataset's order, each with its wordings.
///
/// The original instruction is always among the wordings, first. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Plan {
    dataset: Arc<str>,
    trajectories: Arc<Vec<Planned>>,
    repeats: u32,
    bare: Arc<Vec<String>>,
    unused: Arc<Vec<String>>,
}

/// A trajectory and the wordings of its instruction.
#[derive(Clone, Debug)]
pub struct Planned {
    /// The trajectory.
    pub trajectory: Arc<Trajectory>,
    /// Its wordings, the original first, no text twice.
    pub wordings: Arc<Vec<Wording>>,
}

/// A text to put in the instruction's place: one call a repeat, however many strategies it stands under.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wording {
    /// The text.
    pub instruction: Arc<str>,
    /// What it stands for, at least one: a row of the score table each.
    pub stands: Vec<Standing>,
}

/// One of the things that a text stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// The strategy it was made by.
    pub strategy: Strategy,
    /// The paraphrase file's name for it.
    pub paraphrase_id: Option<String>,
    /// The paraphrase that an aggregation variant came from.
    pub seed: Option<String>,
}

/// What gives the rewordings of a trajectory's instruction.
pub type ParaphrasesOf<'a> = dyn Fn(&Trajectory) -> Vec<&'a Paraphrase> + 'a;

/// What part of the dataset and of the paraphrases to take.
#[derive(Clone, Debug, Default)]
pub struct PlanOptions {
    /// Calls a wording; 0 counts as 1.
    pub repeats: u32,
    /// A pilot of so many trajectories, stratified by label and task.
    pub limit: Option<usize>,
    /// Of the pilot: the same seed takes the same trajectories, and a larger pilot contains a smaller one.
    pub seed: u64,
    /// The part of the trajectories (of the pilot, where there is one) that this machine does.
    pub shard: Option<Shard>,
    /// Only these strategies, and the original.
    pub strategies: Option<Vec<Strategy>>,
}

impl Plan {
    /// Plans the scoring of a dataset; of its paraphrases, where any are wanted.
    ///
    /// # Errors
    /// As [`Plan::from_parts`].
    pub fn new<'a>(dataset: &Dataset, paraphrases: Option<&'a ParaphraseSet>, options: &PlanOptions) -> Result<Self> {
        let of = move |trajectory: &Trajectory| paraphrases.map_or_else(Vec::new, |set| set.for_trajectory(trajectory));
        let of: &ParaphrasesOf<'a> = &of;
        let unused = paraphrases.map_or_else(Vec::new, |set| set.unused(dataset.trajectories()));
        Self::of_parts(dataset.name(), dataset.trajectories(), paraphrases.map(|_| of), unused, options)
    }

    /// Plans the scoring of `trajectories`; `paraphrases_of` gives the rewordings of one, where any are wanted.
    ///
    /// A task that has none, where they are wanted, is planned with its original instruction alone, told by
    /// [`Plan::bare_tasks`], and reported as a failure when the study ends: the rest of the work is kept.
    ///
    /// # Errors
    /// There are no trajectories, or none that the shard takes; an instruction is empty; an id stands twice; paraphrases
    /// are wanted and no task of the dataset has any (the file of another dataset: scoring the originals alone would be
    /// money spent by mistake). What a shard or a pilot happens to take is no such sign: part of a study must not refuse
    /// what the whole of it would do.
    pub fn from_parts<'a>(
        dataset: &str,
        trajectories: &[Trajectory],
        paraphrases_of: Option<&ParaphrasesOf<'a>>,
        options: &PlanOptions,
    ) -> Result<Self> {
        Self::of_parts(dataset, trajectories, paraphrases_of, Vec::new(), options)
    }

    /// `unused` are the names that there are paraphrases of and that the dataset does not have.
    fn of_parts<'a>(
        dataset: &str,
        trajectories: &[Trajectory],
        paraphrases_of: Option<&ParaphrasesOf<'a>>,
        unused: Vec<String>,
        options: &PlanOptions,
    ) -> Result<Self> {
        if trajectories.is_empty() {
            return Err(Error::input(format!("dataset {dataset} has no trajectories"))
                .with_help("is it the right folder or file? `roborm trajectories` lists what is in one"));
        }
        let mut ids = HashMap::new();
        for (n, trajectory) in trajectories.iter().enumerate() {
            if let Some(first) = ids.insert(trajectory.id.as_str(), n) {
                return Err(Error::input(format!(
                    "trajectory {} stands twice in dataset {dataset}: {} and {} from its start",
                    trajectory.id,
                    first + 1,
                    n + 1
                ))
                .with_help("give each trajectory an id of its own"));
            }
            if trajectory.task.trim().is_empty() {
                return Err(Error::input(format!(
                    "trajectory {} of dataset {dataset} has no instruction",
                    trajectory.id
                ))
                .with_help(
                    "say what the robot was told in its `task`; for a folder of frames, in a manifest that names it",
                ));
            }
        }
        let mut chosen: Vec<usize> = match options.limit {
            Some(limit) => pilot::choose(trajectories, limit, options.seed),
            None => (0..trajectories.len()).collect(),
        };
        if let Some(shard) = options.shard {
            chosen = shard.part(&chosen);
        }
        if chosen.is_empty() {
            return Err(Error::usage(format!("nothing to do: no trajectory of dataset {dataset} is left"))
                .with_help("raise --limit, or use fewer shards than trajectories"));
        }

        let mut bare = BTreeSet::new();
        let only = options.strategies.as_deref();
        let mut worded = false;
        let planned = chosen
            .into_iter()
            .map(|n| {
                let trajectory = &trajectories[n];
                let paraphrases = paraphrases_of.map_or_else(Vec::new, |of| of(trajectory));
                let wordings = wordings(trajectory, &paraphrases, only);
                let has_some = has_paraphrase(&wordings);
                worded |= has_some;
                if paraphrases_of.is_some() && !has_some {
                    bare.insert(trajectory.task.clone());
                }
                Planned { trajectory: Arc::new(trajectory.clone()), wordings: Arc::new(wordings) }
            })
            .collect();
        if let Some(of) = paraphrases_of
            && !worded
            && !trajectories.iter().any(|trajectory| has_paraphrase(&wordings(trajectory, &of(trajectory), only)))
        {
            let tasks: BTreeSet<&str> = trajectories.iter().map(|trajectory| trajectory.task.as_str()).collect();
            let tasks: Vec<&str> = tasks.into_iter().collect();
            let named: Vec<&str> = unused.iter().map(String::as_str).collect();
            let others = if named.is_empty() { String::new() } else { format!(" It has some for {}", few(&named)) };
            return Err(Error::input(format!("no paraphrases for any task of dataset {dataset}: {}", few(&tasks)))
                .with_help(format!("is the paraphrase file that of this dataset, its `task` spelled as there, its strategies the ones asked for?{others}")));
        }
        Ok(Self {
            dataset: dataset.into(),
            trajectories: Arc::new(planned),
            repeats: options.repeats.max(1),
            bare: Arc::new(bare.into_iter().collect()),
            unused: Arc::new(unused),
        })
    }

    /// The dataset's name, as it stands in the score table.
    pub fn dataset(&self) -> &str {
        &self.dataset
    }

    /// The trajectories, in order.
    pub fn trajectories(&self) -> &[Planned] {
        &self.trajectories
    }

    /// Calls a wording.
    pub fn repeats(&self) -> u32 {
        self.repeats
    }

    /// Calls of one model that the plan comes to: (trajectory, text, repeat).
    pub fn pairs(&self) -> u64 {
        self.trajectories.iter().map(|planned| planned.wordings.len() as u64).sum::<u64>() * u64::from(self.repeats)
    }

    /// Rows of one model in the score table: a text that stands under two strategies gives two.
    pub fn rows(&self) -> u64 {
        let stands =
            |planned: &Planned| planned.wordings.iter().map(|wording| wording.stands.len() as u64).sum::<u64>();
        self.trajectories.iter().map(stands).sum::<u64>() * u64::from(self.repeats)
    }

    /// Tasks that have no paraphrase although some were wanted, in alphabetical order.
    pub fn bare_tasks(&self) -> &[String] {
        &self.bare
    }
}

impl Plan {
    /// A line on the tasks of [`Plan::bare_tasks`], where there are any.
    pub fn bare_tasks_told(&self) -> Option<String> {
        let tasks: Vec<&str> = self.bare.iter().map(String::as_str).collect();
        (!tasks.is_empty()).then(|| format!("no paraphrases for {} of the tasks: {}", tasks.len(), few(&tasks)))
    }
}

impl Plan {
    /// Tasks and trajectories that there are paraphrases of and that the dataset does not have, in the order of the
    /// paraphrases: a name that is spelled otherwise.
    pub fn unused(&self) -> &[String] {
        &self.unused
    }

    /// A line on them, where there are any.
    pub fn unused_told(&self) -> Option<String> {
        let names: Vec<&str> = self.unused.iter().map(String::as_str).collect();
        let named = if names.len() == 1 {
            "1 task or trajectory".to_owned()
        } else {
            format!("{} tasks or trajectories", names.len())
        };
        (!names.is_empty()).then(|| {
            format!(
                "there are paraphrases of {named} that the dataset does not have, and they are not asked: {}",
                few(&names)
            )
        })
    }
}

impl Standing {
    fn is_paraphrase(&self) -> bool {
        self.strategy != Strategy::Original
    }
}

/// The first few of `names`, and how many more there are.
fn few(names: &[&str]) -> String {
    const SHOWN: usize = 3;
    let shown = names.iter().take(SHOWN).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(SHOWN) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

fn has_paraphrase(wordings: &[Wording]) -> bool {
    wordings.iter().any(|wording| wording.stands.iter().any(Standing::is_paraphrase))
}

/// The wordings of a trajectory: the original, then the paraphrases in the order of their file.
fn wordings(trajectory: &Trajectory, paraphrases: &[&Paraphrase], only: Option<&[Strategy]>) -> Vec<Wording> {
    let original = Standing { strategy: Strategy::Original, paraphrase_id: None, seed: None };
    let mut wordings = vec![Wording { instruction: trajectory.task.as_str().into(), stands: vec![original] }];
    let mut at: HashMap<&str, usize> = HashMap::from([(trajectory.task.as_str(), 0)]);
    for paraphrase in paraphrases {
        if only.is_some_and(|only| paraphrase.strategy != Strategy::Original && !only.contains(&paraphrase.strategy)) {
            continue;
        }
        let standing = Standing {
            strategy: paraphrase.strategy.clone(),
            paraphrase_id: paraphrase.id.clone(),
            seed: paraphrase.seed.clone(),
        };
        let n = *at.entry(paraphrase.instruction.as_str()).or_insert_with(|| {
            wordings.push(Wording { instruction: paraphrase.instruction.as_str().into(), stands: Vec::new() });
            wordings.len() - 1
        });
        // The same text twice under one strategy (for the task and again for the trajectory) is one row.
        let stands = &mut wordings[n].stands;
        if !stands.iter().any(|known| known.strategy == standing.strategy && known.seed == standing.seed) {
            stands.push(standing);
        }
    }
    wordings
}
