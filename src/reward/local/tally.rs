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
    /// Answers without a digit from 1 to 5.
    without_digit: u64,
    troubles: Vec<String>,
    /// Troubles beyond those kept.
    more: u64,
}

impl Tally {
    pub(super) fn answered(&mut self, answer: &Answer) {
        self.answers += 1;
        self.together = self.together.max(answer.batch);
        self.prompt_tokens += answer.prompt_tokens as u64;
        self.shared_tokens += answer.shared_tokens as u64;
        self.without_digit += u64::from(answer.digits.is_none());
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
        for ready in ready {
            notes.push(format!(
                "{name} on {}: weights {:.1} MB as {}, keys and values {:.1} KiB a token",
                ready.device,
                ready.weights as f64 / 1e6,
                ready.dtype,
                ready.token as f64 / 1024.0
            ));
        }
        let share = 100.0 * self.shared_tokens as f64 / self.prompt_tokens.max(1) as f64;
        notes.push(format!(
            "{name}: {} answers, up to {} instructions at a time; {share:.0} % of the prompts' tokens were shared",
            self.answers, self.together
        ));
        let without = match self.without_digit {
            0 => String::new(),
            1 => "; 1 answer has none, for want of a digit".to_owned(),
            n => format!("; {n} answers have none, for want of a digit"),
        };
        notes.push(format!(
            "{name}: columns p1 to p5: the probabilities of the answers 1 to 5 at the answer's place{without}"
        ));
        notes
    }
}
