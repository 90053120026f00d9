"""Explain a verdict: the passages that decided, and the changes that would turn it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from core.types import PassageStance, Stance, Verdict
from core.verification.stance.saying import UNCOUNTED, repeats
from core.verification.verdict.evidence import EvidenceReading
from core.verification.verdict.verdict_words import shown_label, words_of
from core.wording import counted

SILENT = "The documents do not speak of this."

_SAID = {
    Stance.FOR: ("agrees with the claim", "agree with the claim"),
    Stance.AGAINST: ("says otherwise", "say otherwise"),
    Stance.ABOUT: ("speaks of it and settles nothing", "speak of it and settle nothing"),
    Stance.UNRELATED: ("is about something else", "are about something else"),
}


def with_explanation(
    verdict: Verdict, evidence: EvidenceReading, judged: Callable[[EvidenceReading], Verdict]
) -> Verdict:
    """Return the verdict with the decisive passages and a counterfactual, found by leaving out each passage."""
    outcome, again = outcome_of(verdict), repeats(verdict.stances)
    changed = {
        place: outcome_of(judged(evidence.without(place)))
        for place, one in enumerate(verdict.stances)
        if one.stance in (Stance.FOR, Stance.AGAINST) and place not in again
    }
    decisive = tuple(place for place, other in changed.items() if other != outcome)
    said = justification(verdict.stances) if not evidence.silent else SILENT
    return replace(
        verdict, decisive=decisive, counterfactual=_counterfactual(decisive, changed, verdict), justification=said
    )


def outcome_of(verdict: Verdict) -> str:
    """Return the verdict in the reader's words."""
    return words_of(shown_label(verdict)).word


def justification(stances: Sequence[PassageStance]) -> str:
    """Return the counts of passages by stance in words, and the first reason against; each sentence counts once."""
    counted_once = [(at + 1, one) for at, one in enumerate(stances) if at not in repeats(stances)]
    parts = [
        _part([at for at, one in counted_once if one.stance is stance and one.kind not in UNCOUNTED], words, stance)
        for stance, words in _SAID.items()
    ]
    parts += [
        _part([at for at, one in counted_once if one.kind == kind], words, Stance.ABOUT)
        for kind, words in UNCOUNTED.items()
    ]
    against = next((found.reason for found in stances if found.stance is Stance.AGAINST), "")
    said = "; ".join(filter(None, parts)) + "."
    return f"{said} Against it: {against}" + ("" if against.endswith(".”") else ".") if against else said


def _part(places: Sequence[int], words: tuple[str, str], stance: Stance) -> str:
    """Return how many passages do something, and which; "" for none."""
    cited = " " + ", ".join(f"[{place}]" for place in places) if stance is not Stance.UNRELATED else ""
    return f"{counted(len(places), 'passage')} {words[len(places) > 1]}{cited}" if places else ""


def _counterfactual(decisive: Sequence[int], changed: dict[int, str], verdict: Verdict) -> str:
    if decisive:
        return " ".join(
            f"Without passage [{place + 1}] the verdict would be “{changed[place]}”." for place in decisive[:3]
        )
    sides = len(changed)
    if not sides:
        return "A passage that says in plain words that it is so, or that it is not, would change this."
    return f"No single one of the {counted(sides, 'passage')} that take a side decides alone." if sides > 1 else ""
