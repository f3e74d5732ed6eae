//! What a run of local checkpoints came to, for the user.

use roborm_wire::local::{Answer, Ready};

/// Troubles that are told one by one; the rest are counted.
const TOLD: usize = 5;

/// Counts over the answers of a run.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally {
    answers: u64,
    /// The most instructions that were computed together.
    together: usize,
    prompt_tokens: u64,
    shared_tokens: u64,
    /// Answers that no digit from 1 to 5 is the score of.
    without: u64,
    /// Prompts with what begins a mark of the chat.
    marked: u64,
    troubles: Vec<String>,
    /// Troubles beyond those kept.
    more: u64,
}

impl Tally {
    pub(super) fn answered(&mut self, answer: &Answer, placed: bool) {
        self.answers += 1;
        self.together = self.together.max(answer.batch);
        self.prompt_tokens += answer.prompt_tokens as u64;
        self.shared_tokens += answer.shared_tokens as u64;
        self.without += u64::from(!placed);
    }

    /// Prompts that hold `<|`, which the worker breaks up.
    pub(super) fn marked(&mut self, count: u64) {
        self.marked += count;
    }

    /// A smaller batch after too little memory, a worker that had to be started again.
    pub(super) fn trouble(&mut self, what: String) {
        if self.troubles.len() < TOLD {
            self.troubles.push(what);
        } else {
            self.more += 1;
        }
    }

    /// Lines for the user: what went wrong, and, where anything was answered, how it was computed.
    pub(super) fn notes(&self, name: &str, ready: &[Ready]) -> Vec<String> {
        let mut notes: Vec<String> = self.troubles.iter().map(|what| format!("{name}: {what}")).collect();
        if self.more > 0 {
            notes.push(format!("{name}: {} more of that kind", self.more));
        }
        if self.answers == 0 {
            return notes;
        }
        if self.marked > 0 {
            notes.push(format!(
                "{name}: {} <|, with which the chat's own marks begin; the model reads < | there",
                if self.marked == 1 { "1 prompt holds".into() } else { format!("{} prompts hold", self.marked) }
            ));
        }
        for (index, now) in ready.iter().enumerate() {
            // Of the checkpoint, so alike on every device.
            let new = |note: &&String| !ready[..index].iter().any(|before| before.notes.contains(note));
            notes.extend(now.notes.iter().filter(new).map(|note| format!("{name}: {note}")));
            notes.push(format!(
                "{name} on {}: weights {:.1} MB as {}, keys and values {:.1} KiB a token",
                now.device,
                now.weights as f64 / 1e6,
                now.dtype,
                now.token as f64 / 1024.0
            ));
        }
        let share = 100.0 * self.shared_tokens as f64 / self.prompt_tokens.max(1) as f64;
        let together = match self.together {
            0 | 1 => "one instruction at a time".to_owned(),
            n => format!("up to {n} instructions at a time"),
        };
        notes.push(format!(
            "{name}: {}, {together}; {share:.0} % of the prompts' tokens were shared",
            answers(self.answers)
        ));
        let without = match self.without {
            0 => String::new(),
            1 => "; 1 answer has none, for want of a score in digits".to_owned(),
            n => format!("; {n} answers have none, for want of a score in digits"),
        };
        notes.push(format!(
            "{name}: columns p1 to p5: the probabilities of the answers 1 to 5 where the score's digit stands{without}"
        ));
        notes
    }
}

fn answers(count: u64) -> String {
    if count == 1 { "1 answer".to_owned() } else { format!("{count} answers") }
}
