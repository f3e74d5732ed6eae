//! What a study will come to, before anything is spent.

mod tokens;

use super::builder::Study;
use super::plan::Planned;
use crate::Result;
use crate::frames::Frames;
use crate::reward::{Price, RewardModel};

/// How many trajectories are sampled to see how many images they give, and how large.
const SAMPLED: usize = 5;

/// What a call is taken to look like where nothing was sampled: the size of most robot cameras, a short episode.
const USUAL: Look = Look { images: 8.0, width: 640, height: 480 };

/// What a run would come to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Estimate {
    /// Calls to be made.
    pub calls: u64,
    /// Pairs that the ledger has replies to, going by dataset, trajectory, instruction, repeat and settings. The run
    /// itself goes by the bytes of the images: where a video has changed, it calls again.
    pub cached: u64,
    /// Prompt tokens of the calls, images included.
    pub prompt_tokens: u64,
    /// Completion tokens of the calls, reasoning included.
    pub completion_tokens: u64,
    /// Dollars; `None` where a model has no known price and the ledger has no calls of it that tell their cost. What
    /// a provider's prefix cache may save is not taken off, unless past calls tell.
    pub cost_usd: Option<f64>,
    /// The same, by model.
    pub by_model: Vec<ModelEstimate>,
    /// Tasks without paraphrases where some are wanted, and trajectories whose frames could not be sampled for the
    /// estimate: name and error.
    pub warnings: Vec<String>,
}

/// What one model would come to.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelEstimate {
    /// Its name.
    pub model: String,
    /// Calls to be made.
    pub calls: u64,
    /// Of all calls together.
    pub prompt_tokens: u64,
    /// Of all calls together.
    pub completion_tokens: u64,
    /// Dollars, where known.
    pub cost_usd: Option<f64>,
    /// Whether the figures are those of past calls in the ledger; else they are from rules of thumb.
    pub from_past: bool,
}

/// The images of a call.
#[derive(Clone, Copy, Debug)]
struct Look {
    images: f64,
    width: u32,
    height: u32,
}

/// One call.
struct Call {
    prompt_tokens: f64,
    completion_tokens: f64,
    cost_usd: Option<f64>,
    from_past: bool,
}

pub(super) fn estimate(study: &Study) -> Result<Estimate> {
    let mut total = Estimate { cost_usd: Some(0.0), ..Estimate::default() };
    total.warnings.extend(study.plan.bare_tasks_told());
    let look = look(study, &mut total.warnings);
    for model in &study.models {
        let cached = cached(study, model.as_ref())?;
        let calls = study.plan.pairs() - cached;
        let call = one_call(study, model.as_ref(), Some(look))?;
        let of_all = |tokens: f64| (tokens * calls as f64).round() as u64;
        let estimate = ModelEstimate {
            model: model.name().to_owned(),
            calls,
            prompt_tokens: of_all(call.prompt_tokens),
            completion_tokens: of_all(call.completion_tokens),
            cost_usd: if calls == 0 { Some(0.0) } else { call.cost_usd.map(|cost| cost * calls as f64) },
            from_past: call.from_past,
        };
        total.calls += calls;
        total.cached += cached;
        total.prompt_tokens += estimate.prompt_tokens;
        total.completion_tokens += estimate.completion_tokens;
        total.cost_usd = total.cost_usd.zip(estimate.cost_usd).map(|(a, b)| a + b);
        total.by_model.push(estimate);
    }
    Ok(total)
}

/// Dollars that one call may cost, to be set aside for it; 0 where that is not known.
pub(super) fn call_usd(study: &Study, model: &dyn RewardModel) -> Result<f64> {
    // Rules of thumb are for budgets only here: no need to sample.
    if study.options.max_cost_usd.is_none() {
        return Ok(0.0);
    }
    Ok(one_call(study, model, None)?.cost_usd.unwrap_or(0.0))
}

/// What one call of a model comes to: as past ones did, else by rule of thumb. Without a look at the images, they are
/// taken to be like those of the past, or the usual ones.
fn one_call(study: &Study, model: &dyn RewardModel, seen: Option<Look>) -> Result<Call> {
    let past = study.ledger.past(model.name(), model.config().digest())?;
    let needs = model.image_needs();
    let look = seen.unwrap_or(USUAL);
    let images = needs.max_images.map_or(look.images, |max| look.images.min(max as f64));
    let max_side = needs.encoding.and_then(|encoding| encoding.max_side);
    let image = tokens::per_image(model.name(), tokens::shown(look.width, look.height, max_side));
    let text = model.prompt().before.len() + model.prompt().after.len() + mean_length(study);
    let mut call = Call {
        prompt_tokens: images * image + tokens::of_text(text),
        completion_tokens: tokens::of_answer(model.config().settings()),
        cost_usd: None,
        from_past: false,
    };
    if let Some(past) = past {
        call.from_past = past.prompt_tokens.is_some();
        // Episodes differ in length: tokens are taken to go with the number of images.
        let longer = if seen.is_some() && past.images > 0.0 { images / past.images } else { 1.0 };
        call.prompt_tokens = past.prompt_tokens.map_or(call.prompt_tokens, |tokens| tokens * longer);
        call.completion_tokens = past.completion_tokens.unwrap_or(call.completion_tokens);
        call.cost_usd = past.cost_usd.map(|cost| cost * longer);
    }
    let priced = |price: Price| call.prompt_tokens * price.prompt_usd + call.completion_tokens * price.completion_usd;
    call.cost_usd = call.cost_usd.or_else(|| model.price().map(priced));
    Ok(call)
}

fn cached(study: &Study, model: &dyn RewardModel) -> Result<u64> {
    let plan = &study.plan;
    let answered = study.ledger.answered_calls(model.name(), model.config().digest(), model.prompt().version)?;
    let mut cached = 0;
    for Planned { trajectory, wordings } in plan.trajectories() {
        for wording in wordings.iter() {
            let known = |repeat: &u32| answered.contains(plan.dataset(), &trajectory.id, &wording.instruction, *repeat);
            cached += (0..plan.repeats()).filter(known).count() as u64;
        }
    }
    Ok(cached)
}

/// The images of a few trajectories, spread over the plan.
fn look(study: &Study, warnings: &mut Vec<String>) -> Look {
    let all = study.plan.trajectories();
    let mut seen: Vec<Frames> = Vec::new();
    for planned in all.iter().step_by(all.len().div_ceil(SAMPLED).max(1)) {
        match (study.sample)(&planned.trajectory) {
            Ok(frames) => seen.push(frames),
            Err(error) => warnings.push(format!("trajectory {}: {error}", planned.trajectory.id)),
        }
    }
    let sizes = seen.iter().filter_map(|frames| frames.frames.first()).map(|frame| (frame.width, frame.height));
    match sizes.max_by_key(|(width, height)| u64::from(*width) * u64::from(*height)) {
        None => USUAL,
        Some((width, height)) => {
            let images: usize = seen.iter().map(|frames| frames.frames.len()).sum();
            Look { images: images as f64 / seen.len() as f64, width, height }
        }
    }
}

/// Bytes of an instruction.
fn mean_length(study: &Study) -> usize {
    let wordings = study.plan.trajectories().iter().flat_map(|planned| planned.wordings.iter());
    let (count, bytes) =
        wordings.fold((0, 0), |(count, bytes), wording| (count + 1, bytes + wording.instruction.len()));
    bytes / std::cmp::max(count, 1)
}
