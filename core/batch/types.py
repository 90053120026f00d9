"""The plan of a batch, its input files, and the result of each claim."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from core.annotations import Prediction
from core.averitec.averitec import holds_gold, parse_claims
from core.documents.knowledge_store import SUFFIXES
from core.errors import BadInput
from core.search.search_plan import SearchOrder
from core.types import Claim, Completion
from core.verification.receipt import claim_to_json
from core.verification.request import Request


@dataclass(frozen=True)
class BatchPlan:
    """The settings for every claim of a batch; other processes and machines get a copy.

    `request` has the settings shared by all claims. The store of a claim is STORES/ID.json or .jsonl. `extra` are paths
    searched for every claim; if `stores` is None, only these are searched. `within` is the most seconds of a claim,
    None for no limit. `cases` is the folder for the receipt of each claim, None to keep none. `searches` hold the
    search of each claim by its id, and `consents` the digest of the consent to it. A plan with searches has no other
    documents.
    """

    request: Request
    stores: Path | None
    extra: tuple[str, ...] = ()
    within: float | None = None
    cases: Path | None = None
    searches: Mapping[str, SearchOrder] = field(default_factory=dict)
    consents: Mapping[str, str] = field(default_factory=dict)

    def request_for(self, claim: Claim) -> Request:
        """Return the request for one claim. Raises BadInput if the claim needs a store and has none."""
        if self.searches:
            search, consent = self.searches.get(claim.id), self.consents.get(claim.id, "")
            if search is None:
                raise BadInput(f"Claim {claim.id} has no words to search for: write it as a whole sentence.")
            return replace(self.request, claim=claim, search=search, consent=consent)
        if self.stores is None:
            return replace(self.request, claim=claim, stores=self.extra)
        names = store_names(claim.id)
        if any(Path(name).name != name for name in names):  # otherwise an id could lead out of the folder
            raise BadInput(f"The claim's id {claim.id!r} is no name for a file, so it has no store: give it another.")
        own = next((self.stores / name for name in names if (self.stores / name).is_file()), None)
        if own is None:
            raise BadInput(f"There is no store for claim {claim.id}: a file {claim.id}.json or .jsonl is looked for.")
        return replace(self.request, claim=claim, stores=(str(own), *self.extra))


@dataclass(frozen=True)
class Cost:
    """The language model's work on one claim: its texts, and the tokens it read, reused and wrote.

    `reused_tokens` counts those of `prompt_tokens` already evaluated for an earlier prompt.
    """

    generations: int = 0
    prompt_tokens: int = 0
    reused_tokens: int = 0
    completion_tokens: int = 0


@dataclass(frozen=True)
class Done:
    """The result of one claim: its prediction, or the error.

    `left_out` lists the cuts that kept the claim inside its time limit. `worker` names the process. `peak_bytes` is the
    most memory of the process and its descendants, None if the system does not report it. `ended` is in seconds since
    1970. `asked` is the claim's key (`key_of`), which the journal compares. `speaking` counts the passages for or
    against the claim, None if nobody counted.
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
    asked: str = ""
    speaking: int | None = None


def store_names(claim_id: str) -> tuple[str, ...]:
    """Return the possible file names of a claim's store."""
    return tuple(f"{claim_id}{suffix}" for suffix in SUFFIXES)


def read_claims_file(name: str, content: bytes) -> tuple[list[Claim], bool]:
    """Return the claims of a file, and whether it is annotated. Raises BadRecord as the readers do."""
    claims = parse_claims(name, content)
    try:
        return claims, bool(claims) and holds_gold(name, content)
    except BadInput:  # claims without labels, as of a test set
        return claims, False


def stores_from_zip(files: Sequence[tuple[str, bytes]], ids: Sequence[str]) -> dict[str, bytes]:
    """Return the stores of these claims in a ZIP, by plain names. Raises BadInput for a repeated one."""
    wanted = {name for claim_id in ids for name in store_names(claim_id)}
    stores: dict[str, bytes] = {}
    for path, content in files:
        name = path.rsplit("/", 1)[-1]
        if name in stores:
            raise BadInput(f"The ZIP holds {name} twice: keep one store per claim.")
        if name in wanted:
            stores[name] = content
    return stores


def without_store(ids: Sequence[str], stores: Collection[str]) -> list[str]:
    """Return the ids without a store among files with these names."""
    return [claim_id for claim_id in ids if not any(name in stores for name in store_names(claim_id))]


def receipt_path(cases: Path, claim: Claim) -> Path:
    """Return the path of a claim's receipt."""
    return cases / f"{key_of(claim)}.json"


def key_of(claim: Claim) -> str:
    """Return a hash of the whole claim; a change in its words or its date changes the hash."""
    return hashlib.sha256(json.dumps(claim_to_json(claim), sort_keys=True).encode()).hexdigest()[:32]


def cost_of(completions: Sequence[Completion]) -> Cost:
    """Return the sums over the completions of a case."""
    return Cost(
        len(completions),
        sum(completion.prompt_tokens for completion in completions),
        sum(completion.reused_tokens for completion in completions),
        sum(completion.completion_tokens for completion in completions),
    )
