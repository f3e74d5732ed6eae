//! The worker processes: shared, replaced when they fall, never taken for the file's frames.

use std::path::PathBuf;
use std::time::Duration;

use roborm::frames::{Decoder, DecoderOptions, Sampler, Sampling};
use rustix::process::{Pid, Signal, kill_process};

use super::{at, clip, sampler};

fn signal(pid: u32, signal: Signal) {
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw).expect("a process id");
    kill_process(pid, signal).expect("a signal");
}

/// The letter that the kernel gives a process's state; `None` once it is gone.
fn state(pid: u32) -> Option<char> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit_once(") ")?.1.chars().next()
}

fn wait_until(condition: impl Fn() -> bool) {
    while !condition() {
        std::thread::yield_now();
    }
}

/// A sampler with one worker that is up, and the worker's process id.
fn warm(options: DecoderOptions) -> (Sampler, u32) {
    let sampler = sampler(DecoderOptions { workers: 1, ..options });
    sampler.sample_file(clip("single.mp4"), &Sampling::default()).expect("a frame");
    let pid = sampler.decoder().workers()[0].pid;
    (sampler, pid)
}

#[test]
fn a_worker_stays_up_between_files() {
    let (sampler, pid) = warm(DecoderOptions::default());
    sampler.sample_file(clip("bframes.mp4"), &Sampling::default()).expect("frames");
    let workers = sampler.decoder().workers();
    assert_eq!((workers.len(), workers[0].pid, &workers[0].busy_with), (1, pid, &None));
}

#[test]
fn a_worker_killed_at_work_is_an_error_that_names_the_file() {
    let (sampler, pid) = warm(DecoderOptions::default());
    // Stopped first, so that it cannot finish before it is killed.
    signal(pid, Signal::STOP);
    wait_until(|| state(pid) == Some('T'));
    let error = std::thread::scope(|scope| {
        let asked = scope.spawn(|| sampler.sample_file(clip("bframes.mp4"), &Sampling::default()));
        wait_until(|| sampler.decoder().workers().iter().any(|worker| worker.busy_with == Some(clip("bframes.mp4"))));
        signal(pid, Signal::KILL);
        asked.join().expect("no panic").expect_err("a dead worker")
    });
    assert!(error.is_worker());
    assert!(error.to_string().contains("bframes.mp4: the video decoder crashed (signal: 9"), "{error}");
    // The next request has a new worker.
    assert_eq!(sampler.sample_file(clip("bframes.mp4"), &Sampling::default()).expect("frames").frames.len(), 7);
    assert_ne!(sampler.decoder().workers()[0].pid, pid);
}

#[test]
fn a_worker_killed_while_idle_harms_nobody() {
    let (sampler, pid) = warm(DecoderOptions::default());
    signal(pid, Signal::KILL);
    wait_until(|| state(pid).is_none_or(|state| state == 'Z'));
    assert_eq!(sampler.sample_file(clip("bframes.mp4"), &Sampling::default()).expect("frames").frames.len(), 7);
}

#[test]
fn a_worker_that_hangs_is_ended_and_replaced() {
    let (sampler, pid) = warm(DecoderOptions { timeout: Duration::from_secs(2), ..DecoderOptions::default() });
    signal(pid, Signal::STOP);
    wait_until(|| state(pid) == Some('T'));
    let error = sampler.sample_file(clip("bframes.mp4"), &Sampling::default()).expect_err("no answer");
    assert!(error.is_worker());
    assert!(error.to_string().contains("bframes.mp4: the video decoder gave no sign of life"), "{error}");
    assert_eq!(state(pid), None);
    assert_eq!(sampler.sample_file(clip("bframes.mp4"), &Sampling::default()).expect("frames").frames.len(), 7);
}

#[test]
fn a_worker_that_wants_too_much_memory_is_an_error_that_names_the_file() {
    // The libraries alone take more address space than that: nothing can be opened.
    let sampler = sampler(DecoderOptions { memory_bytes: 1 << 20, ..DecoderOptions::default() });
    let error = sampler.sample_file(clip("bframes.mp4"), &Sampling::default()).expect_err("no memory");
    assert!(error.is_worker(), "{error}");
    assert!(error.to_string().contains("bframes.mp4: "), "{error}");
}

#[test]
fn a_missing_or_wrong_program_is_an_error_with_help() {
    let with = |program: &str| {
        let options = DecoderOptions { program: Some(PathBuf::from(program)), ..DecoderOptions::default() };
        sampler(options).sample_file(clip("single.mp4"), &Sampling::default()).expect_err("no decoder")
    };
    for program in ["/nowhere/roborm-decoder", "/bin/true", "/bin/echo"] {
        let error = with(program);
        assert!(error.is_worker() && error.help().is_some(), "{error:?}");
        assert!(error.to_string().contains(program), "{error}");
    }
}

#[test]
fn many_threads_share_few_workers() {
    let sampler = sampler(DecoderOptions { workers: 2, ..DecoderOptions::default() });
    let names = ["bframes.mp4", "cues.mkv", "hevc.mp4", "vp9.webm"];
    let alone: Vec<_> =
        names.iter().map(|name| Sampler::new().sample_file(clip(name), &at(5.0)).expect("frames").frames).collect();
    std::thread::scope(|scope| {
        for start in 0..8 {
            let (sampler, names, alone) = (sampler.clone(), &names, &alone);
            scope.spawn(move || {
                for turn in 0..8 {
                    let at_name = (start + turn) % names.len();
                    let frames = sampler.sample_file(clip(names[at_name]), &at(5.0)).expect("frames");
                    assert!(frames.frames == alone[at_name]);
                }
            });
        }
    });
    assert!(sampler.decoder().workers().len() <= 2);
    assert!(sampler.decoder().workers().iter().all(|worker| worker.busy_with.is_none()));
}

/// Kilobytes of a process's memory that are its own.
fn own_memory_kb(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).expect("a living process");
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).expect("its memory");
    line.trim().trim_end_matches(" kB").parse().expect("a number")
}

#[test]
fn a_worker_does_not_grow_with_the_files_it_has_seen() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("clip.mp4");
    std::fs::copy(clip("short_groups.mp4"), &path).expect("a copy");
    let (sampler, pid) = warm(DecoderOptions::default());
    let look = |turn: u64| {
        let changed = std::time::UNIX_EPOCH + Duration::from_secs(turn);
        let file = std::fs::File::options().append(true).open(&path).expect("the copy");
        file.set_modified(changed).expect("another time of change");
        sampler.sample_file(&path, &Sampling::default()).expect("frames");
    };
    (0..50).for_each(look);
    let before = own_memory_kb(pid);
    // 400 times 12 KB would be 4,800 if the packets of a file stayed behind.
    (50..450).for_each(look);
    let after = own_memory_kb(pid);
    assert_eq!(sampler.decoder().workers()[0].pid, pid);
    assert!(after < before + 1500, "{before} KB, then {after} KB");
}

#[test]
fn workers_end_with_their_decoder() {
    let (sampler, pid) = warm(DecoderOptions::default());
    drop(sampler);
    assert_eq!(state(pid), None);
}

#[test]
fn a_decoder_says_what_it_is() {
    let info = Decoder::new(DecoderOptions::default()).info().expect("a decoder");
    assert_eq!(info.version, env!("CARGO_PKG_VERSION"));
    assert!(info.library.starts_with("libavcodec "), "{}", info.library);
    assert!(info.program.is_file());
}
