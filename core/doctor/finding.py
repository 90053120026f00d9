"""The state of one part of an installation."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Health(StrEnum):
    GOOD = "good"
    REMARK = "remark"
    """It works, and could work better."""
    ABSENT = "not installed"
    """Only some people need it."""
    WRONG = "wrong"


@dataclass(frozen=True)
class Finding:
    """The state of a part. `mend` is the command or step for its repair, empty if none is needed.

    `late` is a check that still runs after the time limit.
    """

    part: str
    state: Health
    words: str
    mend: str = ""
    late: bool = False
