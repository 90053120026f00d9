"""Split a claim of several statements into parts, each with its subject, so that each is read on its own.

The rules look at words and their order. Where they are in doubt, they leave the claim whole.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from core.retrieval.chunking import sentence_spans
from core.types import Span
from core.verification.claim_intake import asks, reported, undecidable
from core.verification.stance.polarity import content_of
from core.verification.stance.words import Word, lexicon, words_of

MOST = 3
"""A claim of more parts is read whole: each part costs the time of a reading."""

_FINITE = frozenset(
    "is are was were isn't aren't wasn't weren't has have had hasn't haven't hadn't does did doesn't didn't can cannot "
    "can't could couldn't will won't would wouldn't must may might shall should began came went gave took knew saw "
    "wrote ran drew grew fell rose drove wore chose broke spoke stole became sank swam sang flew forgot ate drank rode "
    "threw costs weighs contains lives works makes takes gives sells buys holds owns runs leads carries brings employs "
    "covers belongs lies produces remains becomes comes goes uses keeps pays wins loses grows plays writes speaks "
    "teaches builds earns sends spends lends includes provides requires allows consists reaches prevents protects "
    "reduces improves cures kills receives needs wants would've could've should've".split()
)
"""Verbs of a statement, with any words around them."""

_OF_MANY = frozenset("pay cost need earn get use hold carry own receive make take spend".split())
"""Verbs of several subjects, which are nouns too: "cars pay 4.50", "the cost"."""

_NO_VERB = re.compile(
    r"(?:.*(?<!agr)(?<!guarant)eed|.*tred|.*cred|.*-.*|bed|red|wicked|naked|hundred|kindred|united|"
    r"named|called|titled|entitled|nicknamed|aged)"
)
_DETERMINERS = frozenset("a an the this that these those its his her their our my your another each every".split())
_PREPOSITIONS = frozenset(
    "by in from at with on for of to into as under over near during since until against about than".split()
)
_DESCRIBED = _DETERMINERS | _PREPOSITIONS | frozenset("and or newly two three four five some many most few".split())
"""A word in -ed after one of these describes a thing: "the proposed bridge"."""

_ADVERBS = frozenset("then later also now still soon again since not never always already".split())
_INSIDE = frozenset("that who which whose whom where when how why what".split())
_CONTRASTS = frozenset("although though while whereas".split())
_IN_TIME = frozenset(("after", "before"))
_NOT_ONLY = ("not", "only")
_LINKS = frozenset(("and", "but")) | _CONTRASTS | _IN_TIME
_PRONOUNS = frozenset("he she it they this these that those".split())
_TIED = re.compile(r"\b(?:if|unless|whether|n?either|n?or|because|so that|even|once|both)\b|[“”\"]", re.IGNORECASE)
"""Words that tie statements together, so that neither is claimed alone; and quotation marks."""

_SHARED = re.compile(
    r"\b(?:no|none|nobody|nothing|not|never|only|some|any|many|most|few|half|all|one|two|three|four|five|six|seven|"
    r"eight|nine|ten|eleven|twelve|third|quarter|dozens?|hundreds?|thousands?|million)\b|n['’]t\b",
    re.IGNORECASE,
)
"""Counts and negations that also hold for a second verb: "three nurses left and moved" is about the same three."""

_BE = frozenset(("is", "are", "was", "were"))
_UNFINISHED = frozenset("is are was were has have had do does did can could will would must may not".split())
"""A clause that ends so repeats the words of the one before: "strawberries are not"."""

_SPAN_OF_TIME = frozenset(
    "minutes hours days weeks months years minute hour day week month year decades shortly soon long just right".split()
)
_ADVERBIAL = re.compile(r"(?:In|On|At|During|Since|By|Until)\b(?: (?:[A-Z]\w+ )?\d{4}\b|[^,]{2,40}$)")

_YEAR = re.compile(r"(?:1[5-9]|20)\d\d")

Words = tuple[Word, ...]


@dataclass(frozen=True)
class ClaimPart:
    """One statement of a claim. `text` joins the `pieces`, which are characters of the claim, by spaces."""

    text: str
    pieces: tuple[Span, ...]

    def in_claim(self, spans: Sequence[Span]) -> tuple[Span, ...]:
        """Return characters of the text as characters of the claim."""
        found, at = list[Span](), 0
        for start, end in self.pieces:
            inside = [(max(a - at, 0), min(b - at, end - start)) for a, b in spans]
            found += [(start + a, start + b) for a, b in inside if a < b]
            at += end - start + 1
        return tuple(found)


def whole_of(claim: str) -> ClaimPart:
    """Return a claim as its only part."""
    return ClaimPart(claim, ((0, len(claim)),))


def parts_of(claim: str) -> tuple[ClaimPart, ...]:
    """Return the parts of a claim, two or three; the whole claim alone if it is one statement.

    The order in time of two parts ("after") is a statement too: then the last part is the whole claim.
    """
    whole = whole_of(claim)
    if content_of(claim).denied or asks(claim) or reported(claim) or _TIED.search(claim):
        return (whole,)
    words = tuple(words_of(claim))
    spans = [(start + a, start + b) for start, end in sentence_spans(claim) for a, b in _statements(claim[start:end])]
    sentences = [tuple(word for word in words if start <= word.start < end) for start, end in spans]
    clauses = list[Words]()
    for at, sentence in enumerate(sentences):
        full = with_subject(sentence, sentences[0]) if at and sentence else sentence
        if full is None or verb_in(full) is None:
            return (whole,)
        clauses += split(claim, full)
    parts = tuple(_part(claim, clause, words) for clause in clauses)
    kept = {word for clause in clauses for word in clause}
    in_time = any(word.lower in _IN_TIME and word not in kept for word in words)
    found = (*parts, whole) if in_time else parts
    return found if len(parts) > 1 and len(found) <= MOST else (whole,)


def undecidable_claim(text: str, day: date | None) -> str:
    """Return why no document decides any part of a claim, such as a forecast; empty if one can be decided."""
    reasons = [undecidable(part.text, day) for part in parts_of(text)]
    return reasons[0] if all(reasons) else ""


def _statements(sentence: str) -> list[Span]:
    """Return the spans of a sentence that semicolons part."""
    return [found.span() for found in re.finditer(r"[^;]+", sentence)]


def split(claim: str, words: Words) -> list[Words]:
    """Return the clauses of a sentence, or of words of one; all the words alone if they are one clause."""
    found = (find(claim, words) for find in (_not_only, _relatives, _subordinate_first, _joined))
    pair = next(itertools.chain.from_iterable(found), None)
    return [words] if pair is None else [clause for one in pair for clause in split(claim, one)]


def verb_in(words: Words, start: int = 1) -> int | None:
    """Return the place of the first likely verb of a statement, from `start` on; None without one."""
    return next((at for at in range(start, len(words)) if _is_verb(words, at)), None)


def with_subject(clause: Words, before: Words) -> Words | None:
    """Return a clause with its pronoun replaced by the subject of the clause before; None in doubt."""
    if clause[0].lower not in _PRONOUNS or verb_in(clause) != 1:
        return clause
    subject = subject_meant(clause[0].lower, before)
    return None if subject is None else (*subject, *clause[1:])


def subject_meant(pronoun: str, before: Words) -> Words | None:
    """Return the subject of the clause `before`, if the pronoun of the next clause must mean it; None in doubt."""
    verb = verb_in(before)
    if verb is None or before[0].lower in _PRONOUNS or any(word.text[0].isupper() for word in before[verb:]):
        return None
    rest = {word.lower for word in before[verb:]}
    if pronoun == "it" and rest & {"a", "an", "one", "it"}:
        return None
    several = before[verb - 1].lower.endswith("s") or any(word.lower == "and" for word in before[:verb])
    return before[:verb] if several == (pronoun == "they") else None


def _is_verb(words: Words, at: int) -> bool:
    word = words[at]
    if word.text[0].isupper() or (at and words[at - 1].lower in _DESCRIBED):
        return False
    if at + 1 == len(words) and word.lower.endswith("s"):  # "the most wins"
        return False
    if word.lower in _OF_MANY:
        many = at > 0 and words[at - 1].lower.endswith("s") and "'" not in words[at - 1].lower and at + 1 < len(words)
        return many and (words[at + 1].lower in _DETERMINERS or words[at + 1].text[0] in "0123456789$€£")
    past = word.lower in lexicon().past or (word.lower.endswith("ed") and not _NO_VERB.fullmatch(word.lower))
    return word.lower in _FINITE or past


def _is_active(words: Words, at: int) -> bool:
    """Say whether a verb is no participle of a noun before it ("pears imported from Spain")."""
    if words[at].lower in _FINITE or at + 1 == len(words):
        return words[at].lower in _FINITE
    after = words[at + 1]
    return after.lower in _DETERMINERS or after.lower == "to" or not (after.text[0].islower())


def _not_only(claim: str, words: Words) -> Iterator[tuple[Words, Words]]:
    """Yield the two clauses of "It not only costs less, it lasts longer too", each with its subject."""
    at = next((at for at in range(1, len(words) - 2) if (words[at].lower, words[at + 1].lower) == _NOT_ONLY), None)
    if at is None or not _is_verb(words, at + 2):
        return
    for cut in range(at + 3, len(words) - 1):
        but = words[cut].lower == "but"
        second = words[cut + but : len(words) - (words[-1].lower == "too")]
        pronoun = bool(second) and second[0].lower in _PRONOUNS
        second = tuple(word for word in second[pronoun:] if word.lower != "also")
        verb = _after_adverbs(second)
        if (but or _comma(claim, words, cut)) and verb < len(second) and (pronoun or _is_verb(second, verb)):
            yield (*words[:at], *words[at + 2 : cut]), (*words[:at], *second)


def _relatives(claim: str, words: Words) -> Iterator[tuple[Words, Words]]:
    """Yield a sentence's main clause and the clause that ", which" or ", who" begins, with the noun before it."""
    for at, word in enumerate(words):
        if word.lower not in ("which", "who") or not at or not _comma(claim, words, at):
            continue
        end = next((later for later in range(at + 1, len(words)) if _comma(claim, words, later)), len(words))
        main, clause = (*words[:at], *words[end:]), words[at + 1 : end]
        verb = verb_in(clause, 0)
        first = verb_in(words[:at]) is None
        ends_well = end < len(words) and _is_verb(words, end) if first else end == len(words)
        noun = words[:at] if first else _noun_at_end(words[:at])
        if verb == _after_adverbs(clause) and len(clause) > 1 and noun and ends_well:
            yield main, (*noun, *clause)


