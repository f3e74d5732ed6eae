//! Bad input: one clear error, the right exit status, the rest of the work kept.

use serde_json::json;

use crate::bench::Bench;

#[test]
fn wrong_usage_is_status_2() {
    let bench = Bench::new();
    bench.run(&["scor", "demo"]).refuses(2, &["scor", "score"]);
    bench.run(&["score", "demo", "--model", "gpt-51"]).refuses(2, &["gpt-51", "gpt-5.1"]);
    bench.run(&["score", "demo"]).refuses(2, &["--model"]);
    bench.run(&["robustness", "s.csv", "--boundary", "high"]).refuses(2, &["high"]);
    bench.write("s.csv", "model,trajectory,strategy,instruction,score\nm,a,lexical,x,5\n");
    bench.run(&["robustness", "s.csv", "--boundary", "nan"]).refuses(2, &["boundary"]);
    bench.run(&["frames", "demo#drawr"]).refuses(2, &["drawr", "drawer"]);
    bench.run(&["frames", "demo"]).refuses(2, &["trajectories"]);
    bench.run(&["frames", "demo#drawer", "--fps", "0"]).refuses(2, &["0"]);
    bench.run(&["score", "demo", "--model", "simulated", "--shard", "3/2"]).refuses(2, &["3/2"]);
    bench.run(&["score", "demo", "--model", "simulated", "--max-cost", "-1"]).refuses(2, &["-1"]);
    bench.run(&["robustness", "s.csv", "--by", "model,model"]).refuses(2, &["`model`", "twice"]);
    bench.run(&["robustness", "s.csv", "--chart", "charts.txt"]).refuses(2, &["charts.txt", ".html"]);
    assert!(!bench.path("charts.txt").exists());
    bench.write("clip.mp4", "what is in it does not come into it");
    bench.run(&["frames", "clip.mp4", "--camera", "top"]).refuses(2, &["--camera", "clip.mp4"]);
}

#[test]
fn a_name_that_is_no_utf8_is_told() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    let bench = Bench::new();
    let name = OsStr::from_bytes(b"run\xff7");
    std::fs::create_dir(bench.path("").join(name)).expect("a folder");
    let run = bench.command(&["trajectories"]).arg(name).output().expect("the program starts");
    crate::bench::Run::from(run).refuses(2, &["'run\u{fffd}7' is not UTF-8", "rename it"]);
    // What is only written to may be called anything.
    let run = bench.command(&["frames", "demo#towel", "--max", "1", "--out"]).arg(name).output().expect("it starts");
    assert_eq!(run.status.code(), Some(0), "{}", String::from_utf8_lossy(&run.stderr));
}

#[test]
fn what_is_no_file_is_not_waited_for() {
    let bench = Bench::new();
    let made = std::process::Command::new("mkfifo").arg(bench.path("s.csv")).status().expect("coreutils are there");
    assert!(made.success());
    bench.run(&["robustness", "s.csv"]).refuses(1, &["s.csv is a pipe or a device, not a file"]);
    bench.write("m.csv", "trajectory,video,task\na,s.csv,t\nb,gone.mp4,t\n");
    let run = bench.run(&["score", "m.csv", "--model", "simulated", "--out", "out.csv"]);
    assert_eq!(run.status, 1, "{}", run.stderr);
    for said in ["trajectory a: ", "s.csv is a pipe, a socket or a device, not a video", "trajectory b: "] {
        assert!(run.stderr.contains(said), "{}", run.stderr);
    }
}

#[test]
fn a_file_that_is_none_of_its_kind_is_not_written_over() {
    let bench = Bench::new();
    bench.write("notes.csv", "what,when\nprecious,today\n");
    bench.run(&["score", "demo", "--model", "simulated", "--out", "notes.csv"]).refuses(1, &["notes.csv", "--out"]);
    bench.write("s.csv", "model,trajectory,strategy,instruction,score\nm,a,lexical,x,5\nm,a,lexical,y,2\n");
    bench.run(&["chart", "s.csv", "--out", "s.csv"]).refuses(2, &["s.csv", ".html"]);
    for (file, begins) in [("notes.csv", "what,when"), ("s.csv", "model,trajectory")] {
        assert!(std::fs::read_to_string(bench.path(file)).expect("still there").starts_with(begins), "{file}");
    }
}

