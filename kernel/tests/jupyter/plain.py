"""Cells on evcxr's own server in front of the toolkit: `plain.py JUPYTER`."""

import os
import sys

os.environ["JUPYTER_PATH"] = sys.argv[1]

from jupyter_client.manager import start_new_kernel  # noqa: E402

WAIT = 300
manager, kernel = start_new_kernel(kernel_name="roborm-plain", startup_timeout=WAIT)


def run(source):
    shown = []

    def hear(message):
        if message["msg_type"] in ("execute_result", "display_data", "error", "stream"):
            shown.append(message["content"])

    reply = kernel.execute_interactive(source, timeout=WAIT, output_hook=hear)["content"]
    assert reply["status"] == "ok", (source, reply, shown)
    return shown


try:
    assert run("1 + 1")[-1]["data"]["text/plain"] == "2"
    table = run('df!["a" => [1, 2], "b" => ["x", "<b>"]]?')[-1]["data"]
    assert "<table" in table["text/html"] and "&lt;b&gt;" in table["text/html"], table
    run('let data: Dataset = open("demo")?;')
    assert run("data.len()")[-1]["data"]["text/plain"] == "8"
    chart = run("use roborm::plotly::{Plot, Scatter}; let mut plot: Plot = Plot::new(); plot.add_trace(Scatter::new(vec![1, 2], vec![3, 4])); plot")
    assert len(chart[-1]["data"]["text/html"]) > 1_000_000, "it draws offline"
finally:
    kernel.stop_channels()
    manager.shutdown_kernel(now=True)
