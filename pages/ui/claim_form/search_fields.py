"""Ask which sources to search and with which queries, and show them before anything leaves the machine."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core.errors import BadInput, VerideskError
from core.search.choosing import ask_for_titles, pages_found, query_after
from core.search.consent import Consent
from core.search.queries import QueryWriter, each_once, written_queries
from core.search.rounds import FIRST
from core.search.search_plan import MAX_PAGES, MAX_QUERIES, SearchPlan
from core.search.search_request import consent_to, sent_to
from core.search.sender import Sender
from core.search.sources import open_reviews
from core.search.sources.google_reviews import GoogleReviews
from core.search.sources.wayback import Wayback
from core.search.types import LocalSource, Source
from core.settings import settings
from core.types import Claim
from core.wording import counted
from pages.ui.app_state import app_state
from pages.ui.claim_form.claim_draft import current, fill
from pages.ui.claim_form.found_titles import found_titles, keep_titles, titles_list
from pages.ui.claim_form.search_order import opened, proposed_queries, send_label, to_be_sent, written
from pages.ui.markup import Html, plain, readable, show, tag
from pages.ui.notices import attempt_button, notice, quiet
from pages.ui.search_sources import offered, title_of

PROPOSED = "verify-proposed-queries"
ADDED = "verify-added-queries"
ASKED = 3
"""How many queries the model adds at most."""


def search_fields(prefix: str) -> None:
    """Show the fields of a search; the session's keys of the form begin with `prefix`."""
    propose()
    st.multiselect(
        "Search in",
        offered(),
        format_func=title_of,
        key=f"{prefix}sources",
        persist_state="session",
        help="The administrator can offer other places: see “Requests that leave the machine” in the manual.",
    )
    st.text_area(
        "Queries, one per line",
        key=f"{prefix}queries",
        persist_state="session",
        height=110,
        help="Most sources find only pages with every word of a query. A few words find more than a sentence.",
    )
    more_queries(prefix)
    st.number_input(
        "Further queries",
        key=f"{prefix}later",
        persist_state="session",
        min_value=0,
        max_value=MAX_QUERIES - FIRST,
        step=1,
        help="Sent one by one, while the pages found do not speak of the whole claim. They hold no name and no number "
        "that is neither in the claim nor in these pages. With 0, only the queries above are sent.",
    )
    left, right = st.columns(2, vertical_alignment="bottom")
    left.number_input(
        "Pages that may be read",
        key=f"{prefix}pages",
        persist_state="session",
        min_value=1,
        max_value=MAX_PAGES,
        step=1,
        help="The best by all queries together. One at a time from a site, with a pause.",
    )
    right.toggle(
        "Also pages of the claim’s own day",
        key=f"{prefix}same_day",
        persist_state="session",
        help="Dates have no hour. News of that day answers most claims, but some of it is later than the claim.",
    )
    if open_reviews():
        st.toggle(
            "Also ask Google who has checked this claim already",
            key=f"{prefix}reviews",
            persist_state="session",
            help="Sends the claim to its Fact Check Tools. Their findings are no part of the verdict.",
        )
    title_fields(prefix)
    leaving(prefix)


def title_fields(prefix: str) -> None:
    """Offer to look at the titles before any page is read. List those found, and offer one query more."""
    typed = current()
    found = found_titles(typed)
    try:
        sources, first = opened(typed["sources"]), written(typed["queries"] or "")
    except BadInput:
        return  # `leaving` says so
    titles_list(typed)
    queries = ((found.next_query,) if found.next_query else ()) if found.pages else first
    if not sources or not queries:
        return
    consent = consent_to(sources, queries, 0)
    if found.pages:
        places = [source.title if isinstance(source, LocalSource) else source.place for source in sources]
        label = f"Also ask {', '.join(places)} for “{plain(found.next_query)}”"
    else:
        label = f"{send_label(consent, 'Search')}, and show the titles first"
    attempt_button(
        label,
        look_for_titles,
        consent,
        key=f"{prefix}titles",
        type="tertiary",
        icon="list",
        help="Reads no page yet. Then strike titles, add addresses, or send one query more.",
    )


def look_for_titles(consent: Consent) -> None:
    """Send the queries that the button named, and keep the titles. Raises BadInput where they are others by now."""
    typed = current()
    sources, found = opened(typed["sources"]), found_titles(typed)
    queries = (found.next_query,) if found.pages else written(typed["queries"] or "")
    consent_to(sources, queries, 0).check(consent.digest)
    plan = SearchPlan(queries, same_day=bool(typed["same_day"]))
    claim = Claim(readable(typed["text"] or ""), date=typed["date"])
    with st.spinner("Asking for titles"):
        answers = ask_for_titles(claim, plan, sources, Sender(consent, settings().contact))
        known = (*found.answers, *answers)
        pages = pages_found(claim, known, sources, app_state().pool.encoder)
    keep_titles(typed, pages, known, query_after(claim, known, [page.title for page in pages]))


