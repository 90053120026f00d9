"""Score submissions with Ev²R: recall of questions and pairs, and verdicts given evidence, under each rule."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from core.annotations import GoldClaim, PredictedEvidence, Prediction
from core.errors import JudgeChanged, ModelError
from core.interfaces import LanguageModel
from core.llm.caching import CallCache
from core.scoring.items import ALL, ItemScore, ItemStatus, Score, make_signature, same_items
from core.scoring.judging import JudgeAccess
from core.scoring.metrics.ev2r import (
    RULES,
    Comparison,
    FactJudgement,
    compare_officially,
    compare_questions,
    compare_stepwise,
)
from core.scoring.metrics.hungarian_meteor import (
    NO_GOLD_EVIDENCE,
    NO_PREDICTION,
    PAIR_LIMIT,
    evidence_gated,
)
from core.scoring.metrics.judgements import (
    REPEAT_TEMPERATURE,
    JudgementFailed,
    JudgeModel,
    judge_fields,
    words_read,
)
from core.scoring.metrics.metric import Measured, Registration
from core.scoring.metrics.prompts import JudgePrompts
from core.scoring.progress import UNMONITORED, ProgressMonitor
from core.scoring.usage import Usage

QUESTIONS = "ev2r:q"
PAIRS = "ev2r:q+a"
PRECISION = "ev2r:precision"
F1 = "ev2r:f1"
FAILURES_IN_A_ROW = 5
"""Number of consecutive claims with a failing judge after which a run ends; it can be resumed."""


@dataclass(frozen=True)
class Ev2r:
    """Evidence recall by a judging model.

    `way` is "stepwise" (facts first, then one yes or no each) or "official" (one prompt that counts). `rule` is one of
    RULES and decides the ranking of a leaderboard; all are computed. More than one seed repeats the judging at
    temperature 0.7. Items are then means over seeds, and the deviation between seeds is a separate score (":sd").
    Stepwise, `precision` costs about three times as much as recall. The official way's one prompt includes precision.
    `attempt` counts earlier attempts at failed judgements. `spent` counts the cost of all measurements,
    failed ones too.
    """

    llm: LanguageModel
    kept: CallCache
    way: str = "stepwise"
    rule: str = ">0.5"
    seeds: tuple[int, ...] = (0,)
    precision: bool = True
    attempt: int = 0
    prompts: Mapping[str, str] = field(default_factory=dict)
    spent: Usage = field(default_factory=Usage, compare=False)
    name: str = "ev2r"

    @property
    def signature(self) -> str:
        """Fields of a signature: judge, way, seeds and limit of the evidence."""
        fields = (f"way:{self.way}", f"pairs:first-{PAIR_LIMIT}", f"words:{words_read(self.llm)}")
        judge = judge_fields(self.llm, self.attempt)
        judge += JudgePrompts(self.prompts).fields
        return make_signature(self.name, *fields, *judge, f"seeds:{','.join(map(str, self.seeds))}")

    @property
    def pair_names(self) -> tuple[str, ...]:
        """The items from comparisons of question-answer pairs."""
        return (PAIRS, PRECISION, F1) if self.precision or self.way == "official" else (PAIRS,)

    def measure(
        self, gold: Sequence[GoldClaim], predictions: Mapping[str, Prediction], monitor: ProgressMonitor = UNMONITORED
    ) -> Measured:
        """Score every gold claim, keyed by id; a claim with a failed judgement is unscored, with the reason.

        Raises Cancelled if stopped, JudgeChanged if another model answers, ModelError if the judge fails for five
        claims in a row. Judgements made by then are kept.
        """
        before = replace(self.spent)
        runs = [_SeedRun(self, self._judge(seed, monitor)) for seed in self.seeds]
        for claim in monitor.over(gold):
            for run in runs:
                run.score(claim, predictions.get(claim.id))
        by_id = {claim.id: claim for claim in gold}
        each = [run.all_items(by_id, predictions) for run in runs]
        main = f"ev2r:averitec{self.rule}"
        others = tuple(self._deviations(each))
        return Measured(tuple(_averaged(each)), self.signature, main, others, runs[0].facts, usage=self.spent - before)

    def compare_pairs(self, claim: GoldClaim, evidence: Sequence[PredictedEvidence], judge: JudgeModel) -> Comparison:
        """Compare question-answer pairs in the chosen way."""
        predicted = [(e.question, e.answer) for e in evidence if e.question.strip() or e.answer.strip()]
        words = words_read(self.llm)
        if self.way == "official":
            return compare_officially(claim.claim.text, claim.pairs, predicted, judge, words=words)
        return compare_stepwise(claim.pairs, predicted, judge, words=words, precision=self.precision)

    def compare_questions(
        self, claim: GoldClaim, asked: Sequence[str], evidence: Sequence[PredictedEvidence], judge: JudgeModel
    ) -> Comparison:
        """Compare the gold questions that were `asked` with the predicted ones in the chosen way."""
        predicted, words = [e.question for e in evidence if e.question.strip()], words_read(self.llm)
        if self.way == "official":
            reference, alone = [(question, "") for question in asked], [(question, "") for question in predicted]
            return compare_officially(claim.claim.text, reference, alone, judge, words=words)
        return compare_questions(asked, predicted, judge, words=words)

    def _judge(self, seed: int, monitor: ProgressMonitor) -> JudgeModel:
        temperature = REPEAT_TEMPERATURE if len(self.seeds) > 1 else 0.0
        prompts = JudgePrompts(self.prompts)
        return JudgeModel(self.llm, self.kept, temperature, seed, monitor.stop, self.attempt, prompts, self.spent)

    def _deviations(self, each: Sequence[Sequence[ItemScore]]) -> Iterable[Score]:
        import numpy as np  # `--help` should not wait for it

        if len(each) < 2:
            return
        for metric in dict.fromkeys(item.metric for item in each[0]):
            runs = np.array([[i.value for i in items if i.metric == metric] for items in each], dtype=np.float64)
            scored = runs[:, np.isfinite(runs).all(axis=0)]  # claims scored in every repetition, as those of the mean
            if scored.size:
                value = float(np.std(scored.mean(axis=1), ddof=1))
                yield Score(f"{metric}:sd", ALL, value, scored.shape[1], 0, self.signature, value, value)


@dataclass
class _SeedRun:
    """The items of one repetition."""

    metric: Ev2r
    judge: JudgeModel
    items: list[ItemScore] = field(default_factory=list)
    facts: dict[str, tuple[FactJudgement, ...]] = field(default_factory=dict)
    failures: int = 0

    def score(self, claim: GoldClaim, prediction: Prediction | None) -> None:
        names = (QUESTIONS, *self.metric.pair_names)
        if not claim.pairs:
            self.items += same_items(claim.id, names, None, ItemStatus.UNSCORED, NO_GOLD_EVIDENCE)
        elif prediction is None:
            self.items += same_items(claim.id, names, 0.0, ItemStatus.MISSING, NO_PREDICTION)
        else:
            evidence = prediction.evidence[:PAIR_LIMIT]
            given = [(one.question, one.answer) for one in evidence]
            self.judge.begin_item(claim.pairs, given)
            self._pairs(claim, evidence)

    def _pairs(self, claim: GoldClaim, evidence: Sequence[PredictedEvidence]) -> None:
        names = self.metric.pair_names
        try:
            found = self.metric.compare_pairs(claim, evidence, self.judge)
        except JudgeChanged:
            raise
        except ModelError as error:  # the judge is unreachable, so the questions are skipped too
            self.items += same_items(claim.id, (QUESTIONS, *names), None, ItemStatus.UNSCORED, str(error))
            self._count_failure(error)
            return
        except JudgementFailed as error:
            self.items += same_items(claim.id, names, None, ItemStatus.UNSCORED, str(error))
        else:
            self.facts[claim.id] = found.facts
            # Without evidence, precision and recall are 0.
            values = {PAIRS: found.recall, PRECISION: found.precision or 0.0, F1: found.f1 or 0.0}
            self.items += [ItemScore(claim.id, name, values[name]) for name in names]
        self.failures = 0
        self._questions(claim, evidence)

    def _questions(self, claim: GoldClaim, evidence: Sequence[PredictedEvidence]) -> None:
        asked = [q.question for q in claim.questions if q.question.strip()]
        if not asked:
            self.items += same_items(claim.id, (QUESTIONS,), None, ItemStatus.UNSCORED, NO_GOLD_EVIDENCE)
            return
        try:
            found = self.metric.compare_questions(claim, asked, evidence, self.judge)
        except JudgeChanged:
            raise
        except (ModelError, JudgementFailed) as error:
            self.items += same_items(claim.id, (QUESTIONS,), None, ItemStatus.UNSCORED, str(error))
        else:
            self.items.append(ItemScore(claim.id, QUESTIONS, found.recall))

    def _count_failure(self, error: ModelError) -> None:
        self.failures += 1
        if self.failures >= FAILURES_IN_A_ROW:
            raise ModelError(
                f"The judge failed for {self.failures} claims in a row, last: {error} Earlier judgements are kept: "
                f"start again to go on from there."
            ) from error

    def all_items(self, gold: Mapping[str, GoldClaim], predictions: Mapping[str, Prediction]) -> list[ItemScore]:
        """Return the items, then the verdicts given evidence under every rule."""
        pairs = [item for item in self.items if item.metric == PAIRS]
        gated = [
            item
            for name, passes in RULES.items()
            for item in evidence_gated(pairs, gold, predictions, metric=f"ev2r:averitec{name}", passes=passes)
        ]
        return [*sorted(self.items, key=lambda item: item.metric != QUESTIONS), *gated]


def _averaged(each: Sequence[Sequence[ItemScore]]) -> list[ItemScore]:
    """Return the mean over seeds of each item; unscored where any seed's judgement failed."""
    if len(each) == 1:
        return list(each[0])
    import numpy as np

    averaged = []
    for same in zip(*each, strict=True):
        values = [item.value for item in same if item.value is not None]
        if len(values) < len(same):
            averaged.append(next(item for item in same if item.value is None))
        else:
            averaged.append(replace(same[0], value=float(np.mean(values))))
    return averaged


