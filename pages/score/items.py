"""Show the items behind a score: a table to sort and filter, and one claim with both evidence sets."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core.annotations import GoldClaim, Prediction
from core.scoring.leaderboard import Leaderboard
from core.scoring.leaderboard_tables import DIGITS
from core.scoring.metrics.hungarian_meteor import (
    PAIR_LIMIT,
    best_matching,
    gold_strings,
    predicted_strings,
    similarities,
)
from core.scoring.metrics.words import Words, find_words
from core.scoring.registry import short_title
from core.scoring.work import ScoringJob
from core.tabular.table import Column, Table
from core.types import Label
from core.verification.verdict.verdict_words import shown_label
from pages.score.answers import judged_facts, system_columns
from pages.ui.markup import Html, join, link, plain, safe_url, show, tag
from pages.ui.notices import quiet
from pages.ui.tables import pick_row
from pages.ui.verdicts import DOUBT_LOOK, LOOKS, badge


@st.cache_resource(show_spinner=False, max_entries=1)
def words() -> Words:
    """Return the tokenizer and thesaurus, loaded once for all pages."""
    return find_words()


def show_items(job: ScoringJob, board: Leaderboard) -> None:
    """Show every claim with each system's value of the ranking score; the chosen row opens below."""
    gold = list(job.gold)
    chosen = _filtered(job, board, gold)
    if not chosen.rows:
        quiet("No claim passes these filters.")
        return
    claim_id = chosen.rows[pick_row(chosen, "score-claims", wide="Claim")][0]
    show_claim(job, board, next(claim for claim in gold if claim.id == claim_id))


def _filtered(job: ScoringJob, board: Leaderboard, gold: Sequence[GoldClaim]) -> Table:
    wanted = st.container(horizontal=True)
    types = sorted({kind for claim in gold for kind in claim.claim_types})
    kind = wanted.selectbox("Claim type", ["All", *types], key="score-type")
    verdict = wanted.selectbox("Gold verdict", ["All", *Label], key="score-verdict")
    text = wanted.text_input("Words in the claim", key="score-words").lower()
    values = system_columns(board, "Id", "Claim", "Gold")
    rows = tuple(
        (c.id, c.claim.text, c.label.value, *(found.get(c.id) for found in values.values()))
        for c in gold
        if kind in ("All", *c.claim_types) and verdict in ("All", c.label) and text in c.claim.text.lower()
    )
    columns = (*map(Column, ("Id", "Claim", "Gold")), *(Column(name, DIGITS) for name in values))
    return Table("claims", "Claims", columns, rows)


def show_claim(job: ScoringJob, board: Leaderboard, claim: GoldClaim) -> None:
    """Show a claim with gold evidence beside one system's, with matched pairs joined."""
    names = [standing.report.name for standing in board.standings]
    show(
        tag(
            "div",
            tag("p", f"Claim {claim.id}", css="vd-eyebrow"),
            tag("p", claim.claim.text, css="vd-heading"),
            css="vd",
        )
    )
    name = st.segmented_control("System", names, default=names[0], format_func=plain, key="score-system") or names[0]
    submission = next(s for s in job.submissions if s.name == name)
    prediction = submission.by_id.get(claim.id)
    report = next(s.report for s in board.standings if s.report.name == name)
    facts = [("Gold", badge(LOOKS[claim.label])), ("System", verdict_of(prediction))]
    facts += [
        (short_title(item.metric), "unscored" if item.value is None else f"{item.value:.4f}")
        for item in report.items
        if item.claim_id == claim.id and (item.metric.endswith((":q", ":q+a")) or item.metric == board.metric)
    ]
    show(tag("p", join(tag("span", label, ": ", value) for label, value in facts), css="vd vd-facts"))
    if prediction is None:
        quiet("This system has no prediction for this claim; it scores 0.")
        return
    show(joined_evidence(claim, prediction))
    if judged := report.facts.get(claim.id):
        if any(score.metric.endswith(":sd") for score in report.scores):
            quiet("Judged several times. The facts are from the first time. The scores are means of all times.")
        show(judged_facts(judged))


