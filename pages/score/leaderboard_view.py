"""Show the leaderboard with its uncertainty, the meaning of its scores, and the figures behind it, tab by tab."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import streamlit as st

from core.scoring.charts import score_by_threshold, score_intervals
from core.scoring.leaderboard import Leaderboard, SystemReport
from core.scoring.leaderboard_tables import (
    board_columns,
    board_table,
    breakdown_table,
    confusion_table,
    difference_table,
    on_threshold_table,
    rules_table,
    threshold_table,
)
from core.scoring.registry import long_title, meaning
from pages.ui.charts import show_chart
from pages.ui.markup import join, show, tag
from pages.ui.notices import quiet
from pages.ui.tables import show_table


def show_board(board: Leaderboard) -> None:
    """Show the leaderboard: best first, groups as letters, the interval of the ranking score."""
    show_table(board_table(board))
    show_meanings(board_columns(board).values())


def show_usage(reports: Sequence[SystemReport]) -> None:
    """Show the judge's tokens for each system, and with a price their cost."""
    used = [(report.name, report.usage) for report in reports if report.usage]
    if not used:
        return
    with st.expander("Cost of judging", icon=":material/payments:"):
        price = st.number_input("Price per million tokens", 0.0, None, None, key="score-price")
        for name, usage in used:
            cost = f" Cost: {usage.cost_words(price)}." if price else ""
            quiet(f"{name}: {usage.words}{cost}")


def show_meanings(metrics: Iterable[str]) -> None:
    """Show the meaning of each metric, collapsed: its range, direction and source."""
    said = ((tag("dt", long_title(name)), tag("dd", meaning(name))) for name in metrics)
    with st.expander("Meaning of the scores", icon=":material/help:"):
        show(tag("div", tag("dl", join(part for term in said for part in term), css="vd-terms"), css="vd"))


def show_breakdown(board: Leaderboard) -> None:
    """Show the ranking score by claim type and gold verdict, as the shared task's Table 4."""
    show_table(breakdown_table(board))


def show_significance(board: Leaderboard) -> None:
    """Show each pair of systems: the difference of their ranking scores and its corrected p value."""
    show_table(difference_table(board))


def show_verdicts(board: Leaderboard) -> None:
    """Show the confusion matrix and the F1 of the verdicts of each system."""
    for place, standing in enumerate(board.standings):
        show_table(confusion_table(standing.report), str(place))


def show_rules(reports: Sequence[SystemReport]) -> None:
    """Show the Ev²R scores under the three published rules, and the claims on which the rules differ."""
    show_table(rules_table(reports))
    table = on_threshold_table(reports)
    if table.rows:
        show_table(table)
    else:
        quiet("No item scores exactly 0.5, the threshold.")


def show_charts(board: Leaderboard) -> None:
    """Draw the ranking score with its interval, and the legacy score at each threshold if computed."""
    intervals, levels = score_intervals(board), score_by_threshold(board)
    if intervals is None:
        quiet("No system has a scored item.")
    else:
        show_chart(intervals, "leaderboard", f"{long_title(board.metric)} of each system with its 95 per cent interval")
    if levels is not None:
        show_table(threshold_table([standing.report for standing in board.standings]))
        show_chart(levels, "thresholds", "The legacy AVeriTeC score of each system at each threshold")
