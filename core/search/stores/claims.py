"""The claims that a store is built for, with what their annotations allow to ask."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from core.annotations import GoldClaim
from core.averitec.averitec import read_claims, read_gold
from core.errors import BadInput
from core.search.queries import Kind, Material
from core.search.sources.answers import is_web
from core.types import Claim


@dataclass(frozen=True)
class StoreClaim:
    """One claim: what its queries are made from, and the address of its own fact-check, if it is known."""

    material: Material
    fact_check: str = ""

    @property
    def claim(self) -> Claim:
        return self.material.claim

    @property
    def id(self) -> str:
        return self.claim.id


def read_store_claims(path: Path, kinds: list[Kind], *, claim_only: bool) -> list[StoreClaim]:
    """Return the claims of a file. Raises BadInput if it has no annotations and a kind needs them."""
    if claim_only:
        claims = [StoreClaim(Material(claim)) for claim in read_claims(path)]
    else:
        claims = [from_gold(gold) for gold in read_gold(path)]
        needing = next((kind.name for kind in kinds if kind.needs_gold), "")
        if needing and not any(claim.material.questions for claim in claims):
            raise BadInput(
                f"{path} has no annotated questions, which queries of the kind “{needing}” are made from; "
                "say --claim-only to leave such kinds out."
            )
    for claim in claims:
        if not claim.id.replace("-", "").replace("_", "").replace(".", "").isalnum() or claim.id.startswith("."):
            raise BadInput(f"{path}: the id {claim.id!r} cannot name a file; use letters, digits, - and _.")
    return claims


def from_gold(gold: GoldClaim) -> StoreClaim:
    """Return what an annotated claim allows to ask."""
    answers = [answer for question in gold.questions for answer in question.answers]
    return StoreClaim(
        Material(
            gold.claim,
            questions=_each_once(question.question for question in gold.questions),
            answers=_each_once(answer.full_text for answer in answers if answer.kind != "Unanswerable"),
            urls=_each_once(answer.url for answer in answers if is_web(answer.url)),
        ),
        gold.fact_check,
    )


def _each_once(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text.strip() for text in texts if text.strip()))
