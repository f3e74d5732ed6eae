"""The metrics of the benchmark in polars for Python, lazy and streaming: `peer_polars.py FILE OUT.csv`."""

import sys

import polars as pl

BY = ["model", "strategy"]


def robustness(path: str, boundary: float = 3.5) -> pl.DataFrame:
    score, label = pl.col("score"), pl.col("label")
    several = pl.col("count") >= 2
    return (
        pl.scan_parquet(path)
        .filter(pl.col("repeat") == 0)
        .group_by(BY + ["trajectory"])
        .agg(
            score.count().alias("count"),
            pl.len().alias("size"),
            score.min().alias("min"),
            score.max().alias("max"),
            score.std(ddof=0).alias("std"),
            ((score > boundary) != (label > boundary)).sum().alias("failed"),
            (score - label).abs().sum().alias("error"),
        )
        .group_by(BY)
        .agg(
            pl.len().alias("trajectories"),
            pl.col("size").sum().alias("pairs"),
            (pl.col("size").sum() - pl.col("count").sum()).alias("unparsed"),
            ((pl.col("max") > boundary) & (pl.col("min") <= boundary)).filter(several).mean().alias("crossing_rate"),
            several.sum().alias("crossing_n"),
            (pl.col("failed").sum() / pl.col("count").sum()).alias("failure_rate"),
            (pl.col("failed") > 0).filter(pl.col("count") > 0).mean().alias("failed_trajectories"),
            (pl.col("error").sum() / pl.col("count").sum()).alias("mean_error"),
            (pl.col("max") - pl.col("min")).filter(several).mean().alias("range"),
            pl.col("std").filter(several).mean().alias("std"),
        )
        .sort(BY)
        .collect(engine="streaming")
    )


if __name__ == "__main__":
    from measure import measured

    path, out = sys.argv[1:]
    measured(lambda: robustness(path).write_csv(out))
