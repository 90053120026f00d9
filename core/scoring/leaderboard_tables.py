"""Build the tables of a leaderboard, for pages, terminals and downloads."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from core.annotations import Problem
from core.averitec.checking import grouped
from core.scoring.items import ALL, TYPE_PREFIX, VERDICT_PREFIX, Score
from core.scoring.leaderboard import SAME_LETTER, Leaderboard, Standing, SystemReport
from core.scoring.metrics.ev2r import RULES, written_rule
from core.scoring.metrics.hungarian_meteor import LEVELS
from core.scoring.metrics.verdict import VERDICTS
from core.scoring.registry import columns_of, long_title, meaning, short_title, title
from core.scoring.stress import RULE, Movement
from core.statistics.bootstrap import MIN_FOR_INTERVAL
from core.tabular.table import Cell, Column, Table, best_cells, number
from core.types import Label
from core.wording import counted

DIGITS = 4
P = Column("p (Holm)", DIGITS, p_values=True)


def board_columns(board: Leaderboard) -> dict[str, str]:
    """Return the score columns of a leaderboard, title -> metric: Table 2's, as far as they were computed."""
    wanted = dict.fromkeys((*columns_of(board.metric.partition(":")[0]), board.metric, *VERDICTS.columns))
    scores = (score for standing in board.standings for score in standing.report.scores)
    computed = {score.metric for score in scores if score.group == ALL}
    return {short_title(name): name for name in wanted if name in computed}


def board_table(board: Leaderboard) -> Table:
    """Return the leaderboard: best first, groups as letters, details of the ranking score below it.

    Files also have columns for its interval, its deviation between repetitions, the number of unscored items and its
    bounds.
    """
    titles = board_columns(board)
    metrics = list(titles.values())
    timed = any(standing.report.seconds is not None for standing in board.standings)
    columns = (
        Column("Rank", 0),
        Column("System"),
        Column("Letters", 0, help=board.untested or SAME_LETTER),
        Column("Seconds", 2, help="Per claim, where the submission gives them.", files_only=not timed),
        *(Column(title, DIGITS, help=meaning(metric)) for title, metric in titles.items()),
        Column("Pairs", 2, help="Average number of question–answer pairs submitted for a claim."),
        *(Column(f"{end} 95%", DIGITS, files_only=True) for end in ("low", "high")),
        *(Column(title, DIGITS, files_only=True) for title in ("deviation", "unscored", *BOUNDS)),
    )
    rows = tuple(_board_row(standing, metrics, board.metric) for standing in board.standings)
    first = 4
    ranked = first + metrics.index(board.metric)
    below = {
        (i, first + j): words
        for i, standing in enumerate(board.standings)
        for j, metric in enumerate(metrics)
        if (words := _below(standing, metric, ranking=metric == board.metric))
    }
    signatures = (score.signature for standing in board.standings if (score := standing.report.score(board.metric)))
    return Table(
        "leaderboard",
        f"Leaderboard: {long_title(board.metric)}",
        columns,
        rows,
        _board_note(board),
        frozenset(best_cells(rows, range(first, first + len(metrics)))),
        below,
        ranked,
        signature=next(signatures, ""),
    )


BOUNDS = ("least if scored", "most if scored")


def _board_row(standing: Standing, metrics: Sequence[str], main: str) -> tuple[Cell, ...]:
    report, interval, score = standing.report, standing.interval, standing.report.score(main)
    unscored = (score.n_unscored, score.lower, score.upper) if score else (None, None, None)
    return (
        *(standing.rank, report.name, standing.letters, report.seconds),
        *(_value(report.score(metric)) for metric in metrics),
        *(report.documents, interval.low if interval else None, interval.high if interval else None),
        *(_value(report.score(f"{main}:sd")), *unscored),
    )


def _below(standing: Standing, metric: str, *, ranking: bool) -> str:
    """Return the details of a score: its interval if it ranks, its deviation and its unscored items."""
    score, deviation = standing.report.score(metric), standing.report.score(f"{metric}:sd")
    words = []
    if ranking and standing.interval:
        words.append(f"{number(standing.interval.low, 3)} – {number(standing.interval.high, 3)}")
    if deviation and deviation.value is not None:
        words.append(f"± {deviation.value:.3f}")
    if score and score.n_unscored:
        bounds = ""
        if score.lower is not None and score.upper is not None:
            bounds = f": {number(score.lower, 3)} … {number(score.upper, 3)}"
        words.append(f"{score.n_unscored} unscored{bounds}")
    return "; ".join(words)


