//! Arguments that several commands take.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, ValueEnum};

use super::Session;
use super::current::{self, Opened};
use super::prices::Prices;
use crate::dataset::{Dataset, OpenOptions};
use crate::paraphrase::{self, ParaphraseSet};
use crate::reward::{self, Environment, FRAMES_FIRST, ModelOptions, Part, RewardModel, TEXT_FIRST, Tell};
use crate::study::{Ledger, Plan, PlanOptions, Shard, Study};
use crate::{Error, Result};

/// How to open a dataset.
#[derive(Debug, Args)]
pub(super) struct Opening {
    /// Camera of a LeRobot dataset, by its key or the end of it
    #[arg(long, value_name = "C")]
    camera: Option<String>,

    /// Frames a second of a folder of frames
    #[arg(long, value_name = "HZ")]
    rate: Option<f64>,

    /// Folder that a manifest's relative paths start at, and may not leave
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
}

impl Opening {
    pub(super) fn options(&self) -> OpenOptions {
        OpenOptions { rate_hz: self.rate, root: self.root.clone(), camera: self.camera.clone() }
    }

    /// The dataset of this name; without one that which is open.
    pub(super) fn open(&self, spec: Option<&str>, session: &Session) -> Result<Dataset> {
        match (spec, session.current.opened()) {
            (Some(spec), Some(opened)) if spec == opened.spec && self.is_plain() => Ok(opened.dataset),
            (Some(spec), _) => self.open_named(spec),
            (None, Some(opened)) => Ok(opened.dataset),
            (None, None) => Err(current::no_dataset()),
        }
    }

    /// DATASET, or the one trajectory of DATASET#ID.
    fn open_named(&self, spec: &str) -> Result<Dataset> {
        let (place, id) = Dataset::split_spec(spec);
        let dataset = Dataset::open(place, &self.options())?;
        let Some(id) = id else { return Ok(dataset) };
        let id = dataset.get(id)?.id.clone();
        Ok(dataset.filter(|trajectory| trajectory.id == id))
    }

    /// A video file stands for itself: none of these options can mean anything there.
    pub(super) fn none_for_video(&self, path: &Path) -> Result<()> {
        let given =
            [("--camera", self.camera.is_some()), ("--rate", self.rate.is_some()), ("--root", self.root.is_some())];
        match given.iter().find(|(_, given)| *given) {
            None => Ok(()),
            Some((option, _)) => {
                Err(Error::usage(format!("{option} does not go with {}, which is one video", path.display()))
                    .with_help(
                        "leave it out: a video has its own rate and one picture; --fps says how densely to sample",
                    ))
            }
        }
    }

    /// No option is given, so that a dataset opened before is the same.
    fn is_plain(&self) -> bool {
        self.camera.is_none() && self.rate.is_none() && self.root.is_none()
    }

    /// DATASET#ID as a dataset of one trajectory; a dataset that has only one needs no id, and one that is open needs
    /// no name: its ids come before files of the same name (which are `./NAME`). Without anything it is the trajectory
    /// looked at last.
    pub(super) fn open_one(&self, spec: Option<&str>, session: &Session) -> Result<Dataset> {
        let one = self.find_one(spec, session)?;
        if let Some(trajectory) = one.trajectories().first() {
            session.current.look_at(&trajectory.id);
        }
        Ok(one)
    }

