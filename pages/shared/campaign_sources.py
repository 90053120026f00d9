"""Where the items of a new campaign come from: files, a scoring run, past cases, an earlier campaign's export."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from core.commands.score import distinct_names
from core.errors import BadInput, VerideskError
from core.formats.annotations import GoldClaim
from core.formats.averitec import parse_gold, parse_submission
from core.formats.ratings import ImportReport, read_ratings
from core.formats.scored_items import read_scored_items
from core.ratings.plans import CampaignItem
from core.ratings.sources import (
    Items,
    items_from_cases,
    items_from_import,
    items_from_submissions,
    items_from_table,
    scores_of_reports,
)
from core.store import State
from core.wording import counted
from pages.shared.agreement_import import show_import
from pages.shared.campaign_draft import CASES, IMPORT, SCORED, SOURCES, SUBMISSIONS, field, fill, value
from pages.shared.engines import desk
from pages.shared.markup import plain, readable
from pages.shared.notices import notice, quiet, remark
from pages.shared.score_runs import runs

EXAMPLE = Path(__file__).parents[2] / "assets" / "scoring"
FILES, TABLES = ["json", "jsonl", "csv"], ["csv", "xlsx", "jsonl"]
MOST_CASES = 500


@dataclass(frozen=True)
class Pool:
    """What may be drawn from: items, the gold annotations that controls can be made of, what was left out."""

    signature: tuple[str, ...]
    items: tuple[CampaignItem, ...]
    gold: tuple[GoldClaim, ...] = ()
    notes: tuple[str, ...] = ()
    report: ImportReport | None = None

    @property
    def systems(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(item.system for item in self.items))

    @property
    def metrics(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(metric for item in self.items for metric in item.scores))


def source_fields(who: str) -> Pool | None:
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
    return pool if pool and pool.items else None


def show_pool(pool: Pool) -> None:
    systems = [system for system in pool.systems if system]
    words = f"{counted(len(pool.items), 'item')}"
    words += f" of {counted(len(systems), 'system')}: {', '.join(systems)}" if systems else ""
    quiet(words + ".")
    for note in pool.notes:
        remark(note)
    if pool.report:
        with st.expander(f"What was read from {plain(pool.report.file)}"):
            show_import(pool.report, ())


def from_files(source: str) -> Pool | None:
    """Ask for files; what was read from them is kept when the page is left, until it is forgotten."""
    files = submission_files() if source == SUBMISSIONS else earlier_files()
    signature = (source, *(file.file_id for file in files))
    kept: Pool | None = st.session_state.get(f"campaign-pool-{source}")
    if files and (kept is None or kept.signature != signature):
        read = read_submissions if source == SUBMISSIONS else read_earlier
        kept = attempted(lambda: read(signature, files))
        st.session_state[f"campaign-pool-{source}"] = kept
    elif kept and not files:
        quiet("These files were added before:")
        st.button("Forget them", type="tertiary", on_click=forget, args=(source,), icon=":material/close:")
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
        help="One file a system; its name is the system's, and its team's too: raters of that team do not get it.",
    )
    scores = st.file_uploader(
        "Scores (optional)",
        ["csv", "xlsx"],
        accept_multiple_files=True,
        key="campaign-scores",
        help="A table with the columns id, system and one for each metric, or the items file of Score submissions. "
        "With scores the draw is even over high and low ones.",
    )
    if not gold or not submissions:
        quiet("Add the gold file and at least one submission. Nothing leaves this server.")
        return []
    return [gold, *submissions, *scores]


def read_submissions(signature: tuple[str, ...], files: Sequence[UploadedFile]) -> Pool:
    gold_file, *others = files
    submitted = {file.file_id for file in st.session_state["campaign-submissions"]}
    gold = parse_gold(gold_file.name, gold_file.getvalue())
    systems = distinct_names(
        [parse_submission(file.name, file.getvalue()) for file in others if file.file_id in submitted]
    )
    tables = [(file.name, file.getvalue()) for file in others if file.file_id not in submitted]
    scores = {key: dict(item.scores) for key, item in read_scored_items(tables).items.items()} if tables else {}
    return checked(signature, items_from_submissions(systems, gold, scores), tuple(gold))


def earlier_files() -> list[UploadedFile]:
    ratings = st.file_uploader(
        "Ratings or items",
        TABLES,
        key="campaign-earlier",
        help="The form's export (CSV or XLSX, one row a response), the items file of a campaign (JSON lines), or a "
        "table with the columns id, claim, system, predicted evidence and reference evidence.",
    )
    scores = st.file_uploader(
        "What is known of the items (optional)",
        ["csv", "xlsx"],
        accept_multiple_files=True,
        key="campaign-earlier-scores",
        help="Tables joined by id: claims, both evidence texts, labels and scores.",
    )
    if not ratings:
        quiet("Add an export. Its items are rated anew; addresses in it are replaced by pseudonyms as it is read.")
        return []
    return [ratings, *scores]


def read_earlier(signature: tuple[str, ...], files: Sequence[UploadedFile]) -> Pool:
    first, *tables = files
    content = first.getvalue()
    if first.name.endswith(".jsonl"):
        return checked(signature, items_from_table(first.name, content))
    scored = read_scored_items([(file.name, file.getvalue()) for file in tables]) if tables else None
    try:
        ratings = read_ratings(first.name, content)
    except BadInput:
        # No export of ratings; then it may be a table of items, which says what it lacks if it is none either.
        return checked(signature, items_from_table(first.name, content))
    return checked(signature, items_from_import(ratings, scored), report=ratings.report)


def from_run(who: str) -> Pool | None:
    """Offer the scoring runs of this organiser that the server remembers."""
    done = {run.id: run for run in runs().known.values() if run.owner == who and run.state == "done"}
    if not done:
        remark("No scoring run is remembered. Score submissions first; the server keeps the last runs until it stops.")
        st.page_link("pages/score.py", label="Score submissions", icon=":material/leaderboard:")
        return None
    chosen = st.selectbox(
        "Scoring run",
        list(done)[::-1],
        key=field("run"),
        persist_state="session",
        format_func=lambda run: readable(", ".join(report.name for report in done[run].reports)),
    )
    run = done[chosen]
    signature = (SCORED, chosen)
    return attempted(
        lambda: checked(
            signature,
            items_from_submissions(run.job.submissions, run.job.gold, scores_of_reports(run.reports)),
            run.job.gold,
            "A scoring run keeps no text of web pages: raters see questions, answers and addresses.",
        )
    )


def from_cases(who: str) -> Pool | None:
    """Offer the organiser's own finished cases."""
    store = desk().store
    found = [one for one in store.search(who, limit=MOST_CASES).entries if one.state is State.DONE]
    if not found:
        remark("No finished case yet. Check a claim on Verify first; its evidence can then be rated.")
        st.page_link("pages/verify.py", label="Verify", icon=":material/fact_check:")
        return None
    claims = {one.id: one.claim for one in found}
    fill({"cases": [case for case in value("cases") if case in claims]})
    chosen = st.multiselect(
        "Cases",
        list(claims),
        key=field("cases"),
        persist_state="session",
        format_func=lambda case: readable(claims[case]),
        help="Without reference evidence no scale is asked that compares with it: choose relevance, or your own.",
    )
    cases = [case for one in chosen if (case := store.load(one, who))]
    return attempted(lambda: checked((CASES, *chosen), items_from_cases(cases))) if cases else None


def example_pool() -> Pool:
    """Return the bundled example: six made-up claims and two made-up systems."""
    gold = parse_gold("gold.json", (EXAMPLE / "gold.json").read_bytes())
    systems = [
        parse_submission(f"{name}.json", (EXAMPLE / f"{name}.json").read_bytes()) for name in ("careful", "hasty")
    ]
    return checked((SUBMISSIONS, "example"), items_from_submissions(systems, gold), tuple(gold))


def checked(
    signature: tuple[str, ...],
    found: Items,
    gold: tuple[GoldClaim, ...] = (),
    *notes: str,
    report: ImportReport | None = None,
) -> Pool:
    """Return the pool. Raises BadInput if it is empty, with what was said of the files."""
    if not found.items:
        raise BadInput(" ".join(("There is nothing to rate in these files.", *found.notes)))
    return Pool(signature, found.items, gold, (*found.notes, *notes), report)


def attempted(read: Callable[[], Pool]) -> Pool | None:
    try:
        return read()
    except VerideskError as error:
        notice(str(error))
        return None
