"""Recognise a claim that its owner has checked before."""

from __future__ import annotations

import re
from datetime import datetime

import streamlit as st

from core.jobs.types import State, Status
from core.verification.review import Reviews
from core.wording import searchable
from pages.ui.app_state import AppState
from pages.ui.cases import zone
from pages.ui.markup import show, tag
from pages.ui.verdicts import badge, look_named

_WORD = re.compile(r"\w+|[%€$£-](?=\w)|(?<=\w)%")
_ENDS = " .,;:!?'\"“”‘’"


def checked_before(at: AppState, who: str, claim: str) -> Status | None:
    """Return the owner's newest case on the same words, None if there is none. Signs and capitals do not count."""
    words = claim.strip(_ENDS)
    if not who or not words:
        return None
    found = (one for one in at.cases.search(who, words).entries if _same(one.title) == _same(claim))
    return next((one for one in found if one.state.live or (one.state is State.DONE and one.label)), None)


def _same(claim: str) -> list[str]:
    return _WORD.findall(searchable(claim))


def say_checked_before(at: AppState, who: str, claim: str, *, key: str = "") -> None:
    """Name the earlier case on a claim, with a link. A person's own verdict comes before the machine's."""
    found = checked_before(at, who, claim)
    if not found:
        return
    asked, now = datetime.fromtimestamp(found.created, zone()), datetime.now(zone())
    day = f"{asked.day} {asked:%B}" + (f" {asked.year}" if asked.year != now.year else "")
    said = f"You checked this on {day}: " if found.label else "You are checking this already."
    own = Reviews(at.store).conclusions([found.id]).get(found.id)
    label = (own and own.label) or found.label
    with st.container(horizontal=True, vertical_alignment="center", key=f"vd-before{key}"):
        show(tag("p", said, badge(look_named(label)) if label else "", css="vd", role="note"), width="content")
        where = {"case": found.id}
        st.page_link("pages/verify/page.py", label="Open the case", icon=":material/open_in_new:", query_params=where)
