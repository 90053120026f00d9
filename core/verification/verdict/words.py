"""The four verdicts and "Cannot tell" in words, the same on every page and in every file."""

from __future__ import annotations

from dataclasses import dataclass

from core.types import Label, Verdict

CANNOT_TELL = "Cannot tell"
"""What a case is labelled whose verdict says so; others have the label of their verdict."""


@dataclass(frozen=True)
class VerdictWords:
    """What a verdict is called, and what it means in one sentence."""

    word: str
    meaning: str


WORDS = {
    Label.SUPPORTED: VerdictWords("Supported", "The documents found are judged to speak for the claim."),
    Label.REFUTED: VerdictWords("Refuted", "The documents found are judged to speak against the claim."),
    Label.NOT_ENOUGH_EVIDENCE: VerdictWords(
        "Not enough evidence", "The documents found are judged to neither support nor refute the claim."
    ),
    Label.CONFLICTING: VerdictWords(
        "Conflicting evidence", "The documents found are judged to disagree, or to tell part of the story."
    ),
}
DOUBT = VerdictWords(CANNOT_TELL, "No verdict is sure enough to be quoted. Read the evidence and judge yourself.")


def words_of(verdict: Verdict) -> VerdictWords:
    return DOUBT if verdict.cannot_tell else WORDS[verdict.label]
