"""Write scores and leaderboards as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from core.scoring.items import Score
from core.scoring.leaderboard import Leaderboard, SystemReport


def score_row(system: str, score: Score) -> dict[str, Any]:
    """Return one score as JSON; `value` is null if nothing was scored."""
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
        "unscored": [
            {"system": report.name, "claim": item.claim_id, "metric": item.metric, "reason": item.reason}
            for report in reports
            for item in report.items
            if item.value is None
        ],
        "judging": {
            report.name: {**asdict(report.usage), "answers_from_cache": report.usage.known}
            for report in reports
            if report.usage
        },
    }


def _board_rows(board: Leaderboard) -> dict[str, Any]:
    rows = []
    for standing in board.standings:
        score, interval = standing.report.score(board.metric), standing.interval
        rows.append(
            {
                "rank": standing.rank,
                "letters": standing.letters,
                "system": standing.report.name,
                "value": score.value if score else None,
                "low": interval.low if interval else None,
                "high": interval.high if interval else None,
                "seconds_per_claim": standing.report.seconds,
                "documents_per_claim": standing.report.documents,
            }
        )
    return {"metric": board.metric, "level": 0.95, "standings": rows}