#[test]
fn paraphrases_of_what_the_dataset_does_not_have_are_told_of() {
    let bench = Bench::new();
    let rows = [("fold the towel in half", "double the towel over"), ("fold teh towel", "crease the towel")];
    let rows: Vec<String> = rows
        .iter()
        .map(|(task, text)| json!({"task": task, "strategy": "lexical", "instruction": text}).to_string())
        .collect();
    bench.write("p.jsonl", &rows.join("\n"));
    let score = |dataset: &str| bench.run(&["score", dataset, "--model", "simulated", "--paraphrases", "p.jsonl"]);
    let whole = score("demo").stderr;
    assert!(
        whole.contains("1 task or trajectory that the dataset does not have") && whole.contains("`fold teh towel`"),
        "{whole}"
    );
    // What is one trajectory's is left out on purpose.
    assert!(!score("demo#towel").stderr.contains("does not have"));
    bench.write("q.jsonl", &rows[1]);
    let none = bench.run(&["score", "demo", "--model", "simulated", "--paraphrases", "q.jsonl"]);
    none.refuses(1, &["no paraphrases for any task", "`fold teh towel`"]);
}

#[test]
fn options_that_would_change_nothing_are_refused() {
    let bench = Bench::new();
    bench.run(&["score", "demo", "--model", "simulated", "--root", "/tmp"]).refuses(2, &["demo", "/tmp"]);
    bench.run(&["score", "demo", "--model", "simulated", "--provider", "x"]).refuses(2, &["simulated", "provider"]);
}

#[test]
fn a_home_that_cannot_be_written_to_is_no_end_of_what_costs_nothing() {
    let bench = Bench::new();
    // Nothing can be made there, by nobody.
    let command = |words: &[&str]| {
        let mut command = bench.command(words);
        command.env("HOME", "/proc/none").env_remove("XDG_DATA_HOME");
        command.output().expect("runs")
    };
    let free = command(&["spot", "demo#towel", "--model", "simulated"]);
    assert_eq!(free.status.code(), Some(0), "{}", String::from_utf8_lossy(&free.stderr));
    assert!(String::from_utf8_lossy(&free.stderr).contains("/proc/none"));
    let paid = ["spot", "demo#towel", "--model", "m", "--base-url", "http://127.0.0.1:9/v1"];
    let paid = command(&paid);
    assert_eq!(paid.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&paid.stderr).contains("--ledger FILE"));
}

#[test]
fn what_cannot_be_written_is_named_as_it_was_given() {
    let bench = Bench::new();
    bench.write("a-file", "");
    for name in ["nowhere/s.parquet", "a-file/s.csv"] {
        let run = bench.run(&["score", "demo", "--model", "simulated", "--out", name]);
        run.refuses(1, &[name]);
        assert!(!run.stderr.contains(".part"), "{}", run.stderr);
    }
}

