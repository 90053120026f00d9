"""Pairs of claim and document made from documents: the claim is a sentence with one change.

They teach and test reading where nobody has annotated anything: the change that was made is the annotation.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from core.retrieval.chunking import sentence_spans
from core.types import Document, Span, Stance
from core.verification.stance.amounts import Amount, amounts
from core.verification.stance.names import Name, names
from core.verification.stance.two_amounts import DATES
from core.verification.stance.words import Word, lexicon, words_of

KINDS: dict[str, Stance] = {
    "confirmed": Stance.FOR,
    "number": Stance.AGAINST,
    "date": Stance.AGAINST,
    "name": Stance.AGAINST,
    "negation": Stance.AGAINST,
    "antonym": Stance.AGAINST,
    "denied": Stance.AGAINST,
    "same document": Stance.ABOUT,
    "other document": Stance.UNRELATED,
}
"""The kinds of change from sentence to claim, and the document's stance after each."""

_AUXILIARIES = frozenset("is are was were has have had will would can could should must may might does do did".split())
_VAGUE = frozenset(
    "he she it they this that these those we i you his her its their our my there here such but and or so".split()
)
DENIALS = (
    "A post says: {}. This is false.",
    "It is not true that {}.",
    "There is no evidence that {}.",
    "The claim that {} is a hoax.",
    "Posts shared online claim that {}. That is not true.",
    "Fact-checkers rated the following as false: {}.",
)

_YEAR = re.compile(r"\b\d{4}\b")


@dataclass(frozen=True)
class MinimalPair:
    """A claim, and the document that it was made from, or another; `change` describes the change in words."""

    kind: str
    claim: str
    document: Document
    change: str = ""

    @property
    def stance(self) -> Stance:
        return KINDS[self.kind]


@dataclass(frozen=True)
class SourceSentence:
    """A sentence that is a claim by itself, with its words, names and numbers."""

    text: str
    document: Document
    words: tuple[Word, ...]
    names: tuple[Name, ...]
    amounts: tuple[Amount, ...]


def minimal_pairs(documents: Sequence[Document], *, per_kind: int, seed: int = 0) -> list[MinimalPair]:
    """Return up to `per_kind` pairs of each kind, or as many as the documents give.

    Each sentence serves one kind only. The same seed and documents give the same pairs.
    """
    draw = random.Random(seed)
    sources = [source for document in documents for source in sources_of(document)]
    draw.shuffle(sources)
    made: dict[str, list[MinimalPair]] = {kind: [] for kind in KINDS}
    makers = _makers(sources, draw)
    rarest = ("antonym", "date", "number", "negation", "name", "confirmed", "denied", "same document", "other document")
    for source in sources:
        for kind in rarest:
            pair = makers[kind](source) if len(made[kind]) < per_kind else None
            if pair:
                made[kind].append(pair)
                break
    return [pair for kind in KINDS for pair in made[kind]]


def sources_of(document: Document) -> list[SourceSentence]:
    """Return the sentences of a document that state something by themselves: 7 to 30 words, no question, no "he"."""
    found = []
    for start, end in sentence_spans(document.text):
        text = document.text[start:end]
        words = tuple(words_of(text))
        if _states(text, words):
            found.append(SourceSentence(text, document, words, tuple(names(text, words)), amounts(text)))
    return found


def _states(text: str, words: Sequence[Word]) -> bool:
    return (
        7 <= len(words) <= 30
        and text[0].isupper()
        and text.endswith(".")
        and words[0].lower not in _VAGUE
        and not re.search(r"[\"“”\[\]|<>{}:;?…]", text)
        and any(
            word.lower in _AUXILIARIES or word.lower.endswith("ed") or word.lower in lexicon().past for word in words
        )
        and not {word.lower for word in words} & lexicon().denial
    )


def _makers(
    sources: Sequence[SourceSentence], draw: random.Random
) -> dict[str, Callable[[SourceSentence], MinimalPair | None]]:
    foreign = [(name.text, len(name.places)) for source in sources for name in source.names]

    def other_document(source: SourceSentence) -> MinimalPair | None:
        other = draw.choice(sources)
        shared = {name.text for name in source.names} & {name.text for name in other.names}
        near = other.document.digest == source.document.digest or shared
        return None if near else MinimalPair("other document", source.text, other.document)

    def same_document(source: SourceSentence) -> MinimalPair | None:
        others = [one for one in sources_of(source.document) if one.text != source.text]
        if not others:
            return None
        rest = source.document.text.replace(source.text, " ")
        return MinimalPair("same document", source.text, Document(source.document.url, rest))

    return {
        "confirmed": lambda source: MinimalPair("confirmed", reworded(source, draw), source.document),
        "number": lambda source: _number(source, draw),
        "date": lambda source: _date(source, draw),
        "name": lambda source: _name(source, foreign, draw),
        "negation": _negation,
        "antonym": _antonym,
        "denied": lambda source: _denied(source, draw),
        "same document": same_document,
        "other document": other_document,
    }


def reworded(source: SourceSentence, draw: random.Random) -> str:
    """Return the sentence in slightly other words or another order that say the same."""
    text = _moved(source.text) if draw.random() < 0.5 else _trimmed(source.text)
    swaps = [word for word in words_of(text) if word.lower in lexicon().synonyms and word.text.islower()]
    for word in reversed(swaps[: draw.randint(0, 2)]):
        text = text[: word.start] + draw.choice(sorted(lexicon().synonyms[word.lower])) + text[word.end :]
    return text.replace("%", " percent").replace(" percent percent", " percent") if draw.random() < 0.5 else text


