"""The most memory that a process and those it started have held."""

from __future__ import annotations

import os
from pathlib import Path

_PROC = Path("/proc")


def peak_bytes() -> int | None:
    """Return the sum of the peaks of this process and its descendants that live; None where there is no /proc.

    Their peaks need not have come at one time, and libraries that they share count in each: it is an upper bound.
    """
    if not (_PROC / "self" / "status").exists():
        return None
    return sum(_peak(pid) for pid in family(os.getpid()))


def family(pid: int) -> list[int]:
    """Return a process and its descendants."""
    children: dict[int, list[int]] = {}
    for folder in _PROC.iterdir():
        if folder.name.isdecimal():
            children.setdefault(_parent(folder), []).append(int(folder.name))
    found = [pid]
    for member in found:  # grows while it is walked
        found += children.get(member, [])
    return found


def _parent(folder: Path) -> int:
    try:
        # "pid (name) state parent …", where the name may hold spaces and brackets
        return int((folder / "stat").read_text(errors="replace").rpartition(")")[2].split()[1])
    except OSError:  # it has just ended
        return 0


def _peak(pid: int) -> int:
    try:
        lines = (_PROC / str(pid) / "status").read_text(errors="replace").splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM")), 0)