def _noun_at_end(words: Words) -> Words:
    """Return the name at the end of words, or the noun with its article; nothing where neither is clear."""
    at = len(words)
    while at and words[at - 1].text[0].isupper():
        at -= 1
    if at == len(words):
        at = next((place for place in range(len(words) - 1, -1, -1) if words[place].lower in _DETERMINERS), at)
    noun = words[at:]
    joined = any(word.lower in _PREPOSITIONS | _LINKS for word in noun)
    return () if joined or verb_in(noun) is not None else noun


def _subordinate_first(claim: str, words: Words) -> Iterator[tuple[Words, Words]]:
    """Yield the two clauses of "Although …, …" and "After …, …"."""
    if not words or words[0].lower not in _CONTRASTS | _IN_TIME:
        return
    for at in range(2, len(words)):
        first, second = words[1:at], words[at:]
        named = first[0].lower not in _PRONOUNS and second[0].lower not in _PRONOUNS
        if _comma(claim, words, at) and named and _states(claim, first) and _states(claim, second):
            yield first, second


def _joined(claim: str, words: Words) -> Iterator[tuple[Words, Words]]:
    """Yield the clauses before and after "and", "but", "although", "after" …, each with its subject."""
    for at, word in enumerate(words):
        left, right = words[:at], words[at + 1 :]
        verb = verb_in(left)
        if word.lower not in _LINKS or verb is None or not right:
            continue
        comma = _comma(claim, words, at)
        inside = {one.lower for one in left} & (_INSIDE | _CONTRASTS | _IN_TIME | {"between"})
        measured = word.lower in _IN_TIME and left[-1].lower in _SPAN_OF_TIME
        if inside or measured or left[-1].lower in _PREPOSITIONS or (word.lower == "while" and not comma):
            continue
        if word.lower in ("and", "but") and _shares_subject(claim, left, right, verb):
            passive = left[verb].lower in _BE and any(one.lower == "by" for one in right[1:3])
            yield left, (*left[: verb + passive], *right)
            continue
        full = (
            with_subject(right, left) if _states(claim, right, sure=comma or word.lower not in ("and", "but")) else None
        )
        if full is not None:
            yield left, (*_adverbial(claim, left[:verb], right), *full)


