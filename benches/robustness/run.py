"""Alternates roborm, pandas and polars on the same tables and prints a Markdown table of medians and ratios.

    python run.py PATH-OF-THE-BENCH-PROGRAM [--rounds 5] [--folder DIR]

Needs pandas, polars and pyarrow. Each measurement is a process of its own; imports and start-up are not counted, reading
the file is. The three results are compared before anything is printed.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

HERE = Path(__file__).parent
FIGURES = ["crossing_rate", "failure_rate", "failed_trajectories", "mean_error", "range", "std", "pairs", "unparsed"]


def once(command: list[str]) -> list[dict]:
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def same(folder: Path, names: list[str]) -> None:
    tables = [pd.read_csv(folder / f"{name}.csv").sort_values(["model", "strategy"]) for name in names]
    for name, table in zip(names[1:], tables[1:]):
        for figure in FIGURES:
            np.testing.assert_allclose(table[figure], tables[0][figure], rtol=1e-9, err_msg=f"{name} {figure}")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "roborm-bench-robustness")
    args = parser.parse_args()
    args.folder.mkdir(exist_ok=True)
    print(f"{os.cpu_count()} cores, medians of {args.rounds} alternating rounds, load {os.getloadavg()[0]:.1f}\n")

    print("| table | program | wall s | CPU s | peak MB | wall against roborm |")
    print("| --- | --- | --- | --- | --- | --- |")
    table_bytes = 0
    for order in ["study", "shuffled"]:
        path = args.folder / f"{order}.parquet"
        if not path.exists():
            subprocess.run([sys.executable, str(HERE / "generate.py"), str(path), "--order", order], check=True)
        commands = {
            "roborm, file": [args.program, "once", "file"],
            "roborm, table in memory": [args.program, "once", "table"],
            "polars for Python": [sys.executable, str(HERE / "peer_polars.py")],
            "pandas": [sys.executable, str(HERE / "peer_pandas.py")],
        }
        runs: dict[str, list[dict]] = {name: [] for name in commands}
        for _ in range(args.rounds):
            for name, command in commands.items():
                runs[name] += once([*command, str(path), str(args.folder / f"{name}.csv")])
        same(args.folder, list(commands))
        table_bytes = runs["roborm, table in memory"][0]["table_bytes"]
        median = {
            name: {key: statistics.median(run[key] for run in of) for key in ["wall_s", "cpu_s", "peak_bytes"]}
            for name, of in runs.items()
        }
        for name, m in median.items():
            ratio = m["wall_s"] / median["roborm, file"]["wall_s"]
            print(
                f"| 10 million rows, {order} | {name} | {m['wall_s']:.2f} | {m['cpu_s']:.2f} "
                f"| {m['peak_bytes'] / 1e6:.0f} | {ratio:.1f} |"
            )
    print(f"\nThe table (its six columns that are read, in memory): {table_bytes / 1e6:.0f} MB.")

    one = args.folder / "one-group.parquet"
    if not one.exists():
        import polars as pl

        sys.path.insert(0, str(HERE))
        from generate import table

        frame = table(1, 60_000, 16, "study").filter(pl.col("strategy") == "adversarial")
        frame.write_parquet(one)
    bootstraps = [once([args.program, "once", "bootstrap", str(one), str(args.folder / "one.csv")]) for _ in range(args.rounds)]
    wall = statistics.median(run["wall_s"] - without["without_s"] for without, run in bootstraps)
    print(f"\n2,000 resamples of one group of 60,000 trajectories, all figures: {wall:.2f} s.")


if __name__ == "__main__":
    main()
