//! A study: what to score, by which models, under which limits.

use std::sync::Arc;

use super::estimate::{self, Estimate};
use super::ledger::Ledger;
use super::outcome::Outcome;
use super::plan::Plan;
use super::progress::{Cancel, Progress, Silent, attended};
use super::run;
use crate::dataset::Trajectory;
use crate::frames::{Frames, Sampler, Sampling};
use crate::reward::RewardModel;
use crate::{Error, Result};

/// What gives the frames of a trajectory. Called from several threads, once a trajectory and run, and not at all with
/// more trajectories at a time than there are processors.
pub type SampleFrames = Arc<dyn Fn(&Trajectory) -> Result<Frames> + Send + Sync>;

/// A study, ready to be estimated or run. Running it again calls only what has no reply yet.
///
/// ```no_run
/// # use roborm::study::{Ledger, Plan, Study};
/// # fn example(plan: Plan, model: std::sync::Arc<dyn roborm::reward::RewardModel>) -> roborm::Result<()> {
/// let study = Study::new(plan, Ledger::open("ledger.db")?).model(model).max_cost_usd(5.0);
/// println!("about {:?} dollars", study.estimate()?.cost_usd);
/// let outcome = study.run()?;
/// outcome.scores.write("scores.parquet")?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Study {
    pub(super) plan: Plan,
    pub(super) ledger: Ledger,
    pub(super) sample: SampleFrames,
    pub(super) models: Vec<Arc<dyn RewardModel>>,
    pub(super) options: Options,
    pub(super) progress: Arc<dyn Progress>,
    pub(super) cancel: Cancel,
    /// Whether a progress was given.
    is_told: bool,
    /// Whether what stops it was given.
    is_stopped: bool,
    /// Of one run: raised where nobody waits for its outcome any more.
    pub(super) dropped: Cancel,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Options {
    pub concurrency: Option<usize>,
    pub max_cost_usd: Option<f64>,
    pub retry_failed: bool,
    pub retry_unparsed: bool,
    pub resend: bool,
}

impl Study {
    /// A study without models yet, of the frames that [`Sampling::default`] takes: one a second.
    pub fn new(plan: Plan, ledger: Ledger) -> Self {
        let options =
            Options { concurrency: None, max_cost_usd: None, retry_failed: false, retry_unparsed: false, resend: true };
        Self {
            plan,
            ledger,
            sample: sample_by(Sampling::default()),
            models: Vec::new(),
            options,
            progress: Arc::new(Silent),
            cancel: Cancel::new(),
            is_told: false,
            is_stopped: false,
            dropped: Cancel::new(),
        }
    }

    /// Which frames to take. What a model takes at most is taken out of these, see
    /// [`ImageNeeds::max_images`](crate::reward::ImageNeeds::max_images).
    #[must_use]
    pub fn sampling(self, sampling: Sampling) -> Self {
        self.frames(sample_by(sampling))
    }

    /// Frames from elsewhere than the trajectories' own sources.
    #[must_use]
    pub fn frames(mut self, sample: SampleFrames) -> Self {
        self.sample = sample;
        self
    }

    /// Adds a model. Models share the frames of a trajectory.
    #[must_use]
    pub fn model(mut self, model: Arc<dyn RewardModel>) -> Self {
        self.models.push(model);
        self
    }

    /// Calls under way at a time, for each model; by default what [`RewardModel::concurrency`] says. 0 counts as 1.
    #[must_use]
    pub fn concurrency(mut self, calls: usize) -> Self {
        self.options.concurrency = Some(calls.max(1));
        self
    }

    /// Dollars that one run may spend, all models together. What a call may cost is set aside before it is sent; the
    /// limit is exceeded at most by what the calls under way cost beyond that.
    #[must_use]
    pub fn max_cost_usd(mut self, dollars: f64) -> Self {
        self.options.max_cost_usd = Some(dollars);
        self
    }

    /// Calls those again that failed for good: refused, or lost in a way that may have been billed. Without it, only
    /// those are tried again whose fault passes and cost nothing.
    #[must_use]
    pub fn retry_failed(mut self, retry: bool) -> Self {
        self.options.retry_failed = retry;
        self
    }

    /// Calls those again whose reply gives no score.
    #[must_use]
    pub fn retry_unparsed(mut self, retry: bool) -> Self {
        self.options.retry_unparsed = retry;
        self
    }