def propose() -> None:
    """Fill in the sources and queries, until the person has written something else."""
    typed = current()
    proposal = proposed_queries(typed["text"] or "")
    queries = proposal if typed["queries"] in ("", None, st.session_state.get(PROPOSED)) else typed["queries"]
    sources = list(offered()[:1]) if typed["sources"] is None else typed["sources"]
    fill({"sources": sources, "queries": st.session_state.pop(ADDED, "") or queries})
    st.session_state[PROPOSED] = proposal


def more_queries(prefix: str) -> None:
    """Offer to have the language model write further queries; they are added to those in the field."""
    asked = st.button(
        "Let the model add queries",
        key=f"{prefix}more",
        type="tertiary",
        icon=":material/edit_note:",
        disabled=not (st.session_state.get(f"{prefix}text") or "").strip(),
        help="Background, questions and the claim’s origin. The model works on this machine, or on your model server.",
    )
    if not asked:
        return
    typed = {name: st.session_state.get(f"{prefix}{name}") for name in ("text", "speaker", "date", "model", "seed")}
    try:
        with st.spinner("The model writes queries"):
            llm = app_state().pool.models(typed["model"] or "bundled").llm
            claim = Claim(readable(typed["text"]), readable(typed["speaker"] or ""), typed["date"])
            queries = written_queries(claim, ASKED, QueryWriter(llm, int(typed["seed"] or 0)))
    except VerideskError as error:
        notice(str(error))
        return
    kept = written(st.session_state[f"{prefix}queries"] or "")
    st.session_state[ADDED] = "\n".join(each_once([*kept, *queries]))
    st.rerun()


def leaving(prefix: str) -> None:
    """List the queries and their receivers, and the cost."""
    typed = current()
    try:
        sources, consent = opened(typed["sources"]), to_be_sent(typed)
    except BadInput as error:
        notice(str(error))
        return
    show(
        tag(
            "section",
            tag("p", "Requests that leave this machine", css="vd-eyebrow"),
            *([] if consent.named else [leaves(source, consent) for source in sources]),
            *([tag("p", "The pages ticked above are read, and no other.", css="vd-text")] if consent.named else []),
            *reviews(consent),
            tag("p", reading(consent.pages), css="vd-quiet") if consent.pages and not consent.named else "",
            css="vd vd-card",
            aria_label="Requests that leave this machine",
        )
    )
    searched(prefix, sources, written(typed["queries"] or ""))
    if not typed["date"]:
        quiet("The claim has no date, so pages of any date are read. Give the date of the claim above.")
    if not settings().contact:
        quiet("Sites do not learn how to reach you: set VERIDESK_CONTACT to your address.")


def searched(prefix: str, sources: Sequence[Source], queries: tuple[str, ...]) -> None:
    """List the pages to search, as for documents that are here already."""
    if not sources:
        return
    words = f"To be searched: {plain(', '.join(source.title for source in sources))}"
    with st.expander(words, icon=":material/list:", key=f"{prefix}searched"):
        for source in sources:
            later = int(st.session_state[f"{prefix}later"])
            most = counted(len(sent_to(source, queries)) + later, "query", "queries")
            asked = f"up to {most}" if later else most
            quiet(f"{source.title}, {source.place}: {asked}")
        quiet(
            f"Of the pages that are found, up to {int(st.session_state[f'{prefix}pages'])} are read. Their titles and "
            f"dates are known only then. The case lists each of them, and those left out with the reason."
        )


def leaves(source: Source, consent: Consent) -> Html:
    """Return the queries for one source."""
    if isinstance(source, LocalSource):
        return tag("p", f"{source.title} ({source.place}) is on this machine: no query leaves it.", css="vd-text")
    queries = consent.queries[source.place]
    cost = f" Each costs {source.can.cost}." if source.can.cost else ""
    to = f"To {source.title}, {source.place}:" if queries else f"Nothing to {source.title}, {source.place}."
    if isinstance(source, Wayback):
        to = f"To {source.title}, {source.place}: addresses of pages that are gone or were changed after the claim."
    most = consent.most.get(source.place, 0)
    more = f"Then up to {counted(most, 'more query', 'more queries')} of the words of the claim and of the pages found."
    return tag(
        "div",
        tag("p", to + cost, css="vd-strong vd-text"),
        listed(queries),
        tag("p", more, css="vd-quiet") if queries and most else "",
    )


def reviews(consent: Consent) -> list[Html]:
    """Return the queries for Google's Fact Check Tools, if they are asked."""
    claim = consent.queries.get(GoogleReviews.place)
    to = f"To {GoogleReviews.title}, {GoogleReviews.place}:"
    return [tag("p", to, css="vd-strong vd-text"), listed(claim)] if claim else []


def listed(queries: Sequence[str]) -> Html:
    return tag("ul", *(tag("li", query, css="vd-text") for query in queries), css="vd-bullets")


def reading(pages: int) -> str:
    return (
        f"Then up to {pages} of the pages they name are read, from any site. Those sites see this machine’s address "
        f"and which page was read, and not the claim."
    )
