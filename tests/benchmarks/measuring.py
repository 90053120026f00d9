"""What benchmarks measure with: seconds of a piece of work, and the processor and memory of a process."""

import argparse
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
AVERITEC = DATA / "averitec"
Found = TypeVar("Found")


def parser_of(about: str | None) -> argparse.ArgumentParser:
    """Return a parser whose help is the docstring of the benchmark."""
    return argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)


def timed(work: Callable[[], Found]) -> tuple[Found, float]:
    """Return what `work` returns, and the seconds that it took."""
    started = time.perf_counter()
    return work(), time.perf_counter() - started


def cpu_seconds(process: int | str) -> float:
    """Return the user and system time that a process has had."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def megabytes(process: int | str, kind: str) -> float:
    """Return the memory of a process: "VmRSS" is what it holds now, "VmHWM" the most that it has held."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(kind)) / 1024
