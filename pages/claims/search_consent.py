"""Search for all chosen claims: show every query before anything leaves the machine, and take one consent for all."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from core.claims.chosen import Chosen
from core.errors import BadInput
from core.search.consent import Consent
from core.search.rounds import first_queries
from core.search.search_plan import SearchOrder, SearchPlan
from core.search.search_request import consent_of
from core.types import Claim
from core.wording import counted
from pages.ui.claim_form.search_order import on_screen, put_on_screen
from pages.ui.markup import join, show, tag
from pages.ui.notices import notice, quiet
from pages.ui.search_sources import offered, title_of

SOURCES, PAGES = "claims-sources", "claims-pages"
MOST_PAGES = 20


def search_fields(chosen: Chosen) -> bool:
    """Show the sources and every query; return whether something can be sent."""
    st.multiselect(
        "Search in", offered(), default=offered()[:1], format_func=title_of, key=SOURCES, persist_state="session"
    )
    st.number_input("Pages that may be read for a claim", 1, MOST_PAGES, 5, key=PAGES, persist_state="session")
    try:
        consent = consent_to_all(chosen)
    except BadInput as error:
        notice(str(error))
        return False
    put_on_screen(consent.digest)
    lists = [
        tag(
            "div",
            tag("p", f"To {place}:", css="vd-strong"),
            tag("ul", *(tag("li", one) for one in asked), css="vd-bullets"),
        )
        for place, asked in consent.queries.items()
    ]
    title = tag("p", "Requests that leave this machine", css="vd-eyebrow")
    css, label = "vd vd-card", "Requests that leave this machine"
    show(tag("section", title, join(lists), css=css, aria_label=label))
    pages = counted(consent.pages, "page")
    quiet(f"Then Veridesk reads up to {pages} from their answers. You agree for all claims at once.")
    return any(consent.queries.values())


def send_words(chosen: Chosen) -> str:
    """Return the words of the button: the number of queries and their receivers."""
    try:
        consent = consent_to_all(chosen)
    except BadInput:
        return "Send"
    places = ", ".join(place for place, asked in consent.queries.items() if asked)
    return f"Send {consent.queries_words} to {places}" if places else "Send"


def agreed_searches(chosen: Chosen) -> tuple[dict[str, SearchOrder], dict[str, str]]:
    """Return the searches of the claims and their consents. Raises NotAgreed if the screen showed others."""
    consent_to_all(chosen).check(on_screen())
    found = orders(chosen)
    return found, {claim_id: consent.digest for claim_id, consent in consents(chosen, found).items()}


def orders(chosen: Chosen) -> dict[str, SearchOrder]:
    """Return the search of each claim by its id, of its own words. A claim without words to search for has none."""
    sources = tuple(name for name in st.session_state.get(SOURCES) or () if name in offered())
    pages = int(st.session_state.get(PAGES) or 5)
    queries = {one.id: first_queries(Claim(one.text)) for one in chosen}
    return {claim_id: SearchOrder(sources, SearchPlan(asked, pages)) for claim_id, asked in queries.items() if asked}


def consents(chosen: Chosen, found: Mapping[str, SearchOrder]) -> dict[str, Consent]:
    return {one.id: consent_of(found[one.id], Claim(one.text)) for one in chosen if one.id in found}


def consent_to_all(chosen: Chosen) -> Consent:
    """Return the consent to the searches of all claims together. Raises BadInput for a source that cannot be opened."""
    queries, pages = dict[str, tuple[str, ...]](), 0
    for one in consents(chosen, orders(chosen)).values():
        pages += one.pages
        for place, asked in one.queries.items():
            queries[place] = tuple(dict.fromkeys((*queries.get(place, ()), *asked)))
    return Consent(queries, pages=pages)


def places_searched() -> str:
    """Return the names of the sources that are chosen."""
    return ", ".join(title_of(name) for name in st.session_state.get(SOURCES) or ())
