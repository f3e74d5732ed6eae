"""How long a cell takes: this kernel beside ipykernel with polars and plotly, and beside stock evcxr_jupyter.

    python3 -m venv /tmp/peers && /tmp/peers/bin/pip install ipykernel jupyter_client nbformat polars plotly
    cargo xtask kernel
    /tmp/peers/bin/python benches/notebook/compare.py [--rounds 5] [--stock]

In each round every kernel gets a fresh session, one after the other, so that all meet the same machine; figures are
medians over the rounds, from sending a request to having both its reply and its idle. `--stock` takes the kernel `rust`
that `evcxr_jupyter --install` makes, its dependencies compiled ahead by a session that is not counted.
"""

import argparse
import os
import statistics
import sys
import time

from jupyter_client import KernelManager
from jupyter_client.kernelspec import KernelSpecManager

WAIT = 600


class Session:
    def __init__(self, name):
        self.manager = KernelManager(kernel_name=name)
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
        assert reply["status"] == "ok", (source, reply)
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

    name = "rust"
    title = "evcxr_jupyter"
    before = [
        ':dep polars = { version = "0.55", default-features = false, features = ["lazy", "fmt"] }',
        ':dep plotly = { version = "0.14", default-features = false }',
        "use polars::prelude::*;",
    ]
    chart = Rust.chart.replace("roborm::plotly", "plotly")
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


def measure(language, n, figures):
    def note(row, seconds):
        figures.setdefault(row, {}).setdefault(language.title, []).append(seconds)

    session = Session(language.name)
    try:
        note("start to kernel_info", session.info)
        for source in language.before:
            session.cell(source)
        _, shown = session.cell(language.chart.format(n=n))
        note("start to first chart", time.perf_counter() - session.began)
        assert any("plotly" in form or "html" in form for form in shown), shown
        note("1+1", session.cell(language.sum.format(n=n))[0])
        note("first inferred let of a data frame", session.cell(language.inferred.format(n=n + 10))[0])
        note("chart cell", session.cell(language.chart.format(n=n + 50))[0])
        note("lazy polars expression", session.cell(language.lazy.format(n=n))[0])
        note("completion", session.completion(language.complete))
        for source, row in language.commands.items():
            # The first of its kind starts a decoder; those after it are what one waits for again and again.
            session.cell(source)
            note(row, session.cell(source)[0])
    finally:
        session.end()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--stock", action="store_true", help="measure evcxr_jupyter as well")
    options = parser.parse_args()
    languages = [Rust, Python] + [Stock] * options.stock
    known = KernelSpecManager().find_kernel_specs()
    for language in languages:
        if language.name not in known:
            sys.exit(f"no kernel '{language.name}' for {language.title}; there are {', '.join(known)}")
    if options.stock:
        # Compiles its dependencies, which nobody is to wait for here.
        measure(Stock, 1, {})
    figures = {}
    for n in range(2, 2 + options.rounds):
        for language in languages:
            print(f"round {n - 1}: {language.title}, load {os.getloadavg()[0]:.1f}", file=sys.stderr)
            measure(language, n, figures)
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
