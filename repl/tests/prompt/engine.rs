//! Rust at the prompt and in scripts, where the engine is built.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use crate::bench::{Bench, Run};
use crate::screen::Screen;

/// The engine's program in a toolkit of its own; a line and `None` where it is not built.
pub fn engine() -> Option<&'static Path> {
    static ENGINE: OnceLock<Option<PathBuf>> = OnceLock::new();
    let engine = ENGINE.get_or_init(|| {
        let build = Path::new(env!("CARGO_BIN_EXE_roborm")).parent().expect("a program lies in a folder");
        let (kernel, library) = (build.join("roborm-kernel"), build.join("libroborm_toolkit.rlib"));
        if !kernel.is_file() || !library.is_file() {
            return None;
        }
        // In the folder that cargo keeps for tests; assembled anew, since the program may have changed.
        let toolkit = Path::new(env!("CARGO_TARGET_TMPDIR")).join("prompt-toolkit");
        let _ = std::fs::remove_dir_all(&toolkit);
        let made =
            Command::new(&kernel).args(["engine", "assemble"]).arg(build).arg(&toolkit).output().expect("it starts");
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stdout));
        Some(toolkit.join("bin/roborm-kernel"))
    });
    if engine.is_none() {
        eprintln!("skipped: the engine is not built (`cargo xtask kernel`)");
    }
    engine.as_deref()
}

/// Runs a script with the engine.
fn script(bench: &Bench, engine: &Path, lines: &str) -> Run {
    bench.write("lesson.rs", lines);
    let mut command = bench.command(&["run", "lesson.rs"]);
    command.env("ROBORM_KERNEL", engine);
    command.output().expect("the program starts").into()
}

/// A window that a session with the engine runs in.
pub fn screen<'a>(bench: &'a Bench, columns: usize, engine: &Path, env: &[&str]) -> Screen<'a> {
    let kernel = format!("ROBORM_KERNEL={}", engine.display());
    Screen::ready(bench, columns, &[&[kernel.as_str()], env].concat())
}

#[test]
fn without_an_engine_rust_is_told_how_to_get_one() {
    let bench = Bench::new();
    let mut command = bench.command(&["-c", ":models\n1 + 1"]);
    command.env_remove("ROBORM_KERNEL").env_remove("VIRTUAL_ENV").env_remove("JUPYTER_DATA_DIR");
    let run: Run = command.env("PATH", "/usr/bin:/bin").output().expect("the program starts").into();
    assert_eq!(run.status, 2, "{}", run.stderr);
    for word in ["error: -c, line 2: Rust expressions need the engine", "`cargo xtask kernel` builds it"] {
        assert!(run.stderr.contains(word), "{}", run.stderr);
    }
    let run = bench.command(&["-c", "1 + 1"]).env("ROBORM_KERNEL", "/no/such/program").output().expect("it starts");
    Run::from(run).refuses(1, &["ROBORM_KERNEL names /no/such/program"]);
    let run = bench.command(&["-c", "1 + 1"]).env("ROBORM_KERNEL", "/bin/false").output().expect("it starts");
    Run::from(run).refuses(1, &["the engine for Rust could not be started"]);
}

