"""Show the figures behind a leaderboard, tab by tab, with downloads of tables and charts."""

from __future__ import annotations

from collections.abc import Sequence

from core.scoring.charts import score_by_threshold, score_intervals
from core.scoring.leaderboard import Leaderboard, SystemReport
from core.scoring.leaderboard_tables import (
    breakdown_table,
    confusion_table,
    difference_table,
    on_threshold_table,
    rules_table,
    threshold_table,
)
from core.scoring.registry import long_title
from pages.ui.charts import show_chart
from pages.ui.notices import quiet
from pages.ui.tables import show_table


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
