"""Files with a new campaign's items: submissions with their gold file, or an earlier campaign's exports."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from core.agreement.ratings import read_ratings
from core.agreement.scored_items import read_scored_items
from core.averitec.averitec import parse_gold, parse_submission
from core.campaigns.planning.sources import items_from_import, items_from_submissions, items_from_table, scores_of_files
from core.errors import BadInput
from core.scoring.leaderboard import distinct_names
from pages.campaigns.campaign_draft import OFFERED, SUBMISSIONS, fill
from pages.campaigns.pool import ItemPool, attempted, filled
from pages.ui.notices import quiet

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
