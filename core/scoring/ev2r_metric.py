"""Ev²R as a metric over a submission: recall of questions and pairs, and verdicts given it, under each rule."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from core.errors import Cancelled, ModelError
from core.formats.annotations import GoldClaim, Prediction
from core.ports import Stop, Writer, never
from core.scoring.averitec import (
    NO_GOLD_EVIDENCE,
    NO_PREDICTION,
    PAIR_LIMIT,
    Progress,
    evidence_gated,
    ignore_progress,
)
from core.scoring.ev2r import (
    RULES,
    Comparison,
    FactJudgement,
    Pair,
    compare_officially,
    compare_questions,
    compare_stepwise,
)
from core.scoring.items import ALL, ItemScore, Score, Status, make_signature
from core.scoring.judgements import Judge, JudgementFailed, Judgements
from core.scoring.metrics import Measured

QUESTIONS = "ev2r:q"
PAIRS = "ev2r:q+a"
PRECISION = "ev2r:precision"
F1 = "ev2r:f1"
FAILURES_IN_A_ROW = 5
"""After so many claims whose judge could not be reached or did not work, the run ends: it can be resumed."""

WORDS_PER_TOKEN = 0.4
"""How many words of evidence are allowed for each token of context: half of it, at 1.25 tokens a word."""


@dataclass(frozen=True)
class Ev2r:
    """Evidence recall by a judging model.

    `way` is "stepwise" (facts first, then one yes or no each) or "official" (one prompt that counts). `rule`
    is one of RULES and decides what a leaderboard ranks by; all are computed. More than one seed repeats the
    judging at temperature 0.7; items are then means over seeds, and the deviation of the system's score
    between seeds is a score of its own (":sd"). Precision costs about three times as much as recall alone.
    """

    writer: Writer
    kept: Judgements
    way: str = "stepwise"
    rule: str = ">0.5"
    seeds: tuple[int, ...] = (0,)
    precision: bool = True
    name: str = "ev2r"

    @property
    def signature(self) -> str:
        """Which judge, way, seeds and how much of the evidence it reads."""
        model = self.writer.identity
        weights = f"sha256:{model.digest[:12]}" if model.digest else "sha256:unknown"
        fields = (f"way:{self.way}", f"pairs:first-{PAIR_LIMIT}", f"words:{self._words}")
        return make_signature(
            self.name, *fields, f"judge:{model.name}", weights, f"seeds:{','.join(map(str, self.seeds))}"
        )

    @property
    def _words(self) -> int:
        return int(WORDS_PER_TOKEN * (self.writer.identity.context_tokens or 4096))

    def measure(
        self,
        gold: Sequence[GoldClaim],
        predictions: Mapping[str, Prediction],
        *,
        on_progress: Progress = ignore_progress,
        stop: Stop = never,
    ) -> Measured:
        """Score every gold claim, keyed by id; a claim whose judgement failed is unscored, with the reason.

        Raises Cancelled if stopped, ModelError if the judge fails for five claims in a row. What was judged
        by then is kept.
        """
        runs = [_SeedRun(self, self._judge(seed, stop)) for seed in self.seeds]
        for done, claim in enumerate(gold):
            if stop():
                raise Cancelled("The scoring was stopped.")
            for run in runs:
                run.score(claim, predictions.get(claim.id))
            on_progress(done + 1, len(gold))
        by_id = {claim.id: claim for claim in gold}
        each = [run.all_items(by_id, predictions) for run in runs]
        main = f"ev2r:averitec{self.rule}"
        return Measured(tuple(_averaged(each)), self.signature, main, tuple(self._deviations(each)), runs[0].facts)

    def _judge(self, seed: int, stop: Stop) -> Judge:
        return Judge(self.writer, self.kept, 0.7 if len(self.seeds) > 1 else 0.0, seed, stop)

    def _deviations(self, each: Sequence[Sequence[ItemScore]]) -> Iterable[Score]:
        if len(each) < 2:
            return
        for metric in dict.fromkeys(item.metric for item in each[0]):
            runs = [[i.value for i in items if i.metric == metric and i.value is not None] for items in each]
            if all(runs):
                value = float(np.std([np.mean(run) for run in runs], ddof=1))
                yield Score(f"{metric}:sd", ALL, value, len(runs[0]), 0, self.signature, value, value)


@dataclass
class _SeedRun:
    """The items of one repetition."""

    metric: Ev2r
    judge: Judge
    items: list[ItemScore] = field(default_factory=list)
    facts: dict[str, tuple[FactJudgement, ...]] = field(default_factory=dict)
    failures: int = 0

    def score(self, claim: GoldClaim, prediction: Prediction | None) -> None:
        names = (QUESTIONS, PAIRS, PRECISION, F1) if self.metric.precision else (QUESTIONS, PAIRS)
        if not claim.pairs:
            self._fill(claim.id, names, None, Status.UNSCORED, NO_GOLD_EVIDENCE)
        elif prediction is None:
            self._fill(claim.id, names, 0.0, Status.MISSING, NO_PREDICTION)
        else:
            self._judged(claim, prediction, names)

    def _judged(self, claim: GoldClaim, prediction: Prediction, names: Sequence[str]) -> None:
        try:
            questions, pairs = self._compared(claim, prediction)
        except (ModelError, JudgementFailed) as error:
            self._failed(error)
            self._fill(claim.id, names, None, Status.UNSCORED, str(error))
            return
        self.failures = 0
        self.facts[claim.id] = pairs.facts
        values = {QUESTIONS: questions.recall, PAIRS: pairs.recall, PRECISION: pairs.precision, F1: pairs.f1}
        for name in names:
            # A prediction without evidence asserts nothing: no precision, and F1 is 0 with its recall.
            value = 0.0 if name in (PRECISION, F1) and values[name] is None else values[name]
            self.items.append(ItemScore(claim.id, name, value))

    def _compared(self, claim: GoldClaim, prediction: Prediction) -> tuple[Comparison, Comparison]:
        evidence = prediction.evidence[:PAIR_LIMIT]
        predicted: list[Pair] = [(e.question, e.answer) for e in evidence if e.question.strip() or e.answer.strip()]
        words, asked = self.metric._words, [e.question for e in evidence if e.question.strip()]
        gold_questions = [q.question for q in claim.questions if q.question.strip()]
        if self.metric.way == "official":
            both = compare_officially(claim.claim.text, claim.pairs, predicted, self.judge, words=words)
            alone = [(question, "") for question in asked]
            reference = [(question, "") for question in gold_questions]
            return compare_officially(claim.claim.text, reference, alone, self.judge, words=words), both
        both = compare_stepwise(claim.pairs, predicted, self.judge, words=words, precision=self.metric.precision)
        return compare_questions(gold_questions, asked, self.judge, words=words), both

    def _failed(self, error: Exception) -> None:
        self.failures = self.failures + 1 if isinstance(error, ModelError) else 0
        if self.failures >= FAILURES_IN_A_ROW:
            raise ModelError(
                f"The judge failed for {self.failures} claims in a row, last: {error} "
                "What it judged before is kept: start again to go on from there."
            ) from error

    def _fill(self, claim_id: str, names: Sequence[str], value: float | None, status: Status, reason: str) -> None:
        self.items += [ItemScore(claim_id, name, value, status, reason) for name in names]

    def all_items(self, gold: Mapping[str, GoldClaim], predictions: Mapping[str, Prediction]) -> list[ItemScore]:
        """Return the items, then the verdicts given evidence under every rule."""
        pairs = [item for item in self.items if item.metric == PAIRS]
        gated = [
            item
            for name, passes in RULES.items()
            for item in evidence_gated(pairs, gold, predictions, metric=f"ev2r:averitec{name}", passes=passes)
        ]
        return [*self.items, *gated]


def _averaged(each: Sequence[Sequence[ItemScore]]) -> list[ItemScore]:
    """Return the mean over seeds of each item; unscored where any seed's judgement failed."""
    if len(each) == 1:
        return list(each[0])
    averaged = []
    for same in zip(*each, strict=True):
        values = [item.value for item in same if item.value is not None]
        if len(values) < len(same):
            averaged.append(next(item for item in same if item.value is None))
        else:
            averaged.append(replace(same[0], value=float(np.mean(values))))
    return averaged


def on_the_threshold(items: Iterable[ItemScore]) -> list[str]:
    """Return the ids of the claims whose recall is exactly 0.5: where "> 0.5" and "≥ 0.5" part."""
    return [item.claim_id for item in items if item.metric == PAIRS and item.value == 0.5]