    fn find_one(&self, spec: Option<&str>, session: &Session) -> Result<Dataset> {
        let only = |dataset: Dataset, id: &str| dataset.filter(|trajectory| trajectory.id == id);
        let Some(spec) = spec else {
            let dataset = session.current.dataset().ok_or_else(current::no_dataset)?;
            let id = session.current.trajectory().ok_or_else(|| {
                Error::usage(format!("no trajectory of {} was looked at yet", dataset.name()))
                    .with_help("name one by its id, or take the first: `:next`")
            })?;
            return Ok(only(dataset, &id));
        };
        if let Some(Opened { dataset, spec: opened, .. }) = session.current.opened() {
            let id = spec.strip_prefix(&opened).and_then(|rest| rest.strip_prefix('#')).filter(|_| self.is_plain());
            match dataset.get(id.unwrap_or(spec)) {
                Ok(found) => return Ok(only(dataset.clone(), &found.id)),
                // A word that can be nothing else is a wrong id.
                Err(error) if id.is_some() || could_only_be_an_id(spec) => return Err(error),
                Err(_) => {}
            }
        }
        let (place, id) = Dataset::split_spec(spec);
        let dataset = self.open(Some(place), session)?;
        let id = match (id, dataset.trajectories()) {
            (Some(id), _) => dataset.get(id)?.id.clone(),
            (None, [only]) => only.id.clone(),
            (None, all) => {
                return Err(Error::usage(format!("{spec} has {} trajectories", all.len())).with_help(format!(
                    "name one of them: {spec}#{}, …; `roborm trajectories {spec}` lists them",
                    all.first().map_or("ID", |first| first.id.as_str())
                )));
            }
        };
        Ok(dataset.filter(|trajectory| trajectory.id == id))
    }
}

fn could_only_be_an_id(spec: &str) -> bool {
    spec != "demo" && !spec.contains(['#', '/', '.']) && !std::path::Path::new(spec).exists()
}

/// The order of the message's parts: a setting like any other, part of what is measured.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Order {
    FramesFirst,
    TextFirst,
}

impl Order {
    fn parts(self) -> &'static [Part] {
        match self {
            Self::FramesFirst => FRAMES_FIRST,
            Self::TextFirst => TEXT_FIRST,
        }
    }
}

/// How to score: the arguments of score, estimate and spot.
#[derive(Debug, Args)]
pub(super) struct Scoring {
    /// Reward model: a catalogue name or slug, simulated, or any name with --base-url; repeat it for several
    #[arg(long = "model", value_name = "NAME")]
    models: Vec<String>,

    /// Paraphrase file (.jsonl, .csv, .parquet); without it the original instructions alone (demo brings its own)
    #[arg(long, value_name = "FILE")]
    paraphrases: Option<PathBuf>,

    /// Ledger that keeps every reply [default: in the user's data folder]
    #[arg(long, value_name = "FILE")]
    ledger: Option<PathBuf>,

    /// OpenAI-compatible server, version path included; repeat it to spread the load over equal servers
    #[arg(long, value_name = "URL")]
    base_url: Vec<String>,

    /// Calls at a time, for each model
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    concurrency: Option<u16>,

    /// Calls for each wording
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    repeats: u32,

    /// Dollars that this run may spend
    #[arg(long, value_name = "USD")]
    max_cost: Option<f64>,

    /// Send at most so many images, by uniform down-sampling that keeps first and last
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    max_images: Option<u16>,

    /// Reasoning: off, on, or an effort that the model knows
    #[arg(long, value_name = "EFFORT")]
    reasoning: Option<String>,

    /// The one provider behind OpenRouter that may serve the calls: its limits and its prices hold then
    #[arg(long, value_name = "NAME")]
    provider: Option<String>,

    /// Order of the message's parts; frames first lets a provider's cache serve all paraphrases of a trajectory
    #[arg(long, value_name = "ORDER", value_enum, default_value_t = Order::FramesFirst)]
    order: Order,

    #[command(flatten)]
    opening: Opening,

    /// A pilot of so many trajectories, stratified by label and task
    #[arg(long, value_name = "N")]
    limit: Option<usize>,

    /// Seed of the pilot: which trajectories it takes
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,

    /// Seed of the replies, of models that take one: a setting that can change a reply, so another seed is another call
    #[arg(long, value_name = "S")]
    reply_seed: Option<u64>,

    /// The i-th of n parts of the trajectories, from 1
    #[arg(long, value_name = "i/n", value_parser = parsed::<Shard>)]
    shard: Option<Shard>,

    /// Call those again that failed for good, or whose reply gives no score: failed, unparsed
    #[arg(long, value_name = "WHICH", value_delimiter = ',', value_parser = ["failed", "unparsed"])]
    retry: Vec<String>,

