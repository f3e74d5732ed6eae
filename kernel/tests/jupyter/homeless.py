"""Cells of a kernel whose user has a home that nobody can write: `homeless.py JUPYTER_PATH`."""

import os
import pathlib
import sys
import tempfile

own = pathlib.Path.home()
runtime = tempfile.TemporaryDirectory()
os.environ.setdefault("RUSTUP_HOME", str(own / ".rustup"))
os.environ.setdefault("CARGO_HOME", str(own / ".cargo"))
# Not even root can make a file there.
os.environ |= {"JUPYTER_PATH": sys.argv[1], "HOME": "/proc/nobody", "JUPYTER_RUNTIME_DIR": runtime.name}
os.environ["JUPYTER_CONFIG_DIR"] = os.environ["JUPYTER_DATA_DIR"] = os.environ["IPYTHONDIR"] = runtime.name
for name in ("XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"):
    os.environ.pop(name, None)

from jupyter_client.manager import start_new_kernel  # noqa: E402

manager, kernel = start_new_kernel(kernel_name="roborm", startup_timeout=60, cwd=runtime.name)


def run(source):
    """The reply to a cell, and all that it showed."""
    shown = []
    reply = kernel.execute_interactive(source, timeout=120, output_hook=shown.append)["content"]
    return reply, str([message["content"] for message in shown])


try:
    for source in (
        "let a = 41;",
        "a + 1",
        ":trajectories demo",
        'df!["a" => [a]]?',
        "let mut plot = roborm::plotly::Plot::new(); plot.add_trace(roborm::plotly::Bar::new(vec![1], vec![2])); plot",
        ":open demo",
        ":spot towel --model simulated",
        ":score --model simulated --limit 1 --seed 1",
        "scores()?.frame().height()",
    ):
        reply, shown = run(source)
        assert reply["status"] == "ok", (source, reply)
    # A crate from elsewhere comes, or it is said why not; and what was there is there.
    crate = tempfile.TemporaryDirectory()
    folder = crate.name
    (pathlib.Path(folder) / "src").mkdir()
    (pathlib.Path(folder) / "Cargo.toml").write_text('[package]\nname = "near"\nversion = "0.1.0"\n')
    (pathlib.Path(folder) / "src/lib.rs").write_text("pub fn near() -> i32 { 1 }\n")
    reply, shown = run(f':dep near = {{ path = "{folder}" }}')
    assert reply["status"] == "ok", reply
    assert run("near::near() + a")[0]["status"] == "ok"
    reply, shown = run(':dep no-such-crate-anywhere = "1"')
    assert reply["status"] == "error" and reply["evalue"], reply
    reply, shown = run("a + 1")
    assert "42" in shown, (reply, shown)
finally:
    kernel.stop_channels()
    manager.shutdown_kernel()
