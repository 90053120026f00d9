"""Limit how many jobs of a kind may wait, run at once, restart and stay."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


def one_at_a_time(slot: str) -> int:
    """Return 1: one running job at a time."""
    return 1


@dataclass(frozen=True)
class JobLimits:
    """The limits of one kind of job, with defaults.

    At most `waiting` jobs wait, and `waiting_per_owner` of one owner. `running` returns how many jobs of one slot run
    at once in this process. A job may begin `tries` times; use 1 if no other server can restart it. The newest `kept`
    unnamed jobs of each owner stay; 0 keeps all.
    """

    waiting: int = 40
    waiting_per_owner: int = 8
    running: Callable[[str], int] = one_at_a_time
    tries: int = 1
    kept: int = 0
