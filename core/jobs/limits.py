"""How many jobs of a kind may wait, run at once, begin again and stay."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


def one_at_a_time(slot: str) -> int:
    """Return the number of running jobs where a machine does one thing after the other."""
    return 1


@dataclass(frozen=True)
class JobLimits:
    """The limits of one kind of job. A kind changes those that it gives to JobKind.

    At most `waiting` jobs wait, of one owner `waiting_per_owner`. `running` returns how many jobs of one slot run at
    once in this process. A job may begin `tries` times: more than once only where another server can begin it anew. Of
    one owner's jobs without a name, the newest `kept` stay; 0 keeps all.
    """

    waiting: int = 40
    waiting_per_owner: int = 8
    running: Callable[[str], int] = one_at_a_time
    tries: int = 1
    kept: int = 0
