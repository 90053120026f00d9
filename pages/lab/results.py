"""Show the results of several cases of one claim: verdicts, shared evidence, and the cost of each step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import altair as alt
import pandas as pd
import streamlit as st

from core.interfaces import ModelIdentity
from core.types import Case
from core.verification.comparing import KINDS, SharedPassage, found_passages, step_costs
from core.verification.report.judge_measurements import judge_measurements, worth_in_words
from core.verification.request import Request
from core.verification.verdict.documents_say import missing
from core.verification.verdict.verdict_words import both_judges, shown_probabilities
from core.wording import counted
from pages.ui.cases import comparison
from pages.ui.evidence import in_context, source
from pages.ui.markup import Html, join, readable, show, tag
from pages.ui.notices import quiet
from pages.ui.verdict_card import probability_bars
from pages.ui.verdicts import badge, look_of

KIND_COLOURS = ["#7a8691", "#3a83a6", "#d07a2d", "#a75b93"]
"""Colours of KINDS, in order, with enough contrast on the light and the dark page."""

TOKEN_COLOURS = {"read": "#3a83a6", "kept": "#8fb8cc", "written": "#d07a2d"}


@dataclass(frozen=True)
class Shown:
    """A finished case with its name beside the others."""

    id: str
    name: str
    request: Request
    case: Case
    llm: ModelIdentity


def verdict_cards(cases: Sequence[Shown]) -> None:
    """Show each case's verdict, probabilities, time and tokens, with a link to the case."""
    for start in range(0, len(cases), 2):
        for column, one in zip(st.columns(2), cases[start : start + 2], strict=False):
            with column, st.container(border=True, gap="xsmall"):
                show(verdict_summary(one))
                st.page_link(
                    "pages/verify/page.py",
                    label="Open this case",
                    icon=":material/open_in_full:",
                    query_params={"case": one.id},
                )


def verdict_summary(one: Shown) -> Html:
    verdict = one.case.verdict
    assert verdict is not None  # core.verification.verify_job stores every finished case with a verdict
    seconds = sum(time.seconds for time in one.case.times)
    written = sum(completion.completion_tokens for completion in one.case.completions)
    measured = judge_measurements(verdict)
    shares = shown_probabilities(verdict, measured)
    facts = (f"{seconds:.1f} s", counted(len(one.case.evidence), "answer"), f"{written:,} tokens written")
    return tag(
        "section",
        tag("h3", one.name, css="vd-strong"),
        tag("p", badge(look_of(verdict))),
        *(tag("p", sentence, css="vd-quiet") for sentence in missing(one.case)),
        tag("div", probability_bars(shares), style="margin: 0.5rem 0") if shares else "",
        tag("p", verdict.counterfactual) if verdict.counterfactual else "",
        tag("p", f"{both_judges(verdict)} {worth_in_words(verdict, measured)}".strip()),
        *(tag("p", note, css="vd-quiet vd-text") for note in one.case.notes),
        tag("p", *(tag("span", fact) for fact in facts), css="vd-facts"),
        css="vd",
        aria_label=one.name,
    )


def evidence_table(cases: Sequence[Shown]) -> None:
    """Show the passages used in the cases' answers, with their position in each case."""
    found = found_passages([one.case for one in cases])
    shared = sum(one.cases == len(cases) for one in found)
    show(tag("div", tag("h2", "Evidence", css="vd-heading"), css="vd"))
    alone = sum(one.cases == 1 for one in found)
    quiet(
        f"{counted(len(found), 'passage')} in all: every case found {shared} of them, and only one case found {alone}. "
        "A number is the passage's place among the answers; passages that overlap by half count as one."
    )
    heads = (tag("th", one.name, scope="col", css="vd-wrap") for one in cases)
    head = tag("tr", tag("th", "Passage", scope="col", css="vd-left"), *heads)
    table = tag(
        "table",
        tag("thead", head),
        tag("tbody", join(evidence_row(one, cases) for one in found)),
        css="vd-scores vd-found-in",
    )
    show(tag("div", table, css="vd vd-scroll", role="region", aria_label="Evidence of each case", tabindex=0))


def evidence_row(found: SharedPassage, cases: Sequence[Shown]) -> Html:
    passage = found.passage
    details = tag("details", tag("summary", opening(passage.text)), in_context(passage))
    cells = (
        # On a phone each cell is a separate line with the name of its case.
        tag("td", f"[{place}]" if place else "–", css="" if place else "vd-quiet", data_case=one.name)
        for place, one in zip(found.places, cases, strict=True)
    )
    return tag("tr", tag("th", details, source(passage.document), scope="row", css="vd-left vd-evidence"), *cells)


