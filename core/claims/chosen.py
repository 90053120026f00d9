"""The claims that a person chose from a speech: reworded, merged and left out, without losing their places."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.claims.ranking import RankedSentence
from core.verification.claim_parts import parts_of


@dataclass(frozen=True)
class ChosenClaim:
    """One claim to check: its `text` as the person left it, and the `positions` of its sentences in the speech.

    `id` is unique among the claims of a speech; it stays the same when the text is reworded. `by_model` is the
    version of a language model, "" without one.
    """

    id: str
    text: str
    positions: tuple[int, ...]
    by_model: str = ""


Chosen = tuple[ChosenClaim, ...]


def with_sentence(chosen: Chosen, sentence: RankedSentence) -> Chosen:
    """Return the claims with a sentence added, as its version that is readable alone, in the order of the text."""
    return _ordered((*chosen, ChosenClaim(_free_id(chosen), sentence.standalone, (sentence.position,))))


def without_sentence(chosen: Chosen, position: int) -> Chosen:
    """Return the claims without those of a sentence; a claim merged of several keeps its other sentences and text."""
    left = (replace(one, positions=tuple(at for at in one.positions if at != position)) for one in chosen)
    return tuple(one for one in left if one.positions)


def written(chosen: Chosen, claim_id: str, text: str) -> Chosen:
    """Return the claims with a new text for one of them; an empty text leaves it out."""
    words = " ".join(text.split())
    changed = (replace(one, text=words) if one.id == claim_id else one for one in chosen)
    return tuple(one for one in changed if one.text)


def with_version(chosen: Chosen, claim_id: str, version: str) -> Chosen:
    """Return the claims with a model's version beside the text of one."""
    return tuple(replace(one, by_model=version) if one.id == claim_id else one for one in chosen)


def merged(chosen: Chosen, claim_id: str) -> Chosen:
    """Return the claims with one and the next put together under the first's id; unchanged for the last."""
    at = next(place for place, one in enumerate(chosen) if one.id == claim_id)
    if at + 1 == len(chosen):
        return chosen
    first, second = chosen[at : at + 2]
    both = tuple(sorted({*first.positions, *second.positions}))
    joined = ChosenClaim(_free_id(chosen), f"{first.text} {second.text}", both)
    return (*chosen[:at], joined, *chosen[at + 2 :])


def split_up(chosen: Chosen, claim_id: str) -> Chosen:
    """Return the claims with each statement of one as a claim of its own; unchanged if it is one statement."""
    found = list[ChosenClaim]()
    for one in chosen:
        parts = parts_of(one.text) if one.id == claim_id else ()
        if len(parts) < 2:
            found.append(one)
        for part in parts if len(parts) > 1 else ():
            found.append(ChosenClaim(_free_id((*chosen, *found)), part.text, one.positions))
    return tuple(found)


def positions_of(chosen: Sequence[ChosenClaim]) -> frozenset[int]:
    """Return the positions of all sentences that claims come from."""
    return frozenset(position for one in chosen for position in one.positions)


def _free_id(chosen: Sequence[ChosenClaim]) -> str:
    return str(max((int(one.id) for one in chosen), default=0) + 1)


def _ordered(chosen: Chosen) -> Chosen:
    return tuple(sorted(chosen, key=lambda one: one.positions))
