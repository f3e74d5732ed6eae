//! `local:DIR[,key=value…]` and `local:hub:OWNER/NAME[,key=value…]`: which checkpoint, and how it is run.

use std::num::NonZero;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use super::hub::{Hub, HubModel};
use crate::error::nearest;
use crate::{Error, Result};

/// A checkpoint and how it is run.
#[derive(Clone, Debug, PartialEq)]
pub struct LocalSpec {
    /// The checkpoint's folder, or a model's folder in the cache of the hub.
    pub folder: PathBuf,
    /// The model on the hub that is meant in place of a folder.
    pub hub: Option<HubModel>,
    /// Whether it may be fetched where it is not in the hub's cache.
    pub download: bool,
    /// Where it runs.
    pub device: LocalDevice,
    /// The type it computes in: `stored`, `f32`, `bf16` or `f16`.
    pub dtype: String,
    /// How a video stands in the prompt: `flat` (transformers before 5.10), `nested` (later), or `stored`: by the version
    /// that wrote the checkpoint.
    pub video: String,
    /// The times that are written into the prompt.
    pub times: Times,
    /// Frames that are looked at, at most; more are down-sampled by the frame rule.
    pub max_images: Option<usize>,
    /// Threads on the CPU; none is one a core.
    pub threads: Option<usize>,
    /// The worker program; none is looked for: `ROBORM_LOCAL`, then beside this program, then on `PATH`.
    pub program: Option<PathBuf>,
    /// A worker that says nothing for so long is taken to hang and ended. It speaks between any two steps, the longest
    /// of which is one prefill of a long clip on a slow machine.
    pub silence: Duration,
}

/// Where a checkpoint runs.
#[derive(Clone, Debug, PartialEq)]
pub enum LocalDevice {
    /// On every CUDA device where there is one, else on the CPU.
    Auto,
    /// On these, by name (`cpu`, `cuda:0`): a worker each, with trajectories spread over them.
    These(Vec<String>),
}

/// The times that are written into the prompt, before each pair of frames.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Times {
    /// The frames' own seconds from the trajectory's start.
    Own,
    /// Frame k is at k / rate: what a processor writes that is handed sampled frames and this rate in hertz.
    Rate(f64),
}

/// Hertz of `times=`: from a frame in a quarter of an hour to more than any camera takes.
const RATES: RangeInclusive<f64> = 0.001..=1000.0;

/// Threads beyond the machine's cores only wait for each other; a few are let be, as a container may hide cores.
fn most_threads() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get).max(16)
}

const KEYS: [&str; 6] = ["device", "dtype", "video", "times", "threads", "download"];

impl LocalSpec {
    /// A folder, with everything else as it comes.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
            hub: None,
            download: false,
            device: LocalDevice::Auto,
            dtype: "stored".into(),
            video: "stored".into(),
            times: Times::Own,
            max_images: None,
            threads: None,
            program: None,
            silence: Duration::from_secs(900),
        }
    }

    /// From what follows `local:` in the name of a model: a folder or `hub:OWNER/NAME`, then any of `,device=`, `,dtype=`,
    /// `,video=`, `,times=`, `,threads=`, `,download=`. Several devices are joined by `+`.
    ///
    /// # Errors
    /// Where there is no folder, or a value that is none of those known.
    pub fn parse(text: &str) -> Result<Self> {
        let mut settings = Vec::new();
        let mut folder = text;
        // From the right, and only known keys: a folder may have commas and equal signs in its name.
        while let Some((before, last)) = folder.rsplit_once(',')
            && let Some((key, value)) = last.split_once('=')
        {
            if !KEYS.contains(&key) {
                // A setting misspelt, or a folder's name.
                let near = nearest(key, KEYS);
                let (meant, known) = (near.join(" or "), KEYS.join(", "));
                let help = match near.is_empty() {
                    false => format!("did you mean {meant}?"),
                    true if Path::new(before).is_dir() && !Path::new(folder).is_dir() => format!("known are {known}"),
                    true => break,
                };
                return Err(Error::usage(format!("local:{text}: the setting '{key}' is not known")).with_help(help));
            }
            if settings.iter().any(|(known, _)| *known == key) {
                return Err(Error::usage(format!("local:{text}: {key} is given twice")).with_help("give it once"));
            }
            settings.push((key, value));
            folder = before;
        }
        if folder.is_empty() {
            return Err(Error::usage("local: names no folder").with_help("give the folder of a checkpoint: local:DIR"));
        }
        let mut spec = Self::new(folder);
        if let Some(model) = folder.strip_prefix("hub:") {
            spec.hub = Some(HubModel::parse(model).map_err(|error| error.at(format!("local:{text}")))?);
        }
        for (key, value) in settings {
            spec.set(key, value).map_err(|error| error.at(format!("local:{text}")))?;
        }
        Ok(spec)
    }

    /// The folder, or the snapshot of the model of the hub ([`Hub::locate`]).
    ///
    /// # Errors
    /// Where the model is not in the hub's cache and is not to be fetched, or fetching fails.
    pub fn locate(&self, tell: &(dyn Fn(&str) + Sync)) -> Result<PathBuf> {
        match &self.hub {
            Some(model) => Hub::of_process()?.locate(model, self.download, tell),
            None => Ok(self.folder.clone()),
        }
    }

    /// What a score table calls it.
    pub(super) fn name(&self) -> String {
        format!("local:{}", self.folder.display())
    }

    fn set(&mut self, key: &str, value: &str) -> Result<()> {
        let one_of = |known: &[&str]| match known.contains(&value) {
            true => Ok(value.to_owned()),
            false => Err(Error::usage(format!("{key}={value} is not known")).with_help(known.join(", "))),
        };
        match key {
            "device" => self.device = device(value)?,
            "dtype" => self.dtype = one_of(&["stored", "f32", "bf16", "f16"])?,
            "video" => self.video = one_of(&["stored", "flat", "nested"])?,
            "download" if self.hub.is_none() => {
                return Err(Error::usage("download= goes with a model of the hub")
                    .with_help("local:hub:OWNER/NAME,download=yes"));
            }
            "download" => self.download = one_of(&["yes", "no"])? == "yes",
            "times" if value == "own" => self.times = Times::Own,
            "times" => match value.parse::<f64>() {
                Ok(rate) if RATES.contains(&rate) => self.times = Times::Rate(rate),
                _ => {
                    let (least, most) = (RATES.start(), RATES.end());
                    return Err(Error::usage(format!("times={value} is no rate")).with_help(format!(
                        "own (the frames' own times), or frames a second, from {least} to {most}"
                    )));
                }
            },
            _ => match value.parse() {
                Ok(threads) if (1..=most_threads()).contains(&threads) => self.threads = Some(threads),
                _ => {
                    return Err(Error::usage(format!("threads={value} is no number of threads for this machine"))
                        .with_help(format!("from 1 to {}; one a core is the default", most_threads())));
                }
            },
        }
        Ok(())
    }
}

fn device(value: &str) -> Result<LocalDevice> {
    if value == "auto" {
        return Ok(LocalDevice::Auto);
    }
    let known = |name: &str| {
        name == "cpu"
            || name == "cuda"
            || name.strip_prefix("cuda:").is_some_and(|number| number.parse::<u16>().is_ok())
    };
    let devices: Vec<String> = value.split('+').map(str::to_owned).collect();
    match devices.iter().find(|name| !known(name)) {
        None => Ok(LocalDevice::These(devices)),
        Some(wrong) => Err(Error::usage(format!("device={wrong} is not known"))
            .with_help("auto, cpu, cuda, cuda:N, or several: cuda:0+cuda:1")),
    }
}
