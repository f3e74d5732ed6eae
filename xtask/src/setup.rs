//! System packages: which are needed, which are missing, how they are installed (Debian and its children).

use std::process::Command;

use crate::shell::{self, Result, note};

/// A need: how it is seen to be met, the packages that meet it, and why it is there.
pub struct Need {
    check: Check,
    packages: &'static [&'static str],
    why: &'static str,
}

enum Check {
    /// These libraries are known to pkg-config.
    Libraries(&'static [&'static str]),
    /// This program runs with these arguments.
    Program(&'static str, &'static str),
    /// The loader of libclang finds it.
    Clang,
}

/// What the build needs.
pub const BUILD: &[Need] = &[
    Need {
        check: Check::Program("pkg-config", "--version"),
        packages: &["pkg-config"],
        why: "finds the libraries of FFmpeg",
    },
    Need {
        check: Check::Program("cc", "--version"),
        packages: &["gcc", "libc6-dev"],
        why: "compiles SQLite and links",
    },
    Need { check: Check::Clang, packages: &["clang", "libclang-dev"], why: "reads the headers of FFmpeg" },
    Need {
        check: Check::Libraries(&[
            "libavcodec",
            "libavformat",
            "libavutil",
            "libswscale",
            "libswresample",
            "libavfilter",
            "libavdevice",
        ]),
        packages: &[
            "libavcodec-dev",
            "libavformat-dev",
            "libavutil-dev",
            "libswscale-dev",
            "libswresample-dev",
            "libavfilter-dev",
            "libavdevice-dev",
        ],
        why: "decode video",
    },
];

/// What the tests need besides.
pub const TEST: &[Need] = &[
    Need {
        check: Check::Program("ffmpeg", "-version"),
        packages: &["ffmpeg"],
        why: "makes clips for the decoder's tests",
    },
    Need {
        check: Check::Program("chromium", "--version"),
        packages: &["chromium"],
        why: "opens the report in the tests",
    },
    Need {
        check: Check::Program("tmux", "-V"),
        packages: &["tmux"],
        why: "is the terminal that the prompt is tried in",
    },
    Need {
        check: Check::Program("python3", "-m ensurepip --version"),
        packages: &["python3", "python3-venv"],
        why: "holds the other end of conversations with the Jupyter kernel",
    },
];

/// What local checkpoints need besides.
pub const LIBTORCH: &[Need] = &[
    Need {
        check: Check::Program("python3", "-m pip --version"),
        packages: &["python3", "python3-pip"],
        why: "fetches libtorch from PyPI",
    },
    Need { check: Check::Program("c++", "--version"), packages: &["g++"], why: "compiles the bridge to libtorch" },
];

/// Installs what is missing of `needs`, saying what and why; does nothing where all is there.
pub fn install(needs: &[Need]) -> Result {
    let missing: Vec<&Need> = needs.iter().filter(|need| !need.is_met()).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let mut packages = Vec::new();
    for need in missing {
        note(&format!("missing: {} ({})", need.packages.join(" "), need.why));
        packages.extend_from_slice(need.packages);
    }
    if !shell::succeeds(Command::new("apt-get").arg("--version")) {
        return Err(format!("this system has no apt-get; install what Debian calls {}", packages.join(" ")));
    }
    note("installing with apt-get");
    shell::run(apt().args(["update", "-qq"]))?;
    shell::run(apt().args(["install", "-y", "-qq", "--no-install-recommends"]).args(&packages))
}

/// apt-get, as root.
fn apt() -> Command {
    let root = Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout.trim_ascii() == b"0");
    let mut command = Command::new(if root { "apt-get" } else { "sudo" });
    if root {
        command.env("DEBIAN_FRONTEND", "noninteractive");
    } else {
        command.args(["env", "DEBIAN_FRONTEND=noninteractive", "apt-get"]);
    }
    command
}

impl Need {
    fn is_met(&self) -> bool {
        match self.check {
            Check::Libraries(names) => shell::succeeds(Command::new("pkg-config").arg("--exists").args(names)),
            Check::Program(name, arguments) => shell::succeeds(Command::new(name).args(arguments.split(' '))),
            Check::Clang => {
                shell::succeeds(Command::new("clang").arg("--version"))
                    && shell::succeeds(Command::new("sh").args(["-c", "ls /usr/lib/llvm-*/lib/libclang*.so*"]))
            }
        }
    }
}
