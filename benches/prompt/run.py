#!/usr/bin/env python3
"""How long the prompt lets one wait, beside evcxr's and IPython's: medians of five, the programs in turn, in one run.

    cargo build --release && cargo xtask kernel && python3 benches/prompt/run.py

Each runs in a pseudo-terminal; a time is from the last key until the next prompt is there. evcxr
(`cargo install evcxr_repl --version 0.22.0 --locked`) and ipython are measured where they are on PATH (EVCXR and IPYTHON
name others); what is not there is said and left out. ROBORM names another program than that of this folder, ROUNDS
another number of rounds."""

import codecs
import fcntl
import json
import os
import pathlib
import pty
import re
import select
import shutil
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import time

HERE = pathlib.Path(__file__).resolve().parent
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", HERE.parent.parent / "target"))
ROUNDS = int(os.environ.get("ROUNDS", 5))
PATIENCE = 180
# So long nothing comes any more: what was typed is all there.
QUIET = 0.1
# Colours, moves of the cursor, questions to the terminal, titles.
CODES = re.compile(r"\x1b(\[[0-9;?<>=]*[a-zA-Z]|[=>78]|\][^\x07\x1b]*(\x07|\x1b\\)|[()][A-Z0-9])")


class Program:
    """A prompt: how it is started, what it asks with, and how Rust or Python is said to it."""

    def __init__(self, name, argv, prompt, speaks, commands=()):
        self.name, self.argv, self.prompt, self.speaks, self.commands = name, argv, prompt, speaks, commands


# What is typed, and what shows that it was done (nothing that is in what was typed).
RUST = {
    "expression": ("1234 * 2", "2468"),
    "another": ("4321 * 2", "8642"),
    "given": ("let xs: Vec<i64> = vec![7, 8];", r"\n"),
    "inferred": ("let ys = xs.iter().map(|x| x * 3).collect::<Vec<_>>();", r"\n"),
    "use": ("ys", "24"),
}
PYTHON = RUST | {"given": ("xs = [7, 8]", r"\n"), "inferred": ("ys = [x * 3 for x in xs]", r"\n")}
COMMANDS = (
    ("`:open demo`", ":open demo", "8 trajectories"),
    ("`:next`", ":next", "true progress"),
    ("`:trajectories`, 8 of them", ":trajectories", "8 trajectories"),
)


class Terminal:
    """A program in a terminal of its own."""

    def __init__(self, program, env):
        self.program, self.came, self.text, self.prompts = program, "", "", 0
        self.decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self.start = time.perf_counter()
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
            os.execvpe(program.argv[0], program.argv, env)

    def fail(self, what):
        raise SystemExit(f"{self.program.name}: {what}:\n{self.text[-2000:]}")

    def until(self, pattern, after=0):
        """Waits for the pattern; where it ends."""
        end = time.monotonic() + PATIENCE
        pattern = re.compile(pattern)
        while not (found := pattern.search(self.text, after)):
            if time.monotonic() > end:
                self.fail(f"no {pattern.pattern} came")
            if select.select([self.fd], [], [], 1)[0]:
                self.read()
        return found.end()

    def read(self):
        try:
            got = os.read(self.fd, 65536)
        except OSError:
            got = b""
        if not got:
            self.fail("the program ended")
        # Who asks where the cursor is waits for the answer.
        for _ in range(got.count(b"\x1b[6n")):
            os.write(self.fd, b"\x1b[1;1R")
        # A code may come in two pieces.
        self.came += self.decode(got)
        self.text = CODES.sub("", self.came)

    def prompted(self, after=0):
        """Waits for the next prompt. One that counts is not mistaken for the last one drawn anew."""
        self.until(self.program.prompt.replace("COUNT", str(self.prompts + 1)), after)
        self.prompts += 1
        return time.perf_counter()

    def line(self, text, shows):
        """Types a line; when Enter was pressed and when the next prompt was there."""
        os.write(self.fd, text.encode())
        # All of it is there before the clock runs: what completes and colours a line is no part of running it.
        while select.select([self.fd], [], [], QUIET)[0]:
            self.read()
        before = len(self.text)
        start = time.perf_counter()
        os.write(self.fd, b"\r")
        return start, self.prompted(self.until(shows, before))

    def close(self):
        os.close(self.fd)
        for sign, moments in ((signal.SIGHUP, 50), (signal.SIGKILL, 50)):
            try:
                os.kill(self.pid, sign)
            except ProcessLookupError:
                pass
            for _ in range(moments):
                if os.waitpid(self.pid, os.WNOHANG)[0]:
                    return
                time.sleep(0.1)


