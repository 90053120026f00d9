"""The question panel: asks in the browser, takes keys and selections, and saves every answer as it is given."""

from __future__ import annotations

import re
from functools import partial

import streamlit as st

from core.campaigns.planning.options import words_of
from core.campaigns.rating import open_item
from core.errors import Denied, StoreError
from core.files import ASSETS
from core.storage.store import Store
from pages.rate.panel_data import Json, steps
from pages.rate.panel_exchange import Exchange, hear
from pages.ui.notices import in_words

FOLDER = ASSETS / "rating"
STYLE = FOLDER / "rating.css"
MODULES = ("words", "dom", "evidence", "keys", "outbox", "stopwatch", "steps", "asides", "view", "panel")
"""The files of the panel, each after its imports: a component takes one script, and no page loads others."""
KEY = "rate-panel"


def script() -> str:
    """Return the panel's modules as one."""
    text = "\n".join((FOLDER / f"{name}.js").read_text(encoding="utf-8") for name in MODULES)
    return re.sub(r"^import .*\n|^export (?!default)", "", text, flags=re.MULTILINE)


# In the page, not in a frame or a shadow: it reads selected evidence, and shares the page's style.
panel = st.components.v2.component("veridesk_rating", js=script(), isolate_styles=False)


def exchange() -> Exchange:
    kept = st.session_state.setdefault("rate-exchange", Exchange())
    assert isinstance(kept, Exchange)
    return kept


@st.fragment
@in_words
def question_panel(store: Store, campaign: str, owner: str, item_id: str) -> None:
    """Ask the questions of an item. An answer reruns only this; other changes draw the page again."""
    known = exchange()
    draw = partial(panel, key=KEY, on_entries_change=partial(receive, store, owner))
    if known.redraw:
        # Streamlit removes the parts that a fragment has not drawn: the panel would be gone until the page loads.
        draw(data=known.drawn)
        redraw(known)
    try:
        known.drawn = shown(store, campaign, owner, item_id)
    except Denied:
        st.rerun()  # and the page says why
    except StoreError as error:
        # The panel stays: it holds answers still to be saved, and answers that cannot be read back.
        known.trouble, known.heard = str(error), ()
    known.drawn |= known.news()
    draw(data=known.drawn)


def redraw(known: Exchange) -> None:
    """Draw the whole page, with the item that the rater goes to."""
    if known.opens:
        st.query_params["item"] = known.opens
    elif known.opens is not None:
        st.query_params.pop("item", None)
    known.redraw, known.opens = False, None
    st.rerun()


def receive(store: Store, owner: str) -> None:
    panel_state = st.session_state.get(KEY)  # gone in a session that has not drawn it: the browser sends again
    if panel_state is not None:
        hear(exchange(), store, owner, panel_state.entries)


def shown(store: Store, campaign: str, owner: str, item_id: str) -> Json:
    """Return the data that the browser needs to ask the questions of an item."""
    item = open_item(store, campaign, owner, item_id)
    assert item is not None  # an item that is named is there, or denied
    return {
        "campaign": campaign,
        "item": item.id,
        "position": item.position,
        "total": item.total,
        "words": dict(words_of(item.form.language)),
        "steps": steps(item.form, item.sides or (item.evidence,)),
        "answers": item.answers,
        "submitted": item.submitted,
        "saved": item.saved,
        "practice": item.practice,
        "labelFirst": item.label_first,
    }
