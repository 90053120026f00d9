"""Items to be rated, from any source: scored submissions, the app's own cases, a table, finished ratings."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from core.agreement.pasted_evidence import read_pasted
from core.agreement.ratings import RatingImport, Response, same_claim
from core.agreement.scored_items import ScoredItem, ScoredItems, read_scored_items
from core.annotations import GoldClaim, Prediction, Submission
from core.averitec.checking import all_problems
from core.campaigns.planning.plans import PLAIN, CampaignItem, ControlKey, EvidencePair
from core.errors import BadInput, VerideskError
from core.jobs.types import Job
from core.scoring.leaderboard import SystemReport, leaderboard
from core.types import Claim, Evidence
from core.verification.receipt import receipt_from_json
from core.verification.verdict.verdict_words import shown_label
from core.wording import counted

Scores = Mapping[tuple[str, str], Mapping[str, float]]
"""Scores by metric of each (item, system)."""


@dataclass(frozen=True)
class Items:
    """Items from a source, and sentences on unusable ones."""

    items: tuple[CampaignItem, ...]
    notes: tuple[str, ...] = ()


def items_from_submissions(
    submissions: Sequence[Submission],
    gold: Sequence[GoldClaim],
    scores: Scores | None = None,
    teams: Mapping[str, str] | None = None,
    ranks: Mapping[str, int] | None = None,
) -> Items:
    """Return an item for every prediction of an annotated claim, under its claim's id and its system's name.

    `scores` are by (claim id, system); with one submission the system may be "". `teams` gives the team of each
    system; a system that is not there is a team of its own name. `ranks` gives systems their places on a leaderboard.
    Raises BadInput for a submission that could not be scored either, such as one of another split.
    """
    annotated = {claim.id: claim for claim in gold}
    # Scores that name no system can only be those of the one there is.
    unnamed = (scores or {}) if len(submissions) == 1 else {}
    found: list[CampaignItem] = []
    notes: list[str] = []
    for submission in submissions:
        notes += _remarks(submission, gold)
        team = (teams or {}).get(submission.name, submission.name)
        known = [one for one in submission.predictions if one.claim_id in annotated]
        if len(known) < len(submission.predictions):
            unknown = len(submission.predictions) - len(known)
            left_out = counted(unknown, "prediction has", "predictions have")
            notes.append(
                f"{submission.name}: {left_out} no gold claim, and {'is' if unknown == 1 else 'are'} left out."
            )
        for prediction in known:
            item = _from_prediction(prediction, annotated[prediction.claim_id], submission.name)
            values = (scores or {}).get(item.key) or unnamed.get((item.item, ""), {})
            found.append(replace(item, team=team, rank=(ranks or {}).get(submission.name), scores=dict(values)))
    return Items(tuple(found), tuple(notes))


def scores_of_reports(reports: Iterable[SystemReport]) -> dict[tuple[str, str], dict[str, float]]:
    """Return the scores of scoring runs by (claim id, system); unscored items have none."""
    scores: dict[tuple[str, str], dict[str, float]] = {}
    for report in reports:
        for score in report.items:
            if score.value is not None:
                scores.setdefault((score.claim_id, report.name), {})[score.metric] = score.value
    return scores


def ranks_of_reports(reports: Sequence[SystemReport]) -> dict[str, int]:
    """Return each system's place under the metric that the runs' leaderboard ranks by first."""
    mains = list(reports[0].mains.values()) if reports else []
    return {one.report.name: one.rank for one in leaderboard(reports, mains[0]).standings} if mains else {}


def scores_of_files(scored: ScoredItems) -> tuple[dict[tuple[str, str], dict[str, float]], dict[str, int]]:
    """Return the score files' data on submissions: scores by (claim id, system), and the systems' ranks."""
    scores = {key: dict(item.scores) for key, item in scored.items.items()}
    return scores, {item.system: item.rank for item in scored.items.values() if item.system and item.rank is not None}


def items_from_cases(cases: Sequence[Job], gold: Sequence[GoldClaim] = (), *, team: str = "") -> Items:
    """Return an item for every finished case, under a name made from its own; the system is its recipe.

    The reference is the annotation of the same claim in `gold`. Without one, no scale that needs a reference is asked.
    A "cannot tell" has no predicted label.
    """
    annotated = {claim.claim.text: claim for claim in gold}
    found, notes = [], []
    for stored in cases:
        try:
            if stored.result is None:
                raise BadInput("it has come to no verdict")
            found.append(replace(_from_case(stored, annotated.get(stored.title)), team=team))
        except VerideskError as error:
            notes.append(f"The case {stored.title[:60]!r} cannot be rated: {error}.")
    return Items(tuple(found), tuple(notes))


def items_from_table(name: str, content: bytes) -> Items:
    """Return the items of our own JSON lines (`items_jsonl`), or of a CSV or XLSX table.

    A table has the columns id and claim, and a column of numbers for each score. Optional columns are system, predicted
    evidence, reference evidence, predicted label and gold label. Raises BadInput naming the line.
    """
    if content.lstrip()[:1] == b"{":
        return Items(tuple(_from_line(name, i, line) for i, line in enumerate(content.splitlines(), 1) if line.strip()))
    return items_from_scored(read_scored_items([(name, content)]))


def items_jsonl(items: Iterable[CampaignItem]) -> str:
    """Return the items as JSON lines, with gold labels and control keys: for organisers only."""
    return "".join(json.dumps(PLAIN.unstructure(item), ensure_ascii=False) + "\n" for item in items)


def items_from_scored(scored: ScoredItems) -> Items:
    """Return an item for every row of score files that brings the claim; evidence is read from pasted text."""
    usable = [item for item in scored.items.values() if item.claim]
    absent = len(scored.items) - len(usable)
    notes = (f"{counted(absent, 'item has', 'items have')} no claim, so nobody could rate them.",) if absent else ()
    return Items(tuple(_from_scored(item) for item in usable), (*scored.notes, *notes))


def items_from_import(ratings: RatingImport, scored: ScoredItems | None = None) -> Items:
    """Return the items of finished ratings, with the facts that score files have on them.

    Evidence is the longest that was pasted where no file has it. A response to another claim than its item's is about
    an item of its own: somebody typed another item's id.
    """
    known = scored.items if scored else {}
    found: list[CampaignItem] = []
    pasted: list[bool] = []
    places: dict[tuple[str, str], list[int]] = {}
    for response in ratings.responses:
        same = places.setdefault((response.item, response.system), [])
        place = next((place for place in same if same_claim(found[place].claim, response.claim)), None)
        if place is None:
            item = _rated_item(known, response)
            same.append(len(found))
            found.append(item)
            pasted.append(not item.evidence)
            place = same[-1]
        if pasted[place]:
            found[place] = _with_longer_evidence(found[place], response)
    return Items(tuple(found))


def items_rated(items: Iterable[CampaignItem], response: Response) -> list[CampaignItem]:
    """Return the items that a response may be about: same id and claim, same system where it names one."""
    return [
        item
        for item in items
        if item.item == response.item
        and response.system in ("", item.system)
        and same_claim(item.claim, response.claim)
    ]


def as_controls(items: Iterable[CampaignItem], keys: Mapping[str, ControlKey]) -> tuple[CampaignItem, ...]:
    """Return the items, those with a key (by item id) as controls. Raises BadInput if a key has no item."""
    found = tuple(
        replace(item, control=True, control_key=keys[item.item], stratum="control") if item.item in keys else item
        for item in items
    )
    absent = set(keys) - {item.item for item in found}
    if absent:
        raise BadInput(f"The control key has ids that no item has: {', '.join(sorted(absent)[:5])}.")
    return found


def reference_pairs(gold: GoldClaim) -> tuple[EvidencePair, ...]:
    """Return the annotated evidence as raters read it: every question with each of its answers."""
    return tuple(
        EvidencePair(question.question, answer.full_text, answer.url)
        for question in gold.questions
        for answer in question.answers
    )


def _remarks(submission: Submission, gold: Sequence[GoldClaim]) -> list[str]:
    """Return the facts of a submission as a whole. Raises BadInput if it has a fatal problem."""
    problems = all_problems(submission, gold)
    for problem in problems:
        if problem.fatal:
            raise BadInput(f"{submission.name} cannot be rated ({problem.where}): {problem.message}")
    return [f"{submission.name}: {problem.message}" for problem in problems if problem.where == "file"]


def _from_prediction(prediction: Prediction, gold: GoldClaim, system: str) -> CampaignItem:
    evidence = (EvidencePair(e.question, e.answer, e.url, e.scraped_text) for e in prediction.evidence)
    return CampaignItem(
        item=gold.id,
        claim=gold.claim.text,
        evidence=tuple(evidence),
        system=system,
        about=_about(gold.claim),
        predicted=prediction.label,
        gold=gold.label,
        reference=reference_pairs(gold),
    )


def _from_case(stored: Job, gold: GoldClaim | None) -> CampaignItem:
    assert stored.result is not None
    _, case, _, _ = receipt_from_json(stored.result)
    # The case's own id opens it for its owner; files must not hold it.
    name = "case-" + hashlib.sha256(stored.id.encode()).hexdigest()[:12]
    evidence = (
        EvidencePair(pair.question, pair.answer, passage.document.url, passage.text)
        if (passage := pair.passage)
        else EvidencePair(pair.question, pair.answer)
        for pair in case.evidence
    )
    return CampaignItem(
        item=name,
        claim=case.claim.text,
        evidence=tuple(evidence),
        system=stored.facts["recipe"],
        about=_about(case.claim),
        predicted=shown_label(case.verdict) if case.verdict else None,
        gold=gold.label if gold else None,
        reference=reference_pairs(gold) if gold else (),
    )


def _from_scored(item: ScoredItem) -> CampaignItem:
    return CampaignItem(
        item=item.item,
        claim=item.claim,
        evidence=_shown(read_pasted(item.evidence)[1]),
        system=item.system,
        team=item.system,
        rank=item.rank,
        predicted=item.predicted,
        gold=item.gold,
        reference=_shown(read_pasted(item.reference)[1]),
        scores=dict(item.scores),
    )


def _from_line(name: str, number: int, line: bytes) -> CampaignItem:
    try:
        row = json.loads(line)
        return CampaignItem.from_json(row if isinstance(row, dict) else {})
    except (ValueError, RecursionError, BadInput) as error:
        raise BadInput(f"{name}, line {number}: {error}") from error


def _rated_item(known: Mapping[tuple[str, str], ScoredItem], response: Response) -> CampaignItem:
    fitting = [
        item
        for (name, system), item in known.items()
        if name == response.item and (not response.system or system in ("", response.system))
    ]
    if len(fitting) == 1 and same_claim(fitting[0].claim, response.claim):
        item = _from_scored(fitting[0])
        return replace(item, claim=item.claim or response.claim, system=item.system or response.system)
    return CampaignItem(response.item, response.claim, (), response.system)


def _with_longer_evidence(item: CampaignItem, response: Response) -> CampaignItem:
    pasted = _shown(response.evidence)
    return replace(item, evidence=pasted) if _size(pasted) > _size(item.evidence) else item


def _size(evidence: Iterable[EvidencePair]) -> int:
    return sum(len(pair.question) + len(pair.answer) for pair in evidence)


def _shown(evidence: Iterable[Evidence]) -> tuple[EvidencePair, ...]:
    return tuple(EvidencePair(pair.question, pair.answer) for pair in evidence)


def _about(claim: Claim) -> dict[str, str]:
    said = {"speaker": claim.speaker, "date": claim.date.isoformat() if claim.date else "", "source": claim.source}
    return {name: text for name, text in said.items() if text}