def _board_note(board: Leaderboard) -> str:
    scores = [score for standing in board.standings for score in standing.report.scores]
    words = [f"There is no interval for fewer than {MIN_FOR_INTERVAL} scored items."]
    if any(standing.interval for standing in board.standings):
        words = ["With the ranking score: its 95 % bootstrap interval over claims."]
    if any(score.metric.endswith(":sd") for score in scores):
        words.append("±: standard deviation of a score between repetitions of the judging.")
    if any(score.n_unscored for score in scores):
        words.append("Unscored: the score lies between the two numbers, for any value of the unscored items.")
    return " ".join([*words, board.untested or SAME_LETTER])


def items_table(reports: Iterable[SystemReport]) -> Table:
    """Return one row per item and metric; an unscored item has no `value`, but a `reason`."""
    columns = (*(Column(title) for title in ("id", "system", "metric")), Column("value", DIGITS))
    rows = (
        (item.claim_id, report.name, item.metric, item.value, item.status.value, item.reason)
        for report in reports
        for item in report.items
    )
    return Table("items", "Every item", (*columns, Column("status"), Column("reason")), tuple(rows))


def breakdown_groups(board: Leaderboard) -> list[str]:
    """Return the groups of the ranking score: claim types, then gold verdicts."""
    scores = (score for standing in board.standings for score in standing.report.scores)
    groups = dict.fromkeys(score.group for score in scores if score.metric == board.metric)
    return [group for group in groups if group.startswith((TYPE_PREFIX, VERDICT_PREFIX))]


def breakdown_table(board: Leaderboard) -> Table:
    """Return the ranking score by claim type and gold verdict, one row per group with its number of claims."""
    reports = [standing.report for standing in board.standings]
    rows = []
    for group in breakdown_groups(board):
        scores = [report.score(board.metric, group) for report in reports]
        count = max(score.n_scored + score.n_unscored for score in scores if score)
        rows.append((_kind(group), group.partition(": ")[2], count, *(_value(score) for score in scores)))
    columns = (Column("By"), Column("Claims"), Column("n", 0), *(Column(report.name, DIGITS) for report in reports))
    typed = any(row[0] == "claim type" for row in rows)
    note = "" if typed else "This gold file has no claim types (leaderboard CSV never has)."
    title = f"{long_title(board.metric)} by claim type and gold verdict"
    best = {(i, 3 + j) for i, row in enumerate(rows) for j in _best(row[3:])}
    return Table("breakdown", title, columns, tuple(rows), note, frozenset(best))


def _best(values: Sequence[Cell]) -> list[int]:
    numbers = [value for value in values if isinstance(value, float)]
    return [j for j, value in enumerate(values) if len(set(numbers)) > 1 and value == max(numbers)]


def confusion_table(report: SystemReport) -> Table:
    """Return a system's verdicts for each gold verdict, with each verdict's F1 if computed."""
    odd = report.confusion[:, -1].any()
    names = [*(label.value for label in Label), "none of these"]
    columns = (
        Column("Gold"),
        *(Column(name, 0, files_only=not odd and name == names[-1]) for name in names),
        Column("F1", DIGITS, help="Of this verdict. 0 to 1, higher is better."),
    )
    rows = tuple(
        (label.value, *report.confusion[i].tolist(), _value(report.score("verdict:f1", VERDICT_PREFIX + label)))
        for i, label in enumerate(Label)
    )
    totals = report.confusion.sum(axis=1)
    below = {
        (i, 1 + j): f"{100 * report.confusion[i, j] / max(1, totals[i]):.0f} %"
        for i in range(len(Label))
        for j in range(len(names))
    }
    note = "Rows are gold verdicts, columns the system's; per cent of the row."
    accuracy, macro = (report.score(metric) for metric in VERDICTS.columns)
    if accuracy and macro and accuracy.value is not None and macro.value is not None:
        note += f" Accuracy {accuracy.value:.4f}, macro F1 {macro.value:.4f}."
    right = frozenset((i, 1 + i) for i in range(len(Label)))
    return Table("verdicts", f"Verdicts of {report.name}", columns, rows, note, right, below)


