"""Show the items on which score and people disagree most, side by side (Tables 10 and 11)."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.agreement.agreement_tables import MetricDisagreement
from core.agreement.analysis import Analysis
from core.agreement.paper_tables import SHORT_LABELS, scale_title
from core.agreement.pasted_evidence import read_pasted
from core.agreement.study import VERDICT_AGREEMENT
from core.types import Evidence
from pages.ui.markup import Html, readable, show, tag
from pages.ui.notices import quiet

HIGH = "Score high, people low"
LOW = "Score low, people high"


def show_items(analysis: Analysis) -> None:
    """Show the items by disagreement between metric and people; the chosen one opens below."""
    direction = st.segmented_control(
        "Order", [HIGH, LOW], default=HIGH, required=True, key="agreement-order", label_visibility="collapsed"
    )
    items = list(analysis.disagreements)
    if direction == LOW:
        items.reverse()
    if not items:
        quiet("No item has both the score and the rating.")
        return
    frame = pd.DataFrame(
        [
            {
                "Id": one.judged.item.item,
                "Claim": readable(_claim(one)),
                "System": readable(one.judged.system),
                "Score": one.score,
                "Rating": one.rating,
                "Gap": one.gap,
            }
            for one in items
        ]
    )
    picked = st.dataframe(
        frame,
        hide_index=True,
        on_select="rerun",
        selection_mode="single-row",
        key="agreement-items",
        height=min(38 + 35 * len(frame), 320),
        column_config={
            "Claim": st.column_config.TextColumn(width="large"),
            "Score": st.column_config.NumberColumn(readable(analysis.metric), format="%.4f"),
            "Rating": st.column_config.NumberColumn(
                format="%.2f", help=f"Mean {scale_title(analysis.scale).lower()} over the item's raters."
            ),
            "Gap": st.column_config.NumberColumn(
                format="%.2f", help="Percentile rank of the score minus that of the rating, from −1 to 1."
            ),
        },
    )
    rows = picked.selection.rows if picked else []
    show_item(analysis, items[rows[0] if rows and rows[0] < len(items) else 0])


def show_item(analysis: Analysis, one: MetricDisagreement) -> None:
    """Show a claim, the ratings and the metric's score, and both evidence sets side by side."""
    item = one.judged.item
    facts = [f"{analysis.metric} {one.score:.4f}, above {100 * one.score_place:.0f} % of items"]
    facts.append(f"{scale_title(analysis.scale)} {one.rating:.2g}, above {100 * one.rating_place:.0f} % of items")
    if item.gold:
        facts.append(f"Gold: {SHORT_LABELS[item.gold]}")
    if item.predicted:
        facts.append(f"System: {SHORT_LABELS[item.predicted]}")
    eyebrow = f"Item {item.item}" + (f", {one.judged.system}" if one.judged.system else "")
    predicted = read_pasted(item.evidence)[1] or one.judged.response.evidence
    sides = (("Reference evidence", read_pasted(item.reference)[1]), ("Predicted evidence", predicted))
    show(
        tag(
            "div",
            tag("p", eyebrow, css="vd-eyebrow"),
            tag("p", _claim(one), css="vd-heading"),
            tag("p", *(tag("span", fact) for fact in facts), css="vd-facts"),
            _ratings(analysis, one),
            tag("div", *(_side(title, evidence) for title, evidence in sides), css="vd-sides"),
            css="vd vd-cards",
        )
    )


def _ratings(analysis: Analysis, one: MetricDisagreement) -> Html:
    """Return every rater's answers to the item as a small table."""
    scales = [scale for scale in analysis.study.scales if scale != VERDICT_AGREEMENT]
    judged = [
        other
        for other in analysis.study.judged
        if (other.item.item, other.item.system) == (one.judged.item.item, one.judged.item.system)
    ]
    head = [tag("th", "Rater", css="vd-left"), tag("th", "Verdict", css="vd-left")]
    head += [tag("th", scale_title(scale)) for scale in scales]
    rows = []
    for other in judged:
        verdict = other.response.verdict
        cells = [tag("td", other.response.rater, css="vd-left")]
        cells.append(tag("td", SHORT_LABELS[verdict] if verdict else "–", css="vd-left"))
        cells += [tag("td", str(other.response.ratings.get(scale, "–"))) for scale in scales]
        rows.append(tag("tr", *cells))
    table = tag("table", tag("thead", tag("tr", *head)), tag("tbody", *rows), css="vd-scores")
    return tag("div", table, css="vd-scroll", role="region", aria_label="Ratings of this item", tabindex=0)


def _side(title: str, evidence: tuple[Evidence, ...]) -> Html:
    pairs = [
        tag(
            "div",
            tag("p", pair.question, css="vd-question") if pair.question else "",
            tag("p", pair.answer or "(no answer)", css="vd-answer vd-text"),
        )
        for pair in evidence
    ]
    missing = tag("p", "The files have no evidence. Add a file with the items' evidence to the scores.", css="vd-quiet")
    return tag("div", tag("p", title, css="vd-eyebrow"), *(pairs or [missing]), css="vd-card")


def _claim(one: MetricDisagreement) -> str:
    return one.judged.item.claim or one.judged.response.claim or f"Item {one.judged.item.item}"
