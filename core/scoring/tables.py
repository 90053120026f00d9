"""What stands behind a leaderboard as tables that can be shown, printed and downloaded."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from core.annotations import Problem
from core.scoring.averitec import LEVELS
from core.scoring.ev2r import RULES
from core.scoring.items import ALL, TYPE_PREFIX, VERDICT_PREFIX, Score
from core.scoring.report import Leaderboard, SystemReport
from core.scoring.stress import RULE, Movement
from core.scoring.titles import FAMILIES, long_title, short_title
from core.tabular.table_export import Cell, Column, Table
from core.types import Label

DIGITS = 4


def breakdown_groups(board: Leaderboard) -> list[str]:
    """Return the groups of the ranking score: claim types, then gold verdicts."""
    scores = (score for standing in board.standings for score in standing.report.scores)
    groups = dict.fromkeys(score.group for score in scores if score.metric == board.metric)
    return [group for group in groups if group.startswith((TYPE_PREFIX, VERDICT_PREFIX))]


def breakdown_table(board: Leaderboard) -> Table:
    """Return the ranking score by claim type and gold verdict, one line a group with its number of claims."""
    reports = [standing.report for standing in board.standings]
    rows = []
    for group in breakdown_groups(board):
        scores = [report.score(board.metric, group) for report in reports]
        count = max(score.n_scored + score.n_unscored for score in scores if score)
        rows.append((_kind(group), group.partition(": ")[2], count, *(_value(score) for score in scores)))
    columns = (Column("by"), Column("claims"), Column("n", 0), *(Column(report.name, DIGITS) for report in reports))
    return Table("breakdown", f"{long_title(board.metric)} by claim type and gold verdict", columns, tuple(rows))


def confusion_table(report: SystemReport) -> Table:
    """Return which verdicts a system gave for each gold verdict, with each verdict's F1 where it was computed."""
    predicted = [Column(label.value, 0) for label in Label]
    columns = (Column("gold"), *predicted, Column("none of these", 0), Column("F1", DIGITS))
    rows = tuple(
        (label.value, *report.confusion[i].tolist(), _value(report.score("verdict:f1", VERDICT_PREFIX + label)))
        for i, label in enumerate(Label)
    )
    return Table(
        "verdicts", f"Verdicts of {report.name}", columns, rows, "Rows are gold verdicts, columns the system's."
    )


def difference_table(board: Leaderboard) -> Table:
    """Return each pair of systems: difference of the ranking score and its p value after Holm's correction."""
    columns = (Column("system"), Column("minus"), Column("difference", DIGITS), Column("p", DIGITS, p_values=True))
    found, names = board.comparison, [standing.report.name for standing in board.standings]
    rows: list[tuple[Cell, ...]] = []
    if found:
        pairs = ((i, j) for i in range(len(names)) for j in range(i + 1, len(names)))
        rows = [(names[i], names[j], float(found.difference[i, j]), float(found.adjusted[i, j])) for i, j in pairs]
    note = "Paired permutation test over claims, p after Holm's correction."
    return Table("differences", f"Differences in {long_title(board.metric)}", columns, tuple(rows), note)


def threshold_table(reports: Sequence[SystemReport]) -> Table:
    """Return the legacy AVeriTeC score of each system at each threshold; no rows where it was not computed."""
    metrics = [f"hungarian-meteor:averitec@{level:g}" for level in LEVELS]
    columns = (Column("system"), *(Column(f"@ {level:g}", DIGITS) for level in LEVELS))
    title = "Hungarian METEOR, AVeriTeC score at each threshold"
    return Table("thresholds", title, columns, _system_rows(reports, metrics))


def rules_table(reports: Sequence[SystemReport]) -> Table:
    """Return the Ev²R AVeriTeC score of each system under each published rule, from the same recalls."""
    columns = (Column("system"), *(Column(f"recall {rule}", DIGITS) for rule in RULES))
    rows = _system_rows(reports, [f"ev2r:averitec{rule}" for rule in RULES])
    return Table("rules", "Ev²R, AVeriTeC score under the three published rules", columns, rows)


def on_threshold_table(reports: Iterable[SystemReport]) -> Table:
    """Return the items whose recall is exactly 0.5: "> 0.5" refuses them, "≥ 0.5" and "> 0.46" take them."""
    rows = tuple(
        (report.name, item.claim_id, item.value, "yes" if score.value else "no")
        for report in reports
        for item, score in zip(report.items_of("ev2r:q+a"), report.items_of("ev2r:averitec>=0.5"), strict=True)
        if item.value == 0.5
    )
    columns = (Column("system"), Column("claim"), Column("recall", 2), Column("counts with ≥ 0.5"))
    note = "The verdict of a claim that does not count with ≥ 0.5 either is wrong."
    return Table("on-the-threshold", "Recall exactly 0.5", columns, rows, note)


def unscored_table(reports: Iterable[SystemReport]) -> Table:
    """Return the items without a value and why, one line a system, claim and reason."""
    reasons: dict[tuple[str, str, str], list[str]] = {}
    for report in reports:
        for item in report.items:
            if item.value is None:
                reasons.setdefault((report.name, item.claim_id, item.reason), []).append(short_title(item.metric))
    columns = (Column("system"), Column("claim"), Column("scores"), Column("why"))
    rows = tuple((name, claim, ", ".join(scores), why) for (name, claim, why), scores in reasons.items())
    return Table("unscored", "Unscored items", columns, rows)


def problem_table(found: Iterable[tuple[str, Problem]]) -> Table:
    """Return what is wrong with files, by the system's name; first what keeps a file from being scored."""
    ordered = sorted(found, key=lambda one: not one[1].fatal)
    rows = tuple((name, p.where, p.field, p.message, "not scored" if p.fatal else "scored") for name, p in ordered)
    columns = (Column("file"), Column("where"), Column("field"), Column("what"), Column("so"))
    return Table("problems", "What to know before scoring", columns, rows)


def movement_table(movements: Sequence[Movement]) -> Table:
    """Return the stress test, one line a perturbation and metric."""
    words = [Column(title) for title in ("change", "should", "metric", "finding")]
    numbers = [Column(title, DIGITS) for title in ("moves by", "low 95%", "high 95%", "before", "after")]
    rows = tuple(
        (
            *(one.perturbation, one.expected.removesuffix("s"), FAMILIES[one.metric.partition(":")[0]], one.finding),
            *(one.n, one.moved),
            *((one.interval.low, one.interval.high) if one.interval else (None, None)),
            *(one.before, one.after),
        )
        for one in movements
    )
    signatures = " ".join(dict.fromkeys(one.signature for one in movements))
    return Table("stress", "Stress test", (*words, Column("items", 0), *numbers), rows, f"{RULE} {signatures}")


def _kind(group: str) -> str:
    return "claim type" if group.startswith(TYPE_PREFIX) else "gold verdict"


def _system_rows(reports: Sequence[SystemReport], metrics: Sequence[str]) -> tuple[tuple[Cell, ...], ...]:
    rows = [(report.name, *(_value(report.score(metric, ALL)) for metric in metrics)) for report in reports]
    return tuple(row for row in rows if any(value is not None for value in row[1:]))


def _value(score: Score | None) -> float | None:
    return score.value if score else None