def _shares_subject(claim: str, left: Words, right: Words, verb: int) -> bool:
    """Say whether the right begins with a verb that has the left's subject, and nothing else is shared."""
    at = _after_adverbs(right)
    if at + 1 >= len(right) or not _is_verb(right, at) or not _one_statement(right, at):
        return False
    subject = claim[left[0].start : left[min(verb + 1, len(left) - 1)].end]
    group = next((place for place in range(verb, len(left)) if not _of_verb(left, place)), len(left))
    plain = right[at].lower in _FINITE
    described = any(_is_verb(left, place) for place in range(group, len(left)))  # "a house built in 1900 and sold"
    follows = right[at + 1].lower in _DETERMINERS | _PREPOSITIONS or not right[at + 1].text[0].islower()
    counted = _SHARED.search(subject) or any(_counts(left, place) for place in range(verb))
    return group < len(left) and not counted and (plain or (follows and not described))


def _counts(words: Words, at: int) -> bool:
    """Say whether a number counts things: it is no year, nor a part of a name."""
    named = at and words[at - 1].text[0].isupper() and words[at - 1].lower not in _PREPOSITIONS
    return words[at].text[0].isdigit() and not named and not _YEAR.fullmatch(words[at].text)


def _of_verb(words: Words, at: int) -> bool:
    lower = words[at].lower
    return _is_verb(words, at) or lower in _ADVERBS or lower.endswith(("be", "born", "en", "wn"))


