"""The form of a build: claims, sources, queries, and their number before anything leaves the machine."""

from __future__ import annotations

from dataclasses import dataclass, replace

import streamlit as st

from core.averitec.averitec import holds_gold
from core.documents.examples import examples_json
from core.errors import BadInput, VerideskError
from core.models.installed import default_choice
from core.search.consent import Consent, NotAgreed
from core.search.queries import read_kinds
from core.search.reading import PAUSE_SECONDS
from core.search.stores.build_job import claims_file
from core.search.stores.claims import StoreClaim, parse_store_claims
from core.search.stores.command import BuildOrder
from core.search.stores.orders import (
    OpenedBuild,
    forecast,
    gold_sites,
    opened_sources,
    wanted_kinds,
)
from core.settings import settings
from core.wording import counted
from pages.ui.action_form import ActionForm
from pages.ui.app_state import app_state
from pages.ui.claim_form.search_order import on_screen, put_on_screen
from pages.ui.make_once import start_once
from pages.ui.markup import readable, show, tag
from pages.ui.model_field import draw_model
from pages.ui.notices import hint, notice, quiet
from pages.ui.search_sources import offered, title_of
from pages.ui.uploads import read_once

SOURCES_HELP = "The administrator can offer other places: see “Requests that leave the machine” in the manual."
SAME_DAY_HELP = "Dates have no hour. News of that day answers most claims, but some of it is later than the claim."

EXAMPLE = "build-example"
"""The session's key of the choice of the bundled claims."""


@dataclass(frozen=True)
class Uploaded:
    """A file of claims; `annotated` says that queries may be made from gold questions, answers and documents."""

    name: str
    content: bytes
    claims: tuple[StoreClaim, ...]
    annotated: bool


def claims_field() -> Uploaded | None:
    """Show the uploader and return the claims of a file or of the examples; None without a readable file."""
    file = st.file_uploader(
        "Claims",
        type=["json", "jsonl", "csv"],
        key="build-claims",
        max_upload_size=50,
        help="AVeriTeC JSON or JSON lines, or the leaderboard's CSV. Each claim's date excludes later pages. With "
        "annotated questions and answers, all thirteen kinds of query can be used.",
    )
    if file is None:
        st.toggle("Use the claims of the examples", key=EXAMPLE, persist_state="session")
        if not st.session_state[EXAMPLE]:
            return None
        st.code(examples_json().decode(), language=None, wrap_lines=True, height=120)
        uploaded: Uploaded | None = read_claims("examples.json", examples_json())
    else:
        uploaded = read_once(file, read_claims, key="build-claims-read")
    if uploaded:
        say_claims(uploaded)
    return uploaded


def read_claims(name: str, content: bytes) -> Uploaded:
    """Return a file's contents. Raises BadInput or BadRecord, with a sentence on its fault."""
    rows = parse_store_claims(name, content, claim_only=True)
    annotated = bool(rows) and gold_in(name, content)
    claims = parse_store_claims(name, content, claim_only=False) if annotated else rows
    return Uploaded(name, content, tuple(claims), annotated and any(claim.material.questions for claim in claims))


def gold_in(name: str, content: bytes) -> bool:
    try:
        return holds_gold(name, content)
    except VerideskError:  # claims without labels, as of a test set
        return False


def say_claims(uploaded: Uploaded) -> None:
    undated = sum(claim.claim.date is None for claim in uploaded.claims)
    dates = f"; {counted(undated, 'claim')} without a date, for which pages of any date are taken" if undated else ""
    gold = "annotated: gold documents are added" if uploaded.annotated else "without annotations"
    quiet(f"{counted(len(uploaded.claims), 'claim')}, {gold}{dates}.")


def show_form(who: str) -> None:
    """Show the form; begin the build in the run in which its button was pressed."""
    quiet(
        "Searches documents for every claim of a file, as the shared task did. Runs in the background and resumes "
        "after a restart."
    )
    uploaded = claims_field()
    order = order_fields(uploaded, who)
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


def order_fields(uploaded: Uploaded | None, who: str) -> BuildOrder:
    """Show the sources, queries and settings; return the fields' values."""
    store, names = app_state().store, offered()
    form = ActionForm(BuildOrder, "build-order", sources=names[:1], workers=2, model=default_choice().id)
    form.restore(store, who)
    form.draw("sources", choices=names, format_func=title_of, help=SOURCES_HELP)
    annotated = bool(uploaded and uploaded.annotated)
    kinds = kinds_field(annotated=annotated)
    for name, column in zip(("pages", "workers"), st.columns(2), strict=True):
        form.draw(name, column)
    draw_model(form, help="It writes the questions and background queries; names and gold questions need none.")
    form.draw("same_day", help=SAME_DAY_HELP)
    form.keep(store, who)
    return BuildOrder(uploaded.name if uploaded else "", kinds=kinds, claim_only=not annotated, **form.values)


def kinds_field(*, annotated: bool) -> tuple[str, ...]:
    """Show the kinds of query that the claims allow; return the names of those wanted."""
    known = [kind for kind in read_kinds().values() if annotated or not kind.needs_gold]
    with st.expander(f"Kinds of query ({len(known)})"):
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
