"""How often raters chose each system: win rates of pairs, best minus worst of four, and their counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from core.agreement.own_questions import BETWEEN_SYSTEMS
from core.agreement.ratings import RatingImport, Response
from core.campaigns.exchange.dictionary import ENDS, WINS
from core.campaigns.planning.form_questions import TIE, AnswerKind, FormQuestion
from core.campaigns.planning.rating_form import Form, FormKind
from core.tabular.table import Cell, Column, Table

RATE_NOTE = (
    "Win rate: wins and half of the ties, by all answers about the system. Every rating counts once, and "
    "no control counts."
)
SCORE_NOTE = (
    "Score: the share of answers with the system as best, minus the share with it as worst. It goes from −1 to 1. "
    "No control counts."
)


def win_rates(form: Form, ratings: RatingImport) -> Table | None:
    """Return one row per question and system, the highest first; None if the form compares no systems."""
    if form.kind is FormKind.RATING:
        return None
    responses = [one for one in ratings.responses if not one.control]
    chosen = [one for one in form.own if one.answer is AnswerKind.CHOICE]
    if form.kind is FormKind.PAIRWISE:
        names: tuple[str, ...] = (*WINS, "Win rate")
        note = RATE_NOTE
        rows = [row for one in chosen for row in _pair_rows(one, responses)]
    else:
        names, note = (*ENDS, "Score"), SCORE_NOTE
        ends = [(best, worst) for worst in chosen for best in chosen if worst.unlike == best.name]
        rows = [row for best, worst in ends for row in _end_rows(best, worst, responses)]
    counts = tuple(Column(name, 0) for name in names[:-1])
    columns = (Column("Question"), Column("System"), Column("Compared", 0), *counts, Column(names[-1], 3))
    return Table("win-rates", "Systems compared", columns, tuple(rows), note)


def _pair_rows(question: FormQuestion, responses: Iterable[Response]) -> list[tuple[Cell, ...]]:
    seen, won, tied = Counter[str](), Counter[str](), Counter[str]()
    for systems, answer in _answered(question.name, responses):
        seen.update(systems)
        if answer == TIE:
            tied.update(systems)
        else:
            won[answer] += 1
    rows: list[tuple[Cell, ...]] = []
    for system, n in seen.items():
        losses = n - won[system] - tied[system]
        rate = (won[system] + tied[system] / 2) / n
        rows.append((question.title, system, n, won[system], tied[system], losses, rate))
    return _ordered(rows)


def _end_rows(best: FormQuestion, worst: FormQuestion, responses: list[Response]) -> list[tuple[Cell, ...]]:
    seen, ends = Counter[str](), (Counter[str](), Counter[str]())
    for systems, answer in _answered(best.name, responses):
        seen.update(systems)
        ends[0][answer] += 1
    ends[1].update(answer for _, answer in _answered(worst.name, responses))
    title = best.title.rpartition(": ")[0]
    return _ordered([(title, s, n, ends[0][s], ends[1][s], (ends[0][s] - ends[1][s]) / n) for s, n in seen.items()])


def _answered(question: str, responses: Iterable[Response]) -> Iterable[tuple[tuple[str, ...], str]]:
    for one in responses:
        if answer := (one.own or {}).get(question):
            yield tuple(one.system.split(BETWEEN_SYSTEMS)), answer


def _ordered(rows: list[tuple[Cell, ...]]) -> list[tuple[Cell, ...]]:
    return sorted(rows, key=lambda row: (-float(row[-1] or 0), str(row[1])))
