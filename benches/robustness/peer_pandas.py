"""The metrics of the benchmark in pandas, as one would write them with care for speed: `peer_pandas.py FILE OUT.csv`."""

import sys

import numpy as np
import pandas as pd

BY = ["model", "strategy"]


def robustness(path: str, boundary: float = 3.5) -> pd.DataFrame:
    df = pd.read_parquet(path, columns=["model", "trajectory", "strategy", "score", "repeat", "label"])
    df = df[df["repeat"] == 0]
    parsed = df["score"].notna()
    df["failed"] = ((df["score"] > boundary) != (df["label"] > boundary)) & parsed
    df["error"] = (df["score"] - df["label"]).abs()

    by_trajectory = df.groupby(BY + ["trajectory"], sort=False, observed=True)
    t = by_trajectory["score"].agg(["count", "size", "min", "max"])
    t["std"] = by_trajectory["score"].std(ddof=0)
    t["failed"] = by_trajectory["failed"].sum()
    t["error"] = by_trajectory["error"].sum()
    several = t["count"] >= 2
    t["crossed"] = ((t["max"] > boundary) & (t["min"] <= boundary)).astype(float).where(several)
    t["range"] = (t["max"] - t["min"]).where(several)
    t["std"] = t["std"].where(several)
    t["any_failed"] = (t["failed"] > 0).astype(float).where(t["count"] > 0)

    out = t.groupby(BY).agg(
        trajectories=("count", "size"),
        pairs=("size", "sum"),
        parsed=("count", "sum"),
        crossing_rate=("crossed", "mean"),
        crossing_n=("crossed", "count"),
        failed=("failed", "sum"),
        failed_trajectories=("any_failed", "mean"),
        error=("error", "sum"),
        range=("range", "mean"),
        std=("std", "mean"),
    )
    out["unparsed"] = out["pairs"] - out["parsed"]
    out["failure_rate"] = (out["failed"] / out["parsed"]).replace(np.inf, np.nan)
    out["mean_error"] = out["error"] / out["parsed"]
    return out.reset_index()


if __name__ == "__main__":
    from measure import measured

    path, out = sys.argv[1:]
    measured(lambda: robustness(path).to_csv(out, index=False))
