//! CPU time of sampling clips, worker included: `frames_bench TINY CLIP…` prints one JSON line a clip; with `--episodes N`
//! the clip that follows is taken as N episodes of equal length in one file.
//!
//! One worker does it all, as in a study. The clip is a copy whose time of change is set before each pass, so that no
//! pass finds the index of the one before. The worker's start is told apart (`start_ms`).

use std::path::Path;
use std::time::Instant;

use roborm::dataset::{Source, Span, Trajectory};
use roborm::frames::{Decoder, DecoderOptions, Frames, Sampler, Sampling};
use roborm::{Error, Result};

const PASSES: u64 = 5;

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let tiny = arguments.next().ok_or_else(|| Error::usage("usage: frames_bench TINY [--episodes N] CLIP…"))?;
    let decoder = Decoder::new(DecoderOptions { workers: 1, ..DecoderOptions::default() });
    let sampler = Sampler::with_decoder(decoder.clone());
    let before = cpu_ms(&decoder);
    sampler.sample_file(tiny, &Sampling::default())?;
    let start_ms = cpu_ms(&decoder) - before;
    let folder = tempfile::tempdir().map_err(|error| Error::io("no folder for a copy", &error))?;
    let mut episodes = None;
    while let Some(argument) = arguments.next() {
        if argument == "--episodes" {
            episodes = arguments.next().and_then(|count| count.parse::<u32>().ok());
            continue;
        }
        let original = Path::new(&argument);
        let copy = folder.path().join(original.file_name().unwrap_or_default());
        std::fs::copy(original, &copy).map_err(|error| Error::io(format!("cannot copy {argument}"), &error))?;
        let passes =
            (0..PASSES).map(|at| pass(&sampler, &copy, at, episodes)).collect::<Result<Vec<serde_json::Value>>>()?;
        let all = serde_json::json!({ "clip": argument, "start_ms": start_ms, "passes": passes });
        std::io::Write::write_all(&mut std::io::stdout(), format!("{all}\n").as_bytes())
            .map_err(|error| Error::io("cannot write", &error))?;
        episodes = None;
    }
    Ok(())
}

fn pass(sampler: &Sampler, clip: &Path, at: u64, episodes: Option<u32>) -> Result<serde_json::Value> {
    let changed = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000 + at);
    let file = std::fs::File::options().append(true).open(clip);
    file.and_then(|file| file.set_modified(changed)).map_err(|error| Error::io("cannot touch the copy", &error))?;
    let decoder = sampler.decoder();
    let (before, wall) = (cpu_ms(decoder), Instant::now());
    let duration_s = decoder.timeline(clip)?.duration_s();
    let index_ms = cpu_ms(decoder) - before;
    let frames = match episodes {
        None => vec![sampler.sample_file(clip, &Sampling::default())?],
        Some(count) => {
            let length = duration_s / f64::from(count);
            let episode =
                |at: u32| sampler.sample(&episode(clip, f64::from(at) * length, length), &Sampling::default());
            // Pixels of an episode are let go before the next, as a study does.
            (0..count).map(|at| episode(at).map(light)).collect::<Result<Vec<Frames>>>()?
        }
    };
    let cpu = cpu_ms(decoder) - before;
    let wall = wall.elapsed().as_secs_f64() * 1000.0;
    let count: usize = frames.iter().map(|frames| frames.frames.len()).sum();
    Ok(serde_json::json!({ "cpu_ms": cpu, "wall_ms": wall, "index_ms": index_ms, "frames": count }))
}

fn light(frames: Frames) -> Frames {
    let frames_only =
        frames.frames.into_iter().map(|frame| roborm::frames::Frame { rgb: [].into(), ..frame }).collect();
    Frames { frames: frames_only, ..frames }
}

fn episode(clip: &Path, from_s: f64, length_s: f64) -> Trajectory {
    Trajectory {
        id: format!("{from_s}"),
        task: String::new(),
        label: None,
        duration_s: None,
        source: Source::Video { path: clip.to_owned(), span: Some(Span { from_s, to_s: from_s + length_s }) },
    }
}

/// CPU time of this process and the decoder's workers, in milliseconds, as the kernel's scheduler counts it.
fn cpu_ms(decoder: &Decoder) -> f64 {
    let processes = decoder.workers().into_iter().map(|worker| worker.pid).chain([std::process::id()]);
    processes
        .flat_map(|pid| std::fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten())
        .filter_map(|task| std::fs::read_to_string(task.path().join("schedstat")).ok())
        .filter_map(|stat| stat.split(' ').next()?.parse::<f64>().ok())
        .sum::<f64>()
        / 1e6
}