    /// Leave calls alone whose reply was lost in a crash, instead of sending them again
    #[arg(long)]
    no_resend: bool,

    /// Milliseconds that the simulated model takes for an answer
    #[arg(long, value_name = "MS")]
    latency: Option<f64>,
}

impl Scoring {
    pub(super) fn open(&self, spec: Option<&str>, session: &Session) -> Result<Dataset> {
        self.opening.open(spec, session)
    }

    pub(super) fn open_one(&self, spec: Option<&str>, session: &Session) -> Result<Dataset> {
        self.opening.open_one(spec, session)
    }

    /// Where the prices come from that a limit on spending goes by; empty where there is none.
    pub(super) fn limit_notes(&self, prices: &Prices) -> Vec<String> {
        if self.max_cost.is_some() { prices.notes() } else { Vec::new() }
    }

    /// The names of the models; without any those asked last.
    fn names(&self, session: &Session) -> Result<Vec<String>> {
        let names = if self.models.is_empty() { session.current.models() } else { self.models.clone() };
        if names.is_empty() {
            return Err(Error::usage("no reward model is named").with_help(
                "add one, for example --model simulated; the next commands take the same; `:models` lists those known",
            ));
        }
        Ok(names)
    }

    fn open_models(
        &self,
        names: &[String],
        environment: Environment,
        prices: &Prices,
        session: &Session,
    ) -> Result<Vec<Arc<dyn RewardModel>>> {
        let options = ModelOptions {
            base_urls: self.base_url.clone(),
            reasoning: self.reasoning.clone(),
            seed: self.reply_seed,
            max_images: self.max_images.map(usize::from),
            // The client's own limit: without it, it would keep to what a server takes by default.
            concurrency: self.concurrency.map(usize::from),
            latency_ms: self.latency,
            provider: self.provider.clone(),
            order: Some(self.order.parts()),
            tell: {
                let progress = Arc::clone(&session.progress);
                Tell::new(move |line| progress.say(line))
            },
            environment: Some(environment),
            ..ModelOptions::default()
        };
        let priced = |name: &String| ModelOptions { price: prices.of(name), ..options.clone() };
        names.iter().map(|name| reward::open(name, &priced(name))).collect()
    }

    /// The study of `dataset`, planned and ready, and what prices it goes by: live ones where they are `wanted` or money
    /// is limited.
    pub(super) fn study(&self, session: &Session, dataset: &Dataset, wanted: bool) -> Result<(Study, Prices)> {
        if let Some(latency) = self.latency.filter(|latency| !(0.0..=3_600_000.0).contains(latency)) {
            return Err(Error::usage(format!("a latency of {latency} ms")).with_help("give milliseconds, such as 50"));
        }
        // Models first: a wrong name is the cheapest thing to find out.
        let names = self.names(session)?;
        let environment = Environment::of_process();
        let mut models = self.open_models(&names, environment.clone(), &Prices::default(), session)?;
        session.current.set_models(&names);
        let mut prices = Prices::default();
        if wanted || self.max_cost.is_some() {
            prices = Prices::fetch(&names, &self.base_url, &environment);
            models = self.open_models(&names, environment, &prices, session)?;
        }
        let opened = session.current.opened().filter(|opened| opened.dataset.name() == dataset.name());
        let paraphrases = match (&self.paraphrases, opened.and_then(|opened| opened.paraphrases)) {
            (Some(file), _) => Some(ParaphraseSet::read(file)?),
            (None, Some(opened)) => Some(opened),
            (None, None) if dataset.name() == "demo" => Some(paraphrase::demo()),
            (None, None) => None,
        };
        let options = PlanOptions {
            repeats: self.repeats,
            limit: self.limit,
            seed: self.seed,
            shard: self.shard,
            strategies: None,
        };
        let plan = Plan::new(dataset, paraphrases.as_ref(), &options)?;
        let ledger = self.open_ledger(&models, wanted, session)?;
        let mut study = Study::new(plan, ledger)
            .frames(session.sample_frames())
            .retry_failed(self.retry.iter().any(|which| which == "failed"))
            .retry_unparsed(self.retry.iter().any(|which| which == "unparsed"))
            .resend(!self.no_resend)
            .cancel(session.cancel.clone());
        for model in models {
            study = study.model(model);
        }
        if let Some(calls) = self.concurrency {
            study = study.concurrency(usize::from(calls));
        }
        if let Some(dollars) = self.max_cost {
            study = study.max_cost_usd(dollars);
        }
        if !wanted && self.max_cost.is_some() {
            self.can_be_limited(&study)?;
        }
        Ok((study, prices))
    }

