"""How long a cell takes: this kernel beside ipykernel with polars and plotly, and beside stock evcxr_jupyter.

    python3 -m venv /tmp/peers && /tmp/peers/bin/pip install ipykernel jupyter_client nbformat polars plotly
    cargo xtask kernel
    cargo install evcxr_jupyter --version 0.22.0 --locked
    /tmp/peers/bin/python benches/notebook/compare.py [--rounds 5] [--without evcxr_jupyter]

In each round every kernel gets a fresh session, one after the other, so that all meet the same machine; figures are
medians over the rounds, from sending a request to having both its reply and its idle. evcxr_jupyter is taken from PATH (or
EVCXR_JUPYTER names it); its dependencies are compiled ahead, by a session that is not counted, into a folder that all its
sessions use (EVCXR_BENCH_DIR, to keep it from one run to the next). A kernel `roborm-plain` (`roborm-kernel install --plain`)
is measured where there is one. What is not there is said and left out.
"""

import argparse
import json
import os
import pathlib
import shutil
import statistics
import sys
import tempfile
import time

from jupyter_client import KernelManager
from jupyter_client.kernelspec import KernelSpecManager

WAIT = 600


class Failed(Exception):
    """A cell did not run."""


class Session:
    def __init__(self, name, specs):
        self.manager = KernelManager(kernel_name=name, kernel_spec_manager=specs)
        self.began = time.perf_counter()
        self.manager.start_kernel(stderr=open(os.devnull, "w"))
        self.kernel = self.manager.blocking_client()
        self.kernel.start_channels()
        # Not wait_for_ready: it waits a fifth of a second and more for messages that do not come.
        deadline = time.monotonic() + WAIT
        while True:
            self.kernel.kernel_info()
            try:
                reply = self.kernel.get_shell_msg(timeout=0.02)
                if reply["msg_type"] == "kernel_info_reply":
                    break
            except Exception:
                if time.monotonic() > deadline:
                    raise
        self.info = time.perf_counter() - self.began

    def cell(self, source):
        """Seconds that a cell takes, and the types of what it shows."""
        start = time.perf_counter()
        asked = self.kernel.execute(source)
        shown, idle, reply = set(), False, None
        while not idle:
            message = self.kernel.get_iopub_msg(timeout=WAIT)
            if message["parent_header"].get("msg_id") == asked:
                shown |= set(message["content"].get("data") or ())
                idle = message["content"].get("execution_state") == "idle"
        while reply is None:
            message = self.kernel.get_shell_msg(timeout=WAIT)
            if message["parent_header"]["msg_id"] == asked:
                reply = message["content"]
        seconds = time.perf_counter() - start
        if reply["status"] != "ok":
            raise Failed(f"{source}: {reply.get('ename', 'error')}: {reply.get('evalue', 'it says no more')}")
        return seconds, shown

    def completion(self, source):
        start = time.perf_counter()
        asked = self.kernel.complete(source, len(source))
        while True:
            message = self.kernel.get_shell_msg(timeout=WAIT)
            if message["parent_header"]["msg_id"] == asked:
                # Stock evcxr has no answer to some of them: its time is that of saying so.
                return time.perf_counter() - start

    def end(self):
        self.kernel.stop_channels()
        self.manager.shutdown_kernel(now=True)


class Rust:
    """Cells of this kernel."""

    name = "roborm"
    title = "roborm-kernel"
    before = []
    chart = """use roborm::plotly::{{Plot, Scatter}};
let mut plot = Plot::new();
plot.add_trace(Scatter::new((0..1000).collect::<Vec<i32>>(), (0..1000).map(|x| x * x % {n}).collect()));
plot"""
    sum = "{n} + 1"
    inferred = 'let frame = df!["a" => (0..1000i32).collect::<Vec<_>>(), "b" => (0..1000i32).map(|x| x % {n}).collect::<Vec<_>>()]?;'
    lazy = 'frame.clone().lazy().filter(col("b").gt(lit({n} % 3))).select([col("a"), col("b") * lit(2)]).collect()?'
    complete = "frame.gro"
    commands = {":frames demo#towel --max 4": ":frames", ":spot demo#towel --model simulated": ":spot", ":trajectories demo": ":trajectories"}


class Stock(Rust):
    """The same cells on evcxr_jupyter."""

    name = "stock-evcxr"
    title = "evcxr_jupyter"
    before = [
        ':dep polars = { version = "0.55", default-features = false, features = ["lazy", "fmt"] }',
        ':dep plotly = { version = "0.14", default-features = false }',
        "use polars::prelude::*;",
    ]
    chart = Rust.chart.replace("roborm::plotly", "plotly")
    commands = {}


class Plain(Rust):
    """evcxr_jupyter in front of the toolkit, whose sources it does not see: the types of variables are written."""

    name = "roborm-plain"
    title = "install --plain"
    chart = Rust.chart.replace("let mut plot", "let mut plot: Plot")
    inferred = Rust.inferred.replace("let frame", "let frame: DataFrame")
    commands = {}