#[test]
fn scores_off_the_scale_are_told_of() {
    let bench = Bench::new();
    bench.write("s.csv", "model,trajectory,strategy,instruction,score\nm,a,lexical,x,5\nm,a,lexical,y,80\n");
    let run = bench.run(&["robustness", "s.csv"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(run.stderr.contains("1 score lies outside 1 to 5"), "{}", run.stderr);
}

#[test]
fn what_a_table_says_in_two_ways_is_told_of() {
    let bench = Bench::new();
    bench.write("s.csv", "model,trajectory,strategy,instruction,score,label\nm,a,lexical,x,5,4\nm,a,lexical,y,2,3\n");
    let run = bench.run(&["robustness", "s.csv"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(run.stderr.contains("1 trajectory has several labels"), "{}", run.stderr);
    bench.write("s.csv", "model,trajectory,strategy,instruction,score,score\nm,a,lexical,x,5,4\n");
    bench.run(&["robustness", "s.csv"]).refuses(1, &["s.csv", "`score`", "two columns"]);
}

#[test]
fn numbers_out_of_reason_are_refused_as_numbers() {
    let bench = Bench::new();
    bench.write("s.csv", "model,trajectory,strategy,instruction,score\nm,a,lexical,x,5\nm,a,lexical,y,2\n");
    bench.run(&["robustness", "s.csv", "--seed", "-1"]).refuses(2, &["'-1'", "--seed"]);
    bench.run(&["score", "demo", "--model", "simulated", "--limit", "-3"]).refuses(2, &["'-3'", "--limit"]);
    bench.run(&["robustness", "s.csv", "--resamples", "1"]).refuses(2, &["1 is too few", "95 %", "40"]);
    bench
        .run(&["frames", "demo#drawer", "--fps", "1e300"])
        .refuses(2, &["1e300 frames a second is out of range", "1e12"]);
    bench.run(&["frames", "demo#drawer", "--fps", "-2"]).refuses(2, &["positive", "not -2"]);
    bench.run(&["frames", "demo#drawer", "--from", "1e300"]).refuses(2, &["seconds", "not 1e300"]);
}

#[test]
fn a_substitute_off_the_scale_is_refused() {
    let bench = Bench::new();
    bench.write("s.csv", "model,trajectory,strategy,instruction,score\nm,a,lexical,x,5\nm,a,lexical,y,\n");
    bench.run(&["robustness", "s.csv", "--unparsed", "99"]).refuses(2, &["99", "1 to 5"]);
    bench.run(&["robustness", "s.csv", "--unparsed", "as-failur"]).refuses(2, &["as-failur", "as-failure"]);
}

#[test]
fn frames_of_another_sampling_in_the_folder_are_told_of() {
    let bench = Bench::new();
    let all = ["frames", "demo#drawer", "--fps", "5", "--out", "f"];
    let run = bench.run(&all);
    assert_eq!((run.status, run.stderr.contains("warning")), (0, false), "{}", run.stderr);
    let files = || std::fs::read_dir(bench.path("f")).expect("the folder of frames").count();
    let before = files();
    let run = bench.run(&["frames", "demo#drawer", "--max", "2", "--out", "f"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    // First and last of both samplings are the same frames.
    assert_eq!(files(), before, "nothing of the user's is taken away");
    let told = format!("warning: {} pictures of other samplings in f", before - 2);
    assert!(run.stderr.contains(&told), "`{told}` is missing in: {}", run.stderr);
}

#[test]
fn a_bad_manifest_is_named_by_its_line() {
    let bench = Bench::new();
    let trajectories = |text: &str| {
        bench.write("m.jsonl", text);
        bench.run(&["trajectories", "m.jsonl"])
    };
    let good = r#"{"trajectory":"a","video":"a.mp4","task":"lift","label":3}"#;
    trajectories(&format!("{good}\nnot json\n")).refuses(1, &["m.jsonl", "2"]);
    trajectories(&format!("{good}\n{}\n", good.replace('3', "9"))).refuses(1, &["2", "9", "1 to 5"]);
    trajectories(&format!("{good}\n{good}\n")).refuses(1, &["a"]);
    trajectories(&good.replace("a.mp4", "../../etc/passwd")).refuses(1, &["../../etc/passwd"]);
    trajectories(&good.replace("\"video\"", "\"vid\"")).refuses(1, &["video", "vid"]);
    trajectories("").refuses(1, &["m.jsonl"]);
    bench.run(&["trajectories", "nowhere"]).refuses(1, &["nowhere"]);
}

#[test]
fn a_score_table_that_is_none_is_named_by_its_fault() {
    let bench = Bench::new();
    let robustness = |text: &str| {
        bench.write("s.csv", text);
        bench.run(&["robustness", "s.csv"])
    };
    robustness("model,trajectory,strategy,score\nm,a,lexical,5\n").refuses(1, &["instruction"]);
    robustness("model,trajectory,strategy,instruction,score,label\nm,a,lexical,x,5,7\n").refuses(1, &["label", "7"]);
    let row = "m,a,lexical,x,5\n";
    robustness(&format!("model,trajectory,strategy,instruction,score\n{row}{row}")).refuses(1, &["x"]);
    bench.write("s.parquet", "PAR1 but not really");
    bench.run(&["robustness", "s.parquet"]).refuses(1, &["s.parquet"]);
    bench.run(&["robustness", "none.parquet"]).refuses(1, &["none.parquet"]);
}

#[test]
fn a_task_without_paraphrases_is_reported_and_the_rest_is_scored() {
    let bench = Bench::new();
    bench.write(
        "p.jsonl",
        "{\"task\":\"open the top drawer\",\"strategy\":\"lexical\",\"instruction\":\"pull the top drawer open\"}\n",
    );
    let run = bench.run(&["score", "demo", "--model", "simulated", "--paraphrases", "p.jsonl", "--json"]);
    assert_eq!(run.status, 1);
    assert!(run.stderr.contains("no paraphrases for 7 of the tasks"), "{}", run.stderr);
    // Eight originals and the one paraphrase.
    assert_eq!(run.json()["called"], 9);
    // The same command comes to the same: what helps is a better file.
    assert!(!run.stderr.contains("go on with") && run.stderr.contains("add paraphrases"), "{}", run.stderr);
    // Told before anything is spent, too.
    let run = bench.run(&["estimate", "demo", "--model", "simulated", "--paraphrases", "p.jsonl"]);
    assert!(run.stderr.contains("warning: no paraphrases for 7 of the tasks"), "{}", run.stderr);
    // A shard that has none of the task goes on as the whole does.
    let mut called = 0;
    for shard in ["1/8", "2/8", "3/8", "4/8", "5/8", "6/8", "7/8", "8/8"] {
        let words = ["score", "demo", "--model", "simulated", "--paraphrases", "p.jsonl", "--shard", shard, "--json"];
        let run = bench.run(&[&words[..], &["--ledger", "shards.db"]].concat());
        called += run.json()["called"].as_u64().expect("a count");
        assert_eq!(run.status, i32::from(run.stderr.contains("no paraphrases for 1 of the tasks")), "{}", run.stderr);
    }
    assert_eq!(called, 9);
    bench.write("p.jsonl", "{\"task\":\"fold the shirt\",\"strategy\":\"lexical\",\"instruction\":\"do the shirt\"}\n");
    bench.run(&["score", "demo", "--model", "simulated", "--paraphrases", "p.jsonl"]).refuses(1, &["paraphrases"]);
}

#[test]
fn a_ledger_is_a_file() {
    let bench = Bench::new();
    for device in ["/dev/null", "/dev/zero"] {
        let run = bench.run(&["score", "demo", "--model", "simulated", "--ledger", device]);
        run.refuses(1, &[device, "not a file", "--ledger FILE"]);
    }
}

#[test]
fn a_word_among_the_scores_is_named_with_its_line() {
    let bench = Bench::new();
    bench.write("s.csv", "model,trajectory,strategy,instruction,score\nm,a,lexical,x,5\nm,a,lexical,y,NA\n");
    bench.run(&["robustness", "s.csv"]).refuses(1, &["s.csv: line 3: `score` is \"NA\"", "leave it empty"]);
    bench.write(
        "s.jsonl",
        "{\"model\":\"m\",\"trajectory\":\"a\",\"strategy\":\"lexical\",\"instruction\":\"x\",\"score\":\"NA\"}\n",
    );
    bench.run(&["robustness", "s.jsonl"]).refuses(1, &["row 1: `score` is \"NA\""]);
    bench.write("m.jsonl", "{\"trajectory\":\"a\",\"video\":\"a.mp4\",\"task\":\"t\",\"label\":1e300}\n");
    bench.run(&["trajectories", "m.jsonl"]).refuses(1, &["m.jsonl, line 1: label 1e300 is"]);
}

#[test]
fn a_trajectory_without_frames_fails_alone() {
    let bench = Bench::new();
    bench.run(&["frames", "demo#drawer", "--out", "frames"]);
    bench.write("broken/1.png", "not a picture");
    bench.write(
        "m.csv",
        "trajectory,frames,task,label,rate_hz\na,frames,lift the cup,4,1\nb,broken,lift the cup,2,1\nc,gone,lift the cup,2,1\n",
    );
    let run = bench.run(&["score", "m.csv", "--model", "simulated", "--json"]);
    assert_eq!(run.status, 1);
    let answer = run.json();
    assert_eq!((&answer["called"], &answer["failed"]), (&json!(1), &json!(2)));
    for words in ["1.png", "gone", "go on with: roborm score m.csv"] {
        assert!(run.stderr.contains(words), "`{words}` is missing in: {}", run.stderr);
    }
    // It would do nothing: no model refused anything.
    assert!(!run.stderr.contains("--retry"), "{}", run.stderr);
}

#[test]
fn what_goes_on_is_advised_where_it_does() {
    let bench = Bench::new();
    bench.run(&["frames", "demo#drawer", "--out", "frames"]);
    // Without a label there is nothing that a simulated model could answer from, today or tomorrow.
    bench.write("m.csv", "trajectory,frames,task,rate_hz\na,frames,lift the cup,1\n");
    let run = bench.run(&["score", "m.csv", "--model", "simulated"]);
    assert_eq!(run.status, 1);
    assert!(!run.stderr.contains("go on with"), "{}", run.stderr);
    let again = "asked again only with: roborm score m.csv --model simulated --retry failed";
    assert!(run.stderr.contains(again), "{}", run.stderr);
}

#[test]
fn a_clip_that_cannot_be_decoded_is_one_line_with_what_to_do() {
    let bench = Bench::new();
    bench.write("a.mp4", "this is no video at all, but a line of text");
    bench.write("m.csv", "trajectory,video,task,label\na,a.mp4,lift the cup,4\n");
    bench.write(
        "p.jsonl",
        "{\"task\":\"lift the cup\",\"strategy\":\"lexical\",\"instruction\":\"raise the cup\"}\n\
         {\"task\":\"lift the cup\",\"strategy\":\"lexical\",\"instruction\":\"hoist the cup\"}\n",
    );
    let run = bench.run(&["score", "m.csv", "--model", "simulated", "--paraphrases", "p.jsonl"]);
    assert_eq!(run.status, 1);
    let told: Vec<&str> = run.stderr.lines().filter(|line| line.starts_with("failed: ")).collect();
    assert_eq!(told.len(), 1, "{}", run.stderr);
    assert!(told[0].contains("a.mp4 cannot be read as a video") && told[0].contains("can be read;"), "{}", told[0]);
    assert!(told[0].ends_with("(3 pairs)"), "{}", told[0]);
}

#[test]
fn what_is_no_video_is_said_to_be_none() {
    let bench = Bench::new();
    for (name, bytes) in [("empty.mp4", ""), ("text.mp4", "this is no video at all, but a line of text")] {
        bench.write(name, bytes);
        bench.run(&["frames", name]).refuses(1, &[name]);
    }
    bench.run(&["frames", "none.mp4"]).refuses(1, &["none.mp4"]);
}

#[test]
fn a_ledger_that_is_none_is_left_alone() {
    let bench = Bench::new();
    let file = bench
        .write("l.db", "certainly not a database, but longer than the header of one, which has a hundred bytes or so");
    bench.run(&["score", "demo", "--model", "simulated", "--ledger", "l.db"]).refuses(1, &["l.db"]);
    assert!(std::fs::read_to_string(file).expect("still there").starts_with("certainly"));

    bench.json(&["score", "demo", "--model", "simulated", "--ledger", "v.db"]);
    let db = rusqlite::Connection::open(bench.path("v.db")).expect("the ledger is SQLite");
    db.pragma_update(None, "user_version", 9999).expect("its version can be changed");
    drop(db);
    bench.run(&["score", "demo", "--model", "simulated", "--ledger", "v.db"]).refuses(1, &["v.db", "version"]);
}

#[test]
fn a_table_takes_the_place_of_nothing_that_it_is_made_from() {
    let bench = Bench::new();
    let demo = bench.json(&["trajectories", "demo"]);
    assert!(demo.is_array());
    bench.write("m.jsonl", "{\"trajectory\":\"a\",\"video\":\"a.mp4\",\"task\":\"lift\",\"label\":3}\n");
    bench.write("p.jsonl", "{\"task\":\"lift\",\"strategy\":\"lexical\",\"instruction\":\"raise\"}\n");
    std::os::unix::fs::symlink("m.jsonl", bench.path("link.jsonl")).expect("a link");
    let score = |out: &str, ledger: &str| {
        let words = ["score", "m.jsonl", "--paraphrases", "p.jsonl", "--model", "simulated"];
        bench.run(&[&words[..], &["--out", out, "--ledger", ledger]].concat())
    };
    score("m.jsonl", "l.db").refuses(2, &["m.jsonl", "the dataset"]);
    score("link.jsonl", "l.db").refuses(2, &["link.jsonl", "the dataset"]);
    score("p.jsonl", "l.db").refuses(2, &["p.jsonl", "the paraphrase file"]);
    score("l.csv", "l.csv").refuses(2, &["l.csv", "the ledger"]);
    assert!(!bench.path("l.csv").exists());
    bench.json(&["score", "demo", "--model", "simulated", "--ledger", "k.csv", "--out", "s.csv"]);
    score("k.csv", "k.csv").refuses(2, &["k.csv", "the ledger"]);
    let again = bench.json(&["score", "demo", "--model", "simulated", "--ledger", "k.csv", "--out", "s.csv"]);
    assert_eq!(again["called"], 0, "the replies are still there");
}

#[test]
fn frames_that_are_links_stay_in_their_dataset() {
    let bench = Bench::new();
    assert_eq!(bench.run(&["frames", "demo#drawer", "--max", "2", "--out", "outside"]).status, 0);
    std::fs::create_dir_all(bench.path("set/run")).expect("a folder");
    let frame = std::fs::read_dir(bench.path("outside")).expect("frames").next().expect("one").expect("a name").path();
    std::os::unix::fs::symlink(&frame, bench.path("set/run/1.png")).expect("a link");
    bench.write(
        "set/m.jsonl",
        "{\"trajectory\":\"a\",\"frames\":\"run\",\"task\":\"lift\",\"label\":3,\"rate_hz\":1}\n",
    );
    bench.run(&["score", "set/m.jsonl", "--model", "simulated"]).refuses(1, &["m.jsonl", "1.png", "leaves", "--root"]);
    let run = bench.run(&["trajectories", "set/m.jsonl", "--root", "."]);
    assert_eq!(run.status, 0, "{}", run.stderr);
}

#[test]
fn columns_of_semicolons_are_seen_to_be_such() {
    let bench = Bench::new();
    bench.write("m.csv", "trajectory;video;task\na;a.mp4;lift\n");
    bench.run(&["trajectories", "m.csv"]).refuses(1, &["m.csv", "separated by commas", "';'"]);
}

#[test]
fn damage_of_a_table_is_an_error_and_no_backtrace() {
    let bench = Bench::new();
    bench.json(&["score", "demo", "--model", "simulated", "--ledger", "l.db", "--out", "s.parquet"]);
    let whole = std::fs::read(bench.path("s.parquet")).expect("the table");
    // Its footer: what the reader of polars takes at its word.
    for at in (whole.len().saturating_sub(1500)..whole.len() - 8).step_by(61) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x5a;
        std::fs::write(bench.path("damaged.parquet"), bytes).expect("a file");
        let run = bench.run(&["robustness", "damaged.parquet"]);
        assert!([0, 1].contains(&run.status), "byte {at}: {} {}", run.status, run.stderr);
        assert!(!run.stderr.contains("panicked"), "byte {at}: {}", run.stderr);
        assert!(run.status == 0 || run.stderr.contains("damaged.parquet"), "byte {at}: {}", run.stderr);
    }
}
