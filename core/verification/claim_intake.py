"""Classify a text before any work begins on it: is it a claim? The remark on it stops nobody.

The rules look at words and their order. `python -m tests.benchmarks.claim_intake` measures them on 200 texts.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from core.documents.language import NAMES, language_of
from core.retrieval.chunking import sentence_spans


class ClaimKind(StrEnum):
    """The kind of a text. Only a claim can be true or false."""

    CLAIM = "claim"
    QUESTION = "question"
    OPINION = "opinion"
    FORECAST = "forecast"
    ADDRESS = "address"
    SEVERAL = "several statements"
    QUOTATION = "quotation"
    LANGUAGE = "another language"
    WORD = "one word"


ADVICE = {
    ClaimKind.CLAIM: "",
    ClaimKind.QUESTION: "This is a question. Write the answer that you want to check, as a statement.",
    ClaimKind.OPINION: "This reads as an opinion, which documents cannot settle. Does it hold a fact to check?",
    ClaimKind.FORECAST: "This speaks of the future: documents can say who expects it, not whether it will happen.",
    ClaimKind.ADDRESS: "This is a web address. Write a claim from it, and give the address as a document to search.",
    ClaimKind.SEVERAL: "These are several statements. Each is best checked by itself.",
    ClaimKind.QUOTATION: "This is a quotation. Do you want to check that somebody said it, or that it is true?",
    ClaimKind.WORD: "This is one word, which is neither true nor false. Write a whole statement.",
    ClaimKind.LANGUAGE: "This seems to be {language}, and Veridesk reads English only: translate it.",
}
"""The advice to the person, by kind; empty where the text can be checked as it is."""

CHECKED_AS_ONE = (
    f"{ADVICE[ClaimKind.SEVERAL]} Here they were checked as one: a passage that settles one seldom settles them all."
)
"""The remark beside a verdict on several statements."""


@dataclass(frozen=True)
class ClaimReading:
    """The kind found for a text. `statements` are the parts of several, or a quotation's words; else empty."""

    kind: ClaimKind
    advice: str = ""
    statements: tuple[str, ...] = ()


ADDRESS = re.compile(r"(?:https?://|www\.)\S+|[\w-]+(?:\.[\w-]+)+/\S*", re.IGNORECASE)
BE = "is|are|was|were|isn't|aren't|wasn't|weren't"
AUXILIARY = f"{BE}|do|does|did|don't|doesn't|didn't|has|have|had|can|could|should|would|will|won't"
QUESTION = re.compile(
    rf"(?:(?:what|who|whom|whose|which|where|when|why|how)\s+(?:\w+\s+)?(?:{AUXILIARY}|much|many|long|often|old)"
    rf"|(?:{AUXILIARY})\s+(?:it|he|she|they|we|you|i|there|the|a|an|this|that|these|those|any|some|all)"
    rf"|(?:{BE}|did|does|has)\s+(?-i:[A-Z]))\b",
    re.IGNORECASE,
)
ASKED = re.compile(r"\?[\"'”’)]*\s*$")

SAID = (
    "said|says|say|stated|states|claimed|claims|tweeted|told|announced|declared|warned|argued|wrote|insisted|"
    "posted|alleged|alleges|admitted|suggested"
)
QUOTED = re.compile(r"[“\"„]([^“”\"„]{12,})[”\"“]")
REPORTED = re.compile(
    rf"\b(?:{SAID})(?:\s+(?:on|in|at|to|last)\s[^,.:]{{1,40}})?\s*(?::|,|\bthat\b)\s*(.+)", re.IGNORECASE
)
ACCORDING = re.compile(r"^according to [^,]{2,80},\s*(.+)", re.IGNORECASE)

