"""The question panel: asks in the browser, takes keys and selections, and saves every answer as it is given."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import streamlit as st

from core.errors import BadInput, Denied, StoreError
from core.ratings.form import ERROR, VERDICT
from core.ratings.store import Ratings
from core.ratings.types import RatingItem
from pages.shared.rate_messages import Did, Entry, entries
from pages.shared.rate_questions import Json, steps

ASSETS = Path(__file__).parents[2] / "assets"
STYLE = ASSETS / "rating.css"
KEY = "rate-panel"
REMEMBERED = 1000
"""How many of the browser's entries a session remembers, so that none that is sent twice counts twice."""

# In the page, not in a frame or a shadow: it reads what is selected in the evidence, and the page's style is its own.
panel = st.components.v2.component(
    "veridesk_rating", js=(ASSETS / "rating.js").read_text(encoding="utf-8"), isolate_styles=False
)


@dataclass
class Exchange:
    """What a session and its browser have told each other.

    `handled` has the numbers of the entries that were dealt with, oldest first; `turn` counts what was heard, so
    that the browser learns of it even where nothing else changed; `trouble` says why something was not saved;
    `redraw` asks for the whole page; `shown` is what the panel was last given to ask.
    """

    handled: dict[int, None] = field(default_factory=dict)
    turn: int = 0
    trouble: str = ""
    redraw: bool = False
    shown: Json = field(default_factory=dict)

    def remember(self, number: int) -> None:
        self.handled[number] = None
        if len(self.handled) > REMEMBERED:
            del self.handled[next(iter(self.handled))]


def exchange() -> Exchange:
    kept = st.session_state.setdefault("rate-exchange", Exchange())
    assert isinstance(kept, Exchange)
    return kept


@st.fragment
def question_panel(ratings: Ratings, campaign: str, owner: str, item_id: str) -> None:
    """Ask the questions of an item. An answer reruns only this; what changes more than it draws the page anew."""
    if exchange().redraw:
        exchange().redraw = False
        st.rerun()
    known = exchange()
    try:
        item = ratings.open_item(campaign, owner, item_id)
    except Denied:
        st.rerun()  # and the page says why
    except StoreError as error:
        # The panel stays as it is: it holds answers that are still to be saved.
        known.trouble = str(error)
    else:
        known.shown = about_item(campaign, item) if item else {}
    panel(data=known.shown | news(known), key=KEY, on_entries_change=partial(receive, ratings, owner))


def about_item(campaign: str, item: RatingItem) -> Json:
    """Return what the browser needs to ask the questions of an item."""
    return {
        "campaign": campaign,
        "item": item.id,
        "position": item.position,
        "total": item.total,
        "left": item.total - item.done,
        "steps": steps(item.form),
        "answers": item.answers,
        "submitted": item.submitted,
        "saved": item.saved,
    }


def news(known: Exchange) -> Json:
    """Return what became of what the browser sent."""
    return {"handled": list(known.handled), "trouble": known.trouble, "turn": known.turn}


def receive(ratings: Ratings, owner: str) -> None:
    """Save what the panel sent. What could not be stored is not noted as handled: the browser sends it again."""
    known = exchange()
    known.turn += 1
    known.trouble = ""
    try:
        for one in entries(st.session_state[KEY].entries):
            if one.number not in known.handled:
                take(ratings, owner, one)
    except (BadInput, StoreError) as error:
        known.trouble = str(error)


def take(ratings: Ratings, owner: str, one: Entry) -> None:
    """Do one entry and note that it was dealt with. Raises StoreError where the database could not keep it."""
    known = exchange()
    try:
        do(ratings, owner, one)
    except (BadInput, Denied) as error:
        known.trouble, known.redraw = str(error), True
    known.remember(one.number)


def do(ratings: Ratings, owner: str, one: Entry) -> None:
    known = exchange()
    match one.did:
        case Did.ANSWER:
            ratings.save_answer(one.campaign, one.item, owner, one.question, one.value)
            # They decide whether there is a label and reference evidence to see.
            known.redraw |= one.question in (ERROR, VERDICT)
        case Did.SECONDS:
            ratings.add_seconds(one.campaign, one.item, owner, one.seconds)
        case Did.SUBMIT:
            ratings.submit(one.campaign, one.item, owner, one.seconds)
            go_to("")
        case Did.BACK:
            ratings.add_seconds(one.campaign, one.item, owner, one.seconds)
            go_to(item_before(ratings, owner, one))
        case Did.ON:
            go_to("")


def item_before(ratings: Ratings, owner: str, one: Entry) -> str:
    """Return the rater's item before this one, or this one where it is the first."""
    lines = ratings.my_items(one.campaign, owner)
    place = next((line.position for line in lines if line.id == one.item), 0)
    return next((line.id for line in lines if line.position == place - 1), one.item)


def go_to(item: str) -> None:
    """Open an item, or the next one to be rated for ""."""
    exchange().redraw = True
    if item:
        st.query_params["item"] = item
    else:
        st.query_params.pop("item", None)
