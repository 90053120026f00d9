"""Show raters' disagreements to an adjudicator without naming raters or system; keep the decisions."""

from __future__ import annotations

import hashlib
import string
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median_low

from core.agreement.ratings import MajorError, RatingImport, Response
from core.campaigns.planning.form_questions import Answer
from core.campaigns.planning.plans import CampaignItem, EvidencePair
from core.campaigns.planning.rating_form import ERROR, VERDICT, Form
from core.campaigns.types import Adjudication
from core.types import Label
from core.wording import counted

SPREAD = 2
"""Ratings of one scale that are this far apart are a disagreement. On a long scale it is a fifth of the points."""
SETTLED = "settled"
"""The rater that settled answers are filed under."""


@dataclass(frozen=True)
class BlindAnswers:
    """One rater's answers under a letter; `answers` has the questions that were answered, `support` the text."""

    letter: str
    answers: dict[str, Answer]
    support: str


@dataclass(frozen=True)
class Disagreement:
    """An item that raters answered differently. It hides the system, its label, the gold label and the raters.

    `item` is the item's id in the campaign. `questions` are those in dispute.
    """

    item: str
    claim: str
    about: dict[str, str]
    evidence: tuple[EvidencePair, ...]
    reference: tuple[EvidencePair, ...]
    questions: tuple[str, ...]
    given: tuple[BlindAnswers, ...]


def disagreements(items: Iterable[CampaignItem], ratings: RatingImport, form: Form) -> tuple[Disagreement, ...]:
    """Return, in order, the items on which raters differ: on error, verdict or label, or by SPREAD on a scale.

    Comparisons, texts and spans are not in dispute: every answer counts. Letters follow from the item's id and are no
    order of raters. Controls are left out: they have a key.
    """
    responses = by_item(ratings.responses)
    found = []
    for item in items:
        given = responses.get((*item.key, item.claim), [])
        disputed = in_dispute(given, _spreads(ratings.scales, form), labels=labels_of(ratings))
        if disputed and not item.control:
            blind = tuple(_blind(given, item.id))
            found.append(Disagreement(item.id, item.claim, item.about, item.evidence, item.reference, disputed, blind))
    return tuple(found)


def labels_of(ratings: RatingImport) -> tuple[str, ...]:
    """Return the questions of a form of one's own that are answered by one of several labels."""
    return tuple(one.name for one in ratings.own if one.labels)


def _spreads(scales: Iterable[str], form: Form) -> dict[str, int]:
    return {name: max(SPREAD, len(form.question(name).options) // 5) for name in scales}


def in_dispute(given: Sequence[Response], spreads: Mapping[str, int], *, labels: Iterable[str] = ()) -> tuple[str, ...]:
    """Return the questions on which the responses to one item differ, in the order of the form.

    spreads: how far apart the ratings of each scale must be.
    """
    disputed = [ERROR] if len({response.error for response in given}) > 1 else []
    disputed += [name for name in labels if len({one.own[name] for one in given if one.own and name in one.own}) > 1]
    if len({response.verdict for response in given if response.verdict}) > 1:
        disputed.append(VERDICT)
    for scale, spread in spreads.items():
        values = [response.ratings[scale] for response in given if scale in response.ratings]
        if values and max(values) - min(values) >= spread:
            disputed.append(scale)
    return tuple(disputed)


def settled(
    items: Iterable[CampaignItem], ratings: RatingImport, decided: Iterable[Adjudication], *, median: bool = False
) -> RatingImport:
    """Return one response per item: the adjudicated answers, else those of more than half of its raters.

    With `median`, scales that were not adjudicated have the median of their ratings. An even number gives the lower of
    the middle two, a rating that somebody gave. Verdicts and errors have no order. A question without any of these
    stays unanswered. An item without an answer about major errors is left out, and the report says so. `decided` are
    the campaign's adjudications.
    """
    words: dict[str, dict[str, Answer]] = {}
    for one in decided:
        words.setdefault(one.item, {})[one.question] = one.value
    responses = by_item(ratings.responses)
    found, undecided = [], 0
    for item in items:
        given = responses.get((*item.key, item.claim), [])
        response = _settled(given, ratings, words.get(item.id, {}), median=median) if given else None
        undecided += bool(given) and response is None
        if response:
            found.append(response)
    note = (
        f"{counted(undecided, 'item is', 'items are')} left out: raters differ on major errors and nobody has "
        "adjudicated.",
    )
    notes = (*ratings.report.notes, *(note if undecided else ()))
    return replace(ratings, responses=tuple(found), report=replace(ratings.report, notes=notes))


def by_item(responses: Iterable[Response]) -> dict[tuple[str, str, str], list[Response]]:
    """Return the responses of each item, by id, system and claim, in their order."""
    found: dict[tuple[str, str, str], list[Response]] = {}
    for response in responses:
        found.setdefault((response.item, response.system, response.claim), []).append(response)
    return found


def answers_of(response: Response) -> dict[str, Answer]:
    """Return the answers of a response, by question, without the shared task's texts."""
    if response.own is not None:
        return {**response.ratings, **response.own}
    verdict = {VERDICT: response.verdict.value} if response.verdict else {}
    return {ERROR: response.error.value, **verdict, **response.ratings}


def _blind(given: Sequence[Response], seed: str) -> Iterable[BlindAnswers]:
    order = sorted(given, key=lambda one: hashlib.sha256(f"{seed}\n{one.rater}".encode()).digest())
    for place, response in enumerate(order):
        yield BlindAnswers(_letter(place), answers_of(response), response.support)


def _letter(place: int) -> str:
    number, letter = divmod(place, 26)
    return string.ascii_uppercase[letter] + (str(number + 1) if number else "")


def _settled(
    given: Sequence[Response], ratings: RatingImport, words: Mapping[str, Answer], *, median: bool
) -> Response | None:
    scales = ratings.scales
    named = [one.name for one in ratings.own if not one.is_scale and one.level] if ratings.own else [ERROR, VERDICT]
    values = {name: words.get(name, _majority(given, name)) for name in named}
    values |= {name: words.get(name, (_median if median else _majority)(given, name)) for name in scales}
    if ratings.own:
        own = {name: str(value) for name in named if (value := values[name]) is not None}
        numbers = {name: int(value) for name in scales if (value := values[name]) is not None}
        return replace(given[0], rater=SETTLED, team="", ratings=numbers, own=own, comment="")
    if values[ERROR] is None:
        return None
    error = MajorError(str(values[ERROR]))
    rated = error is MajorError.NONE
    return replace(
        given[0],
        rater=SETTLED,
        team="",
        error=error,
        verdict=Label(str(values[VERDICT])) if rated and values[VERDICT] else None,
        ratings={name: int(value) for name in scales if rated and (value := values[name]) is not None},
        support="",
        comment="",
    )


def _median(given: Sequence[Response], scale: str) -> Answer | None:
    values = [response.ratings[scale] for response in given if scale in response.ratings]
    return median_low(values) if values else None


def _majority(given: Sequence[Response], question: str) -> Answer | None:
    """Return the answer of more than half of those who answered, None where there is no such answer."""
    said = Counter(answers[question] for response in given if question in (answers := answers_of(response)))
    value, count = said.most_common(1)[0] if said else (None, 0)
    return value if 2 * count > said.total() else None
