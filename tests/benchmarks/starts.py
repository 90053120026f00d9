"""How long the bundled model takes to start: `python -m tests.benchmarks.starts [--times N]`, in a home of its own."""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time

from core.interfaces import never
from core.llm.backends import bundled_model


def started() -> tuple[float, float]:
    """Return the seconds until the model is loaded and tried, and those of a trial alone."""
    begun = time.perf_counter()
    llm = bundled_model()
    ready = time.perf_counter()
    llm._weights.ask("try", never)
    tried = time.perf_counter()
    llm.close()
    return ready - begun, tried - ready


def told(what: str, seconds: list[float]) -> None:
    print(f"{what}: fastest {min(seconds):.3f} s, median {statistics.median(seconds):.3f} s of {len(seconds)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=9)
    times = parser.parse_args().times
    with tempfile.TemporaryDirectory() as home:
        os.environ["VERIDESK_HOME"] = home
        first, _ = started()
        later = [started() for _ in range(times)]
    print(f"first start, which makes the copy: {first:.2f} s")
    told("later starts", [load for load, _ in later])
    told("of which the trial", [trial for _, trial in later])


if __name__ == "__main__":
    main()