class Python:
    """The same work on ipykernel."""

    name = "python3"
    title = "ipykernel"
    before = []
    chart = """import plotly.graph_objects as go
go.Figure(go.Scatter(x=list(range(1000)), y=[x * x % {n} for x in range(1000)]))"""
    sum = "{n} + 1"
    inferred = 'import polars as pl\nframe = pl.DataFrame({{"a": range(1000), "b": [x % {n} for x in range(1000)]}})'
    lazy = 'frame.lazy().filter(pl.col("b") > {n} % 3).select("a", pl.col("b") * 2).collect()'
    complete = "frame.gro"
    commands = {}


def measure(language, n, figures, specs):
    def note(row, seconds):
        figures.setdefault(row, {}).setdefault(language.title, []).append(seconds)

    def cell(row, source):
        try:
            note(row, session.cell(source)[0])
        except Failed as failed:
            print(f"  {language.title}: not measured: {failed}", file=sys.stderr)

    session = Session(language.name, specs)
    try:
        note("start to kernel_info", session.info)
        for source in language.before:
            session.cell(source)
        _, shown = session.cell(language.chart.format(n=n))
        note("start to first chart", time.perf_counter() - session.began)
        assert any("plotly" in form or "html" in form for form in shown), shown
        cell("1+1", language.sum.format(n=n))
        cell("first inferred let of a data frame", language.inferred.format(n=n + 10))
        cell("chart cell", language.chart.format(n=n + 50))
        cell("lazy polars expression", language.lazy.format(n=n))
        note("completion", session.completion(language.complete))
        for source, row in language.commands.items():
            # The first of its kind starts a decoder; those after it are what one waits for again and again.
            session.cell(source)
            cell(row, source)
    finally:
        session.end()


def stock(folder):
    """A kernel of evcxr_jupyter whose sessions share a folder; where its kernels are, or none."""
    program = os.environ.get("EVCXR_JUPYTER") or shutil.which("evcxr_jupyter")
    if not program:
        return None
    kept = pathlib.Path(os.environ.get("EVCXR_BENCH_DIR") or folder)
    for name in ("target", "config"):
        (kept / name).mkdir(parents=True, exist_ok=True)
    spec = {
        "argv": [program, "--control_file", "{connection_file}"],
        "display_name": Stock.title,
        "language": "rust",
        "interrupt_mode": "message",
        "env": {"EVCXR_TMPDIR": str(kept / "target"), "EVCXR_CONFIG_DIR": str(kept / "config")},
    }
    kernel = pathlib.Path(folder) / "kernels" / Stock.name
    kernel.mkdir(parents=True)
    (kernel / "kernel.json").write_text(json.dumps(spec))
    return str(kernel.parent)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--without", action="append", default=[], metavar="KERNEL", help="leave out a column")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        compare(options, folder)


def compare(options, folder):
    kernels = None if Stock.title in options.without else stock(folder)
    specs = KernelSpecManager()
    if kernels:
        specs.kernel_dirs = [kernels, *specs.kernel_dirs]
    known = specs.find_kernel_specs()
    languages = [language for language in (Rust, Python, Stock, Plain) if language.title not in options.without]
    for language in [language for language in languages if language.name not in known]:
        if language is Rust:
            sys.exit("no kernel 'roborm': `cargo xtask kernel` installs it")
        why = "evcxr_jupyter is not on PATH" if language is Stock else f"there is no kernel '{language.name}'"
        print(f"{language.title} is left out: {why}", file=sys.stderr)
        languages.remove(language)
    if Stock in languages:
        # Compiles its dependencies, which nobody is to wait for here.
        print(f"compiling the dependencies of {Stock.title}", file=sys.stderr)
        measure(Stock, 1, {}, specs)
    figures = {}
    for n in range(2, 2 + options.rounds):
        for language in languages:
            print(f"round {n - 1}: {language.title}, load {os.getloadavg()[0]:.1f}", file=sys.stderr)
            measure(language, n, figures, specs)
    titles = [language.title for language in languages]
    print(f"| seconds, median of {options.rounds} | " + " | ".join(titles) + " | " + " | ".join(f"{title} / roborm" for title in titles[1:]) + " |")
    print("| --- |" + " ---: |" * (2 * len(titles) - 1))
    for row, measured in figures.items():
        medians = [statistics.median(measured[title]) if title in measured else None for title in titles]
        cells = ["" if median is None else f"{median:.3f}" for median in medians]
        ratios = ["" if median is None or not medians[0] else f"{median / medians[0]:.2f}" for median in medians[1:]]
        print(f"| {row} | " + " | ".join(cells + ratios) + " |")


if __name__ == "__main__":
    main()
