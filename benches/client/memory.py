"""Peak memory and calls a second of a large study: python memory.py FOLDER [TRAJECTORIES] [LATENCY_MS] [SIDE]

FOLDER holds the programs roborm and roborm-stub (target/release). Scores TRAJECTORIES (2,831) with 16 wordings and 8 frames
of SIDE x SIDE * 3 / 4 pixels (640 x 480), 64 calls at a time, against the stub, which takes LATENCY_MS (200) for an answer.
The frames are made up and shared by the trajectories, each of which has a task of its own, so that no call is like another:
what counts is what the program holds. Standard library only.
"""

import json
import os
import random
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


def main():
    programs = Path(sys.argv[1]).resolve()
    trajectories, latency, side = (int(a) for a in (sys.argv[2:] + ["2831", "200", "640"][len(sys.argv) - 2 :])[:3])
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        for n in range(FOLDERS):
            (folder / f"frames{n}").mkdir()
            for k in range(FRAMES):
                png(folder / f"frames{n}" / f"{k}.png", side, side * 3 // 4, n * FRAMES + k)
        rows = (
            {"trajectory": f"t{n:05}", "frames": f"frames{n % FOLDERS}", "rate_hz": 1, "task": f"task {n}", "label": n % 5 + 1}
            for n in range(trajectories)
        )
        (folder / "rollouts.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        wordings = (
            {"task": f"task {t}", "strategy": "lexical", "instruction": f"task {t} in wording {w}"}
            for t in range(trajectories)
            for w in range(1, WORDINGS)
        )
        (folder / "paraphrases.jsonl").write_text("".join(json.dumps(row) + "\n" for row in wordings))
        stub = subprocess.Popen([programs / "roborm-stub", "--latency-ms", str(latency)], stdout=subprocess.PIPE, text=True)
        try:
            url = stub.stdout.readline().split()[-1]
            words = ["score", "rollouts.jsonl", "--paraphrases", "paraphrases.jsonl", "--model", "bench", "--base-url", url]
            words += ["--concurrency", str(CONCURRENCY), "--ledger", "l.db", "--json"]
            start = time.monotonic()
            program = subprocess.Popen([programs / "roborm", *words], cwd=folder, stdout=subprocess.PIPE, text=True)
            answer = json.load(program.stdout)
            _, status, usage = os.wait4(program.pid, 0)
            seconds = time.monotonic() - start
        finally:
            stub.kill()
        assert status == 0 and answer["called"] == trajectories * WORDINGS, answer
        print(
            f"{trajectories} trajectories x {WORDINGS}, {FRAMES} frames of {side} x {side * 3 // 4}, {latency} ms: "
            f"peak RSS {usage.ru_maxrss / 1024:.0f} MB, {answer['called'] / seconds:.0f} calls/s, "
            f"{usage.ru_utime + usage.ru_stime:.0f} s of CPU in {seconds:.0f} s"
        )


if __name__ == "__main__":
    main()
