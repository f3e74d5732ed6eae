//! Many instructions at a time, as many as the memory takes.

use roborm_wire::local::Answer;
use tch::{Kind, Tensor};

use super::guard::give_back_memory;
use super::prefix::{Prefix, common};
use super::{BATCH, Engine, Event, PACKED_TOKENS, Question, SeenClip, answer, guarded};
use crate::input::positions;
use crate::model::{Attention, untraced};
use crate::{Error, Result};

/// The owner of a token that all instructions see.
pub(super) const SHARED: i64 = -1;

/// A prompt on its way to an answer.
struct Sequence<'a> {
    /// Its place in the question.
    index: usize,
    /// Tokens to go on with in place of the likeliest.
    forced: Option<&'a [i64]>,
    /// The ids of the prompt, then those generated.
    ids: Vec<i64>,
    prompt: usize,
    shared: usize,
    /// Added to the place of a generated token to get its position.
    delta: i64,
    /// For each generated token: the probabilities that the answers 1 to 5 had in its place.
    digits: Vec<[f64; 5]>,
    stopped: bool,
    /// Its logits were not finite: whatever was chosen by them is no answer.
    broken: bool,
}

impl Sequence<'_> {
    /// Forgets what was generated.
    fn restart(&mut self) {
        self.ids.truncate(self.prompt);
        self.digits.clear();
        (self.stopped, self.broken) = (false, false);
    }
}

/// How many of the next instructions are computed together, by the tokens that each has after the prefix.
fn fitting(rests: impl Iterator<Item = usize>, limit: usize) -> usize {
    let mut tokens = 0;
    let fits = |&(place, rest): &(usize, usize)| {
        tokens += rest;
        place == 0 || tokens <= PACKED_TOKENS
    };
    rests.take(limit).enumerate().take_while(fits).count()
}

impl Engine {
    /// Scores instructions about the clip; answers come as events, as soon as their batch is done.
    ///
    /// # Errors
    /// Where no clip has been seen, or the memory does not suffice even for one instruction. Gives notes for the user.
    pub fn score(&mut self, question: &Question, say: &mut dyn FnMut(Event)) -> Result<Vec<String>> {
        let mut clip = self.clip.take().ok_or_else(|| Error::internal("no clip has been sent"))?;
        let mut limit = self.limit;
        let result = self.score_about(&mut clip, question, &mut limit, say);
        self.limit = limit;
        // A question about the same clip goes on from here; what the answers took is not kept for it.
        let mut shrink = |prefix: &mut Prefix| result.is_ok() && prefix.shrink().is_ok();
        if !clip.prefix.as_mut().is_some_and(&mut shrink) {
            clip.prefix = None;
        }
        self.clip = Some(clip);
        give_back_memory();
        result
    }

