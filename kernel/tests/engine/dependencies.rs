//! `:dep`.

use std::fs;

use serde_json::json;

use crate::bench::{Bench, Told, text};
use crate::program::Program;

#[test]
fn a_crate_of_the_toolkit_is_there_already() {
    let mut bench = Bench::new();
    for name in ["polars", "serde_json", "serde-json", "plotly", "tokio"] {
        let said = text(&bench.failure(&format!(":dep {name} = \"1\"")));
        let path = name.replace('-', "_");
        assert!(said.contains("part of the toolkit") && said.contains(&format!("use {path}::")), "{said}");
    }
    assert_eq!(bench.value("serde_json::json!({ \"a\": [1, null] }).to_string()"), "\"{\\\"a\\\":[1,null]}\"");
}

#[test]
fn a_crate_in_a_folder() {
    let mut bench = Bench::new();
    let folder = tempfile::Builder::new().prefix("a crate é ").tempdir().unwrap();
    fs::create_dir(folder.path().join("src")).unwrap();
    let manifest = "[package]\nname = \"my-crate\"\nversion = \"0.1.0\"\nedition = \"2024\"\n";
    fs::write(folder.path().join("Cargo.toml"), manifest).unwrap();
    fs::write(folder.path().join("src/lib.rs"), "pub fn seven() -> i32 { 7 }\npub struct Own(pub i32);\n").unwrap();
    bench.value(&format!(":dep my-crate = {{ path = {:?} }}", folder.path().display().to_string()));
    assert!(bench.told().iter().any(|told| matches!(told, Told::Err(line) if line.contains("Compiling my-crate"))));
    assert_eq!(bench.value("my_crate::seven()"), "7");
    bench.value("let own = my_crate::Own(my_crate::seven());");
    assert_eq!(bench.value("own.0 + df![\"a\" => [1]]?.height() as i32"), "8");
}

#[test]
fn what_is_set_for_other_builds_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("cargo");
    fs::create_dir_all(&home).unwrap();
    fs::create_dir(folder.path().join("src")).unwrap();
    fs::write(folder.path().join("Cargo.toml"), "[package]\nname = \"eight\"\nversion = \"0.1.0\"\n").unwrap();
    fs::write(folder.path().join("src/lib.rs"), "pub fn eight() -> i32 { 8 }\n").unwrap();
    let settings = "[build]\ntarget = \"no-such-machine\"\ntarget-dir = \"/no/such/folder\"\nrustc-wrapper = \"/no/such/wrapper\"\n\
                    rustflags = [\"--no-such-flag\"]\n[profile.release]\npanic = \"abort\"\nlto = true\n";
    fs::write(home.join("config.toml"), settings).unwrap();
    let cell = format!(":dep eight = {{ path = {:?} }}", folder.path().display().to_string());
    let variables = [
        ("CARGO_BUILD_TARGET", "no-such-machine"),
        ("CARGO_TARGET_DIR", "/no/such/folder"),
        ("CARGO_BUILD_TARGET_DIR", "/no/such/folder"),
        ("CARGO_BUILD_BUILD_DIR", "/no/such/folder"),
        ("RUSTFLAGS", "--no-such-flag"),
        ("CARGO_ENCODED_RUSTFLAGS", "--no-such-flag"),
        ("CARGO_BUILD_RUSTFLAGS", "--no-such-flag"),
        ("RUSTC_WRAPPER", "/no/such/wrapper"),
        ("RUSTC_WORKSPACE_WRAPPER", "/no/such/wrapper"),
        ("CARGO_BUILD_RUSTC_WRAPPER", "/no/such/wrapper"),
        ("CARGO_BUILD_RUSTC", "/no/such/rustc"),
        ("CARGO_PROFILE_RELEASE_PANIC", "abort"),
    ];
    for (of_home, variables) in [(true, &[][..]), (false, &variables[..])] {
        let mut program = Program::start_with(|command| {
            if of_home {
                command.env("CARGO_HOME", &home);
            }
            command.envs(variables.iter().copied());
        });
        assert_eq!(program.value("let x = vec![41]; x[0] + 1"), "42");
        program.ask(&json!({ "ask": "run", "source": cell }));
        let done = loop {
            let told = program.next();
            if told["outcome"].is_string() {
                break told;
            }
        };
        assert_eq!(done["outcome"], "done", "{done}");
        assert_eq!(program.value("eight::eight() + x[0]"), "49");
        program.end();
    }
}

