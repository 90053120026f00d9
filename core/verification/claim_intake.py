"""Classify a text before any work begins on it: is it a claim? The remark on it stops nobody.

The rules look at words and their order. `python -m tests.benchmarks.claim_intake` measures them on 200 texts.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from core.documents.language import NAMES, language_of
from core.retrieval.chunking import sentence_spans
from core.verification.written_claims import CALIBRATING


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
    ClaimKind.QUESTION: "A question is neither true nor false: write its answer as a statement of fact.",
    ClaimKind.OPINION: "Documents cannot settle an opinion: write the fact behind it as a statement.",
    ClaimKind.FORECAST: "Documents cannot settle the future: write a statement of something that has happened.",
    ClaimKind.ADDRESS: "This is a web address. Write a claim from it, and give the address as a document to search.",
    ClaimKind.SEVERAL: "These are several statements. Each is best checked by itself.",
    ClaimKind.QUOTATION: "This is a quotation. Do you want to check that somebody said it, or that it is true?",
    ClaimKind.WORD: "This is one word, which is neither true nor false. Write a whole statement.",
    ClaimKind.LANGUAGE: "This seems to be {}, and the built-in reader reads English only: translate it",
}
"""The advice to the person, by kind; empty where the text can be checked as it is."""

CHECKED_AS_ONE = (
    f"{ADVICE[ClaimKind.SEVERAL]} Here they were checked as one: a passage that settles one seldom settles them all."
)
"""The remark beside a verdict on several statements."""


@dataclass(frozen=True)
class ClaimReading:
    """The kind found for a text. `statements` are the parts of several, or a quotation's words; else empty.

    `language` is the code of another language than English.
    """

    kind: ClaimKind
    advice: str = ""
    statements: tuple[str, ...] = ()
    language: str = ""


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

WILL = re.compile(
    r"(?<!his )(?<!her )(?<!their )(?<!the )(?:\b|(?=['’]))(?-i:will|won['’]t|shall|['’]ll)\s+"
    r"(?:not\s+|never\s+|soon\s+|probably\s+|likely\s+)?(?:be|have|\w+)\b"
    r"|\b(?:is|are) going to\b",
    re.IGNORECASE,
)
FUTURE = re.compile(
    rf"{WILL.pattern}|\b(?:is|are) (?:set|expected|likely|bound|poised|about|predicted|forecast|projected) to\b"
    r"|\bby (?:the (?:end|middle) of )?20[3-9]\d\b",
    re.IGNORECASE,
)
VIEW = re.compile(
    r"\b(?:i|we) (?-i:think|believe|feel|hope|love|hate|prefer|doubt|suppose|guess)\b"
    r"|\bin (?:my|our) (?:opinion|view)\b"
    r"|\b(?:should(?! have \w+ (?:in|on|by|at|before)\b)|ought to|deserves?|had better)\b"
    r"|\b(?:more|less) \w+ than (?:any|ever)\b.*!|\b(?:shame on|thank god)\b|\bwhat an? (?-i:[a-z])",
    re.IGNORECASE,
)
OPINION = re.compile(rf"{VIEW.pattern}|\b(?:must not|needs? to)\b", re.IGNORECASE)
TASTE = re.compile(
    rf"\b(?:{BE}|looks?|sounds?|tastes?|feels?|seems?|smells?)\s+(?:\w+ly\s+)?(?:(?:the|a|an|so|too|very|really|quite|just|much|"
    r"far|more|most|by far|simply|absolutely)\s+)*(?:beautiful|ugly|terrible|awful|horrible|wonderful|great|greatest|"
    r"amazing|boring|delicious|tasty|overrated|underrated|disgusting|disgraceful|brilliant|stupid|silly|evil|lovely|"
    r"pathetic|best(?! known)|worst|better|worse|nicer|nicest|funniest|funny|fantastic|charming|annoying|fun|"
    r"ridiculous|shameful|cruel|unfair|immoral|wrong|right to|perfect|admirable|magnificent|masterpiece|disaster|joke|"
    r"genius|cowardly|prettier|prettiest|sexiest|coolest|cool|inspiring|unacceptable|outrageous|heroe?s?|idiots?)\b"
    r"|\bmost (?:important|beautiful|exciting|interesting|attractive|impressive|talented|elegant|disappointing)\b"
    r"|\bbiggest (?:scandal|mistake|failure|success|disgrace|disappointment)\b",
    re.IGNORECASE,
)
MEASURED = re.compile(
    r"\bbest[- ]selling\b|\bon record\b|\d ?(?:%|per ?cent|times)|\b(?:since|in|than)\b.*\d|"
    r"\b(?:voted|ranked|rated|named|considered)\b",
    re.IGNORECASE,
)
DECIDED = re.compile(
    rf"\b(?:{SAID}|(?:recommend|rul|decid|vot|agre|propos|promis|order|advis|demand|urg|plann?|report|predict|expect|"
    r"confirm|approv|believ|fear|hop|warn)(?:e?d|e?s|ing))\b|\b(?:that|who|which|how|what|whether|thinks?|thought)\b",
    re.IGNORECASE,
)
"""Words before an opinion or a forecast that make it a statement about somebody's: a fact."""

RULE = re.compile(
    r"(?!During|King|Nothing|Every|Any|Some)\w+ing\s(?-i:[a-z])|.*\b(?:if|when|whenever|you)\b", re.IGNORECASE
)
"""The beginning of a statement that uses "will" for a rule: "Eating garlic will cure the flu"."""

YEAR = re.compile(r"\b(?:1[5-9]|20)\d\d\b")
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
        way_out = f", or measure a model in {NAMES[language]} on Models." if language in CALIBRATING else "."
        advice = ADVICE[ClaimKind.LANGUAGE].format(NAMES[language]) + way_out
        return ClaimReading(ClaimKind.LANGUAGE, advice, language=language)
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


def undecidable(text: str, day: date | None) -> str:
    """Return why documents cannot settle a text, and the way out; empty if they can.

    They settle no question, single word, opinion or forecast. A forecast is one on `day`, the day of the claim.
    """
    whole = " ".join(text.split())
    kind = ClaimKind.QUESTION if asks(text) else read_claim(text).kind
    if kind in (ClaimKind.QUESTION, ClaimKind.WORD):
        return ADVICE[kind]
    if kind is ClaimKind.OPINION:
        found = VIEW.search(whole) or TASTE.search(whole)
    else:
        found = WILL.search(whole) if kind is ClaimKind.FORECAST and not _happened(whole, day) else None
    return ADVICE[kind] if found and not DECIDED.search(whole, 0, found.start()) else ""


def _happened(text: str, day: date | None) -> bool:
    """Say whether "will" speaks of no future: of a rule, or of years before a day."""
    years = [int(year) for year in YEAR.findall(text)]
    return bool(RULE.match(text)) or bool(day and years and max(years) < day.year)


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
