"""Scores and leaderboards as JSON, CSV and LaTeX."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Any

from core.scoring.answers import NAMES as ANSWERS
from core.scoring.items import ALL, ItemScore, Score
from core.scoring.report import Leaderboard, Standing, SystemReport
from core.scoring.titles import short_title
from core.scoring.verdict import ACCURACY
from core.tabular.sheets import FORMULA_STARTS

ITEM_COLUMNS = ("id", "system", "metric", "value", "status")


def score_row(system: str, score: Score) -> dict[str, Any]:
    """Return one score as JSON; `value` is null where nothing was scored."""
    row: dict[str, Any] = {
        "system": system,
        "metric": score.metric,
        "breakdown": score.group,
        "value": score.value,
        "n_scored": score.n_scored,
        "n_unscored": score.n_unscored,
        "signature": score.signature,
    }
    return row | ({"least_if_scored": score.lower, "most_if_scored": score.upper} if score.n_unscored else {})


def board_json(boards: Sequence[Leaderboard], reports: Sequence[SystemReport]) -> dict[str, Any]:
    """Return every score of every system, the leaderboards with their intervals, and the files' problems."""
    return {
        "scores": [score_row(report.name, score) for report in reports for score in report.scores],
        "leaderboards": [_board_rows(board) for board in boards],
        "problems": [
            {"system": report.name, "where": p.where, "field": p.field, "message": p.message}
            for report in reports
            for p in report.problems
        ],
    }


def _board_rows(board: Leaderboard) -> dict[str, Any]:
    rows = []
    for standing in board.standings:
        score, interval = standing.report.score(board.metric), standing.interval
        rows.append(
            {
                "rank": standing.rank,
                "tie_group": standing.group,
                "system": standing.report.name,
                "value": score.value if score else None,
                "low": interval.low if interval else None,
                "high": interval.high if interval else None,
                "seconds_per_claim": standing.report.seconds,
                "documents_per_claim": standing.report.documents,
            }
        )
    return {"metric": board.metric, "level": 0.95, "standings": rows}


def items_csv(reports: Iterable[SystemReport]) -> str:
    """Return one row an item and metric; `value` is empty where the item is unscored."""
    rows = ((report.name, item) for report in reports for item in report.items)
    return csv_text(ITEM_COLUMNS, (_item_row(system, item) for system, item in rows))


def _item_row(system: str, item: ItemScore) -> list[object]:
    return [item.claim_id, system, item.metric, "" if item.value is None else item.value, item.status.value]


