#!/usr/bin/env python3
"""Makes docs/prompt.png: a real session of the prompt in a terminal, frames and all.

    cargo build --release && python3 docs/prompt.py

tmux is the terminal, Chromium draws what is on its screen. Nothing is drawn by hand."""

import html
import os
import pathlib
import re
import subprocess
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", HERE.parent / "target"))
PROGRAM = TARGET / "release" / "roborm"
COLUMNS, ROWS = 104, 52
SESSION = [(":open demo", "demo>"), (":score --model simulated-flighty", "demo>"),
           (":why towel --strategy adversarial", "demo#towel>")]
# The terminal's sixteen colours, which a table of signs may use.
BASIC = ["#1b1d23", "#e5534b", "#57ab5a", "#c69026", "#539bf5", "#b083f0", "#39c5cf", "#adbac7"] * 2


def colour(index):
    if index < 16:
        return BASIC[index]
    if index < 232:
        levels = [0, 95, 135, 175, 215, 255]
        index -= 16
        return "#%02x%02x%02x" % (levels[index // 36], levels[index // 6 % 6], levels[index % 6])
    return "#%02x%02x%02x" % ((8 + 10 * (index - 232),) * 3)


def styled(line):
    """A line of the screen in HTML."""
    fore, back, bold, dim = None, None, False, False
    out = []
    for piece in re.split(r"(\x1b\[[0-9;]*m)", line):
        if not piece.startswith("\x1b["):
            for run in re.findall("▀+|\n|[^▀\n]+", piece):
                if run[0] == "▀":
                    paint = f"linear-gradient({fore or '#adbac7'} 50%, {back or '#1b1d23'} 50%)"
                    out.append(f'<i style="background:{paint}">{" " * len(run)}</i>')
                    continue
                css = [f"color:{fore}"] * bool(fore) + [f"background:{back}"] * bool(back)
                css += ["font-weight:700"] * bold + ["opacity:.6"] * dim
                out.append(f'<i style="{";".join(css)}">{html.escape(run)}</i>' if css and run != "\n" else html.escape(run))
            continue
        codes = [int(code or 0) for code in piece[2:-1].split(";")]
        while codes:
            code = codes.pop(0)
            if code == 0:
                fore, back, bold, dim = None, None, False, False
            elif code in (1, 2):
                bold, dim = bold or code == 1, dim or code == 2
            elif code == 22:
                bold, dim = False, False
            elif code in (38, 48):
                kind = codes.pop(0)
                chosen = colour(codes.pop(0)) if kind == 5 else "#%02x%02x%02x" % tuple(codes.pop(0) for _ in range(3))
                fore, back = (chosen, back) if code == 38 else (fore, chosen)
            elif code == 39:
                fore = None
            elif code == 49:
                back = None
            elif 30 <= code < 38:
                fore = colour(code - 30)
            elif 90 <= code < 98:
                fore = colour(code - 82)
    return "".join(out)


def main():
    if not PROGRAM.exists():
        raise SystemExit(f"{PROGRAM} is not built")
    with tempfile.TemporaryDirectory() as folder:
        def tmux(*words):
            env = {key: value for key, value in os.environ.items() if key != "TMUX"} | {"LC_ALL": "C.UTF-8"}
            return subprocess.run(["tmux", "-S", f"{folder}/socket", "-f", "/dev/null", *words], env=env, check=True,
                                  capture_output=True, text=True).stdout

        def wait(prompt):
            end = time.monotonic() + 60
            while not tmux("capture-pane", "-p").rstrip().endswith("\n" + prompt):
                if time.monotonic() > end:
                    raise SystemExit(f"no {prompt} came:\n" + tmux("capture-pane", "-p"))
                time.sleep(0.05)

        program = (f"env -u NO_COLOR TERM=tmux-256color COLORTERM=truecolor XDG_DATA_HOME={folder}/data "
                   f"XDG_STATE_HOME={folder}/state ROBORM_KERNEL=/dev/null {PROGRAM}")
        tmux("new-session", "-d", "-x", str(COLUMNS), "-y", str(ROWS), "-c", folder, program)
        try:
            subprocess.run(["sleep", "0.5"], check=True)
            for line, prompt in SESSION:
                tmux("send-keys", "-l", line)
                tmux("send-keys", "Enter")
                wait(prompt)
            screen = tmux("capture-pane", "-p", "-e", "-S", "-").rstrip("\n").split("\n")
        finally:
            tmux("kill-server")
        # tmux says what changes, from line to line, too.
        text = styled("\n".join(screen))
        page = pathlib.Path(folder) / "screen.html"
        page.write_text(f"""<!doctype html><meta charset="utf-8"><style>
            body {{ margin: 0; background: #1b1d23; color: #adbac7 }}
            pre {{ margin: 14px 18px; font: 13px/18px "DejaVu Sans Mono", monospace; white-space: pre }}
            i {{ font-style: normal; display: inline-block; height: 18px; vertical-align: top; white-space: pre }}
            </style><pre>{text}</pre>""")
        width, height = int(COLUMNS * 7.83) + 36, len(screen) * 18 + 28
        subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking",
                        f"--user-data-dir={folder}/chromium", "--hide-scrollbars", f"--window-size={width},{height}",
                        f"--screenshot={HERE / 'prompt.png'}", page.as_uri()], check=True, capture_output=True)
    print(f"{HERE / 'prompt.png'}: {(HERE / 'prompt.png').stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
