//! The worker processes: shared, replaced when they fall, never taken for the file's frames.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use roborm::frames::{Decoder, DecoderOptions, Sampler, Sampling};
use roborm_wire::{Hello, Index, PROTOCOL, Picture, Reply, send};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, waitid};

use super::{at, clip, sampler};

fn process(pid: u32) -> Pid {
    i32::try_from(pid).ok().and_then(Pid::from_raw).expect("a process id")
}

fn signal(pid: u32, signal: Signal) {
    kill_process(process(pid), signal).expect("a signal");
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
    // Ended with all its threads, and still there to be waited for.
    waitid(WaitId::Pid(process(pid)), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT).expect("a child");
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

/// A worker that counts in circles before it says anything: so many times, of which a million take a second or more.
fn counting(folder: &Path, times: &str) -> PathBuf {
    let index = Reply::Index(Index { time_base: (1, 10), pts: vec![0], last_duration: 1 });
    let picture = Reply::Picture(Picture { pts: 0, width: 2, height: 2, offset: 0 });
    let count = format!("truncate -s 4096 /proc/self/fd/1\ni=0\nwhile [ $i -lt {times} ]; do i=$((i + 1)); done");
    liar(folder, &index, &[picture, Reply::Done], &count)
}

#[test]
fn a_worker_that_is_at_work_is_not_taken_to_hang() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = Some(counting(folder.path(), "4000000"));
    // Longer than it may be idle, which it is not.
    let options = DecoderOptions { program, timeout: Duration::from_secs(1), ..DecoderOptions::default() };
    let frames = sampler(options).sample_file(clip("single.mp4"), &Sampling::default()).expect("frames");
    assert_eq!(frames.frames.len(), 1);
}

#[test]
fn a_worker_that_turns_in_circles_is_ended() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = Some(counting(folder.path(), "1000000000000"));
    let options = DecoderOptions { program, silence: Duration::from_secs(1), ..DecoderOptions::default() };
    let error = sampler(options).sample_file(clip("single.mp4"), &Sampling::default()).expect_err("no word");
    assert!(error.is_worker() && error.to_string().contains("did not answer: no sign of life"), "{error}");
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
fn any_limit_of_cpu_time_is_one_that_a_request_can_be_answered_under() {
    // With the second that is granted beside it 2^63: as nanoseconds 0 modulo 2^64, spent at the kernel's next tick.
    for seconds in [60, 1 << 40, (1 << 63) - 1, u64::MAX] {
        let (sampler, pid) = warm(DecoderOptions { cpu: Duration::from_secs(seconds), ..DecoderOptions::default() });
        for _ in 0..40 {
            let sampled = sampler.sample_file(clip("bframes.mp4"), &Sampling::default()).expect("frames");
            assert_eq!(sampled.frames.len(), 7);
        }
        assert_eq!(sampler.decoder().workers()[0].pid, pid);
    }
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

/// A program that says what it is told to, whatever it is asked, and then waits for its end.
fn liar(folder: &Path, index: &Reply, replies: &[Reply], memory: &str) -> PathBuf {
    let mut words = Vec::new();
    let hello = Hello { protocol: PROTOCOL, version: "9".into(), library: "none".into() };
    send(&mut words, &hello).expect("a message");
    [index].into_iter().chain(replies).for_each(|reply| send(&mut words, reply).expect("a message"));
    std::fs::write(folder.join("words"), words).expect("a file");
    let program = folder.join("liar");
    let script = format!("#!/bin/sh\n{memory}\ncat '{}' >&0\nexec cat >/dev/null\n", folder.join("words").display());
    std::fs::write(&program, script).expect("a script");
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).expect("a program");
    program
}

#[test]
fn a_worker_that_lies_is_an_error_that_names_the_file() {
    let index = Reply::Index(Index { time_base: (1, 10), pts: vec![0, 5], last_duration: 1 });
    let picture = |pts, width, height, offset| Reply::Picture(Picture { pts, width, height, offset });
    let sample = |replies: &[Reply], memory: &str| {
        let folder = tempfile::tempdir().expect("a folder");
        let program = Some(liar(folder.path(), &index, replies, memory));
        sampler(DecoderOptions { program, ..DecoderOptions::default() })
            .sample_file(clip("single.mp4"), &Sampling::default())
    };
    let good = [picture(0, 2, 2, 0), picture(5, 2, 2, 12), Reply::Done];
    let grow = "truncate -s 4096 /proc/self/fd/1";
    assert_eq!(sample(&good, grow).expect("frames").frames[1].rgb.len(), 12);
    // The file is sealed: what was there once stays there.
    assert_eq!(
        sample(&good, &format!("{grow}; truncate -s 0 /proc/self/fd/1 2>/dev/null")).expect("frames").frames.len(),
        2
    );
    let lies: [(&str, Vec<Reply>, &str); 7] = [
        ("no memory at all", good.to_vec(), ""),
        ("a picture behind the end", vec![picture(0, 2, 2, 4090), Reply::Done], grow),
        ("a picture beyond counting", vec![picture(0, 2, 2, u64::MAX - 3), Reply::Done], grow),
        ("a picture of no size", vec![picture(0, 0, 2, 0), Reply::Done], grow),
        ("a picture of all sizes", vec![picture(0, u32::MAX, u32::MAX, 0), Reply::Done], grow),
        ("a picture of another time", vec![picture(3, 2, 2, 0), Reply::Done], grow),
        ("too few pictures", vec![picture(0, 2, 2, 0), Reply::Done], grow),
    ];
    for (lie, replies, memory) in lies {
        let error = sample(&replies, memory).expect_err(lie);
        assert!(error.is_worker(), "{lie}: {error}");
        assert!(
            error.to_string().contains("single.mp4: the video decoder gave an answer that makes no sense"),
            "{lie}: {error}"
        );
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
