"""One build: how far it is, how to stop and go on, and the store once it is whole."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from core.jobs.types import State
from core.search.stores.build import may_pass
from core.search.stores.build_job import MAX_ZIP_BYTES, StoreBuild
from core.search.stores.claims import MANIFEST
from core.search.stores.orders import progress_words
from core.search.stores.stats import StoreStats
from core.search.stores.stats_tables import kinds_chart, stats_tables
from core.wording import counted, size_words
from pages.ui.app_state import app_state
from pages.ui.cases import STATES, when
from pages.ui.charts import show_chart
from pages.ui.file_button import DOWNLOAD, file_button
from pages.ui.markup import Html, show, tag
from pages.ui.notices import attempt, attempt_button, in_words, notice, quiet, remark, troubles
from pages.ui.search_sources import title_of
from pages.ui.tables import show_table

MOST_SHOWN = 3
"""Sentences shown on unanswered queries; the manifest has more."""

WORDS = {State.FAILED: "Stopped by an error", State.DONE: "Done"}


def show_earlier(who: str) -> None:
    """List the owner's builds, newest first."""
    builds = app_state().builds.of(who)
    if builds:
        show(tag("div", tag("h2", "Your stores", css="vd-heading"), css="vd"))
    for build in builds:
        with st.container(border=True):
            left, right = st.columns([5, 1], vertical_alignment="center")
        left.html(heading(build))
        right.button("Open", key=f"open-{build.status.id}", type="tertiary", on_click=open_build, args=(build,))


def open_build(build: StoreBuild) -> None:
    st.query_params["build"] = build.status.id


def show_build(build: StoreBuild) -> None:
    """Show a build in any state."""
    st.button(
        "All stores", type="tertiary", icon=":material/arrow_back:", on_click=st.query_params.clear, key="build-all"
    )
    show(heading(build))
    if build.state.live:
        show_live(build.status.id, build.status.owner)
        return
    troubles()
    if build.state is State.DONE:
        show_done(build)
    else:
        show_stopped(build)
    st.button(
        "Delete this store",
        type="tertiary",
        icon=":material/delete:",
        on_click=delete,
        args=(build,),
        key="build-delete",
    )


def heading(build: StoreBuild) -> Html:
    status = build.status
    word = WORDS.get(status.state) or STATES[status.state]
    sources = ", ".join(map(title_of, build.order.sources))
    facts = [word, counted(status.facts["claims"], "claim"), sources, when(status)]
    line = tag("p", *(tag("span", fact) for fact in facts), css="vd-facts")
    return tag("div", tag("p", status.title, css="vd-strong vd-text vd-clamp"), line, css="vd")


@st.fragment(run_every=1.0)
@in_words
def show_live(build_id: str, owner: str) -> None:
    """Show how far a build is and look again every second; the page is drawn again once it has ended."""
    build = app_state().builds.find(build_id, owner)
    if build is None or not build.state.live:
        st.rerun()
    troubles()
    if build.state is State.WAITING and (ahead := app_state().jobs.ahead(build.status)):
        remark(f"Waiting: {counted(ahead, 'store')} before this one.")
    claims = build.status.facts["claims"]
    words = progress_words(build.progress, claims) if build.status.progress else "Opening the model and the sources"
    st.progress(min(1.0, build.progress.claims / max(1, claims)), text=words)
    attempt_button("Cancel", app_state().builds.cancel, build.status, icon="stop_circle", key="build-cancel")


def show_stopped(build: StoreBuild) -> None:
    """Show an unfinished build, and offer to go on."""
    if build.state is State.FAILED:
        notice(build.status.error)
    else:
        remark(f"Stopped after {progress_words(build.progress, build.status.facts['claims'])}.")
    quiet("Answers and pages are kept: going on asks for nothing twice.")
    attempt_button(
        "Go on", app_state().builds.resume, build.status, type="primary", icon="play_arrow", key="build-resume"
    )


def show_done(build: StoreBuild) -> None:
    """Show a store's result: files, figures, and the pages left out with reasons."""
    unanswered(build)
    show(summary(build))
    if not build.manifest["rows"]:
        remark("This store is empty: nothing was found for these claims, so there is nothing to search in.")
        return
    row = st.container(horizontal=True)
    if (size := build.size) <= MAX_ZIP_BYTES:
        file_button(
            f"Store (ZIP, {size_words(size)} unpacked)",
            build.zipped,
            "store.zip",
            place=row,
            icon=DOWNLOAD,
            key="build-store",
        )
    manifest = (build.store / MANIFEST).read_bytes()
    file_button("Manifest", manifest, MANIFEST, place=row, type="tertiary", key="build-manifest")
    quiet("On Batch, choose “A folder on this machine” and give:")
    st.code(str(build.store), language=None, wrap_lines=True)
    if build.stats.rows:
        show_figures(build.stats, build.status.id)


def show_figures(stats: StoreStats, key: str) -> None:
    """Show a store's contents and the results of each kind of query."""
    for table in stats_tables(stats):
        show_table(table, key)
    what = "share of the gold evidence that it found" if stats.gold else "number of rows"
    show_chart(kinds_chart(stats), "store-kinds", f"For each kind of query, the {what}")


def unanswered(build: StoreBuild) -> None:
    """List the unanswered queries by source, and offer to ask again."""
    told = build.manifest
    if told["failures"]:
        silent, every = sum(told["failures"].values()), sum(told["asked"].values())
        why = [f"{count:,} times: {message}" for message, count in list(told["failures"].items())[:MOST_SHOWN]]
        notice("\n".join([f"Not answered: {silent:,} of {counted(every, 'query', 'queries')}.", *why]))
    if may_pass(told):
        again = "Some failed queries or pages may succeed later. Nothing else is asked again."
        attempt_button(
            "Try the failed ones again",
            app_state().builds.resume,
            build.status,
            icon="replay",
            help=again,
            key="build-retry",
        )


def summary(build: StoreBuild) -> Html:
    """Return in words the numbers of queries and of pages kept and left out."""
    told = build.manifest
    rows = f"{counted(told['rows'], 'document')}, {told['with_text']:,} with text"
    parts = {
        "Queries": told["asked"],
        "Left out": told["left_out"],
        "Kept without text": told["without_text"],
    }
    lines = [tag("p", tag("span", name, css="vd-strong"), f": {counts(each)}") for name, each in parts.items()]
    head = tag("h2", rows, css="vd-heading", style="margin-top: 0")
    return tag("section", head, *lines, css="vd vd-card vd-text", aria_label="Contents of the store")


def counts(each: Mapping[str, int]) -> str:
    return ", ".join(f"{count:,} {reason}" for reason, count in each.items()) or "none"


def delete(build: StoreBuild) -> None:
    attempt(app_state().builds.delete, build.status)
    st.query_params.clear()
