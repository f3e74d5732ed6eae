//! The words around the instruction.

/// A prompt template with a version: the text before and after the instruction, and where the frames go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompt {
    /// The name and version, a column of the score table; it changes whenever a byte of the prompt does.
    pub version: &'static str,
    /// Text before the instruction.
    pub before: &'static str,
    /// Text after the instruction.
    pub after: &'static str,
    /// The order of the parts.
    pub order: &'static [Part],
}

/// A part of the message to a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// All frames, in order.
    Frames,
    /// The text with the instruction in it.
    Text,
}

/// Frames first: all that a trajectory's paraphrases share stands before the instruction, so that a provider's prefix
/// cache serves every paraphrase after the first.
pub const FRAMES_FIRST: &[Part] = &[Part::Frames, Part::Text];

/// Text first: for measuring what the order does.
pub const TEXT_FIRST: &[Part] = &[Part::Text, Part::Frames];

impl Prompt {
    /// The prompt of the RoboReward checkpoints, as their model cards have it.
    pub const ROBOREWARD: Prompt = Prompt {
        version: "roboreward-1",
        before: "Given the task, assign a discrete progress score reward (1,2,3,4,5) for the robot in the video in the format: \
                 ANSWER: <score>\n\
                 Rubric for end-of-episode progress (judge only the final state without time limits):\n\
                 1 - No Success: Final state shows no goal-relevant change for the command.\n\
                 2 - Minimal Progress: Final state shows a small but insufficient change toward the goal.\n\
                 3 - Partial Completion: The final state shows good progress toward the goal but violates more than one \
                 requirement or a major requirement.\n\
                 4 - Near Completion: Final state is correct in region and intent but misses a single minor requirement.\n\
                 5 - Perfect Completion: Final state satisfies all requirements.\n\
                 \n\
                 Task: ",
        after: "",
        order: FRAMES_FIRST,
    };

    /// The prompt for general vision-language models: RoboReward's rubric, and one integer asked for. The instruction
    /// comes last.
    pub const GENERAL: Prompt = Prompt {
        version: "general-1",
        before: "The images are frames of one video of a robot attempting a task, in order of time; the last image shows the \
                 final state.\n\
                 \n\
                 Rate the robot's end-of-episode progress on the task with a score from 1 to 5. Judge only the final state, \
                 without time limits:\n\
                 1 - No success: the final state shows no goal-relevant change.\n\
                 2 - Minimal progress: the final state shows a small but insufficient change toward the goal.\n\
                 3 - Partial completion: the final state shows good progress toward the goal but violates more than one \
                 requirement or a major requirement.\n\
                 4 - Near completion: the final state is correct in region and intent but misses a single minor requirement.\n\
                 5 - Perfect completion: the final state satisfies all requirements.\n\
                 \n\
                 Reply with one integer from 1 to 5 and nothing else.\n\
                 \n\
                 Task: ",
        after: "",
        order: FRAMES_FIRST,
    };

    /// The same words with the parts in another order.
    #[must_use]
    pub fn with_order(self, order: &'static [Part]) -> Self {
        Self { order, ..self }
    }

    /// The text with `instruction` in its place.
    pub fn text(&self, instruction: &str) -> String {
        [self.before, instruction, self.after].concat()
    }

    /// The order in words, as the settings of a model record it: `frames,text`.
    pub fn order_name(&self) -> String {
        let names: Vec<&str> = self
            .order
            .iter()
            .map(|part| match part {
                Part::Frames => "frames",
                Part::Text => "text",
            })
            .collect();
        names.join(",")
    }
}
