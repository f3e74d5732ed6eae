"""Writes the score table of the benchmark: 20 models x 3 strategies x 10,400 trajectories x 16 paraphrases.

    python generate.py OUT.parquet [--order study|shuffled] [--trajectories 10400]

`study` is the order in which a study writes its rows (a trajectory's pairs together); `shuffled` is the worst case for
whoever groups. One row in a hundred is an unparsed reply (null score).
"""

import argparse

import numpy as np
import polars as pl

STRATEGIES = ["lexical", "structural", "adversarial"]


def table(models: int, trajectories: int, paraphrases: int, order: str) -> pl.DataFrame:
    rng = np.random.default_rng(20)
    shape = (models, trajectories, len(STRATEGIES), paraphrases)
    rows = int(np.prod(shape))
    model, trajectory, strategy, paraphrase = (a.ravel() for a in np.indices(shape, dtype=np.int32))

    label = rng.integers(1, 6, trajectories)
    task = rng.integers(0, 100, trajectories)
    # Each (model, trajectory) has an opinion; wording disturbs it, more so under later strategies.
    opinion = (label[None, :] + rng.normal(0, 0.8, (models, trajectories))).astype(np.float32)
    score = opinion[model, trajectory] + rng.standard_normal(rows, dtype=np.float32) * (0.25 + 0.15 * strategy)
    score = np.clip(np.rint(score), 1, 5).astype(np.float64)
    unparsed = rng.random(rows) < 0.01

    if order == "shuffled":
        p = rng.permutation(rows)
        model, trajectory, strategy, paraphrase, score, unparsed = (
            a[p] for a in (model, trajectory, strategy, paraphrase, score, unparsed)
        )

    def words(values: list[str], index: np.ndarray, name: str) -> pl.Series:
        return pl.Series(name, values).gather(pl.Series(index.astype(np.uint32)))

    corpora = ["bridge", "droid", "fractal", "jaco_play"]
    tasks = [f"put the object number {t} into the drawer on the left" for t in range(100)]
    texts = [
        f"{t}, in the words of {s} paraphrase {p}" for t in tasks for s in STRATEGIES for p in range(paraphrases)
    ]
    text = (task[trajectory] * len(STRATEGIES) + strategy) * paraphrases + paraphrase
    return pl.DataFrame(
        [
            words([f"vendor/model-{m:02}" for m in range(models)], model, "model"),
            words([f"{corpora[t % 4]}/episode_{t:06}" for t in range(trajectories)], trajectory, "trajectory"),
            words(STRATEGIES, strategy, "strategy"),
            words(texts, text, "instruction"),
            pl.Series("score", score).set(pl.Series(unparsed), None),
            words(tasks, task[trajectory], "task"),
            pl.Series("repeat", np.zeros(rows, np.int64)),
            pl.Series("label", label[trajectory].astype(np.int64)),
        ]
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("out")
    parser.add_argument("--order", choices=["study", "shuffled"], default="study")
    parser.add_argument("--trajectories", type=int, default=10_400)
    args = parser.parse_args()
    frame = table(20, args.trajectories, 16, args.order)
    frame.write_parquet(args.out)
    print(f"{args.out}: {frame.height} rows")
