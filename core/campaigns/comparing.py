"""A campaign's ratings beside scores of the same items, without any file in between."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from sqlalchemy import select, update

from core.agreement.own_questions import BETWEEN_SYSTEMS
from core.agreement.ratings import RatingImport, Response
from core.agreement.scored_items import ScoredItem, ScoredItems
from core.annotations import GoldAnswer, GoldClaim, GoldQuestion, PredictedEvidence, Prediction, Submission
from core.campaigns.assignment_store import lock
from core.campaigns.exchange.dictionary import ENDS, WINS
from core.campaigns.exchange.rating_exports import evidence_text
from core.campaigns.organising import organised
from core.campaigns.planning.form_questions import TIE, AnswerKind, FormQuestion
from core.campaigns.planning.plans import CampaignItem, EvidencePair
from core.campaigns.planning.rating_form import Form, FormKind
from core.campaigns.types import Campaign
from core.scoring.items import ItemScore
from core.scoring.metrics.metric import Metric
from core.scoring.metrics.own import SCORE
from core.scoring.progress import UNMONITORED, ProgressMonitor
from core.storage.store import Store
from core.storage.tables import campaign_items
from core.tabular.table import Cell, Column, Table
from core.types import Claim, Label
from core.wording import counted

EVIDENCE_SCORES = (":q", ":q+a", ":precision", ":f1", f":{SCORE}")
"""Endings of the names of scores for evidence alone; the others also ask whether a verdict is right."""


def scores_for(
    items: Sequence[CampaignItem], metrics: Iterable[Metric], monitor: ProgressMonitor = UNMONITORED
) -> dict[str, dict[str, float]]:
    """Return the scores of each item by metric, keyed by the item's id in the campaign.

    Items without reference evidence cannot be scored and are not there; neither are controls. Raises Cancelled if
    the monitor says so, ModelError if a judge cannot work.
    """
    gold, submission = as_submission(items)
    found: list[ItemScore] = []
    for metric in metrics:
        found += metric.measure(gold, submission.by_id, monitor).items if gold else ()
    return scores_by_item(found)


def as_submission(items: Sequence[CampaignItem], *, name: str = "campaign") -> tuple[tuple[GoldClaim, ...], Submission]:
    """Return the items as gold annotations and one submission under the items' own ids, for a scoring run.

    Controls and items without reference evidence are left out.
    """
    usable = [item for item in items if item.reference and not item.control]
    predictions = tuple(
        Prediction(item.id, item.claim, item.predicted, tuple(_predicted(pair) for pair in item.evidence))
        for item in usable
    )
    return tuple(_gold(item) for item in usable), Submission(name, predictions)


def scores_by_item(found: Iterable[ItemScore]) -> dict[str, dict[str, float]]:
    """Return the evidence scores of a run that `as_submission` was given to; unscored ones are not there."""
    scores: dict[str, dict[str, float]] = {}
    for one in found:
        if one.value is not None and one.metric.endswith(EVIDENCE_SCORES):
            scores.setdefault(one.claim_id, {})[one.metric] = one.value
    return scores


def keep_scores(store: Store, campaign: str, owner: str, scores: Mapping[str, Mapping[str, float]]) -> None:
    """Keep scores with the campaign's items; a metric that an item has already is replaced.

    Raises Denied unless the owner is an organiser.
    """
    table = campaign_items.c
    with store.transaction(writing=True) as connection:
        lock(connection, campaign)
        organised(connection, campaign, owner)
        for item, known in connection.execute(select(table.id, table.scores).where(table.campaign == campaign)).all():
            if item in scores:
                both = json.loads(known) | dict(scores[item])
                connection.execute(update(campaign_items).where(table.id == item).values(scores=json.dumps(both)))


def scored_items(campaign: Campaign) -> ScoredItems:
    """Return the campaign's items with their scores and texts as score files would bring them, controls left out."""
    found: dict[tuple[str, str], ScoredItem] = {}
    notes = []
    items = [item for item in campaign.plan.items if not item.control]
    for item in items:
        known = found.get(item.key)
        # Of two claims under one id, the scores belong to the one that has any.
        if known is None or not known.scores:
            found[item.key] = _scored(item)
    metrics = tuple(dict.fromkeys(name for item in items for name in item.scores))
    for name in metrics:
        absent = sum(name not in item.scores for item in items)
        if absent:
            notes.append(f"{absent} of {counted(len(items), 'item has', 'items have')} no {name} score")
    return ScoredItems(found, metrics, tuple(notes))


def control_verdicts(campaign: Campaign) -> dict[str, Label | None]:
    """Return the right verdict of each control item by the item's id, None if its key has no verdict."""
    controls = [(item.item, item.control_key) for item in campaign.plan.items if item.control]
    return {item: key.verdict if key else None for item, key in controls}


def _gold(item: CampaignItem) -> GoldClaim:
    questions: dict[str, list[GoldAnswer]] = {}
    for pair in item.reference:
        questions.setdefault(pair.question, []).append(GoldAnswer(pair.answer, url=pair.url))
    # The label decides nothing here: scores that look at it are not kept.
    label = item.gold or Label.NOT_ENOUGH_EVIDENCE
    return GoldClaim(
        Claim(item.claim, id=item.id), label, tuple(GoldQuestion(q, tuple(a)) for q, a in questions.items())
    )


def _predicted(pair: EvidencePair) -> PredictedEvidence:
    return PredictedEvidence(pair.question, pair.answer, pair.url)


def _scored(item: CampaignItem) -> ScoredItem:
    return ScoredItem(
        item=item.item,
        system=item.system,
        rank=item.rank,
        gold=item.gold,
        predicted=item.predicted,
        claim=item.claim,
        reference=evidence_text(item.reference),
        evidence=evidence_text(item.evidence),
        scores=tuple(item.scores.items()),
    )


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