def csv_text(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return rows as CSV whose text no spreadsheet takes for a formula; numbers stay numbers."""
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([spreadsheet_safe(cell) for cell in row] for row in rows)
    return buffer.getvalue()


def spreadsheet_safe(cell: object) -> object:
    """Return the cell, behind an apostrophe if it is text that a spreadsheet would compute."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULA_STARTS) else cell


def board_columns(board: Leaderboard) -> dict[str, str]:
    """Return the score columns of a leaderboard, title -> metric: Table 2's, as far as they were computed."""
    metric = board.metric.partition(":")[0]
    evidence = [f"{metric}:{part}" for part in ("q", "q+a", "precision", "f1")]
    own = ANSWERS if metric == "answers" else (*evidence, board.metric)
    wanted = (*own, ACCURACY, "verdict:macro-f1")
    scores = (score for standing in board.standings for score in standing.report.scores)
    computed = {score.metric for score in scores if score.group == ALL}
    return {short_title(name): name for name in dict.fromkeys(wanted) if name in computed}


def board_csv(board: Leaderboard) -> str:
    """Return the leaderboard as CSV: rank, tie group, system, seconds, scores, what is known of the ranking score.

    That is its interval, its deviation between repetitions, the number of unscored items and its bounds whatever
    these are.
    """
    titles = board_columns(board)
    columns = ["rank", "tie group", "system", "seconds per claim", *titles, "low 95%", "high 95%", "documents"]
    columns += ["deviation", "unscored", "least if scored", "most if scored"]
    return csv_text(columns, (_csv_row(standing, titles, board.metric) for standing in board.standings))


def _csv_row(standing: Standing, titles: dict[str, str], main: str) -> list[object]:
    report, interval, score = standing.report, standing.interval, standing.report.score(main)
    values = [_value(report, metric) for metric in titles.values()]
    bounds = [interval.low, interval.high] if interval else ["", ""]
    seconds = "" if report.seconds is None else report.seconds
    unscored = [score.n_unscored, score.lower, score.upper] if score else [""] * 3
    row = [standing.rank, standing.group, report.name, seconds, *values, *bounds, report.documents]
    return [*row, _value(report, f"{main}:sd"), *("" if cell is None else cell for cell in unscored)]


def _value(report: SystemReport, metric: str) -> object:
    score = report.score(metric)
    return "" if score is None or score.value is None else score.value


def board_latex(board: Leaderboard) -> str:
    """Return the leaderboard as a LaTeX tabular (booktabs); comments say what ± and the superscripts mean."""
    titles = board_columns(board)
    lines = [
        r"\begin{tabular}{rlr" + "r" * len(titles) + "r}",
        r"\toprule",
        " & ".join(["\\#", "System", "s / claim", *map(latex_safe, titles), "Docs"]) + r" \\",
        r"\midrule",
        *(_latex_row(board, standing, titles) for standing in board.standings),
        r"\bottomrule",
        r"\end{tabular}",
        f"% +/-: {DEVIATION if _repeated(board) else HALF_INTERVAL}.",
        f"% {board.untested or SAME_SUPERSCRIPT}",
        *_latex_unscored(board),
        "% " + next((s.signature for s in board.standings[0].report.scores if s.metric == board.metric), ""),
    ]
    return "\n".join(lines) + "\n"


def _latex_row(board: Leaderboard, standing: Standing, titles: dict[str, str]) -> str:
    report = standing.report
    cells = [str(standing.rank), latex_safe(report.name)]
    cells.append("--" if report.seconds is None else f"{report.seconds:.2f}")
    for metric in titles.values():
        value = _value(report, metric)
        text = f"{value:.4f}" if isinstance(value, float) else "--"
        if metric == board.metric:
            spread = _spread(standing, metric)
            text += "" if spread is None else rf"\,$\pm$\,{spread:.3f}"
            text += rf"\textsuperscript{{{standing.group}}}" if board.comparison else ""
        cells.append(text)
    return " & ".join([*cells, f"{report.documents:.2f}"]) + r" \\"


DEVIATION = "standard deviation between repetitions of the judging, as in Table 2 of the shared task"
HALF_INTERVAL = "half of the 95 % bootstrap interval over claims"
SAME_SUPERSCRIPT = (
    "Systems with the same superscript do not differ significantly (paired permutation test, p >= .05 after Holm)."
)


def _repeated(board: Leaderboard) -> bool:
    return any(standing.report.score(f"{board.metric}:sd") for standing in board.standings)


def _spread(standing: Standing, metric: str) -> float | None:
    """Return the deviation between repetitions where there were any, else half of the interval if there is one."""
    deviation = standing.report.score(f"{metric}:sd")
    if deviation and deviation.value is not None:
        return deviation.value
    return (standing.interval.high - standing.interval.low) / 2 if standing.interval else None


def _latex_unscored(board: Leaderboard) -> list[str]:
    lines = []
    for standing in board.standings:
        score = standing.report.score(board.metric)
        if score and score.n_unscored and score.lower is not None and score.upper is not None:
            bounds = f"between {score.lower:.4f} and {score.upper:.4f} whatever they are"
            lines.append(f"% {' '.join(standing.report.name.split())}: {score.n_unscored} unscored, {bounds}.")
    return lines


def latex_safe(text: str) -> str:
    """Return text with LaTeX's special characters escaped."""
    special = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    special |= {"<": r"\textless{}", ">": r"\textgreater{}", "≥": r"$\geq$"}
    special |= {sign: "\\" + sign for sign in "&%$#_{}"}
    return "".join(special.get(character, character) for character in text)