def programs():
    roborm = os.environ.get("ROBORM") or str(TARGET / "release" / "roborm")
    if not shutil.which(roborm):
        raise SystemExit(f"{roborm} is not built: cargo build --release")
    told = subprocess.run([roborm, "doctor", "--json"], stdout=subprocess.PIPE, text=True).stdout
    engine = json.loads(told)["engine for Rust"]
    if not engine["ok"]:
        raise SystemExit(f"the engine for Rust: {engine['found']}")
    print(f"engine: {engine['found']}", file=sys.stderr)
    found = [Program("roborm", [roborm], r"(?:roborm|demo)(?:#\w+)?> ", RUST, COMMANDS)]
    for name, variable, argv, prompt, speaks in (
        ("evcxr_repl", "EVCXR", ["evcxr"], r">> ", RUST),
        ("IPython", "IPYTHON", ["ipython", "--no-banner", "--no-confirm-exit"], r"In \[COUNT\]: ", PYTHON),
    ):
        at = shutil.which(os.environ.get(variable) or argv[0])
        if at:
            found.append(Program(name, [at, *argv[1:]], prompt, speaks))
        else:
            print(f"{name} is not on PATH and {variable} names no program: not measured", file=sys.stderr)
    return found


def environment(folder):
    # What would change the terminal, and a history that makes hints.
    left_out = ("NO_COLOR", "TMUX", "EVCXR", "IPYTHON", "ROBORM", "ROUNDS", "CARGO_TARGET_DIR", "CARGO_INCREMENTAL")
    env = {key: value for key, value in os.environ.items() if key not in left_out}
    return env | {
        "TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "INPUTRC": "/dev/null",
        "XDG_STATE_HOME": f"{folder}/state", "IPYTHONDIR": f"{folder}/ipython",
    }


def round_of(program, rows):
    def keep(row, seconds):
        rows.setdefault(row, {}).setdefault(program.name, []).append(seconds)

    def measure(row, what):
        start, end = terminal.line(*what)
        if row:
            keep(row, end - start)
        return end

    speaks = program.speaks
    with tempfile.TemporaryDirectory() as folder:
        terminal = Terminal(program, environment(folder))
        try:
            keep("start to prompt", terminal.prompted() - terminal.start)
            # Typed at once: what comes up in the background is waited for.
            keep("start to the value of a first expression", measure(None, speaks["expression"]) - terminal.start)
            measure("an expression", speaks["another"])
            measure(None, speaks["given"])
            measure("a variable of a type that is not written", speaks["inferred"])
            measure("a use of it", speaks["use"])
            for row, typed, shows in program.commands:
                measure(row, (typed, shows))
        finally:
            terminal.close()


def main():
    found, rows = programs(), {}
    load = os.getloadavg()[0]
    for number in range(ROUNDS):
        for program in found:
            print(f"round {number + 1} of {ROUNDS}: {program.name}", file=sys.stderr)
            round_of(program, rows)
    names = [program.name for program in found]
    print(f"Load {load:.1f} at the start, {os.getloadavg()[0]:.1f} at the end; seconds, median of {ROUNDS}.\n")
    print("| | " + " | ".join(names) + " |")
    print("| --- |" + " ---: |" * len(names))
    for row, by_name in rows.items():
        cells = [f"{statistics.median(by_name[name]):.3f}" if name in by_name else "" for name in names]
        print(f"| {row} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
