"""The quality of a case's questions: how many are generic or repeated, point at their passage, and resemble gold ones.

Generic is judged by vectors, apart from the words that core.verification.questions goes by.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean

import numpy as np

from core.annotations import GoldClaim, Submission, prediction_of
from core.interfaces import Encoder
from core.scoring.leaderboard import report_system
from core.scoring.metrics.hungarian_meteor_metric import HungarianMeteor
from core.scoring.metrics.metric import Metric
from core.scoring.metrics.soft_coverage import SoftCoverage
from core.scoring.metrics.words import find_words
from core.types import Case
from core.verification.questions import Card, cards

SAME = 0.9
TEMPLATES = (
    "What does the sentence mean?",
    "What does the passage say?",
    "What is the claim?",
    "Is the claim true?",
    "Is there evidence that the claim is true?",
    "What is the difference between the two claims?",
    "What did the statement say?",
    "What does the word mean?",
    "What is the text about?",
    "What is the main point of the article?",
    "What is the source of the claim?",
    "What happened?",
    "Who said this?",
    "When did it happen?",
    "Where did this take place?",
    "Why is this important?",
    "How many people are there?",
    "What is the name of the person?",
    "What is the result?",
    "What do we know about it?",
)
SCORES = {"Q": "hungarian-meteor:q", "Q+A": "hungarian-meteor:q+a", "soft coverage": "soft-coverage:q+a"}
HEADS = ("", "questions", "asked of", "generic", "repeated", "nearest", *SCORES, "tries", "seconds")


@dataclass(frozen=True)
class JudgedQuestion:
    """A question that is shown, and whether it is generic, repeated, or nearest to its passage."""

    text: str
    generic: bool
    repeated: bool
    nearest: bool


@dataclass(frozen=True)
class QuestionFigures:
    """Means over cases or, of the shares in [0, 1], over their questions.

    `asked_of` counts the passages with a question, `tries` the attempts to write them, `seconds` their time.
    """

    questions: float
    asked_of: float
    generic: float
    repeated: float
    nearest: float
    scores: dict[str, float]
    tries: float
    seconds: float

    def cells(self, name: str) -> tuple[str, ...]:
        """Return a line of the table under HEADS."""
        shares = (f"{share:.3f}" for share in (self.generic, self.repeated, self.nearest, *self.scores.values()))
        return (
            name,
            f"{self.questions:.1f}",
            f"{self.asked_of:.1f}",
            *shares,
            f"{self.tries:.1f}",
            f"{self.seconds:.1f}",
        )


def question_figures(
    asked: Sequence[Case], gold: Sequence[GoldClaim], encoder: Encoder, *, sharing: bool = True
) -> QuestionFigures:
    """Return the quality of the cases' questions beside those of the annotators.

    Without `sharing` every answer counts as a card of its own, also under a shared question.
    """
    every = [row for case in asked for row in judged(case, encoder, sharing=sharing)]
    written = [one for case in asked for one in case.completions]
    metrics: list[Metric] = [HungarianMeteor(find_words()), SoftCoverage(encoder)]
    report = report_system(Submission("questions", tuple(map(prediction_of, asked))), gold, metrics)
    found = {name: report.score(metric) for name, metric in SCORES.items()}
    return QuestionFigures(
        questions=len(every) / len(asked),
        asked_of=mean(sum(bool(pair.question) for pair in case.evidence) for case in asked),
        generic=mean(row.generic for row in every),
        repeated=mean(row.repeated for row in every),
        nearest=mean(row.nearest for row in every),
        scores={name: one.value for name, one in found.items() if one and one.value is not None},
        tries=len(written) / len(asked),
        seconds=sum(one.seconds for one in written) / len(asked),
    )


def judged(case: Case, encoder: Encoder, *, sharing: bool = True) -> list[JudgedQuestion]:
    """Return each question shown: that of a card once, judged by its first passage."""
    alone = [Card(pair.question, ((number, pair),)) for number, pair in enumerate(case.evidence, start=1)]
    shown = [card for card in (cards(case.evidence) if sharing else alone) if card.question]
    if not shown:
        return []
    answers = encoder.encode([pair.answer for pair in case.evidence])
    claim, *bank = encoder.encode([case.claim.text, *TEMPLATES])
    vectors = encoder.encode([card.question for card in shown])
    rows = []
    for number, (card, vector) in enumerate(zip(shown, vectors, strict=True)):
        place = card.answers[0][0] - 1
        fits_any = max(float(vector @ one) for one in bank)
        generic = fits_any > max(float(vector @ claim), float(vector @ answers[place]))
        repeated = repeats(card, shown[:number]) or bool((vectors[:number] @ vector > SAME).any())
        nearest = int(np.argmax(answers @ vector)) == place
        rows.append(JudgedQuestion(card.question, generic or not card.question.endswith("?"), repeated, nearest))
    return rows


def repeats(card: Card, before: Sequence[Card]) -> bool:
    return card.question.lower() in {one.question.lower() for one in before}
