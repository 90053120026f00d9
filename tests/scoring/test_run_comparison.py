"""Two runs side by side, worked out by hand."""

import numpy as np

from core.scoring.items import ALL, Score
from core.scoring.leaderboard import SystemReport
from core.scoring.run_comparison import run_comparison
from core.scoring.stress import Movement
from core.scoring.work import Scored, Stressed

METRIC = "hungarian-meteor:q+a"
TITLE = "Hungarian METEOR, Q + A"


def report(name: str, value: float | None, n: int, signature: str = "s") -> SystemReport:
    scores = (
        Score(METRIC, ALL, value, n, 0, signature, value, value),
        Score(METRIC, "type:Event", 0.9, 1, 0, signature, 0.9, 0.9),
    )
    return SystemReport(name, (), (), scores, {}, np.zeros((4, 5), np.int64), None, 1.0)


def test_scores_are_matched_by_system_and_metric_and_the_second_is_measured_against_the_first() -> None:
    table = run_comparison(
        Scored((report("A", 0.25, 10), report("B", 0.5, 10), report("gone", 0.1, 10))),
        Scored((report("new", 0.3, 10), report("A", 0.75, 10, "other"), report("B", None, 8))),
    )
    assert [column.title for column in table.columns][2:5] == ["First run", "Second run", "Difference"]
    assert table.rows == (
        ("A", TITLE, 0.25, 0.75, 0.5, 10, 10),
        ("B", TITLE, 0.5, None, None, 10, 8),
        ("gone", TITLE, 0.1, None, None, 10, None),
        ("new", TITLE, None, 0.3, None, None, 10),
    )
    assert "different numbers of items" in table.note
    assert f"A ({TITLE})" in table.note  # the one score with two signatures


def test_runs_without_a_common_system_say_so() -> None:
    table = run_comparison(Scored((report("A", 0.25, 10),)), Scored((report("B", 0.5, 10),)))
    assert "no score in common" in table.note


def test_movements_are_matched_by_change_and_metric() -> None:
    first = Movement("pairs dropped", "falls", METRIC, 20, 0.75, 0.5, None)
    second = Movement("pairs dropped", "falls", METRIC, 20, 0.75, 0.25, None)
    table = run_comparison(Stressed((first,)), Stressed((second,)))
    assert table.rows == (("pairs dropped", "Hungarian METEOR, moves by", -0.25, -0.5, -0.25, 20, 20),)
    assert "different" not in table.note