def _states(claim: str, words: Words, *, sure: bool = True) -> bool:
    """Say whether words are a statement with a subject of its own."""
    verb = verb_in(words)
    if verb is None or verb > 8 or _is_verb(words, 0) or not _one_statement(words, verb):
        return False
    if _comma(claim, words, verb) or words[0].lower == "that" or words[0].lower.endswith("ing"):
        return False
    if all(_of_verb(words, at) for at in range(verb, len(words))) and words[-1].lower in _UNFINISHED:
        return False
    subject = {word.lower for word in words[:verb]}
    if subject & (_INSIDE - {"that"} | _LINKS) or words[0].lower in _PREPOSITIONS:
        return False
    begins = words[0].lower in _DETERMINERS | _PRONOUNS or not words[0].text[0].islower()
    return sure or (_is_active(words, verb) and (begins or words[verb].lower in _FINITE | _OF_MANY))


def _one_statement(words: Words, verb: int) -> bool:
    """Say whether no second verb follows without a word between that joins it."""
    for at in range(verb + 1, len(words)):
        if words[at].lower in _INSIDE | _LINKS | {"than", "as"}:
            return True
        if (
            _is_verb(words, at)
            and words[at].lower in _FINITE
            and not all(_of_verb(words, place) for place in range(verb, at))
        ):
            return False
    return True


def _adverbial(claim: str, subject: Words, right: Words) -> Words:
    """Return the words of time before a clause's subject if the next clause names no time of its own."""
    comma = next((at for at in range(1, len(subject)) if _comma(claim, subject, at)), len(subject))
    found = _ADVERBIAL.match(claim[subject[0].start : subject[comma - 1].end])
    if found is None or any(word.text[0].isdigit() for word in right):
        return ()
    return tuple(word for word in subject if word.end <= subject[0].start + found.end())


def _after_adverbs(words: Words) -> int:
    plain = (at for at, word in enumerate(words) if word.lower not in _ADVERBS and not word.lower.endswith("ly"))
    return next(plain, len(words))


def _comma(claim: str, words: Words, at: int) -> bool:
    """Say whether a comma or a semicolon is between a word and the one before it."""
    return claim[words[at - 1].end : words[at].start].strip() in (",", ";")


def _part(claim: str, clause: Words, words: Words) -> ClaimPart:
    """Return a clause as a part: words that follow each other in the claim are one piece."""
    place = {word.start: at for at, word in enumerate(words)}
    pieces = list[Span]()
    for before, word in zip((None, *clause), clause, strict=False):
        if before is not None and place[word.start] == place[before.start] + 1:
            pieces[-1] = pieces[-1][0], word.end
        else:
            pieces.append(word.span)
    text = " ".join(claim[start:end] for start, end in pieces)
    return ClaimPart(text[:1].upper() + text[1:], tuple(pieces))
