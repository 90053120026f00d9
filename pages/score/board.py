"""The leaderboard as a table with its uncertainty, and what stands behind it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import streamlit as st

from core.scoring.export import board_columns
from core.scoring.items import Score
from core.scoring.report import SAME_LETTER, Leaderboard, Standing
from core.scoring.titles import long_title, meaning
from core.statistics.bootstrap import MIN_FOR_INTERVAL
from pages.ui.markup import Html, join, show, tag
from pages.ui.notices import quiet

RANKED = "vd-ranked"
"""The cells of the ranking score: on a narrow screen they stay in sight while the others scroll."""


def show_board(board: Leaderboard) -> None:
    """Show the leaderboard: best first, tie groups as letters, the interval of the ranking score."""
    titles = board_columns(board)
    timed = any(standing.report.seconds is not None for standing in board.standings)
    head = [
        tag("th", "#", scope="col"),
        tag("th", "System", scope="col", css="vd-left"),
        tag("th", "s / claim", scope="col", title="Seconds per claim, where the submission tells them.")
        if timed
        else "",
        *(column_head(title, metric, ranking=metric == board.metric) for title, metric in titles.items()),
        tag("th", "Docs", scope="col", title="Average number of question–answer pairs submitted for a claim."),
    ]
    best = {metric: best_value(board, metric) for metric in titles.values()}
    rows = (board_row(standing, best, board.metric, timed=timed) for standing in board.standings)
    table = tag("table", tag("thead", tag("tr", *head)), tag("tbody", join(rows)), css="vd-scores")
    show(tag("div", table, css="vd vd-scroll", role="region", aria_label="Leaderboard", tabindex=0))
    quiet(legend(board))
    show_meanings(titles.values())


def show_meanings(metrics: Iterable[str]) -> None:
    """Fold away what each metric means: its range, direction and source."""
    said = ((tag("dt", long_title(name)), tag("dd", meaning(name))) for name in metrics)
    with st.expander("What these scores mean", icon=":material/help:"):
        show(tag("div", tag("dl", join(part for term in said for part in term), css="vd-terms"), css="vd"))


def show_ranking(board: Leaderboard) -> None:
    """Show ranks and the ranking score alone."""
    rows = (
        tag(
            "tr",
            tag("td", f"{s.rank} ", tag("span", s.letter, css="vd-group")),
            tag("th", s.report.name, scope="row", css="vd-left"),
            score_cell(s, board.metric, None, ranking=False),
        )
        for s in board.standings
    )
    show(tag("div", tag("table", tag("tbody", join(rows)), css="vd-scores"), css="vd vd-scroll"))


def column_head(title: str, metric: str, *, ranking: bool) -> Html:
    mark = tag("span", " ▾", aria_label=" (ranked by this)") if ranking else ""
    sort, css = ("descending", RANKED) if ranking else (None, "")
    return tag("th", title, mark, scope="col", title=meaning(metric), aria_sort=sort, css=css)


def best_value(board: Leaderboard, metric: str) -> float | None:
    values = [score.value for s in board.standings if (score := s.report.score(metric)) and score.value is not None]
    return best_of(values)


def best_of(values: Sequence[float]) -> float | None:
    """Return the largest value, None where all are equal: nothing is then best."""
    return max(values) if len(set(values)) > 1 else None


def board_row(standing: Standing, best: dict[str, float | None], main: str, *, timed: bool) -> Html:
    """Return a system's row; `best` has the best value of each metric shown, in the order of the columns."""
    report = standing.report
    seconds = "–" if report.seconds is None else f"{report.seconds:.2f}"
    cells = [
        tag("td", str(standing.rank), " ", tag("span", standing.letter, css="vd-group")),
        tag("th", report.name, scope="row", css="vd-left"),
        tag("td", seconds) if timed else "",
        *(score_cell(standing, metric, value, ranking=metric == main) for metric, value in best.items()),
        tag("td", f"{report.documents:.2f}"),
    ]
    return tag("tr", join(cells))


def score_cell(standing: Standing, metric: str, best: float | None, *, ranking: bool) -> Html:
    score = standing.report.score(metric)
    if score is None or score.value is None:
        return tag("td", "–", css=RANKED if ranking else "")
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
        shown.append(tag("span", f"{score.n_unscored} unscored: {bounds(score)}", css="vd-interval", title=UNSCORED))
    return tag("td", join(shown), css=RANKED if ranking else "")


UNSCORED = "Between these, whatever the unscored items are: all of them at the least, or all at the most."


def bounds(score: Score) -> str:
    if score.lower is None or score.upper is None:
        return ""
    return f"{score.lower:.3f} … {score.upper:.3f}"


def legend(board: Leaderboard) -> str:
    words = f"There is no interval for fewer than {MIN_FOR_INTERVAL} scored items. "
    if any(standing.interval for standing in board.standings):
        words = "Below the ranking score: its 95 % bootstrap interval over claims. "
    if any(score.metric.endswith(":sd") for standing in board.standings for score in standing.report.scores):
        words += "±: standard deviation of a score between repetitions of the judging. "
    if len(board.standings) < 2:
        return words.strip()
    return f"{words}{board.untested or SAME_LETTER} Underlined bold is the best of its column."
