"""Show the leaderboard with its uncertainty, and the meaning of its scores."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import streamlit as st

from core.scoring.leaderboard import Leaderboard, SystemReport
from core.scoring.leaderboard_tables import board_columns, board_table
from core.scoring.registry import long_title, meaning
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
