//! Text and displays, in the order in which they happen.

use crate::bench::{Bench, Told};

#[test]
fn text_and_displays_keep_their_order() {
    let mut bench = Bench::new();
    bench.value(
        "println!(\"one\"); show(&1); print!(\"two\"); show(&2); eprintln!(\"three\"); let d = show(&3); d.update(&4); println!(\"five\");",
    );
    assert_eq!(
        bench.told(),
        [
            Told::Out("one\n".into()),
            Told::Shown("1".into(), false),
            Told::Out("two".into()),
            Told::Shown("2".into(), false),
            Told::Err("three\n".into()),
            Told::Shown("3".into(), false),
            Told::Shown("4".into(), true),
            Told::Out("five\n".into()),
        ]
    );
    let bundles = bench.bundles.lock().unwrap();
    let [.., (third, _, _), (fourth, _, _)] = bundles.as_slice() else { panic!("{bundles:?}") };
    assert!(third.is_some() && third == fourth, "an update names what it replaces");
}

/// Numbers of lines, by the stream that they came on.
fn numbers(told: &[Told]) -> Vec<(bool, usize)> {
    let of = |is_out, text: &str| -> Vec<(bool, usize)> {
        text.lines().map(|line| (is_out, line.parse().unwrap())).collect()
    };
    let told = told.iter().map(|told| match told {
        Told::Out(text) => of(true, text),
        Told::Err(text) => of(false, text),
        Told::Shown(text, _) => of(true, text),
    });
    told.flatten().collect()
}

#[test]
fn two_streams_keep_their_order() {
    let mut bench = Bench::new();
    bench.value("for at in 0..2_000 { if at % 2 == 0 { println!(\"{at}\") } else { eprintln!(\"{at}\") } }");
    let wanted: Vec<_> = (0..2_000).map(|at| (at % 2 == 0, at)).collect();
    assert_eq!(numbers(&bench.told()), wanted);
    // In no regular way, with displays between, and from threads that wait for each other.
    bench.value(
        "let (to, turns) = std::sync::mpsc::channel::<usize>(); let (back, done) = std::sync::mpsc::channel(); \
         std::thread::spawn(move || for at in turns { \
             if at % 5 == 0 { eprintln!(\"{at}\") } else { println!(\"{at}\") } back.send(()).unwrap(); }); \
         for at in 0..1_000 { match at * at % 7 { \
             0 => drop(show(&at)), 1 => println!(\"{at}\"), 2 => eprintln!(\"{at}\"), _ => { to.send(at)?; done.recv()?; } } }",
    );
    let is_out = |at: usize| match at * at % 7 {
        0 | 1 => true,
        2 => false,
        _ => !at.is_multiple_of(5),
    };
    let wanted: Vec<_> = (0..1_000).map(|at| (is_out(at), at)).collect();
    assert_eq!(numbers(&bench.told()), wanted);
}

#[test]
fn programs_and_the_cell_keep_their_order() {
    let mut bench = Bench::new();
    bench.value(
        "for at in 0..40 { let to = if at % 3 == 0 { \">&2\" } else { \"\" }; \
         if at % 2 == 0 { std::process::Command::new(\"sh\").arg(\"-c\").arg(format!(\"echo {at} {to}\")).status()?; } \
         else if at % 3 == 0 { eprintln!(\"{at}\") } else { println!(\"{at}\") } }",
    );
    let wanted: Vec<_> = (0..40).map(|at| (at % 3 != 0, at)).collect();
    assert_eq!(numbers(&bench.told()), wanted);
}

#[test]
fn a_line_that_is_not_ended_comes_before_an_error() {
    let mut bench = Bench::new();
    bench.value("print!(\"one \"); eprint!(\"two \"); print!(\"three \"); let four = dbg!(2 + 2); println!(\"five\");");
    let told = bench.told();
    let [Told::Out(one), Told::Err(two), Told::Out(three), Told::Err(four), Told::Out(five)] = told.as_slice() else {
        panic!("{told:?}")
    };
    assert_eq!((one.as_str(), two.as_str(), three.as_str(), five.as_str()), ("one ", "two ", "three ", "five\n"));
    assert!(four.ends_with("2 + 2 = 4\n"), "{four}");
}

#[test]
fn what_c_prints_comes_too() {
    let mut bench = Bench::new();
    bench.value("unsafe extern \"C\" { fn puts(text: *const i8) -> i32; } unsafe { puts(c\"from C\".as_ptr().cast()) }; std::process::Command::new(\"echo\").arg(\"from a program\").status()?;");
    assert_eq!(bench.told(), [Told::Out("from C\nfrom a program\n".into())]);
}