#[test]
fn an_interrupted_build_says_so() {
    let mut bench = Bench::new();
    bench.value("let x = 41;");
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("src")).unwrap();
    let manifest = "[package]\nname = \"endless\"\nversion = \"0.1.0\"\nedition = \"2024\"\n";
    fs::write(folder.path().join("Cargo.toml"), manifest).unwrap();
    fs::write(folder.path().join("src/lib.rs"), "").unwrap();
    let mark = folder.path().join("builds");
    let script = format!(
        "fn main() {{ std::fs::write({:?}, \"\").unwrap(); loop {{ std::thread::park(); }} }}",
        mark.display().to_string()
    );
    fs::write(folder.path().join("build.rs"), script).unwrap();
    let interrupter = bench.engine.interrupter();
    let failure = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !mark.exists() {
                std::thread::sleep(std::time::Duration::from_millis(5));
            }
            interrupter.interrupt();
        });
        bench.failure(&format!(":dep endless = {{ path = {:?} }}", folder.path().display().to_string()))
    });
    assert_eq!(
        (failure.name.as_str(), failure.message.as_str()),
        ("Interrupted", "interrupted: the crate is not added")
    );
    assert_eq!(bench.value("x + 1"), "42");
}

#[test]
fn a_crate_that_does_not_exist() {
    let mut bench = Bench::new();
    for cell in [":dep no-such = { path = \"/no/such/folder\" }", ":dep ="] {
        let failure = bench.failure(cell);
        assert!(!failure.message.is_empty(), "{cell}");
        assert_eq!(bench.value("1 + 1"), "2");
    }
}

/// A crate in a folder, whose one function returns a number.
fn a_crate(folder: &std::path::Path, name: &str, number: i32) {
    fs::create_dir(folder.join("src")).unwrap();
    fs::write(folder.join("Cargo.toml"), format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\n")).unwrap();
    fs::write(folder.join("src/lib.rs"), format!("pub fn number() -> i32 {{ {number} }}\n")).unwrap();
}

#[test]
fn a_crate_that_cannot_be_built_says_why() {
    let mut bench = Bench::new();
    let folder = tempfile::tempdir().unwrap();
    a_crate(folder.path(), "mycrate", 7);
    let path = folder.path().display();
    bench.value(&format!(":dep mycrate = {{ path = \"{path}\" }}"));
    let said = text(&bench.failure(&format!(":dep other = {{ package = \"mycrate\", path = \"{path}\" }}")));
    assert!(said.contains("depends on crate `mycrate v0.1.0") && said.contains("with different names"), "{said}");
    assert!(!said.contains("roborm-added") && !said.contains("STDERR"), "{said}");
    assert_eq!(bench.value("mycrate::number()"), "7");
    fs::write(folder.path().join("src/lib.rs"), "pub fn number() -> i32 { nothing }\n").unwrap();
    let said = text(&bench.failure("mycrate::number()"));
    assert!(said.contains("cannot find value `nothing`") && !said.contains("STDERR"), "{said}");
}

#[test]
fn a_crate_that_was_changed_is_built_by_the_same_line() {
    let mut bench = Bench::new();
    let folder = tempfile::tempdir().unwrap();
    a_crate(folder.path(), "changing", 7);
    let line = format!(":dep changing = {{ path = {:?} }}", folder.path().display().to_string());
    bench.value(&line);
    bench.value("let x = changing::number();");
    fs::write(folder.path().join("src/lib.rs"), "pub fn number() -> i32 { nothing }\n").unwrap();
    let said = text(&bench.failure(&line));
    assert!(said.contains("cannot find value `nothing`") && !said.contains("STDERR"), "{said}");
    fs::write(folder.path().join("src/lib.rs"), "pub fn number() -> i32 { 8 }\n").unwrap();
    bench.told();
    bench.value(&line);
    assert!(bench.told().iter().any(|told| matches!(told, Told::Err(line) if line.contains("Compiling changing"))));
    assert_eq!(bench.value("x + changing::number()"), "15");
}

#[test]
fn a_home_that_cannot_be_made_is_made_elsewhere() {
    let folder = tempfile::tempdir().unwrap();
    a_crate(folder.path(), "eight", 8);
    let mut program = Program::start_with(|command| {
        command.env("HOME", "/proc/nohome").env_remove("CARGO_HOME");
    });
    program.ask(&json!({ "ask": "run", "source": format!(":dep eight = {{ path = {:?} }}", folder.path().display().to_string()) }));
    let done = loop {
        let told = program.next();
        if told["outcome"].is_string() {
            break told;
        }
    };
    assert_eq!(done["outcome"], "done", "{done}");
    assert_eq!(program.value("eight::number()"), "8");
    program.end();
}