def difference_table(board: Leaderboard) -> Table:
    """Return each pair of systems: difference of the ranking score and its p value after Holm's correction."""
    difference = Column("Difference", DIGITS, signed=True)
    columns = (Column("System"), Column("Minus"), difference, P, Column("n", 0, help="Claims that both are scored on."))
    title = f"Differences in {long_title(board.metric)}"
    found, names = board.comparison, [standing.report.name for standing in board.standings]
    if found is None:
        return Table("differences", title, columns, (), board.untested)
    pairs = ((i, j) for i in range(len(names)) for j in range(i + 1, len(names)))
    rows = tuple(
        (names[i], names[j], float(found.difference[i, j]), float(found.adjusted[i, j]), int(found.n[i, j]))
        for i, j in pairs
    )
    note = (
        f"Two-sided paired permutation test over claims ({found.resamples:,} draws, seed {found.seed}); Holm's "
        f"correction over {counted(len(rows), 'pair')} of systems."
    )
    return Table("differences", title, columns, rows, note)


def threshold_table(reports: Sequence[SystemReport]) -> Table:
    """Return the legacy AVeriTeC score of each system at each threshold; no rows if not computed."""
    metrics = [f"hungarian-meteor:averitec@{level:g}" for level in LEVELS]
    columns = (Column("System"), *(Column(f"@ {level:g}", DIGITS) for level in LEVELS))
    title = "Hungarian METEOR, AVeriTeC score at each threshold"
    return Table("thresholds", title, columns, _system_rows(reports, metrics))


def rules_table(reports: Sequence[SystemReport]) -> Table:
    """Return the Ev²R AVeriTeC score of each system under each published rule, from the same recalls."""
    columns = (Column("System"), *(Column(f"recall {written_rule(rule)}", DIGITS) for rule in RULES))
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
    columns = (Column("System"), Column("Claim"), Column("Recall", 2), Column("Counts with ≥ 0.5"))
    note = "If a claim does not count with ≥ 0.5 either, its verdict is wrong."
    return Table("on-the-threshold", "Recall exactly 0.5", columns, rows, note)


def unscored_table(reports: Iterable[SystemReport]) -> Table:
    """Return the unscored items with reasons, one row per system, claim and reason."""
    reasons: dict[tuple[str, str, str], list[str]] = {}
    for report in reports:
        for item in report.items:
            if item.value is None:
                reasons.setdefault((report.name, item.claim_id, item.reason), []).append(short_title(item.metric))
    columns = (Column("System"), Column("Claim"), Column("Scores"), Column("Why"))
    rows = tuple((name, claim, ", ".join(scores), why) for (name, claim, why), scores in reasons.items())
    return Table("unscored", "Unscored items", columns, rows)


def problem_table(found: Iterable[tuple[str, Problem]]) -> Table:
    """Return the errors of files by system; errors that prevent scoring are first."""
    by_name: dict[str, list[Problem]] = {}
    for name, problem in found:
        by_name.setdefault(name, []).append(problem)
    kinds = [(name, problem) for name, problems in by_name.items() for problem in grouped(problems)]
    ordered = sorted(kinds, key=lambda one: not one[1].fatal)
    rows = tuple((name, p.where, p.field, p.message, "not scored" if p.fatal else "scored") for name, p in ordered)
    columns = tuple(Column(title) for title in ("File", "Where", "Field", "What", "So"))
    return Table("problems", "Before you score", columns, rows)


def movement_table(movements: Sequence[Movement]) -> Table:
    """Return the stress test, one row per perturbation and metric."""
    words = [Column(title) for title in ("Change", "Should", "Metric", "Finding")]
    numbers = [Column(title, DIGITS) for title in ("Moves by", "Low 95%", "High 95%", "Before", "After")]
    rows = tuple(
        (
            *(one.perturbation, one.expected.removesuffix("s"), title(one.metric.partition(":")[0]), one.finding),
            *(one.n, one.moved),
            *((one.interval.low, one.interval.high) if one.interval else (None, None)),
            *(one.before, one.after),
        )
        for one in movements
    )
    signatures = " ".join(dict.fromkeys(one.signature for one in movements))
    return Table("stress", "Stress test", (*words, Column("Items", 0), *numbers), rows, RULE, signature=signatures)


def _kind(group: str) -> str:
    return "claim type" if group.startswith(TYPE_PREFIX) else "gold verdict"


def _system_rows(reports: Sequence[SystemReport], metrics: Sequence[str]) -> tuple[tuple[Cell, ...], ...]:
    rows = [(report.name, *(_value(report.score(metric, ALL)) for metric in metrics)) for report in reports]
    return tuple(row for row in rows if any(value is not None for value in row[1:]))


def _value(score: Score | None) -> float | None:
    return score.value if score else None