#[test]
fn standard_input_is_asked_for() {
    let mut bench = Bench::with_line("Ada");
    assert_eq!(bench.value("let mut name = String::new(); std::io::stdin().read_line(&mut name)?; name"), "Ada\n");
    assert_eq!(
        bench.value(
            "use std::io::BufRead; std::io::stdin().lock().lines().take(2).collect::<std::io::Result<Vec<_>>>()?"
        ),
        "[\"Ada\", \"Ada\"]"
    );
    // What is the user's own is the user's own.
    let own = "let folder = std::env::temp_dir().join(format!(\"roborm-stdin-{}\", std::process::id())); \
               std::fs::write(&folder, \"of a file\\n\")?; let file = std::fs::File::open(&folder)?; \
               unsafe extern \"C\" { fn dup2(from: i32, to: i32) -> i32; } use std::os::fd::AsRawFd; \
               unsafe { dup2(file.as_raw_fd(), 0) }; std::fs::remove_file(&folder)?; \
               let mut line = String::new(); std::io::stdin().read_line(&mut line)?; line";
    assert_eq!(bench.value(own), "of a file\n");
    // A program that is started asks nobody.
    assert_eq!(bench.value("String::from_utf8(std::process::Command::new(\"cat\").stdin(std::process::Stdio::null()).output()?.stdout)?.len()"), "0");
}

#[test]
fn bytes_that_are_no_text_are_replaced() {
    let mut bench = Bench::new();
    bench.value("use std::io::Write; std::io::stdout().write_all(b\"a\\xff b \\xc3\\xa9\\n\")?;");
    assert_eq!(bench.told(), [Told::Out("a\u{fffd} b é\n".into())]);
}

#[test]
fn a_hundred_megabytes_are_cut_with_a_note() {
    let mut bench = Bench::new();
    bench.value("let line = \"x\".repeat(999); for _ in 0..100_000 { println!(\"{line}\"); }");
    let told = bench.told();
    let [Told::Out(out), Told::Err(note)] = told.as_slice() else { panic!("{} pieces", told.len()) };
    assert!(out.len() <= 8 << 20, "{}", out.len());
    let left_out = 100_000_000 - out.len();
    assert!(note.contains(&format!("{left_out} bytes more of output are not shown")), "{note}");
    assert_eq!(bench.value("1 + 1"), "2");
    bench.value("println!(\"the next cell prints again\");");
    assert_eq!(bench.told(), [Told::Out("the next cell prints again\n".into())]);
}

#[test]
fn a_cell_that_forks_holds_nothing_up() {
    let mut bench = Bench::new();
    let forks = "unsafe extern \"C\" { fn fork() -> i32; } let child: i32 = unsafe { fork() };\nif child == 0 { std::thread::sleep(std::time::Duration::from_secs(60)); std::process::exit(0); }";
    bench.value(forks);
    assert_eq!(bench.value("2 + 2"), "4");
    assert_eq!(bench.failure("std::process::abort()").name, "Died");
    assert_eq!(bench.value("3 + 3"), "6");
}

#[test]
fn a_copy_that_goes_on_for_ever_holds_nothing_up_and_goes_with_the_session() {
    let mut bench = Bench::new();
    let folder = tempfile::tempdir().unwrap();
    let mark = folder.path().join("copy");
    let name = mark.display().to_string();
    let cell = format!(
        "unsafe extern \"C\" {{ fn fork() -> i32; }} let child: i32 = unsafe {{ fork() }};\n\
         if child == 0 {{ std::fs::write({name:?}, std::process::id().to_string()).unwrap(); \
         loop {{ print!(\".\"); std::thread::sleep(std::time::Duration::from_millis(1)); }} }}"
    );
    bench.value(&cell);
    let copy = loop {
        match std::fs::read_to_string(&mark) {
            Ok(copy) if !copy.is_empty() => break copy,
            _ => std::thread::sleep(std::time::Duration::from_millis(5)),
        }
    };
    let lives = || std::fs::read_to_string(format!("/proc/{copy}/stat")).is_ok_and(|it| !it.contains(") Z "));
    bench.engine.interrupter().interrupt();
    assert_eq!(bench.value("2 + 2"), "4");
    let interrupter = bench.engine.interrupter();
    let (runs, running) = (folder.path().join("runs"), folder.path().join("runs").display().to_string());
    let failure = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !runs.exists() {
                std::thread::sleep(std::time::Duration::from_millis(5));
            }
            interrupter.interrupt();
        });
        bench.failure(&format!("std::fs::write({running:?}, \"\")?; wait(std::future::pending::<i32>())"))
    });
    assert_eq!(failure.name, "Interrupted");
    assert_eq!(bench.value("3 + 3"), "6");
    assert!(lives());
    drop(bench);
    while lives() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

#[test]
fn a_line_is_asked_for() {
    let mut bench = Bench::with_line("Ada");
    assert_eq!(bench.value("format!(\"Hello, {}!\", input(\"name? \").unwrap_or_default())"), "\"Hello, Ada!\"");
}

#[test]
fn the_values_that_evcxr_knows_of_are_shown() {
    let mut bench = Bench::new();
    let bundle = bench.bundle(
        "struct Drawn; impl Drawn { fn evcxr_display(&self) { println!(\"EVCXR_BEGIN_CONTENT text/html\\n<b>drawn</b>\\nEVCXR_END_CONTENT\"); } } Drawn",
    );
    assert_eq!(bundle.data["text/html"], "<b>drawn</b>");
}
