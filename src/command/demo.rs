//! `demo`: the main job on the built-in rollouts.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use serde_json::json;

use super::replaced;
use super::{Answer, Block, Session, chart, report, robustness, score};
use crate::chart::ContactSheet;
use crate::dataset::{Dataset, Trajectory};
use crate::display::number;
use crate::frames::{Encoding, Frame, Frames, ImageFormat, Sampling, SheetOptions, contact_sheet};
use crate::paraphrase;
use crate::reward::{self, ModelOptions};
use crate::robustness::Analysis;
use crate::study::{Ledger, Plan, PlanOptions, Study};
use crate::{Error, Result};

/// The models of the demo: nobody pays for a first look.
const MODELS: [&str; 3] = ["simulated", "simulated-steady", "simulated-flighty"];

/// The main job on the built-in rollouts with simulated reward models: frames, scores, metrics, report
#[derive(Debug, Args)]
pub(super) struct Demo {
    /// Folder to write report.html and scores.parquet to
    #[arg(long, value_name = "DIR", default_value = "roborm-demo")]
    out: PathBuf,
}

impl Demo {
    pub(super) fn run(&self, session: &Session) -> Result<Answer> {
        std::fs::create_dir_all(&self.out)
            .map_err(|error| Error::io(format!("cannot make {}", self.out.display()), &error))?;
        let dataset = Dataset::open("demo", &Default::default())?;
        let plan = Plan::new(&dataset, Some(&paraphrase::demo()), &PlanOptions::default())?;
        let ledger = Ledger::open(self.out.join("ledger.db"))?;
        let mut study = Study::new(plan, ledger).frames(session.sample_frames()).cancel(session.cancel.clone());
        for name in MODELS {
            study = study.model(reward::open(name, &ModelOptions::default())?);
        }
        let outcome = score::run(study, session)?;
        if outcome.scores.is_empty() {
            return Ok(score::finish(Answer::default(), &outcome, session));
        }
        let scores_file = self.out.join("scores.parquet");
        let written = replaced::write(&outcome.scores, &scores_file, outcome.exit_status() == 0)?;

        let analysis = Analysis::default();
        let found = analysis.run(&outcome.scores)?;
        let report_file = self.out.join("report.html");
        let extra = report::Extra {
            title: "roborm demo: how often does wording alone change the verdict?",
            command: "roborm demo",
            sheets: sheets(session, &dataset)?,
        };
        report::of(&outcome.scores, &analysis, extra)?.write(&report_file)?;

        let answer = Answer::new(json!({
            "report": report_file, "scores": scores_file, "robustness": found.to_json(),
        }))
        .show(overview(session, &dataset)?)
        .say(format!(
            "{} robot rollouts, {} instructions scored by {} simulated reward models.",
            dataset.len(),
            number::count(outcome.counts.planned / MODELS.len() as u64),
            MODELS.len()
        ))
        .show(chart::bars(&found))
        .show_all(robustness::tables(&found, &found.by).map(Block::Table))
        .say("Simulated: these models answer from the true progress, disturbed by wording. Their figures are for practice.")
        .say(format!("scores: {}\nreport: {}", scores_file.display(), report_file.display()));
        let answer = written.told.into_iter().fold(answer, |answer, told| answer.note(format!("note: {told}")));
        Ok(score::finish(answer, &outcome, session))
    }
}

/// The last frame of every rollout on one sheet.
fn overview(session: &Session, dataset: &Dataset) -> Result<Block> {
    let mut last: Vec<Frame> = Vec::new();
    for trajectory in dataset.iter() {
        last.extend(session.sampler.sample(trajectory, &Sampling::default())?.frames.pop());
    }
    let labels: Vec<String> = dataset
        .iter()
        .map(|trajectory| {
            format!("{} ({})", trajectory.id, trajectory.label.map_or("?".to_owned(), |label| label.to_string()))
        })
        .collect();
    let frames = Frames { source: "demo".to_owned(), rule: "last".to_owned(), frames: last };
    let image = contact_sheet(&frames, &SheetOptions { columns: Some(4), dark: true, ..SheetOptions::default() })?;
    Ok(Block::Picture {
        image,
        what: format!("last frames of the demo rollouts and their true progress: {}", labels.join(", ")),
    })
}

/// A contact sheet a rollout.
fn sheets(session: &Session, dataset: &Dataset) -> Result<Vec<(String, ContactSheet)>> {
    dataset.iter().map(|trajectory| Ok((trajectory.id.clone(), sheet(session, trajectory)?))).collect()
}

/// A contact sheet small enough for a report that travels by mail.
pub(super) fn sheet(session: &Session, trajectory: &Trajectory) -> Result<ContactSheet> {
    let options = SheetOptions { frame_width: 160, columns: Some(6), max_frames: 12, ..SheetOptions::default() };
    let frames = session.sampler.sample(trajectory, &Sampling::default())?.down_sample(options.max_frames);
    let image = contact_sheet(&frames, &options)?;
    let picture = Frame {
        index: 0,
        t_s: 0.0,
        file_index: 0,
        file_t_s: 0.0,
        width: image.width(),
        height: image.height(),
        rgb: Arc::from(image.into_raw()),
    };
    let encoded = picture.encode(&Encoding { format: ImageFormat::Jpeg { quality: 82 }, max_side: None })?;
    let alt = format!("Robot rollout {}: {}.", trajectory.id, trajectory.task);
    Ok(ContactSheet::new(encoded, alt, frames.frames.iter().map(|frame| frame.t_s)))
}
