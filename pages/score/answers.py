"""Show a judge's decisions on facts, and the answers of a run, one question at a time."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core.averitec.answer_files import AnswerRecord
from core.scoring.leaderboard import Leaderboard, SystemReport
from core.scoring.leaderboard_tables import DIGITS
from core.scoring.metrics.answers import NAMES
from core.scoring.metrics.ev2r import FactJudgement
from core.scoring.registry import short_title
from core.scoring.work import AnswersJob
from core.tabular.table import Column, Table
from core.wording import numbered_names
from pages.ui.markup import Html, join, plain, show, tag
from pages.ui.notices import quiet
from pages.ui.tables import pick_row

SIDES = {
    "reference": ("Facts of the gold evidence", "found in the prediction"),
    "predicted": ("Facts of the predicted evidence", "found in the gold evidence"),
    "vital": ("Vital facts of the correct answer", "said by the answer"),
    "relevant": ("Statements of the answer", "on the question"),
    "grounded": ("Statements of the answer", "found in its passages"),
}
"""The statements judged on each side, and the meaning of "yes"."""


def judged_facts(facts: Sequence[FactJudgement]) -> Html:
    """Return the judge's decisions: each fact of each side, found or not."""
    return tag("div", *(fact_list(side, [fact for fact in facts if fact.side == side]) for side in SIDES), css="vd")


def fact_list(side: str, facts: Sequence[FactJudgement]) -> Html | str:
    if not facts:
        return ""
    title, found = SIDES[side]
    lines = (tag("li", tag("strong", "Yes: " if fact.supported else "No: "), fact.fact) for fact in facts)
    count = f"{title}: {sum(fact.supported for fact in facts)} of {len(facts)} {found}"
    return tag("section", tag("p", count, css="vd-heading"), tag("ul", join(lines), css="vd-text vd-bullets"))


def system_columns(board: Leaderboard, *taken: str) -> dict[str, dict[str, float | None]]:
    """Return each system's ranking scores by id, under its name; add a number to a `taken` name."""
    names = numbered_names([*taken, *(standing.report.name for standing in board.standings)])[len(taken) :]
    found = (standing.report.items_of(board.metric) for standing in board.standings)
    return {name: {i.claim_id: i.value for i in items} for name, items in zip(names, found, strict=True)}


def show_answers(job: AnswersJob, board: Leaderboard) -> None:
    """Show every question with each system's ranking score; the chosen one opens below."""
    values = system_columns(board, "Id", "Question")
    rows = tuple((k.id, k.question, *(found.get(k.id) for found in values.values())) for k in job.key)
    columns = (*map(Column, ("Id", "Question")), *(Column(name, DIGITS) for name in values))
    table = Table("answers", "Answers", columns, rows)
    show_answer(job, board, job.key[pick_row(table, "score-answers", wide="Question")])


def show_answer(job: AnswersJob, board: Leaderboard, asked: AnswerRecord) -> None:
    """Show a question, its correct answer beside one system's, and the judge's decisions."""
    names = [standing.report.name for standing in board.standings]
    show(tag("div", tag("p", asked.question, css="vd-heading"), css="vd"))
    name = st.segmented_control("System", names, default=names[0], format_func=plain, key="score-system") or names[0]
    report = next(s.report for s in board.standings if s.report.name == name)
    given = next((record for record in job.given[name] if record.id == asked.id), None)
    show(scores_line(report, asked.id))
    if given is None:
        quiet("This system did not answer this question.")
        return
    cards = [answer_card("Answer", given.answer)]
    cards += [answer_card("Correct answer", asked.answer)] if asked.answer else []
    show(tag("div", *cards, css="vd vd-sides" if asked.answer else "vd"))
    if given.passages:
        listed = tag("ol", *(tag("li", passage, css="vd-text") for passage in given.passages), css="vd-bullets")
        show(tag("div", tag("details", tag("summary", "Its passages"), listed), css="vd"))
    if judged := report.facts.get(asked.id):
        show(judged_facts(judged))


def answer_card(title: str, words: str) -> Html:
    return tag("div", tag("p", title, css="vd-eyebrow"), tag("p", words, css="vd-text"), css="vd-card")


def scores_line(report: SystemReport, item_id: str) -> Html:
    """Return the item's answer scores on one line."""
    found = {item.metric: item for item in report.items if item.claim_id == item_id}
    shown = ((name, found[name].value) for name in NAMES if name in found)
    spans = (tag("span", f"{short_title(n)}: {'unscored' if v is None else f'{v:.4f}'}") for n, v in shown)
    return tag("p", join(spans), css="vd vd-facts")
