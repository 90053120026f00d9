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
    """How a part does. `mend` is the command or step that mends it, empty where nothing is to be done.

    `late` is a check that gave no answer in time and still runs.
    """

    part: str
    state: Health
    words: str
    mend: str = ""
    late: bool = False
