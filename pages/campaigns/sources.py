"""Where the items of a new campaign come from: files, a scoring run, past cases, an earlier campaign's export."""

from __future__ import annotations

import streamlit as st

from core.campaigns.planning.sources import (
    items_from_cases,
    items_from_submissions,
    ranks_of_reports,
    scores_of_reports,
)
from core.jobs.types import State
from core.scoring.work import ScoringJob
from core.wording import counted
from pages.campaigns.campaign_draft import CASES, IMPORT, SCORED, SOURCES, SUBMISSIONS, field, fill, value
from pages.campaigns.pool import ItemPool, attempted, filled
from pages.campaigns.uploads import from_files
from pages.ui.app_state import app_state
from pages.ui.markup import plain, readable
from pages.ui.notices import quiet, remark
from pages.ui.rating_files import show_import
from pages.ui.scoring_runs import opened, reports_of

MAX_CASES = 500


def source_fields(who: str) -> ItemPool | None:
    """Ask where the items come from; return them, None until there are any."""
    st.segmented_control(
        "Where the items come from", SOURCES, key=field("source"), required=True, persist_state="session"
    )
    source = value("source")
    with st.container(key=f"vd-source-{SOURCES.index(source)}"):
        if source in (SUBMISSIONS, IMPORT):
            pool = from_files(source)
        else:
            pool = {SCORED: from_run, CASES: from_cases}[source](who)
    if pool:
        show_pool(pool)
    return pool


def show_pool(pool: ItemPool) -> None:
    words = counted(len(pool.items), "item")
    words += f" of {counted(len(pool.systems), 'system')}: {', '.join(pool.systems)}" if pool.systems else ""
    quiet(words + ".")
    for note in pool.notes:
        remark(note)
    if pool.ratings:
        with st.expander(f"Items read from {plain(pool.ratings.report.file)}"):
            show_import(pool.ratings.report, ())
        st.checkbox(
            f"Import its {counted(len(pool.ratings.responses), 'rating')} too",
            key=field("carry"),
            persist_state="session",
            help="The campaign then has all items of the file. The file's raters appear under pseudonyms. Without it "
            "raters start from nothing.",
        )


def from_run(who: str) -> ItemPool | None:
    """Offer the scoring runs of submissions that this organiser has made."""
    at = app_state()
    runs = at.runs.search(who).entries
    done = {run.id: run for run in runs if run.state is State.DONE and run.facts["kind"] == ScoringJob.__name__}
    if not done:
        remark("You have no finished scoring run. Score submissions first.")
        st.page_link("pages/score/page.py", label="Score submissions", icon=":material/leaderboard:")
        return None
    chosen: str = st.selectbox(
        "Scoring run",
        list(done),
        key=field("run"),
        persist_state="session",
        format_func=lambda run: readable(done[run].title),
    )
    run = opened(done[chosen])
    job, reports = run.request, reports_of(run)
    assert isinstance(job, ScoringJob)  # others are not offered
    return attempted(
        lambda: filled(
            (SCORED, chosen),
            items_from_submissions(
                job.submissions, job.gold, scores_of_reports(reports), ranks=ranks_of_reports(reports)
            ),
            job.gold,
            "A scoring run keeps no text of web pages: raters see questions, answers and addresses.",
        )
    )


def from_cases(who: str) -> ItemPool | None:
    """Offer the organiser's own finished cases."""
    at = app_state()
    found = [one for one in at.cases.search(who, limit=MAX_CASES).entries if one.state is State.DONE]
    if not found:
        remark("No finished case yet. Check a claim on Verify first; its evidence can then be rated.")
        st.page_link("pages/verify/page.py", label="Verify", icon=":material/fact_check:")
        return None
    claims = {one.id: one.title for one in found}
    fill({"cases": [case for case in value("cases") if case in claims]})
    chosen = st.multiselect(
        "Cases",
        list(claims),
        key=field("cases"),
        persist_state="session",
        format_func=lambda case: readable(claims[case]),
        help="Without reference evidence no scale is asked that compares with it: choose relevance, or your own.",
    )
    cases = [case for one in chosen if (case := at.jobs.load(one, who))]
    return attempted(lambda: filled((CASES, *chosen), items_from_cases(cases))) if cases else None
