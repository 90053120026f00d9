"""How long the bundled model takes to start: `python -m tests.benchmarks.starts [--times N]`, in a home of its own."""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time

from core.interfaces import never
from core.llm.backends import bundled_model


def cpu_seconds() -> float:
    """Return the CPU seconds of this process and of its children that ended."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def started(*, trials: int = 0) -> tuple[float, float]:
    """Load the bundled model, try it so many times more, and return the seconds until it is there and those of CPU."""
    begun, before = time.perf_counter(), cpu_seconds()
    llm = bundled_model()
    ready = time.perf_counter() - begun
    for _ in range(trials):
        llm._weights.ask("try", never)
    llm.close()
    return ready, cpu_seconds() - before


def told(what: str, starts: list[tuple[float, float]]) -> float:
    """Print what starts took, and return the fewest CPU seconds."""
    seconds, cpu = ([start[place] for start in starts] for place in (0, 1))
    print(f"{what}: fastest {min(seconds):.2f} s, median {statistics.median(seconds):.2f} s, CPU {min(cpu):.2f} s")
    return min(cpu)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=9)
    times = range(parser.parse_args().times)
    with tempfile.TemporaryDirectory() as home:
        os.environ["VERIDESK_HOME"] = home
        told("first start, which makes the copy", [started()])
        once = told("later starts", [started() for _ in times])
        often = told("and ten more trials", [started(trials=10) for _ in times])
    print(f"a trial: {(often - once) / 10 * 1000:.0f} ms of CPU")


if __name__ == "__main__":
    main()
