"""Read the search and the consent that the form asks for."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st

from core.errors import BadInput
from core.search.consent import Consent
from core.search.rounds import first_queries
from core.search.search_plan import SearchOrder, SearchPlan, check_plan
from core.search.search_request import consent_to, consent_to_read, sent_to
from core.search.sources import open_source
from core.search.types import Source
from core.types import Claim
from core.wording import counted
from pages.ui.claim_form.claim_draft import ADDRESSES, SEARCH, addresses, current
from pages.ui.claim_form.found_titles import chosen_pages, found_titles
from pages.ui.markup import readable
from pages.ui.search_sources import offered

Json = dict[str, Any]


def opened(names: list[str] | None) -> list[Source]:
    """Return the sources chosen among those offered. Raises BadInput for one that cannot be opened."""
    return [open_source(name) for name in names or () if name in offered()]


def proposed_queries(claim: str) -> str:
    """Return the first queries for a claim, one per line, made of its own words without a model."""
    return "\n".join(first_queries(Claim(claim)))


def written(queries: str) -> tuple[str, ...]:
    """Return the queries of a field, one per line."""
    return tuple(dict.fromkeys(line for text in queries.splitlines() if (line := " ".join(text.split()))))


def to_be_sent(typed: Json) -> Consent:
    """Return all that the filled form sends. Raises BadInput for a malformed address or an unknown source."""
    if typed["where"] == ADDRESSES:
        return Consent(addresses=addresses(typed["urls"]))
    if typed["where"] != SEARCH:
        return Consent()
    queries, claim = written(typed["queries"] or ""), " ".join(readable(typed["text"]).split())
    reviewed = claim if typed["reviews"] else ""
    if chosen := chosen_pages(typed):
        return consent_to_read([page.url for page in chosen], reviewed=reviewed)
    later = int(typed["later"]) if queries else 0
    return consent_to(opened(typed["sources"]), queries, int(typed["pages"]), later=later, reviewed=reviewed)


def shown_consent() -> Consent:
    """Return the consent that the form shows, and put it on the screen."""
    typed, consent = current(), consent_now()
    put_on_screen(ADDRESSES if typed["where"] == ADDRESSES else consent.digest)
    return consent


def given_consent() -> str:
    """Return the digest of the consent that a press gives: web addresses are on the screen as they are typed."""
    typed = on_screen() == ADDRESSES == current()["where"]
    return consent_now().digest if typed else on_screen()


def consent_now() -> Consent:
    """Return the consent to everything that the form sends now: an empty one if something in it is wrong."""
    try:
        return to_be_sent(current())
    except BadInput:
        return Consent()


def chosen_search(typed: Json) -> SearchOrder:
    """Return the search that the form asks for. Raises BadInput with a sentence for a missing field."""
    sources = opened(typed["sources"])
    queries = written(typed["queries"] or "")
    if not sources:
        raise BadInput("Choose at least one place to search, or another place where the evidence comes from.")
    same_day, late = bool(typed["same_day"]), bool(typed["late"])
    plan = SearchPlan(queries, int(typed["pages"]), int(typed["later"]), same_day, late)
    if chosen := chosen_pages(typed):
        plan = replace(plan, chosen=chosen, asked=found_titles(typed).asked)
    check_plan(plan)
    if not any(sent_to(source, queries) for source in sources):
        raise BadInput("None of these queries can be sent: write words to search for, or an address for an archive.")
    return SearchOrder(tuple(name for name in typed["sources"] if name in offered()), plan, bool(typed["reviews"]))


def send_label(consent: Consent, otherwise: str) -> str:
    """Return a button's words: the queries that it sends, and the receiver, or the pages; or else its usual words."""
    if consent.named:
        return f"Read {counted(len(consent.named), 'page')}"
    places = [place for place, queries in consent.queries.items() if queries]
    return f"Send {consent.queries_words} to {', '.join(places)}" if places else otherwise


KEY = "on-screen"


def put_on_screen(digest: str) -> None:
    """Tell the browser which consent the page shows.

    A hidden field holds its digest. The browser sends each field with each press, with the value that it has drawn. So
    a press made before a change was drawn brings the digest from before the change.
    """
    st.session_state[KEY] = digest
    with st.container(key="vd-on-screen"):
        st.text_input("Digest of the requests that leave this machine", key=KEY, label_visibility="collapsed")


def on_screen() -> str:
    """Return the digest of the consent that was on the screen when a button was pressed."""
    return str(st.session_state.get(KEY, ""))