def opening(words: str, *, longest: int = 110) -> str:
    """Return the first words of a passage on one line."""
    line = " ".join(words.split())
    return line if len(line) <= longest else f"{line[:longest].rsplit(' ', 1)[0]} …"


def costs_picture(cases: Sequence[Shown]) -> None:
    """Draw the seconds and tokens of every case, with a segment for each step."""
    show(tag("div", tag("h2", "Time and tokens", css="vd-heading"), css="vd"))
    steps = [
        ({"Case": readable(one.name), "Step": readable(cost.step), "Order": order}, cost)
        for one in cases
        for order, cost in enumerate(step_costs(one.case))
    ]
    names = [readable(one.name) for one in cases]
    seconds = [{**step, "Kind": cost.kind, "Seconds": cost.seconds} for step, cost in steps]
    st.altair_chart(bars(seconds, "Seconds", dict(zip(KINDS, KIND_COLOURS, strict=True)), names))
    tokens = [
        {**step, "Kind": kind, "Tokens": number}
        for step, cost in steps
        for kind, number in zip(TOKEN_COLOURS, (cost.read, cost.kept, cost.written), strict=True)
        if number
    ]
    if tokens:
        st.altair_chart(bars(tokens, "Tokens", TOKEN_COLOURS, names))
        quiet("A segment is a step. Tokens already read for an earlier prompt cost nothing.")


def bars(rows: Sequence[Mapping[str, object]], value: str, colours: dict[str, str], cases: list[str]) -> alt.Chart:
    """Return one bar per case, with its steps in order, coloured by kind."""
    kinds = list(colours)
    chart: alt.Chart = (
        alt.Chart(pd.DataFrame(rows))
        .mark_bar(stroke="#808080", strokeWidth=0.6, strokeOpacity=0.6, height={"band": 0.7})
        .encode(
            y=alt.Y("Case:N", sort=cases, title=None, axis=alt.Axis(labelLimit=120)),
            x=alt.X(f"sum({value}):Q", title=value, stack="zero"),
            color=alt.Color(
                "Kind:N",
                sort=kinds,
                scale=alt.Scale(domain=kinds, range=list(colours.values())),
                legend=alt.Legend(orient="bottom", title=None, columns=2, symbolStrokeWidth=0),
            ),
            order=alt.Order("Order:Q"),
            detail="Step:N",
            tooltip=["Case", "Step", "Kind", alt.Tooltip(f"sum({value}):Q", title=value, format=",.2~f")],
        )
        .properties(height=150 + 34 * len(cases))
    )
    return chart


def steps_table(cases: Sequence[Shown]) -> None:
    """Offer the figures of every step as a download."""
    with st.expander("Every step in figures", icon=":material/timer:"):
        for one in cases:
            show(step_figures(one))


def step_figures(one: Shown) -> Html:
    names = ("Step", "Seconds", "Generations", "Tokens read", "Kept", "Written")
    head = tag(
        "tr", *(tag("th", name, scope="col", css="" if place else "vd-left") for place, name in enumerate(names))
    )
    rows = [
        tag(
            "tr",
            tag("th", cost.step, scope="row", css="vd-left"),
            tag("td", f"{cost.seconds:.2f}"),
            *(tag("td", f"{n:,}" if n else "–") for n in (cost.generations, cost.read, cost.kept, cost.written)),
        )
        for cost in step_costs(one.case)
    ]
    table = tag("table", tag("thead", head), tag("tbody", *rows), css="vd-scores")
    scroll = tag("div", table, css="vd-scroll", role="region", aria_label=f"Steps of {one.name}", tabindex=0)
    return tag("div", tag("h3", one.name, css="vd-strong"), scroll, css="vd")


def compare_two(cases: Sequence[Shown]) -> None:
    """Show the differences between two cases, as History does."""
    show(tag("div", tag("h2", "Two of them in full", css="vd-heading"), css="vd"))
    names = {one.id: one.name for one in cases}
    left, right = st.columns(2)
    first = left.selectbox("On the left", list(names), format_func=names.__getitem__, key="lab-left")
    second = right.selectbox("On the right", list(names), index=1, format_func=names.__getitem__, key="lab-right")
    if first == second:
        quiet("Choose two different cases to see their differences.")
        return
    chosen = {one.id: (one.request, one.case) for one in cases}
    show(comparison(chosen[first], chosen[second]))