#[test]
fn commands_and_rust_see_the_same() {
    let Some(engine) = engine() else { return };
    let bench = Bench::new();
    let run = script(
        &bench,
        engine,
        "\
:open demo
data()?.len() + 1000
:next
trajectory()?.id
:score --model simulated --ledger l.db
scores()?.len() + 2000
let few = scores()?.lazy().filter(col(\"strategy\").eq(lit(\"lexical\"))).collect()?;
keep(&ScoreTable::from_frame(few)?);
:scores
let id = \"towel\";
:why $id
:quit
",
    );
    assert_eq!(run.status, 0, "{}", run.stderr);
    let first = bench.json(&["trajectories", "demo"])[0]["trajectory"].as_str().expect("an id").to_owned();
    for shown in
        ["1008", &format!("\"{first}\""), "2112", "the scores kept by a cell: 32 scores", "towel: \"fold the towel"]
    {
        assert!(run.stdout.contains(shown), "{shown}: {}", run.stdout);
    }
    // The other way: what Rust opens is open for commands.
    let run = script(&bench, engine, "open(\"demo\")?;\n:next\n");
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(run.stdout.contains(&format!("{first}: ")), "{}", run.stdout);
}

#[test]
fn a_script_stops_at_an_error_of_rust_with_its_line_and_status() {
    let Some(engine) = engine() else { return };
    let bench = Bench::new();
    for (source, place) in [
        (
            "// a lesson\n\nlet x = 5;\nlet y: i32 =\n    \"five\";\nprintln!(\"never\")\n",
            "lesson.rs, line 5, column 5: mismatched types",
        ),
        (
            "let x = vec![1];\nfn at(xs: &[i32]) -> i32 {\n    xs[7]\n}\nat(&x);\nprintln!(\"never\")\n",
            "lesson.rs, line ",
        ),
        ("println!(\"once\");\nopen(\"no-such-dataset\")?;\nprintln!(\"never\")\n", "lesson.rs, line 2"),
        ("let x = (1,\n", "lesson.rs, line 1"),
    ] {
        let run = script(&bench, engine, source);
        assert_eq!(run.status, 1, "{source}: {}", run.stderr);
        assert!(run.stderr.starts_with("error: ") && run.stderr.contains(place), "{source}: {}", run.stderr);
        assert!(!run.stdout.contains("never") && !run.stderr.contains('\x1b'), "{source}: {}", run.stdout);
    }
}

#[test]
fn pieces_of_a_script_end_where_they_end() {
    let Some(engine) = engine() else { return };
    let bench = Bench::new();
    let lines = "\
let xs = vec![1, 2, 3];
xs
    .iter()
    .map(|x| x * 7)
    .sum::<i32>()
fn twice(x: i32) -> i32 {
    // )
    x * 2
}
let s =
    \"a
:b\";
s.len() as i32 + twice(50)
";
    let run = script(&bench, engine, lines);
    assert_eq!((run.status, run.stdout.as_str()), (0, "42\n104\n"), "{}", run.stderr);
}

#[test]
fn a_script_may_be_laid_out_as_rustfmt_does() {
    let Some(engine) = engine() else { return };
    let bench = Bench::new();
    let lines = "\
trait Longest {
    fn longest(&self) -> usize;
}
struct Words<T>(Vec<T>)
where
    T: AsRef<str>;
impl<T> Longest
    for Words<T>
where
    T: AsRef<str>,
{
    fn longest(&self) -> usize {
        self.0.iter().map(|word| word.as_ref().len()).max().unwrap_or_default()
    }
}
fn more<T>(xs: &T)
    -> usize
where
    T: Longest + ?Sized
{
    xs.longest() + 100
}
more(&Words(vec![\"drawer\", \"bowl\"]))
let sum: usize = more(&Words(vec![\"a\"]))
    // a comment
    + 100
    - 1;
sum
let Some(first) = Some(sum)
else {
    panic!()
};
if first > 0
    && sum > 0
{
    println!(\"both\");
}
else {
    println!(\"neither\");
}
for n in 0..1 {
    println!(\"{n}\");
}
first
{
    println!(\"a block\");
}
nope
";
    let run = script(&bench, engine, lines);
    assert_eq!((run.status, run.stdout.as_str()), (1, "106\n200\nboth\n0\n200\na block\n"), "{}", run.stderr);
    let at = lines.lines().count();
    assert!(run.stderr.contains(&format!("lesson.rs, line {at}, column 1: cannot find value")), "{}", run.stderr);
}

#[test]
fn at_the_prompt_blocks_go_on_values_are_kept_and_names_are_completed() {
    let Some(engine) = engine() else { return };
    let bench = Bench::new();
    let screen = screen(&bench, 100, engine, &[]);
    screen.line("let lengths = vec![40, 2];").wait(|text| text.trim_end().ends_with("\nroborm>"));
    screen
        .line("let sum =")
        .line("    lengths.iter().sum::<i32>();")
        .wait(|text| text.trim_end().ends_with("\nroborm>"));
    screen.types("leng").key("Tab").shows("roborm> lengths");
    screen.types("[0] + sum + 918").key("Enter").shows("\n1000\n");
    screen.line("?DataFrame::height").shows("the number of rows");
    // Several lines at once, commands among them.
    screen
        .paste("let n = 3;\n:open demo\nlet n = n *\n    data()?.len() as i32;\nn + 2000")
        .key("Enter")
        .shows("\n2024\n");
    screen.wait(|text| text.trim_end().ends_with("\ndemo>"));
    screen.line("nope").shows("cannot find value `nope`");
    screen.line("let chosen = \"towel\";").wait(|text| text.trim_end().ends_with("\ndemo>"));
    screen.types(":frames $cho").key("Tab").types("--max 1").shows("demo> :frames $chosen --max 1");
    screen.key("Enter").shows("demo:towel: 1 frame, rule");
    screen.key("C-d").shows("status 0");
}

#[test]
fn ctrl_c_stops_a_loop_and_keeps_the_session() {
    let Some(engine) = engine() else { return };
    let bench = Bench::new();
    let screen = screen(&bench, 100, engine, &[]);
    screen.line(":open demo").wait(|text| text.trim_end().ends_with("\ndemo>"));
    screen.line("let kept = 1234;").wait(|text| text.matches("demo>").count() == 2);
    // One that asks keeps its variables.
    screen.line("println!(\"round and {}\", 1); while !interrupted() {}").shows("\nround and 1");
    screen.key("C-c").wait(|text| text.matches("demo>").count() == 3 && text.trim_end().ends_with("\ndemo>"));
    screen.line("kept + 1").shows("\n1235\n");
    // One that does not is killed; what is open is open all the same.
    screen.line("println!(\"round and {}\", 2); loop {}").shows("\nround and 2");
    // Not behind the mark that the terminal shows for the key.
    screen.key("C-c").shows("\ninterrupted: the code did not stop when it was interrupted");
    screen.says("kept: functions and types and the open dataset (demo)");
    screen.wait(|text| text.trim_end().ends_with("\ndemo>"));
    screen.line("data()?.len() + 3000").shows("\n3008\n");
}

#[test]
fn what_is_shown_is_shown_as_a_terminal_can() {
    let Some(engine) = engine() else { return };
    let bench = Bench::new();
    let lines =
        "let frames = roborm::frames::Sampler::new().sample(data()?.get(\"towel\")?, &Sampling::default())?;\nframes\n";
    let rich = screen(&bench, 100, engine, &["TERM=xterm-256color"]);
    rich.line(":open demo").wait(|text| text.trim_end().ends_with("\ndemo>"));
    rich.paste(lines.trim_end()).key("Enter").shows("▀▀▀▀");
    drop(rich);
    let run = script(
        &bench,
        engine,
        &format!(":open demo\n{lines}println!(\"out\"); eprintln!(\"err\"); show(&1); print!(\"a\");\n2"),
    );
    assert_eq!((run.status, run.stderr.as_str()), (0, "err\n"), "{}", run.stdout);
    assert!(run.stdout.is_ascii() && run.stdout.ends_with("out\n1\na\n2\n"), "{}", run.stdout);
}

#[test]
fn an_engine_that_dies_is_started_again_and_finds_what_is_open() {
    let Some(engine) = engine() else { return };
    let bench = Bench::new();
    let screen = screen(&bench, 100, engine, &[]);
    screen.line(":open demo").wait(|text| text.trim_end().ends_with("\ndemo>"));
    // The process that runs cells is a child of the engine.
    let kill = "let parent = std::os::unix::process::parent_id().to_string(); \
                std::process::Command::new(\"kill\").args([\"-9\", &parent]).status().ok(); loop {}";
    screen.line(kill).shows("the engine for Rust ended");
    screen.wait(|text| text.trim_end().ends_with("\ndemo>"));
    screen.line("data()?.len() + 4000").shows("\n4008\n");
    // The process alone: the engine starts another.
    screen.line("std::process::abort()").shows("the process that runs cells aborted");
    screen.line("data()?.len() + 5000").shows("\n5008\n");
}

#[test]
fn tables_of_rust_fit_the_window_as_it_is() {
    let Some(engine) = engine() else { return };
    let bench = Bench::new();
    let screen = screen(&bench, 100, engine, &[]);
    let widest = |text: &str| {
        text.lines().filter(|line| line.contains('│') || line.contains('┆')).map(|line| line.chars().count()).max()
    };
    screen.line("let wide = df![\"name\" => [\"a\".repeat(90)], \"other\" => [\"b\".repeat(90)]]?;");
    screen.wait(|text| text.trim_end().ends_with("\nroborm>"));
    let before = screen.line("wide").shows("shape: (1, 2)");
    assert!(widest(&before).is_some_and(|widest| widest <= 100), "{before}");
    screen.resize(60);
    screen.line("wide.clone()").wait(|text| text.matches("shape: (1, 2)").count() == 2);
    let text = screen.wait(|text| text.trim_end().ends_with("\nroborm>"));
    let after = text.rsplit("shape: (1, 2)").next().unwrap_or_default();
    assert!(widest(after).is_some_and(|widest| widest <= 60), "{text}");
}

#[test]
fn commands_with_variables_run_as_commands_do() {
    let Some(engine) = engine() else { return };
    let bench = Bench::new();
    let run = script(
        &bench,
        engine,
        ":score demo --model simulated --ledger l.db\nlet few = scores()?;\n:robustness $few\n:robustness\n",
    );
    assert_eq!(run.status, 0, "{}", run.stderr);
    // Their output is that of the command without a variable, here where it goes to a pipe.
    let (_, tables) = run.stdout.split_once("scores: scores.parquet\n").expect("the path of the scores");
    let lines: Vec<&str> = tables.lines().collect();
    let (with, without) = lines.split_at(lines.len() / 2);
    assert!(!with.is_empty() && with == without, "{tables}");
    let run = script(&bench, engine, "let few = 1;\n:robustness $fewer\n");
    run.refuses(1, &["lesson.rs, line 2: no variable fewer", "did you mean $few?"]);
}

#[test]
fn ctrl_c_ends_a_question_and_lines_of_standard_input_are_asked_for() {
    let Some(engine) = engine() else { return };
    let bench = Bench::new();
    let screen = screen(&bench, 100, engine, &[]);
    screen.line("let name = input(\"your name? \");").shows("\nyour name?");
    screen.types("Ad").key("C-c").wait(|text| text.trim_end().ends_with("\nroborm>"));
    screen
        .line("let mut line = String::new(); println!(\"say:\"); std::io::stdin().read_line(&mut line)?;")
        .shows("\nsay:");
    screen.line("Ada").wait(|text| text.trim_end().ends_with("\nroborm>"));
    screen.line("format!(\"{} letters\", line.trim().len() + 100)").shows("103 letters");
}

#[test]
fn a_script_that_asks_finds_the_end_of_standard_input_or_the_lines_there() {
    let Some(engine) = engine() else { return };
    let bench = Bench::new();
    let lines = "\
let name = input(\"name? \");
println!(\"{name:?}\");
let mut line = String::new();
let read = std::io::stdin().read_line(&mut line)?;
(read, line)
";
    bench.write("lesson.rs", lines);
    bench.write("answers.txt", "Ada\nBob\n");
    let from = |words: &[&str], input: &str| -> Run {
        let mut command = bench.command(words);
        command.env("ROBORM_KERNEL", engine).stdin(std::fs::File::open(bench.path(input)).expect("just written"));
        command.output().expect("the program starts").into()
    };
    // The script is all that standard input holds.
    let run = from(&[], "lesson.rs");
    assert_eq!((run.status, run.stdout.as_str()), (0, "name? \nNone\n(0, \"\")\n"), "{}", run.stderr);
    let run = from(&["run", "lesson.rs"], "answers.txt");
    assert_eq!((run.status, run.stdout.as_str()), (0, "name? Some(\"Ada\")\n(4, \"Bob\\n\")\n"), "{}", run.stderr);
}

#[test]
fn an_engine_elsewhere_is_found_by_jupyters_path_and_told_of_by_the_doctor() {
    let Some(engine) = engine() else { return };
    let bench = Bench::new();
    let spec = format!("{{\"argv\": [{:?}]}}", engine.display().to_string());
    bench.write("prefix/share/jupyter/kernels/roborm/kernel.json", &spec);
    let run = |prefix: &str| -> Run {
        let mut command = bench.command(&["-c", ":doctor\n40 + 2"]);
        command.env_remove("ROBORM_KERNEL").env_remove("VIRTUAL_ENV").env_remove("JUPYTER_DATA_DIR");
        command.env("JUPYTER_PATH", bench.path(prefix)).env("PATH", "/usr/bin:/bin");
        command.output().expect("the program starts").into()
    };
    let found = run("prefix/share/jupyter");
    assert!(
        found.stdout.contains("engine for Rust") && found.stdout.contains(&engine.display().to_string()),
        "{}",
        found.stdout
    );
    assert!(found.stdout.trim_end().ends_with("42"), "{}: {}", found.stdout, found.stderr);
    let missing = run("elsewhere");
    assert!(missing.stdout.contains("JUPYTER_PATH"), "{}", missing.stdout);
}

#[test]
fn a_paste_of_nonsense_is_refused_at_once_and_the_session_goes_on() {
    let Some(engine) = engine() else { return };
    let bench = Bench::new();
    let screen = screen(&bench, 100, engine, &[]);
    screen.line("40 + 2").shows("\n42\n");
    // A bracket that closes another than is open is never mended by what follows; one that is open may be.
    screen.paste(&"f(x] and some words, \"\n".repeat(400)).key("Enter").shows("error");
    screen.wait(|text| text.trim_end().ends_with("\nroborm>"));
    screen.paste(&"f(x, [1, 2]) and some words (\n".repeat(400)).key("Enter").types("x").shows("words (\n\nx");
    screen.key("C-c").wait(|text| text.trim_end().ends_with("\nroborm>"));
    screen.line("60 + 7").shows("\n67\n");
}

#[test]
fn what_cannot_be_handed_over_is_told_once() {
    let Some(engine) = engine() else { return };
    let bench = Bench::new();
    bench.write("rollouts.csv", "trajectory,frames,task\nt1,pics,go\n");
    bench.write("pics/1.png", "");
    let screen = screen(&bench, 100, engine, &[]);
    screen.line(":open rollouts.csv --rate 1").wait(|text| text.trim_end().ends_with("\nrollouts>"));
    std::fs::remove_file(bench.path("rollouts.csv")).expect("the folder is ours");
    screen.line("1234 + 1").shows("\n1235\n");
    let text = screen.line("1234 + 2").shows("\n1236\n");
    assert_eq!(text.matches("note: data() and scores() are not what is open here").count(), 1, "{text}");
}

#[test]
fn what_is_open_and_a_trajectory_of_it_are_handed_to_commands() {
    let Some(engine) = engine() else { return };
    let bench = Bench::new();
    let lines = "\
:open demo
let d = data()?;
let tr = d.get(\"towel\")?.clone();
let some = d.filter(|it| it.id != \"towel\");
:open $d
:spot $tr --model simulated --ledger l.db
fn main() { println!(\"main was called\") }
";
    let run: Run = {
        let mut command = bench.command(&["-c", lines]);
        command.env("ROBORM_KERNEL", engine).output().expect("the program starts").into()
    };
    assert_eq!(run.status, 0, "{}", run.stderr);
    for shown in ["demo is open: 8 trajectories", "towel: \"fold the towel in half\"", "main was called"] {
        assert!(run.stdout.contains(shown), "{shown}: {}", run.stdout);
    }
    // A part of what is open is not what is open.
    let run = script(&bench, engine, &lines.replace(":open $d", ":trajectories $some"));
    assert_ne!(run.status, 0);
    assert!(run.stderr.contains("$some is not the dataset that is open"), "{}", run.stderr);
}

#[test]
fn a_script_is_interrupted_as_a_line_is() {
    let Some(engine) = engine() else { return };
    let bench = Bench::new();
    bench
        .write("lesson.rs", "1 + 1\nstd::fs::write(\"begun\", \"\")?; while !interrupted() {}\nprintln!(\"after\");\n");
    let mut command = bench.command(&["run", "lesson.rs"]);
    command.env("ROBORM_KERNEL", engine).stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let program = command.spawn().expect("the program starts");
    let start = std::time::Instant::now();
    while !bench.path("begun").exists() {
        assert!(start.elapsed().as_secs() < 60, "the line does not begin");
        std::thread::yield_now();
    }
    let pid = program.id().to_string();
    assert!(Command::new("kill").args(["-s", "INT", &pid]).status().expect("kill starts").success());
    let run: Run = program.wait_with_output().expect("it ends").into();
    assert_eq!((run.status, run.stdout.as_str()), (130, "2\n"), "{}", run.stderr);
    assert!(run.stderr.contains("lesson.rs, line 2: interrupted"), "{}", run.stderr);
}
