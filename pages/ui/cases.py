"""Past cases: one line each, and two of them side by side."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import streamlit as st

from core.jobs.types import State, Status
from core.models.choice import parse_choice
from core.types import Case, Claim, Document
from core.verification.questions import cards
from core.verification.recipes.catalogue import RECIPES
from core.verification.request import Request
from core.wording import place_in_words
from pages.ui.evidence import day
from pages.ui.markup import Html, join, link, tag
from pages.ui.page_script import case_address, copy_button
from pages.ui.verdicts import badge, look_named, look_of

Compared = tuple[Request, Case]

STATES = {
    State.WAITING: "Waiting",
    State.RUNNING: "At work",
    State.FAILED: "No verdict",
    State.CANCELLED: "Cancelled",
    State.INTERRUPTED: "Interrupted",
}


def entry_line(entry: Status, own: object = "") -> Html:
    """Return a case as the history lists it: its claim, result (and its owner's conclusion), time and recipe."""
    return tag(
        "div",
        tag("p", entry.title, css="vd-strong vd-text vd-clamp"),
        tag("p", outcome(entry), own, *(tag("span", fact) for fact in facts(entry)), css="vd-facts"),
        tag("p", entry.error, css="vd-quiet vd-text") if entry.state is State.FAILED else "",
        css="vd",
    )


def outcome(entry: Status) -> Html:
    if entry.state is State.DONE and entry.label:
        return tag("span", badge(look_named(entry.label)))
    return tag("span", STATES.get(entry.state, "Done"), css="vd-strong")


def entry_end(entry: Status) -> str:
    """Return why a case has no verdict."""
    return entry.error or STATES.get(entry.state, "No verdict")


def facts(entry: Status) -> list[str]:
    said = [when(entry), recipe_title(entry.facts["recipe"])]
    return [*said, f"{entry.seconds:.1f} s"] if entry.seconds is not None else said


def when(entry: Status) -> str:
    """Return the day and minute at which a job was asked for."""
    asked = datetime.fromtimestamp(entry.created, zone())
    return f"{asked.day} {asked:%B %Y, %H:%M}"


def recipe_title(name: str) -> str:
    return RECIPES[name].title if name in RECIPES else name


def zone() -> tzinfo | None:
    """Return the reader's time zone; None, the server's, where the browser does not tell it."""
    try:
        return ZoneInfo(st.context.timezone) if st.context.timezone else None
    except (ZoneInfoNotFoundError, ValueError):
        return None


def comparison(first: Compared, second: Compared) -> Html:
    """Return two cases side by side: verdicts, questions, and the documents that they share or not."""
    sides = tag("div", side(*first), side(*second), css="vd-sides")
    return tag("div", sides, shared_documents(first[1], second[1]), css="vd")


def side(request: Request, case: Case) -> Html:
    verdict = case.verdict
    questions = (tag("li", card.question, css="vd-text") for card in cards(case.evidence) if card.question)
    seconds = f"{sum(time.seconds for time in case.times):.1f} s"
    made = (recipe_title(request.recipe), parse_choice(request.model).name, seconds)
    return tag(
        "section",
        tag("h2", case.claim.text, css="vd-heading vd-text", style="margin-top: 0"),
        tag("p", badge(look_of(verdict))) if verdict else "",
        tag("p", *(tag("span", fact) for fact in made), css="vd-facts"),
        tag("h3", "Questions", css="vd-strong"),
        tag("ol", join(questions), style="padding-left: 1.4rem"),
        css="vd-card",
    )


def shared_documents(first: Case, second: Case) -> Html:
    one, other = documents(first), documents(second)
    groups = (
        ("In both", [one[digest] for digest in one if digest in other]),
        ("Only on the left", [one[digest] for digest in one if digest not in other]),
        ("Only on the right", [other[digest] for digest in other if digest not in one]),
    )
    return tag(
        "section",
        tag("h2", "Documents", css="vd-heading"),
        *(document_group(title, found) for title, found in groups),
    )


def documents(case: Case) -> dict[str, Document]:
    return {hit.passage.document.digest: hit.passage.document for hit in case.hits}


def document_group(title: str, found: Sequence[Document]) -> Html:
    lines = (tag("li", document.title or document.site, " ", link(document.url, document.site)) for document in found)
    return tag(
        "div",
        tag("h3", f"{title}: {len(found)}", css="vd-strong"),
        tag("ul", join(lines), css="vd-quiet", style="padding-left: 1.4rem; margin-bottom: 0.6rem"),
    )


LONG_CLAIM = 220
"""Characters beyond which a claim is set smaller."""


def claim_heading(claim: Claim) -> Html:
    facts = [claim.speaker, day(claim.date) if claim.date else "", claim.source, place_in_words(claim.place)]
    size = "vd-claim vd-long" if len(claim.text) > LONG_CLAIM else "vd-claim"
    case = st.query_params.get("case")
    address = copy_button(case_address(case), "Copy the address", quiet=True) if case else ""
    return tag(
        "header",
        tag("h1", claim.text, css=size),
        tag("p", join(tag("span", fact) for fact in facts if fact), css="vd-facts"),
        tag("div", copy_button(claim.text, "Copy the claim", quiet=True), address, css="vd-copies") if case else "",
        css="vd",
    )