def _moved(text: str) -> str:
    """Move "In 2019," from the beginning to the end."""
    found = re.match(r"((?:In|On|At|During|Since|After|Before|By) [^,]{3,40}), (.+)\.$", text)
    if not found:
        return text
    lead, rest = found.groups()
    return f"{rest[0].upper()}{rest[1:]} {lead[0].lower()}{lead[1:]}."


def _trimmed(text: str) -> str:
    """Leave out "According to …," or a relative clause at the end."""
    text = re.sub(
        r"^(?:According to [^,]{3,60}|However|Moreover|In fact|Meanwhile), (\w)", lambda m: m[1].upper(), text
    )
    shorter = re.sub(r", (?:which|who|where|according to|including|while|although|as) [^,]+\.$", ".", text)
    return shorter if len(shorter.split()) >= 7 else text


def put(text: str, span: Span, new: str) -> str:
    """Return a text with other characters at a span."""
    return text[: span[0]] + new + text[span[1] :]


def lower_words(text: str) -> set[str]:
    """Return the words of a text in lower case."""
    return {word.lower for word in words_of(text)}


def _number(source: SourceSentence, draw: random.Random) -> MinimalPair | None:
    usable = [
        one
        for one in source.amounts
        if one.kind not in DATES and re.search(r"(?<![\d.,])\d+(?:,\d{3})*(?:\.\d+)?(?![\d.,]*\d)", one.text)
    ]
    if not usable:
        return None
    amount = draw.choice(usable)
    digits = re.search(r"\d+(?:[.,]\d+)*", amount.text)
    assert digits is not None  # by the choice above
    old = digits.group()
    value = float(old.replace(",", ""))
    new = value * draw.choice((0.4, 0.6, 0.75, 1.25, 1.5, 2.0, 3.0))
    places = len(old.partition(".")[2])
    said = f"{new:,.{places}f}" if "," in old else f"{new:.{places}f}"
    if said == old or float(said.replace(",", "")) == value:
        return None
    at = amount.span[0] + digits.start()
    claim = put(source.text, (at, at + len(old)), said)
    return MinimalPair("number", claim, source.document, f"{old} became {said}")


def _date(source: SourceSentence, draw: random.Random) -> MinimalPair | None:
    dates = [one for one in source.amounts if one.kind == "date"]
    years = [year for one in dates for year in _YEAR.finditer(source.text, *one.span)]
    if years:
        year = draw.choice(years)
        new = str(int(year.group()) + draw.choice((-9, -4, -2, -1, 1, 2, 3)))
        if any(new == other.group() for other in years):
            return None
        return MinimalPair("date", put(source.text, year.span(), new), source.document, f"{year.group()} became {new}")
    months = [
        word
        for word in source.words
        if word.lower in lexicon().months and word.text[0].isupper() and word.lower != "may"
    ]
    if not months:
        return None
    month = months[0]
    new = draw.choice([one for one in lexicon().months if one not in (month.lower, "may")]).capitalize()
    return MinimalPair("date", put(source.text, month.span, new), source.document, f"{month.text} became {new}")


def _name(source: SourceSentence, foreign: Sequence[tuple[str, int]], draw: random.Random) -> MinimalPair | None:
    usable = [name for name in source.names if len(name.places) <= 3 and len(name.text) > 1]
    if not usable:
        return None
    name = draw.choice(usable)
    known = lower_words(source.document.text)
    fitting = [
        text
        for text, length in foreign
        if length == len(name.places) and len(text) > 1 and not lower_words(text) & known
    ]
    if not fitting:
        return None
    new = draw.choice(fitting)
    return MinimalPair("name", put(source.text, name.span, new), source.document, f"{name.text} became {new}")


def _negation(source: SourceSentence) -> MinimalPair | None:
    claim = negated_claim(source.text)
    return MinimalPair("negation", claim, source.document, "negated") if claim else None


def negated_claim(text: str) -> str:
    """Return a sentence with its first auxiliary or past verb negated, or without its negation; "" if impossible."""
    words = words_of(text)
    if {word.lower for word in words} & (lexicon().negation | lexicon().refusal):
        found = re.search(r"\b(is|are|was|were|has|have|had|will|would|can|could|should|do|does|did) not ", text)
        if (
            found
            and len(re.findall(r"\bnot\b|n't\b|\bno\b|\bnever\b", text)) == 1
            and found.group(1) not in ("do", "does", "did")
        ):
            return text[: found.start()] + found.group(1) + " " + text[found.end() :]
        return ""
    for word in words[1:]:
        if (
            word.lower in _AUXILIARIES
            and word.text.islower()
            and word.lower not in ("may", "might", "must", "do", "does", "did")
        ):
            return text[: word.end] + " not" + text[word.end :]
        base = lexicon().past.get(word.lower)
        if base and word.text.islower():
            return text[: word.start] + "did not " + base + text[word.end :]
    return ""


def _antonym(source: SourceSentence) -> MinimalPair | None:
    for word in source.words:
        opposites = lexicon().antonyms.get(word.lower)
        if opposites and word.text.islower() and word.lower not in lexicon().stopwords and len(word.lower) > 3:
            new = sorted(opposites)[0]
            claim = put(source.text, word.span, new)
            return MinimalPair("antonym", claim, source.document, f"{word.text} became {new}")
    return None


def _denied(source: SourceSentence, draw: random.Random) -> MinimalPair:
    """Make a document that calls the sentence false."""
    bare = source.text.rstrip(".")
    template = draw.choice(DENIALS)
    inner = (
        bare
        if template.startswith(("A post", "Fact")) or (source.names[:1] and source.names[0].span[0] == 0)
        else bare[0].lower() + bare[1:]
    )
    denied = template.format(inner)
    document = Document(source.document.url, denied[0].upper() + denied[1:])
    return MinimalPair("denied", source.text, document, "called false")
