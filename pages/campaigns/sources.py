"""Where the items of a new campaign come from: files, a scoring run, past cases, an earlier campaign's export."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from core.agreement.ratings import read_ratings
from core.agreement.scored_items import read_scored_items
from core.averitec.averitec import parse_gold, parse_submission
from core.campaigns.planning.sources import (
    items_from_cases,
    items_from_import,
    items_from_submissions,
    items_from_table,
    ranks_of_reports,
    scores_of_files,
    scores_of_reports,
)
from core.errors import BadInput
from core.jobs.types import State
from core.scoring.leaderboard import distinct_names
from core.scoring.work import ScoringJob
from core.wording import counted
from pages.campaigns.campaign_draft import CASES, IMPORT, OFFERED, SCORED, SOURCES, SUBMISSIONS, field, fill, value
from pages.campaigns.pool import ItemPool, attempted, filled
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


FILES, TABLES = ["json", "jsonl", "csv"], ["csv", "xlsx"]


def from_files(source: str) -> ItemPool | None:
    """Ask for files; their contents are kept when the page is left, until they are forgotten."""
    files = submission_files() if source == SUBMISSIONS else earlier_files()
    signature = (source, *(file.file_id for file in files))
    kept: ItemPool | None = st.session_state.get(f"campaign-pool-{source}")
    if files and (kept is None or kept.signature != signature):
        read = read_submissions if source == SUBMISSIONS else read_earlier
        kept = attempted(lambda: read(signature, files))
        st.session_state[f"campaign-pool-{source}"] = kept
    elif kept and not files:
        quiet("These files were added before:")
        st.button(
            "Forget them",
            type="tertiary",
            on_click=forget,
            args=(source,),
            icon=":material/close:",
            key="campaign-forget",
        )
    return kept


def forget(source: str) -> None:
    st.session_state.pop(f"campaign-pool-{source}", None)


def submission_files() -> list[UploadedFile]:
    left, right = st.columns(2)
    gold = left.file_uploader(
        "Gold annotations", FILES, key="campaign-gold", help="AVeriTeC JSON or JSON lines, or the leaderboard's CSV."
    )
    submissions = right.file_uploader(
        "Submissions",
        FILES,
        accept_multiple_files=True,
        key="campaign-submissions",
        help="One file per system. Its name is the system's, and its team's too: that team's raters do not get it.",
    )
    scores = st.file_uploader(
        "Scores (optional)",
        TABLES,
        accept_multiple_files=True,
        key="campaign-scores",
        help="A table with the columns id, system and one for each metric, or the items file of Score submissions. "
        "With scores the draw is even over high and low ones.",
    )
    if not gold or not submissions:
        quiet("Add the gold file and at least one submission. Nothing leaves this server.")
        return []
    return [gold, *submissions, *scores]


def read_submissions(signature: tuple[str, ...], files: Sequence[UploadedFile]) -> ItemPool:
    gold_file, *others = files
    submitted = {file.file_id for file in st.session_state["campaign-submissions"]}
    gold = parse_gold(gold_file.name, gold_file.getvalue())
    systems = distinct_names(
        [parse_submission(file.name, file.getvalue()) for file in others if file.file_id in submitted]
    )
    tables = [(file.name, file.getvalue()) for file in others if file.file_id not in submitted]
    scores, ranks = scores_of_files(read_scored_items(tables)) if tables else ({}, {})
    return filled(signature, items_from_submissions(systems, gold, scores, ranks=ranks), tuple(gold))


def earlier_files() -> list[UploadedFile]:
    ratings = st.file_uploader(
        "Ratings or items",
        [*TABLES, "jsonl"],
        key="campaign-earlier",
        help="The form's export (CSV or XLSX, one row per response), or the ratings or items file of a campaign. A "
        "table with the columns id, claim, system, predicted evidence and reference evidence works as well.",
    )
    scores = st.file_uploader(
        "Facts about the items (optional)",
        TABLES,
        accept_multiple_files=True,
        key="campaign-earlier-scores",
        help="Tables joined by id: claims, both evidence texts, labels and scores.",
    )
    if not ratings:
        quiet("Add an export of ratings or of items. Addresses are replaced by pseudonyms as a file is read.")
        return []
    return [ratings, *scores]


def read_earlier(signature: tuple[str, ...], files: Sequence[UploadedFile]) -> ItemPool:
    first, *tables = files
    content = first.getvalue()
    scored = read_scored_items([(file.name, file.getvalue()) for file in tables]) if tables else None
    try:
        ratings = read_ratings(first.name, content)
    except BadInput:
        # No export of ratings; then it may be one of items, and its reader names a missing column.
        return filled(signature, items_from_table(first.name, content))
    # The form is to ask the file's questions.
    fill({"scales": [name for name in OFFERED if name in ratings.scales] or list(OFFERED)[:2]})
    return filled(signature, items_from_import(ratings, scored), ratings=ratings)
