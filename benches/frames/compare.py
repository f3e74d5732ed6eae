"""CPU time of sampling one frame a second, beside torchcodec and PyAV: python compare.py CLIPS BENCH [NAME…]

CLIPS is a folder of clips, BENCH the program frames_bench. Prints a Markdown table. Needs torchcodec, torch, PyAV.
"""

import json
import statistics
import subprocess
import sys
import time
from pathlib import Path

import av
import torch
from torchcodec.decoders import VideoDecoder

PASSES = 5
EPISODES = 40
CLIPS = {
    "H.264 640x480 10 s, GOP 250": "h264_640_10s.mp4",
    "H.264 256x256 10 s, GOP 250": "h264_256_10s.mp4",
    "H.264 640x480 60 s, GOP 250": "h264_640_60s.mp4",
    "H.264 256x256 60 s, GOP 250": "h264_256_60s.mp4",
    "H.264 640x480 60 s, GOP 30": "h264_640_60s_g30.mp4",
    "H.264 640x480 10 s, fine detail": "mandel_640_10s.mp4",
    "AV1 640x480 20 s, GOP 2": "av1_640_20s.mp4",
    "AV1 256x256 20 s, GOP 2": "av1_256_20s.mp4",
    "HEVC 640x480 10 s": "hevc_640_10s.mp4",
    "VP9 640x480 10 s": "vp9_640_10s.webm",
}
LONG = {"AV1 640x480 10 min, 40 episodes": "av1_640_10min.mp4", "AV1 256x256 10 min, 40 episodes": "av1_256_10min.mp4"}


def seconds_of(start, end):
    """Every second from start on, and the last moment."""
    return [start + k for k in range(int(end - start - 1e-6) + 1)] + [end - 1e-3]


def torchcodec(path, mode):
    decoder = VideoDecoder(str(path), seek_mode=mode, num_ffmpeg_threads=1, dimension_order="NHWC")
    end = decoder.metadata.end_stream_seconds
    return decoder.get_frames_played_at(seconds_of(decoder.metadata.begin_stream_seconds, end)).data


def torchcodec_episodes(path, mode):
    decoder = VideoDecoder(str(path), seek_mode=mode, num_ffmpeg_threads=1, dimension_order="NHWC")
    length = decoder.metadata.end_stream_seconds / EPISODES
    for at in range(EPISODES):
        decoder.get_frames_played_at(seconds_of(at * length, (at + 1) * length))


def pyav(path):
    kept, next_s, last = [], 0.0, None
    with av.open(str(path)) as container:
        stream = container.streams.video[0]
        stream.thread_count = 1
        for frame in container.decode(stream):
            last = frame
            if frame.time >= next_s - 1e-9:
                kept.append(frame.to_ndarray(format="rgb24"))
                next_s += 1
    kept.append(last.to_ndarray(format="rgb24"))
    return kept


def cpu_ms(work, *arguments):
    spent = []
    for _ in range(PASSES):
        start = time.process_time()
        work(*arguments)
        spent.append((time.process_time() - start) * 1000)
    return statistics.median(spent)


def ours(bench, tiny, clip, episodes=None):
    flags = ["--episodes", str(episodes)] if episodes else []
    line = json.loads(subprocess.run([bench, tiny, *flags, clip], check=True, capture_output=True, text=True).stdout)
    median = {key: statistics.median([p[key] for p in line["passes"]]) for key in ("cpu_ms", "wall_ms", "index_ms")}
    return {**median, "start_ms": line["start_ms"]}


def main():
    clips, bench = Path(sys.argv[1]), sys.argv[2]
    chosen = sys.argv[3:]
    torch.set_num_threads(1)
    tiny = clips / "single.mp4"
    torchcodec(tiny, "exact"), pyav(tiny)
    starts = []
    print("| clip | roborm | of it index | torchcodec exact | approximate | PyAV, all frames | torchcodec exact / roborm | PyAV / roborm |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for name, file in {**CLIPS, **LONG}.items():
        if chosen and not any(word in file for word in chosen):
            continue
        path = clips / file
        if file in LONG.values():
            mine = ours(bench, tiny, path, EPISODES)
            exact, near = (cpu_ms(torchcodec_episodes, path, mode) for mode in ("exact", "approximate"))
            whole = None
        else:
            mine = ours(bench, tiny, path)
            exact, near = cpu_ms(torchcodec, path, "exact"), cpu_ms(torchcodec, path, "approximate")
            whole = cpu_ms(pyav, path)
        starts.append(mine["start_ms"])
        cpu = mine["cpu_ms"]
        whole_cells = (f"{whole:.0f}", f"{whole / cpu:.2f}") if whole else ("", "")
        print(f"| {name} | {cpu:.0f} | {mine['index_ms']:.0f} | {exact:.0f} | {near:.0f} | {whole_cells[0]} | {exact / cpu:.2f} | {whole_cells[1]} |", flush=True)
    print(f"\nCPU time in ms, one thread, median of {PASSES} passes, worker and transfer counted. Starting a worker, once a "
          f"program: {statistics.median(starts):.0f} ms.")


if __name__ == "__main__":
    main()
