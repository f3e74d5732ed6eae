//! From a trajectory to its frames.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use super::decoder::{Decoder, Raster};
use super::rule::{Timeline, rule_name};
use super::{Frame, Frames, Sampling, demo, images};
use crate::dataset::{Source, Span, Trajectory};
use crate::{Error, Result};

/// Samples frames from trajectories. Cheap to clone; usable from several threads at once.
#[derive(Clone, Debug, Default)]
pub struct Sampler {
    decoder: Decoder,
}

/// When a frame is shown: what is known of it before it is decoded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moment {
    /// Presentation index from the trajectory's first frame.
    pub index: u64,
    /// Seconds from the trajectory's first frame.
    pub t_s: f64,
    /// Presentation index from the file's first frame.
    pub file_index: u64,
    /// Seconds of the file's own time.
    pub file_t_s: f64,
}

/// Frames chosen, not yet decoded.
struct Choice {
    timeline: Arc<Timeline>,
    /// Places of the chosen frames in the timeline.
    places: Vec<usize>,
    /// The place of the trajectory's first frame.
    first: usize,
}

impl Sampler {
    /// A sampler on the decoder that the program shares.
    pub fn new() -> Self {
        Self::default()
    }

    /// A sampler on a decoder of one's own.
    pub fn with_decoder(decoder: Decoder) -> Self {
        Self { decoder }
    }

    /// The decoder it samples videos with.
    pub fn decoder(&self) -> &Decoder {
        &self.decoder
    }

    /// The frames of a trajectory that the rule keeps.
    ///
    /// # Errors
    /// Where the sampling makes no sense, its source is missing or damaged, or the decoder falls over it; the error
    /// names the trajectory.
    pub fn sample(&self, trajectory: &Trajectory, sampling: &Sampling) -> Result<Frames> {
        let sampled = self.check_duration(trajectory).and_then(|()| self.sample_source(&trajectory.source, sampling));
        sampled.map_err(|error| name(error, trajectory))
    }

    /// The frames of a video file, as of a trajectory that fills it.
    ///
    /// # Errors
    /// As [`Sampler::sample`].
    pub fn sample_file(&self, path: impl AsRef<Path>, sampling: &Sampling) -> Result<Frames> {
        let path = path.as_ref();
        self.sample_source(&Source::Video { path: path.to_owned(), span: None }, sampling)
    }

    /// When the frames are shown that [`Sampler::sample`] would give, without decoding them: for estimates.
    ///
    /// # Errors
    /// As [`Sampler::sample`], but for damage that only decoding finds.
    pub fn moments(&self, trajectory: &Trajectory, sampling: &Sampling) -> Result<Vec<Moment>> {
        let chosen = match &trajectory.source {
            Source::Video { path, span } => {
                self.check_duration(trajectory).and_then(|()| self.choose_video(path, *span, sampling))
            }
            Source::Images { folder, rate_hz } => choose_images(folder, *rate_hz, sampling).map(|(choice, _)| choice),
            Source::Demo { scene } => choose_demo(scene, sampling).map(|(choice, _)| choice),
        };
        chosen.map(|choice| choice.moments().collect()).map_err(|error| name(error, trajectory))
    }

    /// Seconds from the start of a trajectory's first frame to the end of its last, without decoding.
    ///
    /// # Errors
    /// As [`Sampler::moments`].
    pub fn duration_s(&self, trajectory: &Trajectory) -> Result<f64> {
        let duration = match &trajectory.source {
            Source::Video { path, span: None } => self.decoder.timeline(path).map(|timeline| timeline.duration_s()),
            Source::Video { span: Some(span), .. } => Ok(span.to_s - span.from_s),
            Source::Images { folder, rate_hz } => images::list(folder)
                .and_then(|files| Timeline::regular(files.len() as u64, *rate_hz))
                .map(|t| t.duration_s()),
            Source::Demo { scene } => demo::stage(scene)
                .and_then(|stage| Timeline::regular(stage.frames(), stage.rate_hz()))
                .map(|timeline| timeline.duration_s()),
        };
        duration.map_err(|error| name(error, trajectory))
    }

