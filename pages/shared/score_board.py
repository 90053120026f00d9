"""The leaderboard as a table with its uncertainty, and what stands behind it."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
import numpy as np
import pandas as pd
import streamlit as st

from core.scoring.export import board_columns
from core.scoring.items import TYPE_PREFIX, VERDICT_PREFIX, Score
from core.scoring.report import Leaderboard, Standing, SystemReport
from core.scoring.titles import meaning, short_title
from core.types import Label
from pages.shared.markup import Html, join, show, tag
from pages.shared.notices import quiet

LETTERS = "abcdefghijklmnopqrstuvwxyz"


def letter(group: int) -> str:
    if not group:
        return ""
    return LETTERS[group - 1] if group <= len(LETTERS) else str(group)


def show_board(board: Leaderboard) -> None:
    """Show the leaderboard: best first, tie groups as letters, the interval of the ranking score."""
    titles = board_columns(board)
    head = [
        tag("th", "#", scope="col"),
        tag("th", "System", scope="col", css="vd-left"),
        tag("th", "s / claim", scope="col", title="Seconds per claim, where the submission tells them."),
        *(column_head(title, metric, ranking=metric == board.metric) for title, metric in titles.items()),
        tag("th", "Docs", scope="col", title="Average number of question–answer pairs submitted for a claim."),
    ]
    best = {metric: best_value(board, metric) for metric in titles.values()}
    rows = (board_row(standing, titles, best, board.metric) for standing in board.standings)
    table = tag("table", tag("thead", tag("tr", *head)), tag("tbody", join(rows)), css="vd-scores")
    show(tag("div", table, css="vd vd-scroll", role="region", aria_label="Leaderboard", tabindex=0))
    quiet(legend(board))


def show_ranking(board: Leaderboard) -> None:
    """Show ranks and the ranking score alone."""
    rows = (
        tag(
            "tr",
            tag("td", f"{s.rank} ", tag("span", letter(s.group), css="vd-group")),
            tag("th", s.report.name, scope="row", css="vd-left"),
            score_cell(s, board.metric, None, ranking=False),
        )
        for s in board.standings
    )
    show(tag("div", tag("table", tag("tbody", join(rows)), css="vd-scores"), css="vd vd-scroll"))


def column_head(title: str, metric: str, *, ranking: bool) -> Html:
    mark = tag("span", " ▾", aria_label=" (ranked by this)") if ranking else ""
    return tag("th", title, mark, scope="col", title=meaning(metric), aria_sort="descending" if ranking else None)


def best_value(board: Leaderboard, metric: str) -> float | None:
    values = [score.value for s in board.standings if (score := s.report.score(metric)) and score.value is not None]
    return best_of(values)


def best_of(values: Sequence[float]) -> float | None:
    """Return the largest value, None where all are equal: nothing is then best."""
    return max(values) if len(set(values)) > 1 else None


def board_row(standing: Standing, titles: dict[str, str], best: dict[str, float | None], main: str) -> Html:
    report = standing.report
    seconds = "–" if report.seconds is None else f"{report.seconds:.2f}"
    cells = [
        tag("td", str(standing.rank), " ", tag("span", letter(standing.group), css="vd-group")),
        tag("th", report.name, scope="row", css="vd-left"),
        tag("td", seconds),
        *(score_cell(standing, metric, best[metric], ranking=metric == main) for metric in titles.values()),
        tag("td", f"{report.documents:.2f}"),
    ]
    return tag("tr", join(cells))


def score_cell(standing: Standing, metric: str, best: float | None, *, ranking: bool) -> Html:
    score = standing.report.score(metric)
    if score is None or score.value is None:
        return tag("td", "–")
    shown: list[object] = [f"{score.value:.4f}"]
    if score.value == best:
        shown = [tag("strong", f"{score.value:.4f}", title="Best of this column", css="vd-best")]
    if ranking and standing.interval:
        low, high = standing.interval.low, standing.interval.high
        shown.append(tag("span", f"{low:.3f} – {high:.3f}", css="vd-interval"))
    deviation = standing.report.score(f"{metric}:sd")
    if deviation and deviation.value is not None:
        said = f"± {deviation.value:.3f}"
        shown.append(tag("span", said, css="vd-interval", title="Standard deviation between repetitions."))
    if score.n_unscored:
        shown.append(tag("span", f"{score.n_unscored} unscored", css="vd-interval", title=bounds(score)))
    return tag("td", join(shown))


def bounds(score: Score) -> str:
    if score.lower is None or score.upper is None:
        return ""
    return f"Between {score.lower:.4f} and {score.upper:.4f} whatever they are."


def legend(board: Leaderboard) -> str:
    words = "Below the ranking score: its 95 % bootstrap interval over claims. "
    if len(board.standings) < 2:
        return words.strip()
    return words + (
        "Systems with the same letter do not differ significantly "
        "(paired permutation test, p ≥ .05 after Holm). Underlined bold is the best of its column."
    )


def show_breakdown(board: Leaderboard) -> None:
    """Show the ranking score by claim type and gold verdict, as the shared task's Table 4."""
    reports = [standing.report for standing in board.standings]
    groups = list(dict.fromkeys(s.group for r in reports for s in r.scores if s.metric == board.metric))
    shown = [group for group in groups if group.startswith((TYPE_PREFIX, VERDICT_PREFIX))]
    head = tag(
        "tr", tag("th", "Claims", scope="col", css="vd-left"), tag("th", "n", scope="col"), *system_heads(reports)
    )
    rows = (breakdown_row(group, board.metric, reports) for group in shown)
    table = tag("table", tag("thead", head), tag("tbody", join(rows)), css="vd-scores")
    show(tag("div", table, css="vd vd-scroll", role="region", aria_label="By claim type and verdict", tabindex=0))
    if not any(group.startswith(TYPE_PREFIX) for group in groups):
        quiet("This gold file does not tell claim types (leaderboard CSV never does).")