    fn score_about(
        &self,
        clip: &mut SeenClip,
        question: &Question,
        limit: &mut usize,
        say: &mut dyn FnMut(Event),
    ) -> Result<Vec<String>> {
        let mut notes = Vec::new();
        let mut waiting = self.sequences(clip, question, say)?;
        let Some(first) = waiting.first() else { return Ok(notes) };
        let visual_end = self.visual_end(&first.ids);
        let mut shared = first.ids.clone();
        for sequence in &waiting {
            // At least one token is left, whose logits are the first of the answer.
            let most = sequence.prompt.saturating_sub(1);
            shared.truncate(common(&shared, &sequence.ids).min(most));
        }
        let kept = clip.prefix.as_ref().is_some_and(|prefix| prefix.common(&shared) >= visual_end);
        let _ = self.look(&mut clip.look, &mut |stage| say(Event::Alive(stage.to_owned())))?;
        say(Event::Alive("prefill".into()));
        if shared.len() < visual_end || (waiting.len() == 1 && !kept) {
            for sequence in &mut waiting {
                match guarded(|| self.alone(clip, sequence, question.max_tokens, say)) {
                    Ok(()) => say(self.outcome(sequence, 1)),
                    Err(error) if error.is_memory() => say(Event::Refused(sequence.index, too_little())),
                    Err(error) => return Err(error),
                }
            }
            return Ok(notes);
        }
        guarded(|| self.prepare(clip, &shared)).map_err(super::of_frames)?;
        let prefix = clip.prefix.as_mut().ok_or_else(|| Error::internal("the prefix is gone"))?;
        let start = prefix.ids.len();
        let asked = question.batch.unwrap_or(BATCH).clamp(1, BATCH);
        let mut done = 0;
        while done < waiting.len() {
            let rests = waiting[done..].iter().map(|sequence| sequence.prompt - start);
            let count = fitting(rests, asked.min(*limit));
            let now = &mut waiting[done..done + count];
            match guarded(|| self.together(prefix, now, question.max_tokens, say)) {
                Ok(()) => {}
                Err(error) if error.is_memory() => {
                    prefix.cache.crop(start as i64);
                    prefix.shrink().map_err(super::of_frames)?;
                    // In pieces all over the heap, it would be missed where the next needs it whole.
                    give_back_memory();
                    if let [only] = now {
                        say(Event::Refused(only.index, too_little()));
                        done += 1;
                        continue;
                    }
                    *limit = count / 2;
                    notes.push(format!("too little memory for {count} instructions at a time: {limit} from here on"));
                    now.iter_mut().for_each(Sequence::restart);
                    continue;
                }
                Err(error) => return Err(error),
            }
            for sequence in now.iter_mut() {
                // What is not finite in one gets into all beside it, through values that a mask only makes nothing of
                // where they are numbers. Alone it is seen whose it was.
                let alone = sequence.broken && count > 1;
                if alone {
                    sequence.restart();
                    guarded(|| self.together(prefix, std::slice::from_mut(sequence), question.max_tokens, say))?;
                }
                say(self.outcome(sequence, if alone { 1 } else { count }));
            }
            done += count;
        }
        Ok(notes)
    }

