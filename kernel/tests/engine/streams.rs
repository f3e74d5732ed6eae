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

#[test]
fn what_c_prints_comes_too() {
    let mut bench = Bench::new();
    bench.value("unsafe extern \"C\" { fn puts(text: *const i8) -> i32; } unsafe { puts(c\"from C\".as_ptr().cast()) }; std::process::Command::new(\"echo\").arg(\"from a program\").status()?;");
    assert_eq!(bench.told(), [Told::Out("from a program\nfrom C\n".into())]);
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
