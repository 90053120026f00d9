"""The claims of a store, with the material that their annotations give for queries."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.annotations import GoldClaim
from core.averitec.averitec import parse_claims, parse_gold
from core.errors import BadInput
from core.records import read_bytes
from core.search.queries import Material, QueryKind
from core.types import Claim, is_web_address

MANIFEST = "manifest.json"
"""The description of a store, beside the files of its claims."""


@dataclass(frozen=True)
class StoreClaim:
    """One claim: the material for its queries, and the address of its own fact-check, if known."""

    material: Material
    fact_check: str = ""

    @property
    def claim(self) -> Claim:
        return self.material.claim

    @property
    def id(self) -> str:
        return self.claim.id


def read_store_claims(path: Path, kinds: Sequence[QueryKind], *, claim_only: bool) -> list[StoreClaim]:
    """Return the claims of a file. Raises BadInput if it has no annotations and a kind needs them."""
    claims = parse_store_claims(path.name, read_bytes(path), claim_only=claim_only)
    if not claim_only:
        needing = next((kind.name for kind in kinds if kind.needs_gold), "")
        if needing and not any(claim.material.questions for claim in claims):
            raise BadInput(
                f"{path.name} has no annotated questions, which queries of the kind “{needing}” are made from; "
                "say --claim-only to leave such kinds out."
            )
    return claims


def parse_store_claims(name: str, content: bytes, *, claim_only: bool) -> list[StoreClaim]:
    """Return the claims of a file's content; `claim_only` ignores annotations. Raises BadInput, BadRecord."""
    if claim_only:
        claims = [StoreClaim(Material(claim)) for claim in parse_claims(name, content)]
    else:
        claims = [from_gold(gold) for gold in parse_gold(name, content)]
    for claim in claims:
        if not re.fullmatch(r"\w[\w.-]{0,99}", claim.id) or f"{claim.id}.json" == MANIFEST:
            raise BadInput(f"{name}: the id {claim.id[:120]!r} cannot name a file; use letters, digits, - and _.")
        if not claim.claim.text.strip():
            raise BadInput(f"{name}: claim {claim.id} has no words to search for.")
    return claims


def from_gold(gold: GoldClaim) -> StoreClaim:
    """Return the material for queries of an annotated claim."""
    answers = [answer for question in gold.questions for answer in question.answers]
    return StoreClaim(
        Material(
            gold.claim,
            questions=_each_once(question.question for question in gold.questions),
            answers=_each_once(answer.full_text for answer in answers if answer.kind != "Unanswerable"),
            urls=_each_once(answer.url for answer in answers if is_web_address(answer.url)),
        ),
        gold.fact_check,
    )


def _each_once(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text.strip() for text in texts if text.strip()))
