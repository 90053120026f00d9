"""The form of a build: claims, sources, queries, and their number before anything leaves the machine."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from core.errors import BadInput, VerideskError
from core.search.consent import Consent, NotAgreed
from core.search.queries import read_kinds
from core.search.reading import PAUSE_SECONDS
from core.search.stores.build_job import claims_file
from core.search.stores.orders import (
    MAX_PAGES,
    MAX_WORKERS,
    BuildOrder,
    OpenedBuild,
    forecast,
    gold_sites,
    opened_sources,
    wanted_kinds,
)
from core.settings import settings
from core.wording import counted
from pages.build.claims import Uploaded, claims_field
from pages.ui.app_state import app_state
from pages.ui.make_once import start_once
from pages.ui.markup import readable, show, tag
from pages.ui.model_field import model_field
from pages.ui.notices import hint, notice, quiet
from pages.ui.search_sources import offered, title_of
from pages.ui.shown_consent import on_screen, put_on_screen


def show_form(who: str) -> None:
    """Show the form; begin the build in the run in which its button was pressed."""
    quiet(
        "Searches documents for every claim of a file, as the shared task did. Runs in the background and resumes "
        "after a restart."
    )
    uploaded = claims_field()
    order = order_fields(uploaded)
    try:
        build = opened(order, uploaded)
        most, agreed = forecast(build), on_screen()
        leaving(build, most)
        put_on_screen(most.digest)
        pressed = st.button(
            send_label(most), type="primary", icon=":material/send:", disabled=uploaded is None, key="build-send"
        )
        if pressed and uploaded:
            agreed_order = replace(order, consent=agreed)
            files = {claims_file(order): uploaded.content}
            st.query_params["build"] = start_once(app_state().builds, who, agreed_order, files)
            st.rerun()
    except NotAgreed:
        hint("Nothing was sent yet. Read “Requests that leave this machine”, and press the button.")
    except VerideskError as error:
        notice(str(error))


def order_fields(uploaded: Uploaded | None) -> BuildOrder:
    """Show the sources, queries and settings; return the fields' values."""
    names = offered()
    chosen = st.multiselect(
        "Search in",
        names,
        default=names[:1],
        format_func=title_of,
        key="build-sources",
        persist_state="session",
        help="The administrator can offer other places: see “Requests that leave the machine” in the manual.",
    )
    kinds = kinds_field(annotated=bool(uploaded and uploaded.annotated))
    left, right = st.columns(2)
    pages = left.number_input(
        "Pages of results per query", 1, MAX_PAGES, key="build-pages", persist_state="session",
        help="The shared task took the first page of results.",
    )  # fmt: skip
    workers = right.number_input(
        "Claims at once", 1, MAX_WORKERS, 2, key="build-workers", persist_state="session",
        help="They share one sender: no site is asked for two things at a time.",
    )  # fmt: skip
    model = model_field(
        "build-model", help="It writes the questions and background queries; names and gold questions need none."
    )
    same_day = st.toggle(
        "Also pages of the claim’s own day",
        True,
        key="build-same-day",
        persist_state="session",
        help="Dates have no hour. News of that day answers most claims, but some of it is later than the claim.",
    )
    return BuildOrder(
        uploaded.name if uploaded else "",
        tuple(chosen),
        kinds=kinds,
        claim_only=not (uploaded and uploaded.annotated),
        pages=int(pages),
        same_day=same_day,
        model=model,
        workers=int(workers),
    )


def kinds_field(*, annotated: bool) -> tuple[str, ...]:
    """Show the kinds of query that the claims allow; return the names of those wanted."""
    known = [kind for kind in read_kinds().values() if annotated or not kind.needs_gold]
    with st.expander(f"Kinds of query ({len(known)} suit these claims)"):
        chosen = st.multiselect(
            "Kinds of query",
            [kind.name for kind in known],
            default=[kind.name for kind in known],
            key=f"build-kinds-{annotated}",
            persist_state="session",
            label_visibility="collapsed",
        )
        roles = {kind.name: kind.role for kind in known}
        distractors = [name for name in chosen if roles[name] == "distractor"]
        quiet(
            "Distractors are documents that only seem to fit. These kinds look for them: "
            f"{', '.join(distractors) or 'none'}."
        )
    return tuple(chosen)


def opened(order: BuildOrder, uploaded: Uploaded | None) -> OpenedBuild:
    """Return the build that the fields ask for. Raises BadInput for a missing field."""
    if not order.kinds:
        raise BadInput("Choose at least one kind of query.")
    claims = uploaded.claims if uploaded else ()
    return OpenedBuild(order, tuple(wanted_kinds(order)), claims, opened_sources(order.sources))


def leaving(build: OpenedBuild, most: Consent) -> None:
    """List the queries and their receivers; before a file is there, only the receivers."""
    lines = [
        tag("p", tag("span", source.title, css="vd-strong"), f" ({source.place}): ", asked(most, source.place), costs)
        for source in build.sources
        for costs in [f"; each costs {source.can.cost}" if source.can.cost else ""]
    ]
    pages = (
        f"Then Veridesk reads at most {counted(most.pages, 'page')} from their answers"
        if build.claims
        else "Then Veridesk reads pages"
    )
    lines.append(tag("p", f"{pages}, wherever they are: one at a time from a site, {PAUSE_SECONDS:g} s apart."))
    if sites := gold_sites(build):
        lines.append(tag("p", f"Among these are the documents behind the annotated answers: {sites}."))
    lines.append(tag("p", "Known answers and pages are not asked for again.", css="vd-quiet"))
    if not settings().contact:
        lines.append(tag("p", "Sites do not learn how to reach you: VERIDESK_CONTACT is not set.", css="vd-quiet"))
    eyebrow = tag("p", "Requests that leave this machine", css="vd-eyebrow")
    show(tag("section", eyebrow, *lines, css="vd vd-card vd-text", aria_label="Requests that leave this machine"))


def asked(most: Consent, place: str) -> str:
    """Return how much a place is asked at most."""
    if place not in most.most:
        return "on this machine, nothing is sent"
    return (
        f"at most {counted(most.most[place], 'query', 'queries')}"
        if most.most[place]
        else "the queries for your claims"
    )


def send_label(most: Consent) -> str:
    """Return the button's words."""
    sent = [(place, count) for place, count in most.most.items() if count]
    if not sent:
        return "Build the store"
    places = ", ".join(readable(place) for place, _ in sent)
    return f"Send at most {counted(sum(count for _, count in sent), 'query', 'queries')} to {places}"