    fn sample_source(&self, source: &Source, sampling: &Sampling) -> Result<Frames> {
        let (choice, pictures) = match source {
            Source::Video { path, span } => {
                let choice = self.choose_video(path, *span, sampling)?;
                let wanted: Vec<i64> = choice.places.iter().map(|place| choice.timeline.pts()[*place]).collect();
                let pictures = self.decoder.decode(path, &wanted)?;
                (choice, pictures)
            }
            Source::Images { folder, rate_hz } => {
                let (choice, files) = choose_images(folder, *rate_hz, sampling)?;
                let pictures = choice.places.iter().map(|place| images::read(&files[*place])).collect::<Result<_>>()?;
                (choice, pictures)
            }
            Source::Demo { scene } => {
                let (choice, stage) = choose_demo(scene, sampling)?;
                let pictures = choice.places.iter().map(|place| images::raster(stage.render(*place as u64))).collect();
                (choice, pictures)
            }
        };
        Ok(choice.into_frames(source.describe(), rule_name(sampling), pictures))
    }

    /// That the video of an episode is as long as its dataset says. A shorter one has lost the end, which is where success
    /// shows, and a longer one shows what came after it or another episode: either way the score would be of something
    /// else than the label.
    fn check_duration(&self, trajectory: &Trajectory) -> Result<()> {
        let (Source::Video { path, span: None }, Some(told_s)) = (&trajectory.source, trajectory.duration_s) else {
            return Ok(());
        };
        let timeline = self.decoder.timeline(path)?;
        let (frames, step_s) = (timeline.pts().len(), timeline.usual_step_s());
        let told = told_s / step_s;
        // By the number of frames, or by time where they do not come evenly or the last is shown for longer.
        let is_s = timeline.duration_s();
        if (told - frames as f64).abs() < 0.5 || (told_s - is_s).abs() < 0.5 * step_s {
            return Ok(());
        }
        Err(Error::input(format!(
            "{} has {frames} frames ({is_s:.2} s), and the dataset says about {told:.0} ({told_s:.2} s)",
            path.display()
        ))
        .with_help(
            "download the video again; if it is right, put the episode's length in meta/episodes.jsonl right, or leave the episode out",
        ))
    }

    fn choose_video(&self, path: &Path, span: Option<Span>, sampling: &Sampling) -> Result<Choice> {
        let timeline = self.decoder.timeline(path)?;
        let within = match span {
            Some(span) => timeline.span(span).map_err(|error| error.at(path.display()))?,
            None => 0..timeline.pts().len(),
        };
        Choice::new(timeline, within, sampling)
    }
}

fn choose_images(folder: &Path, rate_hz: f64, sampling: &Sampling) -> Result<(Choice, Vec<std::path::PathBuf>)> {
    let files = images::list(folder)?;
    Ok((Choice::regular(files.len() as u64, rate_hz, sampling)?, files))
}

fn choose_demo(scene: &str, sampling: &Sampling) -> Result<(Choice, demo::Stage)> {
    let stage = demo::stage(scene)?;
    Ok((Choice::regular(stage.frames(), stage.rate_hz(), sampling)?, stage))
}

fn name(error: Error, trajectory: &Trajectory) -> Error {
    error.at(format!("trajectory {}", trajectory.id))
}

impl Choice {
    fn new(timeline: Arc<Timeline>, within: Range<usize>, sampling: &Sampling) -> Result<Self> {
        let first = within.start;
        let places = timeline.select(within, sampling)?;
        Ok(Self { timeline, places, first })
    }

    fn regular(frames: u64, rate_hz: f64, sampling: &Sampling) -> Result<Self> {
        let timeline = Timeline::regular(frames, rate_hz)?;
        let within = 0..timeline.pts().len();
        Self::new(Arc::new(timeline), within, sampling)
    }

    fn moments(&self) -> impl Iterator<Item = Moment> + '_ {
        let pts = self.timeline.pts();
        let start = pts[self.first];
        self.places.iter().map(move |place| Moment {
            index: (place - self.first) as u64,
            t_s: self.timeline.seconds(pts[*place] - start),
            file_index: *place as u64,
            file_t_s: self.timeline.seconds(pts[*place]),
        })
    }

    fn into_frames(self, source: String, rule: String, pictures: Vec<Raster>) -> Frames {
        let frames = self
            .moments()
            .zip(pictures)
            .map(|(moment, Raster { width, height, rgb })| {
                let Moment { index, t_s, file_index, file_t_s } = moment;
                Frame { index, t_s, file_index, file_t_s, width, height, rgb }
            })
            .collect();
        Frames { source, rule, frames }
    }
}