    /// Whether to send those again whose intent was left open by a run that was killed (the default). They may have
    /// been billed; where an id had come, the reply is looked up by it first.
    #[must_use]
    pub fn resend(mut self, resend: bool) -> Self {
        self.options.resend = resend;
        self
    }

    /// Who is told how the run goes on.
    #[must_use]
    pub fn progress(mut self, progress: Arc<dyn Progress>) -> Self {
        self.progress = progress;
        self.is_told = true;
        self
    }

    /// What stops the run from outside.
    #[must_use]
    pub fn cancel(mut self, cancel: Cancel) -> Self {
        self.cancel = cancel;
        self.is_stopped = true;
        self
    }

    /// What it scores.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Calls, tokens and dollars that a run would come to. Samples the frames of a few trajectories; sends nothing.
    ///
    /// # Errors
    /// No model, two models that are the same, or the ledger cannot be read.
    pub fn estimate(&self) -> Result<Estimate> {
        self.check()?;
        estimate::estimate(self)
    }

    /// Runs the study and waits for it. Works from async code too (a notebook's cell), whose thread it blocks.
    ///
    /// Faults of single pairs and trajectories are in the outcome, as is what ended the run before its time; with either
    /// the rest of the work is kept.
    ///
    /// # Errors
    /// The run could not begin: no model, two models that are the same, a limit that is no amount, a ledger that cannot
    /// be written.
    pub fn run(&self) -> Result<Outcome> {
        self.check()?;
        let (study, (done, wait)) = (self.attended(), std::sync::mpsc::sync_channel(1));
        start_thread(move || drop(done.send(run::run(&study))))?;
        wait.recv().unwrap_or_else(|_| Err(lost()))
    }

    /// As [`Study::run`], without blocking. On any runtime: the work has one of its own. Dropping the future stops the
    /// run as [`Cancel::cancel`] does.
    ///
    /// # Errors
    /// As [`Study::run`].
    pub async fn run_async(&self) -> Result<Outcome> {
        struct Waiter(Cancel);
        impl Drop for Waiter {
            fn drop(&mut self) {
                // After the end, this tells nobody.
                self.0.cancel();
            }
        }
        self.check()?;
        let waiter = Waiter(Cancel::new());
        let study = Self { dropped: waiter.0.clone(), ..self.attended() };
        let (done, wait) = tokio::sync::oneshot::channel();
        start_thread(move || drop(done.send(run::run(&study))))?;
        wait.await.unwrap_or_else(|_| Err(lost()))
    }

    /// This study as it runs: in a cell, stopped and told of as the cell is.
    fn attended(&self) -> Self {
        let mut study = self.clone();
        if let Some(attended) = attended() {
            if !self.is_stopped {
                study.cancel = attended.cancel;
            }
            if !self.is_told {
                study.progress = attended.progress;
            }
        }
        study
    }

    fn check(&self) -> Result<()> {
        if self.models.is_empty() {
            return Err(Error::usage("a study without a model").with_help("name one with --model NAME"));
        }
        for (n, model) in self.models.iter().enumerate() {
            let same = |other: &Arc<dyn RewardModel>| other.name() == model.name() && other.config() == model.config();
            if self.models[..n].iter().any(same) {
                let message = format!("model {} is named twice with the same settings", model.name());
                return Err(Error::usage(message).with_help("name it once, or use --repeats for more replies of it"));
            }
        }
        match self.options.max_cost_usd {
            Some(dollars) if !(dollars.is_finite() && dollars >= 0.0) => {
                Err(Error::usage(format!("a limit of {dollars} dollars"))
                    .with_help("give an amount such as --max-cost 5"))
            }
            _ => Ok(()),
        }
    }
}

fn sample_by(sampling: Sampling) -> SampleFrames {
    let sampler = Sampler::new();
    Arc::new(move |trajectory| sampler.sample(trajectory, &sampling))
}

/// A thread of its own for the run: a runtime cannot be started or blocked on inside another one.
fn start_thread(work: impl FnOnce() + Send + 'static) -> Result<()> {
    std::thread::Builder::new()
        .name("roborm-study".to_owned())
        .spawn(work)
        .map(drop)
        .map_err(|error| Error::io("cannot start the study's thread", &error))
}

fn lost() -> Error {
    Error::ledger("the study's thread ended without a word")
        .with_help("this is a fault of roborm; run it again: nothing is paid twice")
}