    /// Prompts as token ids; those that are too long are refused.
    fn sequences<'a>(
        &self,
        clip: &SeenClip,
        question: &Question<'a>,
        say: &mut dyn FnMut(Event),
    ) -> Result<Vec<Sequence<'a>>> {
        let config = &self.checkpoint.config;
        let longest = config.text.max_positions;
        let frames = self.tokenizer.encode(&self.prompt.expand("", &clip.visual, clip.grid, question.text_first)).len();
        let mut sequences = Vec::new();
        for (index, text) in question.texts.iter().enumerate() {
            let ids = self.tokenizer.encode(&self.prompt.expand(text, &clip.visual, clip.grid, question.text_first));
            if (ids.len() + question.max_tokens) as i64 > longest {
                let error = if 2 * frames as i64 > longest {
                    // The same for all wordings, and told once for all.
                    let alone = format!("the frames alone are {frames}");
                    Error::request(format!("the prompt and its answer exceed the model's {longest} tokens; {alone}"))
                        .with_help("take fewer frames: --max-images")
                } else {
                    Error::request(format!(
                        "the prompt has {} tokens, {frames} of them the frames', and with an answer of up to {} exceeds \
                         the model's {longest}",
                        ids.len(),
                        question.max_tokens
                    ))
                    .with_help("shorten the instruction")
                };
                say(Event::Refused(index, error));
                continue;
            }
            let visual = [config.image_token, config.video_token];
            let delta = positions(&ids, visual, clip.grid, config.vision.merge)?.delta;
            let prompt = ids.len();
            let forced = question.forced.get(index).map(Vec::as_slice);
            sequences.push(Sequence {
                index,
                forced,
                ids,
                prompt,
                shared: 0,
                delta,
                digits: Vec::new(),
                stopped: false,
                broken: false,
            });
        }
        Ok(sequences)
    }

    /// One prompt in full; it stays as the clip's prefix.
    fn alone(
        &self,
        clip: &mut SeenClip,
        sequence: &mut Sequence,
        max_tokens: usize,
        say: &mut dyn FnMut(Event),
    ) -> Result<()> {
        let mut cache = self.text.cache();
        clip.prefix = None;
        // Room for the answer at once, so that nothing is moved while decoding.
        cache.reserve((sequence.prompt + max_tokens) as i64);
        let rows = self.prefill(clip, &sequence.ids, &mut cache, &mut untraced)?;
        let last = rows.narrow(0, sequence.prompt as i64 - 1, 1);
        let mut prefix = Prefix { ids: sequence.ids.clone(), cache };
        let owners = vec![0; sequence.prompt];
        self.decode(&mut prefix, std::slice::from_mut(sequence), owners, last, max_tokens, say);
        prefix.crop(sequence.prompt);
        clip.prefix = (!sequence.broken).then_some(prefix);
        Ok(())
    }

    /// The rests of several prompts after one prefix, in one sequence.
    fn together(
        &self,
        prefix: &mut Prefix,
        sequences: &mut [Sequence],
        max_tokens: usize,
        say: &mut dyn FnMut(Event),
    ) -> Result<()> {
        let start = prefix.ids.len();
        let mut owners = vec![SHARED; start];
        let (mut ids, mut places, mut last) = (Vec::new(), Vec::new(), Vec::new());
        for (owner, sequence) in (0_i64..).zip(sequences.iter_mut()) {
            sequence.shared = start;
            let rest = &sequence.ids[start..];
            ids.extend_from_slice(rest);
            owners.extend(std::iter::repeat_n(owner, rest.len()));
            // No visual token after the prefix: the three axes go on together.
            places.extend((start..sequence.prompt).map(|place| [place as i64 + sequence.delta; 3]));
            last.push(ids.len() as i64 - 1);
        }
        prefix.cache.reserve((owners.len() + sequences.len() * max_tokens) as i64);
        let attention = Attention::Masked(self.mask(&owners, ids.len()));
        let rows =
            self.text.forward(self.text.embed(&ids), &places, &attention, None, &mut prefix.cache, &mut untraced);
        let (_, device) = self.text.options();
        let last = rows.index_select(0, &Tensor::from_slice(&last).to_device(device));
        self.decode(prefix, sequences, owners, last, max_tokens, say);
        prefix.cache.crop(start as i64);
        Ok(())
    }

    /// Generates until every sequence has stopped; `rows` are the last of each, `owners` says whose each cached token is.
    fn decode(
        &self,
        prefix: &mut Prefix,
        sequences: &mut [Sequence],
        mut owners: Vec<i64>,
        mut rows: Tensor,
        max_tokens: usize,
        say: &mut dyn FnMut(Event),
    ) {
        for step in 0..max_tokens {
            say(Event::Alive(format!("token {} of at most {max_tokens}", step + 1)));
            let logits = self.text.logits(&rows, &mut untraced);
            let mut active: Vec<(i64, &mut Sequence)> =
                (0..).zip(sequences.iter_mut()).filter(|(_, sequence)| !sequence.stopped).collect();
            for (row, (_, sequence)) in (0_i64..).zip(&active).filter(|(_, (_, sequence))| sequence.forced.is_some()) {
                say(Event::Logits(sequence.index, logits.get(row)));
            }
            self.choose(&logits, &mut active);
            active.retain(|(_, sequence)| !sequence.stopped);
            if active.is_empty() || step + 1 == max_tokens {
                break;
            }
            let ids: Vec<i64> = active.iter().filter_map(|(_, sequence)| sequence.ids.last().copied()).collect();
            let place = |sequence: &Sequence| [sequence.ids.len() as i64 - 1 + sequence.delta; 3];
            let places: Vec<[i64; 3]> = active.iter().map(|(_, sequence)| place(sequence)).collect();
            owners.extend(active.iter().map(|(owner, _)| *owner));
            let attention = Attention::Masked(self.mask(&owners, ids.len()));
            rows =
                self.text.forward(self.text.embed(&ids), &places, &attention, None, &mut prefix.cache, &mut untraced);
        }
    }

    /// The likeliest token for each sequence that goes on, in the order of the rows of `logits`.
    fn choose(&self, logits: &Tensor, active: &mut [(i64, &mut Sequence<'_>)]) {
        if let Some(digits) = &self.digits {
            let digits = Tensor::from_slice(digits).to_device(logits.device());
            let shares = (logits.index_select(1, &digits) - logits.logsumexp([1], true)).exp();
            let shares = shares.to_kind(Kind::Double).to_device(tch::Device::Cpu);
            for (row, (_, sequence)) in (0_i64..).zip(active.iter_mut()) {
                sequence.digits.push(std::array::from_fn(|digit| shares.double_value(&[row, digit as i64])));
            }
        }
        let finite = logits.isfinite().all_dim(1, false).to_device(tch::Device::Cpu);
        let penalty = self.checkpoint.generation.repetition_penalty;
        let logits = if penalty == 1.0 { logits.shallow_clone() } else { penalised(logits, active, penalty) };
        let best = logits.argmax(1, false).to_device(tch::Device::Cpu);
        for (row, (_, sequence)) in (0_i64..).zip(active.iter_mut()) {
            let forced = sequence.forced.and_then(|forced| forced.get(sequence.ids.len() - sequence.prompt));
            let id = forced.copied().unwrap_or_else(|| best.int64_value(&[row]));
            sequence.ids.push(id);
            sequence.broken = finite.int64_value(&[row]) == 0;
            sequence.stopped = sequence.broken || self.checkpoint.generation.stop.contains(&id);
        }
    }

    /// What the last `count` of the tokens see, `[count, tokens]`: what is shared or their own owner's, and not after them.
    pub(super) fn mask(&self, owners: &[i64], count: usize) -> Tensor {
        let (kind, device) = self.text.options();
        let all = Tensor::from_slice(owners).to_device(device);
        let total = owners.len() as i64;
        let new = all.narrow(0, total - count as i64, count as i64).unsqueeze(1);
        let places = Tensor::arange(total, (Kind::Int64, device));
        let new_places = places.narrow(0, total - count as i64, count as i64).unsqueeze(1);
        let theirs = all.eq(SHARED).logical_or(&all.eq_tensor(&new));
        let hidden = theirs.logical_and(&places.le_tensor(&new_places)).logical_not();
        Tensor::zeros([count as i64, total], (kind, device)).masked_fill(&hidden, f64::NEG_INFINITY)
    }

    /// The answer, or why there is none.
    fn outcome(&self, sequence: &Sequence, batch: usize) -> Event {
        if !sequence.broken {
            return Event::Answer(self.answer(sequence, batch));
        }
        let (name, help) = match self.text.options().0 {
            Kind::Half => ("f16", "use dtype=bf16 or f32"),
            Kind::BFloat16 => {
                ("bf16", "use dtype=f32; where that does not help, the training of the checkpoint diverged")
            }
            _ => ("f32", "the training of the checkpoint diverged, or config.json is of another"),
        };
        let error = Error::request(format!("the numbers are not finite in {name}")).with_help(help);
        Event::Refused(sequence.index, error)
    }

    fn answer(&self, sequence: &Sequence, batch: usize) -> Answer {
        let generated = &sequence.ids[sequence.prompt..];
        let digits = self.digits.as_ref();
        Answer {
            index: sequence.index,
            text: self.tokenizer.decode(generated, true),
            finish: if sequence.stopped { "stop" } else { "length" }.to_owned(),
            prompt_tokens: sequence.prompt,
            shared_tokens: sequence.shared,
            completion_tokens: generated.len(),
            batch,
            digits: digits
                .map_or_else(Vec::new, |known| answer::digits(generated, known, &sequence.digits, &self.tokenizer)),
        }
    }
}

/// One instruction that the memory does not suffice for.
fn too_little() -> Error {
    Error::memory("too little memory for this instruction, even alone")
        .with_help("shorten it, take fewer frames (--max-images), or end other programs")
}

/// Divides the positive and multiplies the negative logits of tokens that came before, those of the prompt included, as
/// transformers does.
fn penalised(logits: &Tensor, active: &[(i64, &mut Sequence<'_>)], penalty: f64) -> Tensor {
    let changed = logits.copy();
    for (row, (_, sequence)) in (0_i64..).zip(active) {
        let ids = Tensor::from_slice(&sequence.ids).to_device(logits.device());
        let came = logits.select(0, row).index_select(0, &ids);
        let less = (&came / penalty).where_self(&came.gt(0.0), &(&came * penalty));
        let _ = changed.select(0, row).index_copy_(0, &ids, &less);
    }
    changed
}
