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

manager, kernel = start_new_kernel(kernel_name="roborm", startup_timeout=60)
try:
    for source in ("let a = 41;", "a + 1", ":trajectories demo"):
        reply = kernel.execute_interactive(source, timeout=60, output_hook=lambda message: None)["content"]
        assert reply["status"] == "ok", reply
finally:
    kernel.stop_channels()
    manager.shutdown_kernel()