    /// The ledger that is named, or that of this user.
    fn open_ledger(&self, models: &[Arc<dyn RewardModel>], only_look: bool, session: &Session) -> Result<Ledger> {
        // An estimate leaves no file behind where there was none.
        let look = |place: &Path| only_look && !place.exists();
        if let Some(file) = &self.ledger {
            return if look(file) { Ledger::scratch() } else { Ledger::open(file) };
        }
        if Ledger::default_path().is_ok_and(|place| look(&place)) {
            return Ledger::scratch();
        }
        let can_be_written = Ledger::check_default();
        let is_free = |model: &Arc<dyn RewardModel>| model.price().is_some_and(|price| price.is_free());
        match can_be_written {
            Ok(()) => Ledger::open_default(),
            // A first look at the demo must not fail where there is no home to write to.
            Err(error) if models.iter().all(is_free) => {
                session
                    .progress
                    .say(&format!("note: {error}; replies that cost nothing are kept for this command only"));
                Ledger::scratch()
            }
            Err(error) => Err(error.with_help("name a ledger in a folder that can be written to: --ledger FILE")),
        }
    }

    /// What a table must not be written over: what this study reads, and what it was paid for.
    ///
    /// # Errors
    /// `out` is the dataset's file, the paraphrase file or the ledger.
    pub(super) fn check_out(&self, out: &Path, spec: Option<&str>) -> Result<()> {
        let dataset = spec.map(|spec| PathBuf::from(spec.rsplit_once('#').map_or(spec, |(path, _)| path)));
        let ledger = self.ledger.clone().or_else(|| Ledger::default_path().ok());
        let inputs = [
            (spec.map(PathBuf::from), "the dataset"),
            (dataset, "the dataset"),
            (self.paraphrases.clone(), "the paraphrase file"),
            (ledger.clone(), "the ledger"),
        ];
        let Ok(written) = out.canonicalize() else {
            // Where neither is there yet, the table would be put in the place of the ledger in the end.
            return match ledger.is_some_and(|ledger| ledger == out) {
                true => Err(not_over(out, "the ledger")),
                false => Ok(()),
            };
        };
        let same = |file: &Option<PathBuf>| {
            file.as_ref().and_then(|file| file.canonicalize().ok()).is_some_and(|file| file == written)
        };
        match inputs.iter().find(|(file, _)| same(file)) {
            Some((_, what)) => Err(not_over(out, what)),
            None => Ok(()),
        }
    }

    /// A limit that nobody can keep is refused before the first call.
    fn can_be_limited(&self, study: &Study) -> Result<()> {
        match study.estimate()?.by_model.iter().find(|model| model.cost_usd.is_none()) {
            None => Ok(()),
            Some(model) => Err(Error::usage(format!(
                "--max-cost cannot be kept: the price of {} is not known",
                model.model
            ))
            .with_help(
                "leave it out, or limit the calls with --limit N; what past calls cost counts, where the server tells",
            )),
        }
    }
}

fn not_over(out: &Path, what: &str) -> Error {
    Error::usage(format!("--out {} is {what}, which the score table would take the place of", out.display()))
        .with_help("name another file, for example --out scores.parquet")
}

/// Reads the value of an option, and has an error say what to do: of an error clap shows one line.
pub(super) fn parsed<T: std::str::FromStr<Err = Error>>(text: &str) -> std::result::Result<T, String> {
    text.parse().map_err(|error: Error| match error.help() {
        Some(help) => format!("{error}: {help}"),
        None => error.to_string(),
    })
}
