"""Save the messages of a rater's browser, and keep the results for the reply."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from core.campaigns.planning.rating_form import ERROR, VERDICT
from core.campaigns.rating import add_seconds, my_items, save_answer, submit_item
from core.errors import BadInput, Denied, StoreError
from core.storage.store import Store
from pages.rate.panel_data import Json

REMEMBERED = 1000
"""How many of the browser's entries a session remembers, so that none that is sent twice counts twice."""


@dataclass
class Exchange:
    """The messages between a session and its browser.

    `handled` has the numbers of the entries dealt with, oldest first, `heard` those of the last message. `turn` counts
    messages: with it, the browser notices a message that changes nothing else. `trouble` is the reason that
    something was not saved. `redraw` asks for the whole page. `opens` asks for an item on it: "" for the next to be
    rated, None for the same. `drawn` is the panel's last data: its questions, and the results of its messages.
    """

    handled: dict[int, None] = field(default_factory=dict)
    heard: tuple[int, ...] = ()
    turn: int = 0
    trouble: str = ""
    redraw: bool = False
    opens: str | None = None
    drawn: Json = field(default_factory=dict)

    def news(self) -> Json:
        """Return the reply to the browser's messages."""
        handled = [number for number in self.heard if number in self.handled]
        return {"handled": handled, "trouble": self.trouble, "turn": self.turn}

    def open(self, item: str) -> None:
        self.redraw, self.opens = True, item


def hear(known: Exchange, store: Store, owner: str, sent: object) -> None:
    """Save the messages. An unsaved one is not noted as handled: the browser sends it again."""
    known.turn += 1
    known.trouble = ""
    try:
        found = entries(sent)
        known.heard = tuple(one.number for one in found)
        for one in found:
            if one.number not in known.handled:
                take(known, store, owner, one)
    except (BadInput, StoreError) as error:
        known.trouble = str(error)


def take(known: Exchange, store: Store, owner: str, one: Entry) -> None:
    """Do one entry and note that it was dealt with. Raises StoreError where the database could not keep it."""
    try:
        do(known, store, owner, one)
    except (BadInput, Denied) as error:
        known.trouble, known.redraw = str(error), True
    known.handled[one.number] = None
    if len(known.handled) > REMEMBERED:
        del known.handled[next(iter(known.handled))]


def do(known: Exchange, store: Store, owner: str, one: Entry) -> None:
    if one.did is Did.ANSWER:
        save_answer(store, one.campaign, one.item, owner, one.question, one.value, one.seconds or None)
        # They decide whether there is a label and reference evidence to see.
        known.redraw |= one.question in (ERROR, VERDICT)
    elif one.did is Did.SUBMIT:
        practised = submit_item(store, one.campaign, one.item, owner, one.seconds)
        known.open(one.item if practised else "")
    else:
        add_seconds(store, one.campaign, one.item, owner, one.seconds)
        if one.did is Did.BACK:
            known.open(item_before(store, owner, one))
        elif one.did is Did.ON:
            known.open("")


def item_before(store: Store, owner: str, one: Entry) -> str:
    """Return the rater's item before this one, or this one where it is the first."""
    lines = my_items(store, one.campaign, owner)
    place = next((line.position for line in lines if line.id == one.item), 0)
    return next((line.id for line in lines if line.position == place - 1), one.item)


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
