//! Too little memory, made by a limit that the system holds the worker to.
#![cfg(target_os = "linux")]

use roborm_wire::local::{Answer, Ask, Clip, FailedKind, Say, Score};
use rustix::process::{Pid, Resource, Rlimit, prlimit};

use crate::worker::Worker;

/// Instructions that are as many tokens as are computed together at most: the mask of 2048 tokens that see each other is
/// 17 MB, and three times as much while it is made.
fn many() -> Vec<String> {
    (0..64).map(|n| format!("Task: put the cup number {n:02} on the shelf")).collect()
}

fn score(key: u64, texts: &[String]) -> (Score, Vec<u8>) {
    let clip = Clip { width: 64, height: 64, times: vec![0.0, 1.0] };
    let pixels = (0..64 * 64 * 3 * 2_u64).map(|at| (at * 7 + key) as u8).collect();
    let ask = Score { key, clip: Some(clip), texts: texts.to_vec(), text_first: false, max_tokens: 8, batch: None };
    (ask, pixels)
}

/// The worker, held to `margin` bytes more than it has.
fn hold(worker: &Worker, margin: u64) {
    let status = std::fs::read_to_string(format!("/proc/{}/status", worker.0.id())).expect("it runs");
    let kilobytes = status.lines().find_map(|line| line.strip_prefix("VmData:")).expect("as every process");
    let data: u64 = kilobytes.trim().trim_end_matches("kB").trim().parse().expect("a number");
    let limit = Rlimit { current: Some(data * 1024 + margin), maximum: None };
    prlimit(Pid::from_raw(worker.0.id() as i32), Resource::Data, limit).expect("one's own child");
}

fn answers(said: &[Say]) -> Vec<&Answer> {
    let mut answers: Vec<&Answer> =
        said.iter().filter_map(|say| if let Say::Answer(answer) = say { Some(answer) } else { None }).collect();
    answers.sort_by_key(|answer| answer.index);
    answers
}

fn words(said: &[Say]) -> Vec<&str> {
    answers(said).into_iter().map(|answer| answer.text.as_str()).collect()
}

fn notes(said: &[Say]) -> &[String] {
    let Some(Say::Done { notes }) = said.last() else { panic!("not done: {said:?}") };
    notes
}

#[test]
fn too_little_memory_takes_fewer_at_a_time_and_changes_no_answer() {
    let texts = many();
    let mut worker = Worker::start();
    let Say::Ready(_) = worker.load("base") else { panic!("not ready") };
    let (ask, pixels) = score(1, &texts);
    let free = worker.ask(&Ask::Score(ask), &pixels);
    assert_eq!((words(&free).len(), notes(&free).len()), (64, 0));
    let together = answers(&free)[0].batch;

    let mut worker = Worker::start();
    let Say::Ready(_) = worker.load("base") else { panic!("not ready") };
    // What every question takes, whatever there is of it.
    let (ask, pixels) = score(2, &texts[..1]);
    assert_eq!(words(&worker.ask(&Ask::Score(ask), &pixels)).len(), 1);
    hold(&worker, 24 << 20);
    let (ask, pixels) = score(1, &texts);
    let held = worker.ask(&Ask::Score(ask), &pixels);
    assert_eq!(words(&held), words(&free));
    let said = format!("too little memory for {together} instructions at a time: {} from here on", together / 2);
    assert_eq!(notes(&held)[0], said);
    let most = answers(&held).iter().map(|answer| answer.batch).max();
    assert!(most <= Some(together / 2), "{most:?}");

    // The next clip begins where this one ended, with nothing new to say.
    let (ask, pixels) = score(3, &texts);
    let next = worker.ask(&Ask::Score(ask), &pixels);
    assert_eq!((words(&next).len(), notes(&next)), (64, [].as_slice()));
    assert_eq!(answers(&next).iter().map(|answer| answer.batch).max(), most);
}

#[test]
fn an_instruction_that_the_memory_does_not_suffice_for_leaves_the_others_their_answers() {
    let mut worker = Worker::start();
    let Say::Ready(_) = worker.load("base") else { panic!("not ready") };
    let mut texts = many()[..3].to_vec();
    let (ask, pixels) = score(1, &texts);
    let free = worker.ask(&Ask::Score(ask), &pixels);
    hold(&worker, 24 << 20);
    texts.insert(1, format!("Task: {}", "x y ".repeat(800)));
    let (ask, pixels) = score(1, &texts);
    let said = worker.ask(&Ask::Score(ask), &pixels);
    assert_eq!(words(&said), words(&free));
    let refused =
        said.iter().find_map(|say| if let Say::Refused { index, why } = say { Some((*index, why)) } else { None });
    let (index, why) = refused.expect("3200 tokens see each other in 41 MB");
    assert_eq!((index, why.kind), (1, FailedKind::Memory));
    assert_eq!(why.message, "too little memory for this instruction, even alone");
    assert!(why.help.is_some());
}

#[test]
fn frames_that_the_memory_does_not_suffice_for_are_told_and_the_next_are_scored() {
    let mut worker = Worker::start();
    let Say::Ready(_) = worker.load("base") else { panic!("not ready") };
    let texts = many()[..1].to_vec();
    let (ask, pixels) = score(1, &texts);
    let free = worker.ask(&Ask::Score(ask), &pixels);
    hold(&worker, 24 << 20);
    let (mut ask, _) = score(2, &texts);
    // Thirty megabytes as numbers of 32 bits.
    ask.clip = Some(Clip { width: 640, height: 640, times: vec![0.0, 1.0, 2.0, 3.0, 4.0, 5.0] });
    let [Say::Failed(failed)] = &worker.ask(&Ask::Score(ask), &vec![7; 640 * 640 * 3 * 6])[..] else { panic!("seen") };
    assert_eq!((failed.kind, failed.message.as_str()), (FailedKind::Memory, "too little memory for these frames"));
    assert!(failed.help.is_some());
    let (ask, pixels) = score(1, &texts);
    assert_eq!(words(&worker.ask(&Ask::Score(ask), &pixels)), words(&free));
}