FUTURE = re.compile(
    r"(?:\b|(?='))(?-i:will|won't|shall|'ll)\s+(?:not\s+|never\s+|soon\s+|probably\s+|likely\s+)?(?:be|have|\w+)\b"
    r"|\b(?:is|are) (?:going|set|expected|likely|bound|poised|about|predicted|forecast|projected) to\b"
    r"|\bby (?:the (?:end|middle) of )?20[3-9]\d\b",
    re.IGNORECASE,
)
OPINION = re.compile(
    r"\b(?:i|we) (?:think|believe|feel|hope|love|hate|prefer|doubt|suppose|guess)\b|\bin (?:my|our) (?:opinion|view)\b"
    r"|\b(?:should|ought to|must not|deserves? to|needs? to|had better)\b"
    r"|\b(?:more|less) \w+ than (?:any|ever)\b.*!|\b(?:shame on|thank god|what an?)\b",
    re.IGNORECASE,
)
TASTE = re.compile(
    rf"\b(?:{BE}|looks?|sounds?|tastes?|feels?|seems?|smells?)\s+(?:\w+ly\s+)?(?:(?:the|a|an|so|too|very|really|quite|just|much|"
    r"far|more|most|by far|simply|absolutely)\s+)*(?:beautiful|ugly|terrible|awful|horrible|wonderful|great|greatest|"
    r"amazing|boring|delicious|tasty|overrated|underrated|disgusting|disgraceful|brilliant|stupid|silly|evil|lovely|"
    r"pathetic|best|worst|better|worse|nicer|nicest|funniest|funny|fantastic|charming|annoying|fun|ridiculous|shameful|"
    r"cruel|unfair|immoral|wrong|right to|perfect|admirable|magnificent|masterpiece|disaster|joke|genius|"
    r"cowardly|prettier|prettiest|"
    r"sexiest|coolest|cool|inspiring|"
    r"unacceptable|outrageous|heroe?s?|idiots?)\b",
    re.IGNORECASE,
)
MEASURED = re.compile(
    r"\bbest[- ]selling\b|\bworst\b.*\b(?:since|in \d|on record)\b|\d|\b(?:voted|ranked|rated|named)\b", re.IGNORECASE
)
VERB = re.compile(
    rf"\b(?:{BE}|has|have|had|does|did|can|could|will|would|won|lost|made|became|took|gave|went|came|got|rose|fell|grew|held|"
    r"led|ran|struck|said|told|built|bought|sold|paid|cut|left|kept|found|cause[sd]?|\w{3,}ed)\b",
    re.IGNORECASE,
)
JOINED = re.compile(r";\s+|,\s+(?:and|but|while|whereas)\s+", re.IGNORECASE)


def read_claim(text: str) -> ClaimReading:
    """Return the kind of a text, with advice. Refuse nothing: the person decides."""
    whole = " ".join(text.split())
    if not whole or not ADDRESS.sub("", whole).strip(" .,;"):
        return reading(ClaimKind.ADDRESS) if whole else ClaimReading(ClaimKind.CLAIM)
    language = language_of(whole)
    if language and language != "en":
        return ClaimReading(ClaimKind.LANGUAGE, ADVICE[ClaimKind.LANGUAGE].format(language=NAMES[language]))
    if asks(text):
        return reading(ClaimKind.QUESTION)
    if " " not in whole:
        return reading(ClaimKind.WORD)
    statements = statements_of(text)
    if said := reported(whole):
        return ClaimReading(ClaimKind.QUOTATION, ADVICE[ClaimKind.QUOTATION], (said,))
    if len(statements) > 1:
        return ClaimReading(ClaimKind.SEVERAL, ADVICE[ClaimKind.SEVERAL], statements)
    if OPINION.search(whole) or (TASTE.search(whole) and not MEASURED.search(whole)):
        return reading(ClaimKind.OPINION)
    return reading(ClaimKind.FORECAST) if FUTURE.search(whole) else ClaimReading(ClaimKind.CLAIM)


def asks(text: str) -> bool:
    """Say whether a text is a question, or several: nothing that could be true or false."""
    return all(ASKED.search(one) or QUESTION.match(one) for one in statements_of(text))


def reading(kind: ClaimKind) -> ClaimReading:
    return ClaimReading(kind, ADVICE[kind])


def statements_of(text: str) -> tuple[str, ...]:
    """Return the statements of a text: its lines, their sentences, and clauses with a subject and a verb each."""
    lines = (line.strip(" \t-*•") for line in text.splitlines())
    sentences = [line[start:end] for line in lines if line for start, end in sentence_spans(line)]
    clauses = [clause for sentence in sentences for clause in clauses_of(sentence)]
    return tuple(clause for clause in clauses if len(clause.split()) > 2) or (" ".join(text.split()),)


def clauses_of(sentence: str) -> list[str]:
    """Return the clauses of a sentence if each is a sentence by itself, else the sentence."""
    parts = [part.strip() for part in JOINED.split(sentence)]
    alone = all(len(part.split()) > 3 and VERB.search(" ".join(part.split()[1:])) for part in parts)
    return [part[0].upper() + part[1:] for part in parts] if alone and len(parts) > 1 else [sentence]


def reported(text: str) -> str:
    """Return the reported words of somebody, or "" if the text reports nothing."""
    said = re.search(rf"\b(?:{SAID})\b", text, re.IGNORECASE)
    quoted = QUOTED.search(text)
    if quoted and (said or len(quoted[1].split()) > 4):
        return quoted[1].strip(" ,")
    found = ACCORDING.match(text) or (REPORTED.search(text) if said else None)
    return found[1].strip(' “”"') if found and len(found[1].split()) > 2 else ""
