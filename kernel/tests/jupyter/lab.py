"""JupyterLab in headless Chromium, the network off: `lab.py NOTEBOOKS PICTURES`.

Opens every notebook of the first folder, runs all cells, and looks at what stands on the page; then one of four cells,
whose picture is left in the second folder.
"""

import base64
import contextlib
import itertools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import urllib.request

import nbformat
import websocket

NOTEBOOKS, PICTURES = map(pathlib.Path, sys.argv[1:3])
WAIT = 120

PICTURED = [
    ":open demo\n:score --model simulated-flighty\n:frames towel --max 5",
    'scores()?.frame().select(["trajectory", "strategy", "instruction", "score", "label"])?.head(Some(4))',
    """use roborm::chart::{self, CrossingPoint, Method, Palette};
let found = Analysis::new().run(&scores()?)?;
let points: Vec<CrossingPoint> = found.rows.iter().filter_map(|row| {
    let rate = &row.crossing_rate;
    Some(CrossingPoint::new(row.group.model()?, row.group.strategy()?, rate.value, rate.interval, rate.n))
}).collect();
chart::crossing_by_model(&points, &Method::default(), &Palette::default())""",
]

# Runs all cells, then waits until the charts are drawn: a chart may be in the page or in a frame of its own.
RUN = """(async () => {
    const until = async what => {
        for (const end = Date.now() + 110000; Date.now() < end; await new Promise(next => setTimeout(next, 100))) {
            const found = what();
            if (found) return found;
        }
        throw new Error('waited too long for ' + what);
    };
    const app = await until(() => window.jupyterapp);
    await app.restored;
    const page = await until(() => [...app.shell.widgets('main')].find(widget => widget.sessionContext));
    await page.context.ready;
    await page.sessionContext.ready;
    app.shell.collapseLeft();
    app.shell.activateById(page.id);
    await until(() => page.sessionContext.session?.kernel);
    await app.commands.execute('notebook:run-all-cells');
    const cells = page.context.model.toJSON().cells.filter(cell => cell.cell_type === 'code');
    const errors = cells.flatMap(cell => cell.outputs.filter(output => output.output_type === 'error'));
    const charts = cells.filter(cell => JSON.stringify(cell.outputs).includes('vnd.plotly')).length;
    const drawn = () => {
        const pages = [document, ...[...document.querySelectorAll('.jp-OutputArea iframe')].map(f => f.contentDocument)];
        return pages.flatMap(page => page ? [...page.querySelectorAll('.js-plotly-plot')] : []).filter(
            chart => chart.querySelector('.main-svg')).length;
    };
    if (!errors.length) await until(() => drawn() >= charts);
    return JSON.stringify({
        errors, charts, cells: cells.length, run: cells.filter(cell => cell.execution_count).length, drawn: drawn(),
        tables: document.querySelectorAll('.jp-OutputArea table').length,
        pictures: [...document.querySelectorAll('.jp-OutputArea img')].filter(
            picture => picture.complete && picture.naturalWidth > 0).length,
    });
})()"""


