//! Examples of every command, for its help; without the front's name before them.

use clap::Command;

/// Ways to call the command of this name.
fn of(name: &str) -> &'static [&'static str] {
    match name {
        "demo" => &["demo", "demo --out lesson"],
        "trajectories" => &["trajectories demo", "trajectories rollouts.csv --root /data"],
        "frames" => &["frames demo#drawer --max 4", "frames clip.mp4 --from 2 --to 5 --out pngs"],
        "score" => &[
            "score demo --model simulated",
            "score rollouts.csv --model gpt-5.1 --paraphrases p.jsonl --limit 20 --max-cost 1",
        ],
        "estimate" => &["estimate rollouts.csv --model gpt-5.1 --paraphrases p.jsonl"],
        "spot" => {
            &["spot demo#towel --model simulated-flighty", "spot demo#bowl --model simulated --model simulated-steady"]
        }
        "flips" => &["flips scores.parquet", "flips scores.parquet --strategy adversarial --top 5"],
        "why" => &[
            "why scores.parquet#towel --strategy adversarial",
            "why scores.parquet#0412 --dataset rollouts.csv --model gpt-5.1",
        ],
        "chart" => {
            &["chart scores.parquet", "chart scores.parquet --open", "chart scores.parquet#towel --out towel.html"]
        }
        "robustness" => &[
            "robustness scores.parquet --by model,strategy",
            "robustness scores.parquet --compare lexical,adversarial",
            "robustness scores.parquet --chart report.html",
        ],
        "models" => &["models"],
        "doctor" => &["doctor"],
        "ledger" => &["ledger merge all.db one.db two.db"],
        _ => &[],
    }
}

/// Ways to call it where something is open, which is where it is shorter.
fn of_lasting(name: &str) -> &'static [&'static str] {
    match name {
        "open" => &["open demo", "open rollouts.csv --paraphrases p.jsonl"],
        "next" => &["next"],
        "scores" => &["scores scores.parquet", "scores"],
        "trajectories" => &["trajectories"],
        "frames" => &["frames drawer --max 4", "frames"],
        "score" => &["score --model simulated-flighty"],
        "spot" => &["spot towel --model simulated-flighty", "spot towel"],
        "flips" => &["flips", "flips --strategy adversarial"],
        "why" => &["why towel", "why towel --strategy adversarial", "why"],
        "chart" => &["chart", "chart --open", "chart towel"],
        "robustness" => &["robustness"],
        _ => &[],
    }
}

/// The grammar with examples in the help of each command, `front` before each.
pub(super) fn with_examples(grammar: Command, front: &str, lasting: bool) -> Command {
    grammar.mut_subcommands(|command| {
        let shorter = if lasting { of_lasting(command.get_name()) } else { &[] };
        let all: Vec<String> =
            shorter.iter().chain(of(command.get_name())).map(|words| format!("  {front}{words}")).collect();
        if all.is_empty() { command } else { command.after_help(format!("Examples:\n{}", all.join("\n"))) }
    })
}