def _open(judge: JudgeAccess) -> Ev2r:
    how = judge.judging
    seeds = tuple(range(how.seed, how.seed + how.repeat))
    settings = how.way, how.rule, seeds, how.precision, how.attempt, how.prompts
    return Ev2r(judge.llm(), judge.judgements(), *settings, judge.spent)


EV2R = Registration(
    name="ev2r",
    title="Ev²R",
    summary="recall of the gold evidence's facts by a language model as judge, and verdicts given it",
    open=_open,
    meanings={
        QUESTIONS: "Ev²R recall of the questions: the share of the gold questions' facts that the judge finds in the "
        "predicted ones. 0 to 1, higher is better. Akhtar et al. 2024.",
        PAIRS: "Ev²R recall: the share of the gold evidence's facts that a judging model finds in the predicted "
        "evidence. 0 to 1, higher is better. Akhtar et al. 2024.",
        PRECISION: "Ev²R precision: the share of the predicted evidence's facts that a judging model finds in the "
        "gold evidence. 0 to 1, higher is better. Akhtar et al. 2024.",
        F1: "The harmonic mean of Ev²R recall and precision of each claim. 0 to 1, higher is better.",
        "ev2r:averitec": "The share of claims with a right verdict and an Ev²R recall that passes the threshold. "
        "0 to 1, higher is better. Akhtar et al. 2024.",
    },
    columns=(QUESTIONS, PAIRS, PRECISION, F1),
    evidence=PAIRS,
    judged=True,
)
