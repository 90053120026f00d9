"""The form of Score: files, metrics, and what is wrong with the files before they are scored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd
import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from core.commands.score import distinct_names
from core.errors import BadInput, VerideskError
from core.formats.annotations import GoldClaim, Submission, without_scraped_text
from core.formats.averitec import parse_gold, parse_submission
from core.scoring.metrics import METRICS
from core.scoring.report import all_problems
from pages.shared.markup import plain, readable
from pages.shared.notices import notice, quiet
from pages.shared.score_judging import Judging, judging_fields

EXAMPLE = Path(__file__).parents[2] / "assets" / "scoring"
GOLD_TYPES = ["json", "jsonl", "csv"]
READY = {
    "hungarian-meteor": "Hungarian METEOR",
    "verdict": "Verdicts",
    "soft-coverage": "Soft coverage",
    "ev2r": "Ev²R",
    "answers": "Justifications",
}
"""The metrics on offer, by name."""

DEFAULT = ("hungarian-meteor", "verdict")


@dataclass(frozen=True)
class Wanted:
    """What the form asks for."""

    gold: tuple[GoldClaim, ...]
    submissions: tuple[Submission, ...]
    metrics: tuple[str, ...]
    judging: Judging | None


def score_form() -> Wanted | None:
    """Show the form; return what to score in the run in which the button was pressed."""
    left, right = st.columns(2)
    gold_file = left.file_uploader(
        "Gold annotations",
        type=GOLD_TYPES,
        key="score-gold",
        help="AVeriTeC JSON or JSON lines, or the leaderboard's CSV. CSV tells no claim types.",
    )
    files = right.file_uploader(
        "Submissions",
        type=GOLD_TYPES,
        accept_multiple_files=True,
        key="score-submissions",
        help="One file a system, in JSON, JSON lines or the leaderboard's CSV; its name is the system's.",
    )
    metrics = st.pills(
        "Scores",
        list(READY),
        selection_mode="multi",
        default=list(DEFAULT),
        format_func=READY.__getitem__,
        key="score-metrics",
        help="; ".join(f"{READY[name]}: {METRICS[name]}" for name in READY),
    )
    judging = judging_fields("ev2r" in metrics) if {"ev2r", "answers"} & set(metrics) else None
    gold = _read_gold(gold_file) if gold_file else None
    submissions = distinct_names(_read_submissions(files or []))
    if submissions:
        show_problems(submissions, gold)
    wanted = _asked(gold, submissions, tuple(metrics))
    return replace(wanted, judging=judging) if wanted else None


def _asked(gold: list[GoldClaim] | None, submissions: Sequence[Submission], metrics: tuple[str, ...]) -> Wanted | None:
    row = st.container(horizontal=True)
    pressed = row.button("Score", type="primary", icon=":material/leaderboard:", disabled=not (gold and submissions))
    if row.button("Score the example", help="Six made-up claims and two made-up systems, to see what comes out."):
        return example(metrics)
    if not gold or not submissions:
        quiet("Add a gold file and at least one submission. Scoring goes by claim id; nothing leaves this computer.")
    if not pressed or not gold:
        return None
    if not metrics:
        notice("Choose at least one score.")
        return None
    accepted = tuple(s for s in submissions if not any(problem.fatal for problem in all_problems(s, gold)))
    if not accepted:
        notice("No submission can be scored: solve the errors in the table first.")
        return None
    return Wanted(tuple(gold), accepted, metrics, None)


def example(metrics: tuple[str, ...]) -> Wanted:
    """Return the bundled example: claims, annotations and two systems written for it."""
    gold = parse_gold("gold.json", (EXAMPLE / "gold.json").read_bytes())
    names = ("careful", "hasty")
    systems = tuple(parse_submission(f"{name}.json", (EXAMPLE / f"{name}.json").read_bytes()) for name in names)
    return Wanted(tuple(gold), systems, metrics or DEFAULT, None)


def _read_gold(file: UploadedFile) -> list[GoldClaim] | None:
    kept = st.session_state.get("score-gold-read")
    if kept and kept[0] == file.file_id:
        claims: list[GoldClaim] = kept[1]
        return claims
    try:
        claims = parse_gold(file.name, file.getvalue())
    except VerideskError as error:
        notice(str(error))
        return None
    st.session_state["score-gold-read"] = (file.file_id, claims)
    return claims


def _read_submissions(files: Sequence[UploadedFile]) -> list[Submission]:
    kept: dict[str, Submission] = st.session_state.get("score-submissions-read", {})
    read: dict[str, Submission] = {}
    for file in files:
        try:
            read[file.file_id] = kept.get(file.file_id) or _read_submission(file)
        except BadInput as error:
            notice(str(error))
    st.session_state["score-submissions-read"] = read
    return list(read.values())


def _read_submission(file: UploadedFile) -> Submission:
    submission = parse_submission(file.name, file.getvalue())
    return replace(without_scraped_text(submission), name=readable(submission.name))


def show_problems(submissions: Sequence[Submission], gold: Sequence[GoldClaim] | None) -> None:
    """Show a table of what should be known about the files before they are scored."""
    found = [(s, p) for s in submissions for p in (all_problems(s, gold) if gold else s.problems)]
    rows = [
        {
            "File": submission.name,
            "Where": readable(problem.where),
            "Field": problem.field,
            "What": readable(problem.message),
            "So": "not scored" if problem.fatal else "scored",
        }
        for submission, problem in found
    ]
    counts = ", ".join(f"{plain(s.name)} ({len(s.predictions)} claims)" for s in submissions)
    refused = {submission.name for submission, problem in found if problem.fatal}
    summary = f"Read: {counts}. " + (f"{len(rows)} remarks" if rows else "Nothing to remark")
    summary += f"; not scored: {', '.join(plain(name) for name in sorted(refused))}." if refused else "."
    if not rows:
        st.markdown(summary)
        return
    with st.expander(summary, expanded=bool(refused)):
        st.dataframe(pd.DataFrame(rows), hide_index=True, height=min(38 + 35 * len(rows), 300))
