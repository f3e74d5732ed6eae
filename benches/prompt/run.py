#!/usr/bin/env python3
"""How long the prompt lets one wait, beside evcxr's and IPython's: medians of five, the programs in turn, in one run.

    cargo build --release && cargo xtask kernel && python3 benches/prompt/run.py

Each runs in a pseudo-terminal; a time is from the last key until the prompt is there again. evcxr
(`cargo install evcxr_repl --version 0.22.0 --locked`) and ipython are measured where they are on PATH (EVCXR and IPYTHON
name others); what is not there is said and left out."""

import fcntl
import os
import pathlib
import pty
import re
import select
import shutil
import signal
import statistics
import struct
import sys
import tempfile
import termios
import time

HERE = pathlib.Path(__file__).resolve().parent
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", HERE.parent.parent / "target"))
ROUNDS = 5
PATIENCE = 120


class Terminal:
    """A program in a terminal of its own."""

    def __init__(self, argv, prompt, env):
        self.prompt = re.compile(prompt)
        self.start = time.perf_counter()
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.execvpe(argv[0], argv, env)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
        self.text = ""

    def until(self, pattern, after=0):
        """Waits for the pattern; where it ends."""
        end = time.monotonic() + PATIENCE
        while not (found := re.compile(pattern).search(self.text, after)):
            if time.monotonic() > end:
                raise SystemExit(f"no {pattern} came:\n{self.text[-2000:]}")
            if select.select([self.fd], [], [], 1)[0]:
                self.read()
        return found.end()

    def read(self):
        try:
            got = os.read(self.fd, 65536)
        except OSError:
            raise SystemExit(f"the program ended:\n{self.text[-2000:]}")
        # Who asks where the cursor is waits for the answer.
        for _ in range(got.count(b"\x1b[6n")):
            os.write(self.fd, b"\x1b[1;1R")
        self.text += re.sub(r"\x1b(\[[0-9;?<>=]*[a-zA-Z]|[=>])|\x1b\][^\x07]*\x07", "", got.decode("utf-8", "replace"))

    def started(self):
        self.until(self.prompt)
        return time.perf_counter() - self.start

    def line(self, text, shows):
        """Seconds from Enter to the next prompt."""
        os.write(self.fd, text.encode())
        # All of it is typed before the clock runs.
        time.sleep(0.2)
        self.drain()
        before = len(self.text)
        start = time.perf_counter()
        os.write(self.fd, b"\r")
        self.until(self.prompt, self.until(shows, before))
        return time.perf_counter() - start

    def drain(self):
        while select.select([self.fd], [], [], 0)[0]:
            self.read()

    def close(self):
        os.close(self.fd)
        try:
            os.kill(self.pid, signal.SIGHUP)
        except ProcessLookupError:
            pass
        os.waitpid(self.pid, 0)


def programs(folder):
    env = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "TMUX")}
    env |= {"TERM": "xterm-256color", "XDG_STATE_HOME": f"{folder}/state", "IPYTHONDIR": f"{folder}/ipython", "LC_ALL": "C.UTF-8"}
    found = {"roborm": ([str(TARGET / "release" / "roborm")], r"(?:roborm|demo)(?:#\w+)?> ", env)}
    evcxr = os.environ.get("EVCXR") or shutil.which("evcxr")
    ipython = os.environ.get("IPYTHON") or shutil.which("ipython")
    if evcxr:
        found["evcxr_repl"] = ([evcxr], r">> ", env)
    if ipython:
        found["IPython"] = ([ipython, "--no-banner", "--no-confirm-exit"], r"In \[\d+\]: ", env)
    for name in ("evcxr_repl", "IPython"):
        if name not in found:
            print(f"{name} is not on PATH: not measured", file=sys.stderr)
    return found


# What is typed, and what shows that it was done (nothing that is in what was typed).
EXPRESSION = ("1234 * 2", r"2468")


def round_of(name, argv, prompt, env, rows):
    def keep(row, seconds):
        rows.setdefault(row, {}).setdefault(name, []).append(seconds)

    terminal = Terminal(argv, prompt, env)
    keep("start to prompt", terminal.started())
    if name == "roborm":
        terminal.line(":open demo", "8 trajectories")
        keep("`:next`", terminal.line(":next", "true progress"))
        keep("`:trajectories`, 8 of them", terminal.line(":trajectories", "8 trajectories"))
    keep("first expression, from the start", (terminal.line(*EXPRESSION), time.perf_counter() - terminal.start)[1])
    keep("an expression", terminal.line("4321 * 2", "8642"))
    if name == "IPython":
        terminal.line("xs = [7, 8]", r"\n")
        keep("a variable of a type that is not written", terminal.line("ys = [x * 3 for x in xs]", r"\n"))
        keep("a use of it", terminal.line("ys", "24"))
    else:
        terminal.line("let xs: Vec<i64> = vec![7, 8];", r"\n")
        keep("a variable of a type that is not written",
             terminal.line("let ys = xs.iter().map(|x| x * 3).collect::<Vec<_>>();", r"\n"))
        keep("a use of it", terminal.line("ys", "24"))
    terminal.close()


def main():
    rows = {}
    with tempfile.TemporaryDirectory() as folder:
        found = programs(folder)
        for _ in range(ROUNDS):
            for name, (argv, prompt, env) in found.items():
                round_of(name, argv, prompt, env, rows)
    names = list(found)
    print(f"load {os.getloadavg()[0]:.1f}; seconds, median of {ROUNDS}\n")
    print("| | " + " | ".join(names) + " |")
    print("| --- |" + " ---: |" * len(names))
    for row, by_name in rows.items():
        cells = [f"{statistics.median(by_name[name]):.3f}" if name in by_name else "" for name in names]
        print(f"| {row} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