def verdict_of(prediction: Prediction | None) -> Html | str:
    if prediction is None:
        return "none"
    if prediction.label is None:
        return f"“{prediction.label_text}” (none of the four)"
    shown = shown_label(prediction)
    return badge(LOOKS[shown]) if shown else join((badge(DOUBT_LOOK), f" (scored as “{LOOKS[prediction.label].word}”)"))


def joined_evidence(claim: GoldClaim, prediction: Prediction) -> Html:
    """Return both evidence sets side by side; each line joins a predicted pair with the gold pair it matched."""
    gold, predicted = gold_strings(claim), predicted_strings(prediction.evidence)
    matched: list[tuple[int, int, float]] = []
    if gold.pairs and predicted.pairs:
        similarity = similarities(predicted.pairs, gold.pairs, words())
        matched = [(i, j, float(similarity[i, j])) for i, j in best_matching(similarity)]
    matched.sort(key=lambda match: -match[2])
    lines = [pair_line(prediction, claim, i, j, value) for i, j, value in matched]
    lines += [
        pair_line(prediction, claim, None, j, 0.0) for j in unmatched(len(gold.pairs), [j for _, j, _ in matched])
    ]
    left = unmatched(len(prediction.evidence), [i for i, _, _ in matched])
    head = tag("div", tag("span", "Predicted"), tag("span", "METEOR"), tag("span", "Gold"), css="vd-joined vd-eyebrow")
    return tag("div", head, join(lines), further(prediction, claim, left) if left else "", css="vd")


def further(prediction: Prediction, claim: GoldClaim, left: Sequence[int]) -> Html:
    """Return the unmatched predicted pairs, collapsed."""
    count = f"{len(left)} predicted {'pair' if len(left) == 1 else 'pairs'} that matched no gold pair"
    return tag("details", tag("summary", count), *(pair_line(prediction, claim, i, None, 0.0) for i in left))


def unmatched(count: int, taken: Sequence[int]) -> list[int]:
    return [position for position in range(count) if position not in set(taken)]


def pair_line(prediction: Prediction, claim: GoldClaim, i: int | None, j: int | None, value: float) -> Html:
    left = tag("div", tag("p", "No predicted pair matches this one.", css="vd-quiet"))
    if i is not None:
        pair = prediction.evidence[i]
        beyond = tag("p", f"Beyond the first {PAIR_LIMIT}: does not count.", css="vd-quiet") if i >= PAIR_LIMIT else ""
        left = evidence_side("Predicted", i + 1, pair.question, pair.answer, pair.url, beyond)
    right = tag("div", tag("p", "No gold pair matches this one.", css="vd-quiet"))
    if j is not None:
        question, answer = claim.pairs[j]
        right = evidence_side("Gold", j + 1, question, answer, "", "")
    number = f"{value:.2f}" if i is not None and j is not None else "–"
    middle = tag("span", tag("span", "METEOR", css="vd-eyebrow vd-side-name"), number, css="vd-number vd-strong")
    css = "vd-joined vd-card" if i is not None and j is not None else "vd-joined vd-card vd-alone"
    return tag("div", left, middle, right, css=css)


def evidence_side(side: str, number: int, question: str, answer: str, url: str, remark: Html | str) -> Html:
    parts: list[Html | str] = [tag("p", side, css="vd-eyebrow vd-side-name")]
    parts += [tag("p", f"{number}. ", question, css="vd-question vd-text") if question else ""]
    parts += [
        long_text(answer),
        link(url, "Source", css="vd-quiet") if safe_url(url) else "",
        remark,
    ]
    return tag("div", *parts)


CLAMPED = 220
"""Minimum characters of an answer that may need more than five lines."""


def long_text(text: str) -> Html:
    """Return a text; a long one shows five lines until the user opens it."""
    if len(text) <= CLAMPED and text.count("\n") < 5:
        return tag("p", text, css="vd-text")
    return tag("details", tag("summary", tag("span", text, css="vd-text vd-clamp")), css="vd-long")