class Browser:
    """A page of a Chromium that reaches no address but this machine's."""

    def __init__(self, chromium, profile, url):
        self.process = subprocess.Popen(
            [
                chromium, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                "--disable-background-networking", "--hide-scrollbars", "--remote-debugging-port=0",
                "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "--window-size=1100,1640",
                f"--user-data-dir={profile}", "about:blank",
            ],
            stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        said = next(line for line in self.process.stderr if "DevTools listening" in line)
        # What else it has to say must go on being read.
        threading.Thread(target=self.process.stderr.read, daemon=True).start()
        port = re.search(r":(\d+)/", said)[1]
        # A page of our own: the one that it opens by itself may not be there yet.
        ask = urllib.request.Request(f"http://127.0.0.1:{port}/json/new?about:blank", method="PUT")
        address = json.load(urllib.request.urlopen(ask))["webSocketDebuggerUrl"]
        self.socket = websocket.create_connection(address, suppress_origin=True, timeout=WAIT)
        self.numbers = itertools.count(1)
        self.complaints = []
        for domain in ("Runtime", "Page"):
            self.call(f"{domain}.enable")
        self.call("Page.setLifecycleEventsEnabled", enabled=True)
        wanted = {"name": "load", "loaderId": self.call("Page.navigate", url=url)["loaderId"]}
        # What is asked of the page before goes with it, and the empty page has events of its own.
        while not wanted.items() <= self.hear().get("params", {}).items():
            pass

    def hear(self):
        message = json.loads(self.socket.recv())
        if message.get("method") == "Runtime.exceptionThrown":
            self.complaints.append(message["params"]["exceptionDetails"])
        return message

    def call(self, method, **parameters):
        number = next(self.numbers)
        self.socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while (message := self.hear()).get("id") != number:
            pass
        assert "error" not in message, message
        return message["result"]

    def evaluate(self, source):
        answer = self.call("Runtime.evaluate", expression=source, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"]["value"]

    def picture(self, path):
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))

    def close(self):
        self.socket.close()
        self.process.terminate()
        self.process.wait()


@contextlib.contextmanager
def lab(folder):
    """A JupyterLab over a folder; its address."""
    settings = folder / "settings"
    settings.mkdir()
    # All cells are on the page, and nobody is asked for anything.
    (settings / "overrides.json").write_text(json.dumps({
        "@jupyterlab/notebook-extension:tracker": {"windowingMode": "none"},
        "@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": False},
    }))  # fmt: skip
    process = subprocess.Popen(
        [
            sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--ServerApp.ip=127.0.0.1",
            "--IdentityProvider.token=", "--ServerApp.port=0", "--LabApp.expose_app_in_browser=True",
            f"--LabApp.app_settings_dir={settings}", f"--ServerApp.root_dir={folder / 'notebooks'}",
        ],
        stderr=subprocess.PIPE, text=True, cwd=folder,
    )  # fmt: skip
    try:
        log = []
        for line in process.stderr:
            log.append(line)
            if found := re.search(r"http://127\.0\.0\.1:\d+/lab", line):
                break
        else:
            raise AssertionError("".join(log))
        # Its log must go on being read.
        with open(folder / "lab.log", "w") as file:
            copier = subprocess.Popen(["cat"], stdin=process.stderr, stdout=file)
        yield found[0]
        copier.terminate()
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            # Its kernels see that it is gone.
            process.kill()
            process.wait()


def main():
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if chromium is None:
        print("skipped: no chromium on the path", file=sys.stderr)
        return
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        folder = pathlib.Path(folder)
        shutil.copytree(NOTEBOOKS, folder / "notebooks")
        # By the user's own kernel of this name.
        pictured = nbformat.v4.new_notebook(
            cells=[nbformat.v4.new_code_cell(source) for source in PICTURED],
            metadata={"kernelspec": {"name": "roborm", "display_name": "Rust (roborm)", "language": "rust"}},
        )
        nbformat.write(pictured, folder / "notebooks" / "pictured.ipynb")
        with lab(folder) as address:
            for path in sorted((folder / "notebooks").glob("*.ipynb")):
                # The browser's helpers may write to its profile a moment longer than itself.
                with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
                    browser = Browser(chromium, profile, f"{address}/tree/{path.name}?reset")
                    try:
                        seen = json.loads(browser.evaluate(RUN))
                    finally:
                        # Kept for a look at it, above all where it is not what it should be.
                        browser.picture(PICTURES / f"{path.stem}.png")
                        browser.close()
                print(path.name, seen)
                assert not seen["errors"], seen
                assert seen["run"] == seen["cells"], seen
                assert seen["charts"] >= 1 and seen["drawn"] >= seen["charts"], seen
                assert seen["tables"] >= 1 and seen["pictures"] >= 1, seen
                assert not browser.complaints, browser.complaints


os.environ["JUPYTER_PLATFORM_DIRS"] = "1"
main()
