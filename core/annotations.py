"""Define annotated claims and predictions, as in gold files and submissions of every format."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from core.errors import BadRecord
from core.types import Case, Claim, Label

LABEL_SPELLINGS = {
    "conflicting evidence/cherry-picking": Label.CONFLICTING,
    "conflicting evidence / cherrypicking": Label.CONFLICTING,
    "conflicting evidence / cherry-picking": Label.CONFLICTING,
    **{label.value.lower(): label for label in Label},
}
"""Spellings found in papers and files, in lower case. Any spelling but the official one is reported."""

NO_ANSWER = "No answer could be found."
"""AVeriTeC's phrase for a question without an answer."""


@dataclass(frozen=True)
class GoldAnswer:
    """One annotated answer. `kind` is Extractive, Abstractive, Boolean, Unanswerable or empty (unknown)."""

    text: str
    kind: str = ""
    explanation: str = ""
    url: str = ""
    medium: str = ""

    @property
    def full_text(self) -> str:
        """The answer as scorers compare it: yes or no, followed by its explanation."""
        explained = self.kind == "Boolean" and self.explanation
        return f"{self.text}. {self.explanation}" if explained else self.text


@dataclass(frozen=True)
class GoldQuestion:
    """One annotated question with all its answers."""

    question: str
    answers: tuple[GoldAnswer, ...]


@dataclass(frozen=True)
class GoldClaim:
    """One annotated claim. `claim_types` is empty if the file has none (leaderboard CSV).

    `fact_check` is the address of the claim's article, if known.
    """

    claim: Claim
    label: Label
    questions: tuple[GoldQuestion, ...]
    justification: str = ""
    claim_types: tuple[str, ...] = ()
    strategies: tuple[str, ...] = ()
    fact_check: str = ""

    @property
    def id(self) -> str:
        return self.claim.id

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """Each question with each of its answers, as scorers compare them.

        A question without answers is paired with the official scorer's sentence for it.
        """
        return tuple(
            (q.question, text)
            for q in self.questions
            for text in ([answer.full_text for answer in q.answers] or [NO_ANSWER])
        )


@dataclass(frozen=True)
class PredictedEvidence:
    """One retrieved question-answer pair. `question` is empty where the evidence is a plain string."""

    question: str
    answer: str
    url: str = ""
    scraped_text: str = ""


@dataclass(frozen=True)
class Prediction:
    """A system's prediction for one claim. `label` is None if `label_text` is none of the four.

    `cannot_tell` says that the system is too unsure of its label. If the system does not report this, `cannot_tell` is
    None and `probabilities` is empty.
    """

    claim_id: str
    claim: str
    label: Label | None
    evidence: tuple[PredictedEvidence, ...]
    label_text: str = ""
    justification: str = ""
    seconds: float | None = None
    cannot_tell: bool | None = None
    probabilities: dict[Label, float] = field(default_factory=dict)


SCORED_PAIRS = 10
"""Number of a prediction's pairs that count; all gold pairs count."""


@dataclass(frozen=True)
class Problem:
    """A remark on a file before scoring; `fatal` problems prevent scoring."""

    where: str
    field: str
    message: str
    fatal: bool = False


@dataclass(frozen=True)
class Submission:
    """One system's predictions in the order of its file, and the problems of the file."""

    name: str
    predictions: tuple[Prediction, ...]
    problems: tuple[Problem, ...] = field(default=())

    @property
    def accepted(self) -> bool:
        return not any(problem.fatal for problem in self.problems)

    @property
    def by_id(self) -> dict[str, Prediction]:
        """The first prediction of each id; a file with an id twice is not `accepted`."""
        return {prediction.claim_id: prediction for prediction in reversed(self.predictions)}


def without_scraped_text(submission: Submission) -> Submission:
    """Return the submission without the documents' text, which is most of a file and is never scored."""
    light = (
        replace(p, evidence=tuple(replace(e, scraped_text="") if e.scraped_text else e for e in p.evidence))
        for p in submission.predictions
    )
    return replace(submission, predictions=tuple(light))


def parse_label(text: str) -> Label | None:
    """Return the label that `text` spells, None if it is no known spelling of the four."""
    return LABEL_SPELLINGS.get(" ".join(text.lower().split()))


