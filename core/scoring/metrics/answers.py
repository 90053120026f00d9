"""Answer scores: correctness from coverage and relevance, and faithfulness to the passages.

Scales after the LiveRAG 2025 evaluation guidelines. Correctness: 2 (correct and relevant), 1 (correct with irrelevant
information), 0 (no answer), −1 (incorrect). Faithfulness: 1 (all parts grounded), 0 (some), −1 (none). Both are
continuous in between. Coverage after Pradeep et al. 2024 (vital nuggets), faithfulness after Es et al. 2024; the
prompts are ours.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from core.annotations import GoldClaim, Prediction
from core.errors import JudgeChanged, ModelError
from core.interfaces import LanguageModel
from core.llm.caching import CallCache
from core.scoring.items import ItemScore, ItemStatus, make_signature, same_items
from core.scoring.judging import JudgeAccess
from core.scoring.metrics.ev2r import FACT_TOKENS, FactJudgement, facts_schema, first_words, listed_facts, numbered
from core.scoring.metrics.hungarian_meteor import NO_GOLD_EVIDENCE
from core.scoring.metrics.judgements import JudgementFailed, JudgeModel, judge_fields, words_read
from core.scoring.metrics.metric import Measured, Registration
from core.scoring.metrics.prompts import JudgePrompts
from core.scoring.progress import UNMONITORED, ProgressMonitor

WORD_LIMIT = 300
"""The most characters of an answer that count."""

PASSAGE_LIMIT = 10
"""The most passages that count."""

CORRECTNESS = "answers:correctness"
COVERAGE = "answers:coverage"
RELEVANCE = "answers:relevance"
FAITHFULNESS = "answers:faithfulness"
NAMES = (CORRECTNESS, COVERAGE, RELEVANCE, FAITHFULNESS)
RANGES = {CORRECTNESS: (-1.0, 2.0), FAITHFULNESS: (-1.0, 1.0)}
NO_CORRECT_ANSWER = "there is no correct answer to compare with"
NO_PASSAGES = "no passages were given"
NOTHING_TO_GROUND = "no answer to ground"
NEVER_ASKED = (NO_CORRECT_ANSWER, NO_PASSAGES, NOTHING_TO_GROUND, NO_GOLD_EVIDENCE)
"""Reasons for unscored items without failed judgements; asking again does not help."""

MAX_STATEMENTS = 10
"""Statements taken from one answer."""


@dataclass(frozen=True)
class AnswerCase:
    """One question with the correct answer and the given one; `answer` is None if none was submitted."""

    id: str
    question: str
    correct: str
    answer: str | None
    passages: tuple[str, ...] = ()


@dataclass(frozen=True)
class AnswerJudgement:
    """Shares in [0, 1]: vital facts covered, statements on the question, statements found in the passages.

    `coverage` is None without a correct answer, `grounded` without passages. `facts` has the decisions.
    """

    coverage: float | None
    relevance: float
    grounded: float | None
    facts: tuple[FactJudgement, ...]


def correctness(coverage: float, relevance: float) -> float:
    """Return correctness in [−1, 2]: −1 without any vital fact, 1 for all of them, and up to 1 more for relevance.

    coverage and relevance in [0, 1]. Relevance is multiplied by coverage, so a wrong but relevant answer gains nothing.
    """
    return -1.0 + 2.0 * coverage + coverage * relevance


def faithfulness(grounded: float) -> float:
    """Return faithfulness in [−1, 1] for the share of grounded statements in [0, 1]."""
    return 2.0 * grounded - 1.0


def judge_answer(case: AnswerCase, judge: JudgeModel, *, words: int) -> AnswerJudgement:
    """Let a model judge one given answer. Raises JudgementFailed or ModelError if it fails.

    `words` limits the passages that the judge reads. If no fact is vital, all facts count.
    """
    answer = first_words(case.answer or "", WORD_LIMIT)
    nuggets = _supported("vital", _vital(case, judge), f"[1] {answer}", judge)
    said = _statements(case.question, answer, judge)
    on_it = (judge.yes(judge.render("answers_relevant", {"question": case.question, "fact": fact})) for fact in said)
    relevant = [FactJudgement("relevant", fact, yes) for fact, yes in zip(said, on_it, strict=True)]
    passages = [("", passage) for passage in case.passages[:PASSAGE_LIMIT] if passage.strip()]
    grounded = _supported("grounded", said, numbered(passages, words), judge) if passages else []
    return AnswerJudgement(
        _share(nuggets) if nuggets else None,
        _share(relevant),
        _share(grounded) if grounded else None,
        (*nuggets, *relevant, *grounded),
    )


def _vital(case: AnswerCase, judge: JudgeModel) -> list[str]:
    if not case.correct.strip():
        return []
    facts = _statements(case.question, case.correct, judge)
    about = {"question": case.question, "evidence": case.correct}
    return [fact for fact in facts if judge.yes(judge.render("answers_vital", {**about, "fact": fact}))] or facts


def _statements(question: str, answer: str, judge: JudgeModel) -> list[str]:
    prompt = judge.render("answers_facts", {"question": question, "answer": first_words(answer, WORD_LIMIT)})
    return judge.json(prompt, facts_schema(MAX_STATEMENTS), listed_facts, max_tokens=FACT_TOKENS * (1 + MAX_STATEMENTS))


def _supported(side: str, facts: Sequence[str], evidence: str, judge: JudgeModel) -> list[FactJudgement]:
    asked = ((f, judge.render("ev2r_support", {"evidence": evidence, "fact": f})) for f in facts)
    return [FactJudgement(side, fact, judge.yes(prompt)) for fact, prompt in asked]


def _share(facts: Sequence[FactJudgement]) -> float:
    return sum(fact.supported for fact in facts) / len(facts)


@dataclass(frozen=True)
class AnswerScores:
    """Answer scores of systems that answer questions; `measure` takes justifications as answers.

    No answer scores 0 for correctness ("no answer provided") and has no faithfulness. Failed judgements are unscored.
    `attempt` counts earlier attempts at failed judgements.
    """

    llm: LanguageModel
    kept: CallCache
    attempt: int = 0
    prompts: Mapping[str, str] = field(default_factory=dict)
    name: str = "answers"

    @property
    def signature(self) -> str:
        """Fields of a signature: the judge and the limits."""
        limits = (f"answer:first-{WORD_LIMIT}-words", f"passages:first-{PASSAGE_LIMIT}")
        return make_signature(
            self.name, *limits, *judge_fields(self.llm, self.attempt), *JudgePrompts(self.prompts).fields
        )

    def measure(
        self, gold: Sequence[GoldClaim], predictions: Mapping[str, Prediction], monitor: ProgressMonitor = UNMONITORED
    ) -> Measured:
        """Score each prediction's justification against the gold's, its evidence as the passages."""
        return self.measure_cases([justification_case(claim, predictions.get(claim.id)) for claim in gold], monitor)

    def measure_cases(self, cases: Sequence[AnswerCase], monitor: ProgressMonitor = UNMONITORED) -> Measured:
        """Score answers, keyed by id. Raises Cancelled if stopped.

        Answers are ranked by correctness, or by faithfulness if no question has a correct answer.
        """
        prompts = JudgePrompts(self.prompts)
        judge = JudgeModel(self.llm, self.kept, stop=monitor.stop, attempt=self.attempt, prompts=prompts)
        run = _Scoring(judge, words_read(self.llm))
        for case in monitor.over(cases):
            run.score(case)
        main = CORRECTNESS if any(case.correct.strip() for case in cases) else FAITHFULNESS
        return Measured(tuple(run.items), self.signature, main, facts=run.facts, ranges=RANGES, usage=judge.usage)


@dataclass
class _Scoring:
    judge: JudgeModel
    words: int
    items: list[ItemScore] = field(default_factory=list)
    facts: dict[str, tuple[FactJudgement, ...]] = field(default_factory=dict)

    def score(self, case: AnswerCase) -> None:
        if (case.answer or "").strip():
            self._judged(case)
        elif not case.correct.strip():
            self.items += same_items(case.id, NAMES, None, ItemStatus.UNSCORED, NO_CORRECT_ANSWER)
        else:
            status = ItemStatus.MISSING if case.answer is None else ItemStatus.SCORED
            self.items += same_items(case.id, NAMES[:3], 0.0, status, "no answer")
            self.items += same_items(case.id, NAMES[3:], None, ItemStatus.UNSCORED, NOTHING_TO_GROUND)

    def _judged(self, case: AnswerCase) -> None:
        self.judge.begin_item(case.question, case.correct, case.answer, case.passages)
        try:
            found = judge_answer(case, self.judge, words=self.words)
        except JudgeChanged:
            raise
        except (ModelError, JudgementFailed) as error:
            self.items += same_items(case.id, NAMES, None, ItemStatus.UNSCORED, str(error))
            return
        self.facts[case.id] = found.facts
        covered = found.coverage
        right = None if covered is None else correctness(covered, found.relevance)
        said = None if found.grounded is None else faithfulness(found.grounded)
        values = (right, covered, found.relevance, said)
        reasons = (NO_CORRECT_ANSWER, NO_CORRECT_ANSWER, "", NO_PASSAGES)
        for name, value, reason in zip(NAMES, values, reasons, strict=True):
            unscored = value is None
            status = ItemStatus.UNSCORED if unscored else ItemStatus.SCORED
            self.items.append(ItemScore(case.id, name, value, status, reason if unscored else ""))


def justification_case(claim: GoldClaim, prediction: Prediction | None) -> AnswerCase:
    """Return a claim's justification as an answer, with the system's evidence as passages."""
    passages = tuple(f"{e.question} {e.answer}".strip() for e in prediction.evidence) if prediction else ()
    answer = prediction.justification if prediction else None
    return AnswerCase(claim.id, justification_question(claim.claim.text), claim.justification, answer, passages)


def justification_question(claim: str) -> str:
    """Return the question for a justification."""
    return f"Is this claim true? {claim}"


def open_answer_scores(judge: JudgeAccess) -> AnswerScores:
    """Return the answer scores by the judge of a run."""
    how = judge.judging
    return AnswerScores(judge.llm(), judge.judgements(), how.attempt, prompts=how.prompts)


ANSWERS = Registration(
    name="answers",
    title="Answers",
    summary="correctness and faithfulness of the justifications by a language model as judge",
    open=open_answer_scores,
    meanings={
        CORRECTNESS: "The share of the correct answer's vital facts in the given one, and of its statements on the "
        "question. From −1 (incorrect) over 0 (no answer) and 1 (with irrelevant information) to 2. LiveRAG 2025.",
        FAITHFULNESS: "The share of the answer's statements found in its passages, from −1 (none) to 1 (all). "
        "LiveRAG 2025.",
        COVERAGE: "The share of the vital facts of the correct answer that the given one says. 0 to 1.",
        RELEVANCE: "The share of the answer's statements that are on the question. 0 to 1.",
    },
    columns=NAMES,
    ranges=RANGES,
    judged=True,
)
