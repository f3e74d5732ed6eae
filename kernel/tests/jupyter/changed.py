"""The first cell of a kernel whose rustc has changed: `changed.py JUPYTER_PATH`; prints its reply."""

import os
import sys

os.environ["JUPYTER_PATH"] = sys.argv[1]

from jupyter_client.manager import start_new_kernel  # noqa: E402

manager, kernel = start_new_kernel(kernel_name="roborm", startup_timeout=60)
try:
    reply = kernel.execute_interactive("1 + 1", timeout=60, output_hook=lambda message: None)["content"]
    assert reply["status"] == "error", reply
    print("\n".join(reply["traceback"]))
finally:
    kernel.stop_channels()
    manager.shutdown_kernel()
