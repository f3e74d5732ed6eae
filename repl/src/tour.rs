//! `:tour`: a first lesson.

/// A step: what it is about, and the command that shows it.
struct Step(&'static str, &'static str);

const STEPS: [Step; 10] = [
    Step(
        "A reward model watches a robot and scores, from 1 to 5, how far it came towards a goal given in words. Reword the goal, and the score should not move. Eight small rollouts are built in; open them.",
        ":open demo",
    ),
    Step("Each has a task and a label: its true progress. 4 and 5 are success.", ":trajectories"),
    Step("This is what a model sees: one frame a second, and the last.", ":frames towel --max 4"),
    Step(
        "Now ask a model, once for each wording of the task. This one is simulated: it costs nothing, and is named as simulated wherever its figures show. A sign of its own marks a wording that flips the verdict.",
        ":spot towel --model simulated-flighty",
    ),
    Step(
        "Why? The same wordings in order of score. Words that the original does not have are in brackets; what the model said stands beside them. `:why towel --strategy adversarial` shows those alone that are written to mislead.",
        ":why towel",
    ),
    Step(
        "Score all rollouts. Every reply is kept in a ledger and paid for once: those of the steps before are not asked again.",
        ":score --out roborm-tour.parquet",
    ),
    Step("Which rollouts have a verdict that depends on the wording? Worst first.", ":flips"),
    Step(
        "The same for one strategy: wordings that mean the same, but are written to mislead.",
        ":flips --strategy adversarial --top 3",
    ),
    Step(
        "How often is that? The score-crossing rate, with its interval and what it is over: the figure to report.",
        ":robustness",
    ),
    Step(
        "Your own rollouts are opened in the same way: a RoboReward split, a LeRobot dataset, a manifest. These are the models known by name; `:help estimate` tells how to count calls and dollars before any is spent.",
        ":models",
    ),
];

/// How far the tour is.
#[derive(Default)]
pub struct Tour(Option<usize>);

impl Tour {
    /// Begins, at a step or at the first, or stops; what to say. Without anyone to press Enter all steps are told.
    pub fn start(&mut self, interactive: bool, words: &[String]) -> String {
        if words.first().is_some_and(|word| word == "stop") {
            self.0 = None;
            return "The tour is over; `:tour 5` goes on at a step.".to_owned();
        }
        if !interactive {
            return (0..STEPS.len()).filter_map(text).collect::<Vec<_>>().join("\n");
        }
        let step = words.first().and_then(|word| word.parse::<usize>().ok()).unwrap_or(1).clamp(1, STEPS.len());
        self.0 = Some(step - 1);
        let enter = "Enter runs the command of a step; anything else may be tried in between; `:tour stop` ends it.";
        format!("{enter}\n\n{}", text(step - 1).unwrap_or_default())
    }

    /// The command of the step that is next.
    pub fn command(&self) -> Option<&'static str> {
        STEPS.get(self.0?).map(|step| step.1)
    }

    /// What to say after a line was run: the next step, where it was that of this one.
    pub fn after(&mut self, line: &str) -> Option<String> {
        if self.command()? != line.trim() {
            return None;
        }
        let next = self.0? + 1;
        self.0 = (next < STEPS.len()).then_some(next);
        let said = text(next).unwrap_or_else(|| "That was the tour. `:help` lists the commands.\n".to_owned());
        Some(format!("\n{said}"))
    }
}

fn text(step: usize) -> Option<String> {
    let Step(about, command) = STEPS.get(step)?;
    Some(format!("{} of {}. {about}\n    {command}\n", step + 1, STEPS.len()))
}
