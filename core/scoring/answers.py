"""Answer scores: correctness from coverage and relevance, and faithfulness to the passages.

Scales after the LiveRAG 2025 evaluation guidelines: correctness 2 (correct and relevant), 1 (correct with
irrelevant information), 0 (no answer), −1 (incorrect); faithfulness 1 (all parts grounded), 0 (some), −1 (none).
Both are continuous in between. Coverage after Pradeep et al. 2024 (vital nuggets), faithfulness after Es et al.
2024; the prompts are ours.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from core.errors import Cancelled, ModelError
from core.formats.annotations import GoldClaim, Prediction
from core.ports import Schema, Stop, Writer, never
from core.prompts import render
from core.scoring.averitec import Progress, ignore_progress
from core.scoring.ev2r import FactJudgement, first_words, numbered
from core.scoring.items import ItemScore, Status, make_signature
from core.scoring.judgements import Judge, JudgementFailed, Judgements
from core.scoring.metrics import Measured

WORD_LIMIT = 300
"""How much of an answer counts."""

PASSAGE_LIMIT = 10
"""How many of its passages count."""

CORRECTNESS = "answers:correctness"
COVERAGE = "answers:coverage"
RELEVANCE = "answers:relevance"
FAITHFULNESS = "answers:faithfulness"
NAMES = (CORRECTNESS, COVERAGE, RELEVANCE, FAITHFULNESS)

FACTS: Schema = {
    "type": "object",
    "required": ["facts"],
    "properties": {
        "facts": {
            "type": "array",
            "minItems": 1,
            "maxItems": 10,
            "items": {"type": "string", "minLength": 8, "maxLength": 200},
        }
    },
}


@dataclass(frozen=True)
class AnswerCase:
    """One question with the correct answer and a given one; `answer` is None where none was submitted."""

    id: str
    question: str
    correct: str
    answer: str | None
    passages: tuple[str, ...] = ()


@dataclass(frozen=True)
class AnswerJudgement:
    """Shares in [0, 1]: vital facts covered, statements on the question, statements found in the passages.

    `grounded` is None where no passages were given. `facts` says what was decided.
    """

    coverage: float
    relevance: float
    grounded: float | None
    facts: tuple[FactJudgement, ...]


def correctness(coverage: float, relevance: float) -> float:
    """Return correctness in [−1, 2]: −1 without any vital fact, 1 for all of them, and up to 1 more for relevance.

    coverage and relevance in [0, 1]. Relevance counts in proportion to coverage: a wrong answer earns nothing
    by staying on the question.
    """
    return -1.0 + 2.0 * coverage + coverage * relevance


def faithfulness(grounded: float) -> float:
    """Return faithfulness in [−1, 1] for the share of grounded statements in [0, 1]."""
    return 2.0 * grounded - 1.0


def judge_answer(case: AnswerCase, judge: Judge, *, words: int) -> AnswerJudgement:
    """Have a model judge one given answer. Raises JudgementFailed or ModelError if it cannot.

    `words` is how much of the passages the judge reads. Facts that the judge finds none of vital all count.
    """
    answer = first_words(case.answer or "", WORD_LIMIT)
    about = {"question": case.question}
    key = _statements(case.question, case.correct, judge)
    vital = [f for f in key if judge.yes(render("answers_vital", {**about, "evidence": case.correct, "fact": f}))]
    nuggets = _supported("vital", vital or key, f"[1] {answer}", judge)
    said = _statements(case.question, answer, judge)
    relevant = [FactJudgement("relevant", f, judge.yes(render("answers_relevant", {**about, "fact": f}))) for f in said]
    passages = [("", passage) for passage in case.passages[:PASSAGE_LIMIT] if passage.strip()]
    grounded = _supported("grounded", said, numbered(passages, words), judge) if passages else []
    share = _share(grounded) if passages else None
    return AnswerJudgement(_share(nuggets), _share(relevant), share, (*nuggets, *relevant, *grounded))


def _statements(question: str, answer: str, judge: Judge) -> list[str]:
    prompt = render("answers_facts", {"question": question, "answer": first_words(answer, WORD_LIMIT)})
    found = judge.json(prompt, FACTS, max_tokens=700)
    facts = found.get("facts") if isinstance(found, dict) else None
    if not isinstance(facts, list) or not facts or not all(isinstance(fact, str) for fact in facts):
        raise JudgementFailed("the judge gave no statements of the answer")
    return list(dict.fromkeys(fact.strip() for fact in facts))


def _supported(side: str, facts: Sequence[str], evidence: str, judge: Judge) -> list[FactJudgement]:
    asked = ((f, render("ev2r_support", {"evidence": evidence, "fact": f})) for f in facts)
    return [FactJudgement(side, fact, judge.yes(prompt)) for fact, prompt in asked]


def _share(facts: Sequence[FactJudgement]) -> float:
    return sum(fact.supported for fact in facts) / len(facts)


@dataclass(frozen=True)
class AnswerScores:
    """Answer scores of anything that answers questions; `measure` takes justifications as the answers.

    No answer scores 0 for correctness ("no answer provided") and has no faithfulness. Failed judgements are
    unscored.
    """

    writer: Writer
    kept: Judgements
    name: str = "answers"

    @property
    def signature(self) -> str:
        """Which judge and which limits."""
        model = self.writer.identity
        weights = f"sha256:{model.digest[:12]}" if model.digest else "sha256:unknown"
        limits = (f"answer:first-{WORD_LIMIT}-words", f"passages:first-{PASSAGE_LIMIT}")
        return make_signature(self.name, *limits, f"judge:{model.name}", weights)

    def measure(
        self,
        gold: Sequence[GoldClaim],
        predictions: Mapping[str, Prediction],
        *,
        on_progress: Progress = ignore_progress,
        stop: Stop = never,
    ) -> Measured:
        """Score each prediction's justification against the gold's, its evidence as the passages."""
        cases = [justification_case(claim, predictions.get(claim.id)) for claim in gold]
        return self.measure_cases(cases, on_progress=on_progress, stop=stop)

    def measure_cases(
        self, cases: Sequence[AnswerCase], *, on_progress: Progress = ignore_progress, stop: Stop = never
    ) -> Measured:
        """Score answers, keyed by id. Raises Cancelled if stopped."""
        run = _Scoring(
            Judge(self.writer, self.kept, stop=stop), int(0.4 * (self.writer.identity.context_tokens or 4096))
        )
        for done, case in enumerate(cases):
            if stop():
                raise Cancelled("The scoring was stopped.")
            run.score(case)
            on_progress(done + 1, len(cases))
        return Measured(tuple(run.items), self.signature, CORRECTNESS, facts=run.facts)


@dataclass
class _Scoring:
    judge: Judge
    words: int
    items: list[ItemScore] = field(default_factory=list)
    facts: dict[str, tuple[FactJudgement, ...]] = field(default_factory=dict)

    def score(self, case: AnswerCase) -> None:
        if not case.correct.strip():
            self._fill(case.id, NAMES, None, Status.UNSCORED, "there is no correct answer to compare with")
        elif not (case.answer or "").strip():
            status = Status.MISSING if case.answer is None else Status.SCORED
            self._fill(case.id, NAMES[:3], 0.0, status, "no answer")
            self._fill(case.id, NAMES[3:], None, Status.UNSCORED, "no answer: nothing could be grounded")
        else:
            self._judged(case)

    def _judged(self, case: AnswerCase) -> None:
        try:
            found = judge_answer(case, self.judge, words=self.words)
        except (ModelError, JudgementFailed) as error:
            self._fill(case.id, NAMES, None, Status.UNSCORED, str(error))
            return
        self.facts[case.id] = found.facts
        values = {
            CORRECTNESS: correctness(found.coverage, found.relevance),
            COVERAGE: found.coverage,
            RELEVANCE: found.relevance,
        }
        self.items += [ItemScore(case.id, name, value) for name, value in values.items()]
        if found.grounded is None:
            self._fill(case.id, NAMES[3:], None, Status.UNSCORED, "no passages were given")
        else:
            self.items.append(ItemScore(case.id, FAITHFULNESS, faithfulness(found.grounded)))

    def _fill(self, case_id: str, names: Sequence[str], value: float | None, status: Status, reason: str) -> None:
        self.items += [ItemScore(case_id, name, value, status, reason) for name in names]


def justification_case(claim: GoldClaim, prediction: Prediction | None) -> AnswerCase:
    """Return a claim's justification as an answer to "Is it true?", with the system's evidence as passages."""
    passages = tuple(f"{e.question} {e.answer}".strip() for e in prediction.evidence) if prediction else ()
    answer = prediction.justification if prediction else None
    return AnswerCase(claim.id, f"Is this claim true? {claim.claim.text}", claim.justification, answer, passages)
