"""What a batch is to do, and what became of each of its claims."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from core.annotations import PredictedEvidence, Prediction
from core.errors import BadInput
from core.types import Case, Claim, Completion
from core.verification.receipt import claim_to_json
from core.verification.runner import Request


@dataclass(frozen=True)
class Plan:
    """How every claim of a batch is to be worked on; it can be sent to another process or machine.

    `request` holds all that is the same for each claim. The store of a claim is STORES/ID.json or .jsonl; `extra`
    are paths searched for every claim. `within` is the most seconds a claim may take, None for as long as it needs.
    """

    request: Request
    stores: Path
    extra: tuple[str, ...] = ()
    within: float | None = None

    def request_for(self, claim: Claim) -> Request:
        """Return the request for one claim. Raises BadInput if it has no store of its own."""
        names = (f"{claim.id}.json", f"{claim.id}.jsonl")
        if any(Path(name).name != name for name in names):  # or an id could lead out of the folder
            raise BadInput(f"The claim's id {claim.id!r} is no name for a file, so it has no store: give it another.")
        own = next((self.stores / name for name in names if (self.stores / name).is_file()), None)
        if own is None:
            raise BadInput(f"{self.stores} has no store for claim {claim.id}: {claim.id}.json is expected there.")
        return replace(self.request, claim=claim, stores=(str(own), *self.extra))


@dataclass(frozen=True)
class Cost:
    """What the language model did for one claim: how often it wrote, and the tokens it read, kept and wrote.

    `reused_tokens` are those of `prompt_tokens` that were already evaluated for an earlier prompt.
    """

    generations: int = 0
    prompt_tokens: int = 0
    reused_tokens: int = 0
    completion_tokens: int = 0


@dataclass(frozen=True)
class Done:
    """One claim that was worked on: its prediction, or the sentence that says why there is none.

    `left_out` says what was not done so that the claim kept inside its time. `worker` names the process,
    `peak_bytes` the most memory that it and the processes it started have held (None where the system does not
    tell), and `ended` when the claim was done, in seconds since 1970. `began` is when that process began to work, where
    it did not do so `seconds` before: it did other claims between the steps of this one. `asked` is the claim's key
    (`key_of`), which the journal compares.
    """

    claim_id: str
    prediction: Prediction | None
    error: str = ""
    seconds: float = 0.0
    cost: Cost = Cost()
    left_out: tuple[str, ...] = ()
    worker: str = ""
    peak_bytes: int | None = None
    ended: float = 0.0
    began: float | None = None
    asked: str = ""


def key_of(claim: Claim) -> str:
    """Return a hash of all of a claim: one that was changed since, in its words or its date, is another."""
    return hashlib.sha256(json.dumps(claim_to_json(claim), sort_keys=True).encode()).hexdigest()[:32]


BY_CLAIM, BY_COMPONENT = "claims", "components"
"""The orders of work: each claim from its documents to its verdict, or each component for all claims."""

Source = Callable[[Sequence[Claim]], Iterator[Done]]
"""Works on claims and yields each when it is done, in any order."""


def prediction_of(case: Case) -> Prediction:
    """Return a case as a submission states it, with the text of the document behind each answer.

    It holds no seconds: the same claims give the same submission, however long they took and wherever.
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
    label = case.verdict.label if case.verdict else None
    said = case.verdict.justification if case.verdict else ""
    return Prediction(case.claim.id, case.claim.text, label, evidence, label_text=str(label or ""), justification=said)


def cost_of(completions: Sequence[Completion]) -> Cost:
    """Return what the completions of a case add up to."""
    return Cost(
        len(completions),
        sum(completion.prompt_tokens for completion in completions),
        sum(completion.reused_tokens for completion in completions),
        sum(completion.completion_tokens for completion in completions),
    )