def system_heads(reports: Sequence[SystemReport]) -> list[Html]:
    return [tag("th", report.name, scope="col") for report in reports]


def breakdown_row(group: str, metric: str, reports: Sequence[SystemReport]) -> Html:
    scores = [report.score(metric, group) for report in reports]
    values = [score.value for score in scores if score and score.value is not None]
    best = best_of(values)
    count = max(score.n_scored + score.n_unscored for score in scores if score)
    cells = [
        tag("td", "–")
        if score is None or score.value is None
        else tag(
            "td", tag("strong", f"{score.value:.4f}", css="vd-best") if score.value == best else f"{score.value:.4f}"
        )
        for score in scores
    ]
    name = group.removeprefix(TYPE_PREFIX).removeprefix(VERDICT_PREFIX)
    return tag("tr", tag("th", name, scope="row", css="vd-left"), tag("td", str(count)), join(cells))


def show_significance(board: Leaderboard) -> None:
    """Show each pair of systems: the difference of their ranking scores and its corrected p value."""
    if board.comparison is None:
        quiet("One system has nothing to be compared with.")
        return
    found = board.comparison
    reports = [standing.report for standing in board.standings]
    head = tag("tr", tag("th", "Row minus column", scope="col", css="vd-left"), *system_heads(reports))
    rows = []
    for i, report in enumerate(reports):
        cells = [
            tag("td", "·") if i == j else pair_cell(found.difference[i, j], found.adjusted[i, j])
            for j in range(len(reports))
        ]
        rows.append(tag("tr", tag("th", report.name, scope="row", css="vd-left"), join(cells)))
    table = tag("table", tag("thead", head), tag("tbody", join(rows)), css="vd-scores")
    show(tag("div", table, css="vd vd-scroll", role="region", aria_label="Differences", tabindex=0))
    quiet(
        f"Difference of means, below it the p value of a paired permutation test ({found.resamples:,} draws, "
        f"seed {found.seed}) after Holm's correction. A tilde marks differences that are not significant."
    )


def pair_cell(difference: float, p: float) -> Html:
    near = "~" if p >= 0.05 else ""
    return tag(
        "td", f"{near}{difference:+.4f}", tag("span", f"p {'< .001' if p < 0.001 else f'= {p:.3f}'}", css="vd-interval")
    )


def show_confusion(report: SystemReport) -> None:
    """Show which verdicts a system gave for each gold verdict."""
    counts = report.confusion
    columns = [label.value for label in Label] + (["none of these"] if counts[:, -1].any() else [])
    head = tag("tr", tag("th", "Gold ↓  System →", css="vd-left"), *(tag("th", c, scope="col") for c in columns))
    rows = [
        tag("tr", tag("th", label.value, scope="row", css="vd-left"), *confusion_cells(counts[i], i, len(columns)))
        for i, label in enumerate(Label)
    ]
    table = tag("table", tag("thead", head), tag("tbody", *rows), css="vd-scores vd-confusion")
    show(tag("div", table, css="vd vd-scroll", role="region", aria_label=f"Verdicts of {report.name}", tabindex=0))


def confusion_cells(row: np.ndarray[tuple[int], np.dtype[np.int64]], gold: int, columns: int) -> list[Html]:
    total = max(1, int(row.sum()))
    return [
        tag(
            "td",
            tag("strong", str(row[j])) if j == gold else str(row[j]),
            tag("span", f"{100 * row[j] / total:.0f} %", css="vd-interval"),
        )
        for j in range(columns)
    ]


def show_intervals(board: Leaderboard) -> None:
    """Draw each system's ranking score with its interval."""
    rows = [
        {"System": s.report.name, "score": score.value, "low": s.interval.low, "high": s.interval.high}
        for s in board.standings
        if s.interval and (score := s.report.score(board.metric)) and score.value is not None
    ]
    base = alt.Chart(pd.DataFrame(rows)).encode(
        y=alt.Y("System:N", sort=None, title=None, axis=alt.Axis(labelLimit=160))
    )
    title = short_title(board.metric)
    lines = base.mark_rule(strokeWidth=2).encode(
        x=alt.X("low:Q", title=title, scale=alt.Scale(domain=[0, 1])), x2="high:Q"
    )
    points = base.mark_point(filled=True, size=90, opacity=1).encode(
        x="score:Q",
        tooltip=["System", *(alt.Tooltip(f"{name}:Q", format=".4f") for name in ("score", "low", "high"))],
    )
    st.altair_chart((lines + points).properties(height=60 + 34 * len(rows)))


def show_levels(board: Leaderboard, metrics: dict[float, str]) -> None:
    """Draw the AVeriTeC score of each system at each threshold; `metrics` maps thresholds to metric names."""
    rows = [
        {"System": s.report.name, "Threshold": level, "AVeriTeC score": score.value}
        for s in board.standings
        for level, metric in metrics.items()
        if (score := s.report.score(metric)) and score.value is not None
    ]
    if rows:
        chart = (
            alt.Chart(pd.DataFrame(rows))
            .mark_line(point=True)
            .encode(
                x=alt.X("Threshold:Q", scale=alt.Scale(domain=[0, 0.5])),
                y=alt.Y("AVeriTeC score:Q", scale=alt.Scale(domain=[0, 1])),
                color=alt.Color("System:N", legend=alt.Legend(orient="bottom", title=None)),
                shape="System:N",
                tooltip=["System", "Threshold", alt.Tooltip("AVeriTeC score:Q", format=".4f")],
            )
        )
        st.altair_chart(chart.properties(height=260))
