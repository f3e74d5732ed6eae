"""Peak memory and calls a second of a large study: python memory.py FOLDER [TRAJECTORIES] [LATENCY_MS] [SIDE] [--seconds S] [--clip]

FOLDER holds the programs roborm and roborm-stub (target/release). Scores TRAJECTORIES (2,831) with 16 wordings and 8 frames
of SIDE x SIDE * 3 / 4 pixels (640 x 480), 64 calls at a time, against the stub, which takes LATENCY_MS (200) for an answer.
The frames are made up and shared by the trajectories, each of which has a task of its own, so that no call is like another
and frames are decoded and packed for each: what counts is what the program holds. With --clip they come from one H.264 clip
(made by ffmpeg), else from folders of PNG.

Memory is looked at once a second, a line goes to stderr every half minute, and the peak is printed however it ends: to the
end, after S seconds, on Ctrl-C or SIGTERM (the program is then stopped as by Ctrl-C and waited for). Standard library only.
"""

import argparse
import json
import os
import random
import signal
import sqlite3
import struct
import subprocess
import sys
import tempfile
import time
import zlib
from pathlib import Path

FOLDERS, FRAMES, WORDINGS, CONCURRENCY = 8, 8, 16, 64


def png(path, width, height, seed):
    """A gradient with a little noise: about 60 kB as JPEG at quality 90, as a robot's camera gives."""
    draw = random.Random(seed)
    noise = bytes(draw.randrange(24) for _ in range(4096))
    rows = bytearray()
    for y in range(height):
        at = draw.randrange(2048)
        rows.append(0)
        for x in range(width):
            n = noise[(at + x) % 4096]
            rows += bytes(((x * 200 // width + n) % 256, (y * 200 // height + n) % 256, (seed * 20 + n) % 256))
    chunk = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body = chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(bytes(rows), 1)) + chunk(b"IEND", b"")
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + body)


def clip(path, width, height):
    """FRAMES - 1 seconds at 10 a second, a key frame each second: FRAMES frames by the rule, first and last among them."""
    source = f"testsrc2=size={width}x{height}:rate=10:duration={FRAMES - 0.9},noise=alls=8"
    words = ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", source, "-c:v", "libx264", "-g", "10", "-pix_fmt", "yuv420p"]
    subprocess.run([*words, path], check=True)


def lay_out(folder, trajectories, side, as_clip):
    """A manifest and its wordings."""
    if as_clip:
        clip(folder / "clip.mp4", side, side * 3 // 4)
    else:
        for n in range(FOLDERS):
            (folder / f"frames{n}").mkdir()
            for k in range(FRAMES):
                png(folder / f"frames{n}" / f"{k}.png", side, side * 3 // 4, n * FRAMES + k)
    with open(folder / "rollouts.jsonl", "w") as rollouts, open(folder / "paraphrases.jsonl", "w") as paraphrases:
        for n in range(trajectories):
            frames = {"video": "clip.mp4"} if as_clip else {"frames": f"frames{n % FOLDERS}", "rate_hz": 1}
            row = {"trajectory": f"t{n:05}", **frames, "task": f"task {n}", "label": n % 5 + 1}
            rollouts.write(json.dumps(row) + "\n")
            for w in range(1, WORDINGS):
                row = {"task": f"task {n}", "strategy": "lexical", "instruction": f"task {n} in wording {w}"}
                paraphrases.write(json.dumps(row) + "\n")


def peak_mb(pid):
    """The most that a process has held so far; None where it is gone."""
    try:
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    except OSError:
        pass
    return None


def replies(ledger):
    try:
        with sqlite3.connect(f"file:{ledger}?mode=ro", uri=True) as db:
            return db.execute("SELECT count(*) FROM replies").fetchone()[0]
    except sqlite3.Error:
        return 0


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("trajectories", type=int, nargs="?", default=2831)
    parser.add_argument("latency", type=int, nargs="?", default=200)
    parser.add_argument("side", type=int, nargs="?", default=640)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--clip", action="store_true")
    asked = parser.parse_args()
    programs = asked.folder.resolve()
    cut = []
    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, lambda number, _: cut.append(signal.Signals(number).name))
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        lay_out(folder, asked.trajectories, asked.side, asked.clip)
        words = [programs / "roborm-stub", "--latency-ms", str(asked.latency)]
        stub = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, start_new_session=True)
        try:
            url = stub.stdout.readline().split()[-1]
            words = ["score", "rollouts.jsonl", "--paraphrases", "paraphrases.jsonl", "--model", "bench", "--base-url", url]
            words += ["--concurrency", str(CONCURRENCY), "--ledger", "l.db", "--json"]
            start = time.monotonic()
            with open(folder / "out", "w") as out, open(folder / "err", "w") as err:
                program = subprocess.Popen(
                    [programs / "roborm", *words], cwd=folder, stdout=out, stderr=err, start_new_session=True
                )
            peak, said, told = 0, start, False
            while True:
                pid, status, usage = os.wait4(program.pid, os.WNOHANG)
                if pid:
                    break
                peak = max(peak, peak_mb(program.pid) or 0)
                now = time.monotonic()
                if now - start > asked.seconds and not cut:
                    cut.append(f"{asked.seconds:.0f} s")
                if cut and not told:
                    program.send_signal(signal.SIGINT)
                    told = True
                if now - said > 30:
                    said = now
                    done = replies(folder / "l.db")
                    print(f"{now - start:.0f} s: {done} replies, peak {peak:.0f} MB so far", file=sys.stderr, flush=True)
                time.sleep(1)
            seconds = time.monotonic() - start
            done = replies(folder / "l.db")
        finally:
            stub.kill()
        peak = max(peak, usage.ru_maxrss / 1024)
        kind = "a clip" if asked.clip else "PNG"
        print(
            f"{asked.trajectories} trajectories x {WORDINGS}, {FRAMES} frames of {asked.side} x {asked.side * 3 // 4} ({kind}), "
            f"{asked.latency} ms: peak RSS {peak:.0f} MB, {done / seconds:.0f} calls/s, "
            f"{usage.ru_utime + usage.ru_stime:.0f} s of CPU in {seconds:.0f} s; "
            + (f"cut ({cut[0]}) after {done} calls" if cut else f"all {done} calls"),
            flush=True,
        )
        status = os.waitstatus_to_exitcode(status)
        if not cut and (status != 0 or done != asked.trajectories * WORDINGS):
            sys.exit(f"the program ended with {status}: {(folder / 'err').read_text()[-2000:]}")


if __name__ == "__main__":
    main()
