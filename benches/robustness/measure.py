"""Time, CPU time and peak memory of one call in this process, as a line of JSON (imports are not counted)."""

import json
import resource
import time


def measured(call) -> None:
    wall, cpu = time.perf_counter(), time.process_time()
    call()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(json.dumps({"wall_s": wall, "cpu_s": cpu, "peak_bytes": peak}))
