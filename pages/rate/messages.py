"""Messages of the question panel: answers, time spent, and the next item. Nothing in it is trusted."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from core.errors import BadInput

MAX_ENTRIES = 500
"""More than a rater can do before a lost connection is back."""


class Did(StrEnum):
    """A rater's actions: answered, spent time, submitted, went to the item before, or went on."""

    ANSWER = "answer"
    SECONDS = "seconds"
    SUBMIT = "submit"
    BACK = "back"
    ON = "on"


@dataclass(frozen=True)
class Entry:
    """One thing that a rater did. `number` is the browser's own, and comes again when an entry is sent again.

    `value` may be anything: `core.campaigns.planning.rating_form.checked_answer` decides whether it is an answer.
    `seconds` is the time spent since it was last sent, at least 0.
    """

    number: int
    did: Did
    campaign: str
    item: str
    question: str = ""
    value: object = None
    seconds: float = 0.0


def entries(sent: object) -> tuple[Entry, ...]:
    """Return the messages, in the order of the actions. Raises BadInput for messages that no panel sends."""
    if not isinstance(sent, list) or len(sent) > MAX_ENTRIES:
        raise unreadable()
    return tuple(sorted((entry(one) for one in sent), key=lambda one: one.number))


def entry(sent: object) -> Entry:
    if not isinstance(sent, dict):
        raise unreadable()
    number, did = sent.get("number"), sent.get("did")
    # True is an int to Python, and no number to a browser.
    if type(number) is not int or did not in list(Did):
        raise unreadable()
    return Entry(
        number,
        Did(did),
        named(sent, "campaign"),
        named(sent, "item"),
        named(sent, "question"),
        sent.get("value"),
        spent(sent.get("seconds")),
    )


def named(sent: Mapping[str, object], field: str) -> str:
    found = sent.get(field, "")
    if not isinstance(found, str):
        raise unreadable()
    return found


def spent(sent: object) -> float:
    """Return a time in seconds as it was sent, 0.0 for anything else."""
    if isinstance(sent, bool) or not isinstance(sent, int | float) or not math.isfinite(sent):
        return 0.0
    return max(0.0, float(sent))


def unreadable() -> BadInput:
    return BadInput("The page sent unreadable data: load it again.")