def label_problems(where: str, text: str) -> list[Problem]:
    """Return a remark on a label with an unofficial spelling; empty for the official one."""
    label = parse_label(text)
    if label is None:
        shown = f"{text[:60]!r} is" if text else "there is no label; it is"
        return [Problem(where, "label", f"{shown} none of the four verdicts and counts as wrong.")]
    if label.value != text:
        message = f"{text!r} was read as {label.value!r}; official scorers count it as wrong."
        return [Problem(where, "label", message)]
    return []


def duplicate_ids(ids: Sequence[str]) -> list[Problem]:
    """Return one fatal problem for each id that occurs more than once."""
    seen: dict[str, int] = {}
    for claim_id in ids:
        seen[claim_id] = seen.get(claim_id, 0) + 1
    return [
        Problem(f"id {claim_id}", "id", f"occurs {count} times; keep one record per claim.", fatal=True)
        for claim_id, count in seen.items()
        if count > 1
    ]


def compare_ids(predicted: Sequence[str], gold: Sequence[str]) -> list[Problem]:
    """Return which gold claims have no prediction and which predictions have no gold claim.

    A missing claim scores 0 and an extra one is ignored; if no id is shared the file is not accepted. A file without
    any readable prediction gives no problem here, because it already has problems.
    """
    if not predicted:
        return []
    if gold and not set(predicted) & set(gold):
        message = (
            f"shares no id with the gold file (for example {predicted[0]!r}, gold has {gold[0]!r}); "
            "is it another split?"
        )
        return [Problem("file", "id", message, fatal=True)]
    known, given = set(gold), set(predicted)
    missing = [Problem(f"id {i}", "id", "has no prediction; it scores 0.") for i in gold if i not in given]
    unknown = [i for i in predicted if i not in known]
    fit, odd = len(given & known), len(unknown)
    message = f"is not in the gold file; it is ignored. {fit} fit, {odd} {'does' if odd == 1 else 'do'} not."
    return missing + [Problem(f"id {i}", "id", message) for i in unknown]


def compare_claims(submission: Submission, gold: Sequence[GoldClaim]) -> list[Problem]:
    """Return whether shared ids name other claims: ids are often positions in a file, so every split has them.

    Letter case, spaces, and predictions without a claim are ignored. If two or more claims differ and none agrees, the
    file is not accepted.
    """
    known = {claim.id: one_line(claim.claim.text) for claim in gold}
    told = [p for p in submission.predictions if p.claim_id in known and p.claim.strip() and known[p.claim_id]]
    other = [p.claim_id for p in told if one_line(p.claim) != known[p.claim_id]]
    if not other:
        return []
    message = (
        f"{len(other)} of {len(told)} ids have another claim than in the gold file (for example id {other[0]}); "
        "is it another split?"
    )
    return [Problem("file", "claim", message, fatal=len(other) == len(told) > 1)]


def one_line(text: str) -> str:
    """Return a claim in small letters and with single spaces, to compare it with others."""
    return " ".join(text.lower().split())


def refuse_duplicates(ids: Sequence[str], file_name: str) -> None:
    """Raise BadRecord if an id occurs twice."""
    for problem in duplicate_ids(ids):
        raise BadRecord(f"{file_name}: {problem.where} {problem.message}")


def prediction_of(case: Case) -> Prediction:
    """Return a case as a prediction, with the text of the document behind each answer.

    It has no seconds, so the same claims always give the same submission.
    """
    evidence = tuple(
        PredictedEvidence(
            pair.question,
            pair.answer,
            pair.passage.document.url if pair.passage else "",
            pair.passage.document.text if pair.passage else "",
        )
        for pair in case.evidence
    )
    verdict = case.verdict
    if verdict is None:
        return Prediction(case.claim.id, case.claim.text, None, evidence)
    return Prediction(
        case.claim.id,
        case.claim.text,
        verdict.label,
        evidence,
        label_text=str(verdict.label),
        justification=verdict.justification,
        cannot_tell=verdict.cannot_tell,
        probabilities={label: round(share, 4) for label, share in verdict.probabilities.items()},
    )
