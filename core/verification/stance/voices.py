"""Passages that speak with the voice of another: quotations with their speakers, and rumours denied or repeated."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

from core.retrieval.chunking import sentence_spans
from core.types import Passage, PassageStance, Span, Stance
from core.verification.stance.denials import calls_false, denies
from core.verification.stance.differences import content_told, shortened
from core.verification.stance.names import Name, names
from core.verification.stance.stance_words import SAME_WORDS, UNCOUNTED
from core.verification.stance.words import Word, is_content, lexicon, words_of

SURE = 0.95
"""The probability of a stance that rests on equal words: they are compared, not weighed."""

ALIKE = 0.75
"""From this share of equal words on, a passage quotes the same sentence with changes."""

LEAST_WORDS = 4
"""A shorter text in quotation marks may be a title or a nickname."""

_COMPARED = 60
"""How many words of a quotation are compared."""

LEAST_SHARE = 0.6
"""The least share of a claim's words of meaning in a sentence that repeats it as a rumour."""

_QUOTED = re.compile(r"[“„\"]([^“”„\"]+)[”“\"]|(?:(?<=[\s:,(])|^)['‘](.+)['’](?=[\s.,;!?)]|$)")
_SPEAKS = (
    r"(?:said|says|say|told|tells|wrote|writes|put it|puts it|put that|called|calls|asked|asks|replied|replies|added|"
    r"adds|explained|explains|declared|declares|stated|states|tweeted|posted|announced|warned|warns|remarked|joked|insisted)"
)
_OPENS = re.compile(r"[“„\"‘'][^“”„\"]*$")
_IN_CLAUSE = r"(?:[^“”„\".;]|(?<=\b(?:Dr|Mr|Ms|St))\.|(?<=\b(?:Mrs|Gen|Sen|Rep|Gov))\.|(?<=\bProf)\.|(?<=\b[A-Z])\.)"
"""A character of a clause; a full stop only after a title or an initial."""

_SPEAKER_AFTER = re.compile(
    rf"[^“”„\"\w]*[”“\"’']\W*(?:(?:that|this|so) is how )?(?:{_SPEAKS}\b\s+(?P<last>{_IN_CLAUSE}{{2,80}})|"
    rf"(?P<first>{_IN_CLAUSE}{{2,80}}?)\s+{_SPEAKS}\b)",
)
_SPEAKER_BEFORE = re.compile(rf"\b{_SPEAKS}\b[^“”„\".;]*$|:\s*[“„\"‘']?$")
_DOUBTED = re.compile(r"\b(?:never|not|false|falsely|fake|invented|wrongly|den(?:y|ies|ied))\b|n['’]t\b", re.IGNORECASE)
_OF_A_PLACE = re.compile(r"(?:^|\s)(?:of|in|from|at|for|the|to|near|on)\s+$", re.IGNORECASE)
_BECAUSE = re.compile(r"\bbecause\b", re.IGNORECASE)
_HEARSAY = re.compile(
    r"\b(?:rumou?r(?:s|ed)?|hearsay|allegedly|supposedly|reportedly|(?:it is|it was) (?:said|claimed|alleged)"
    r"|(?:people|they|some|neighbours|many|users) (?:say|claim|are saying)"
    r"|(?:i|we) (?:have it|heard?|am told|was told|were told)"
    r"|(?:posts?|messages?|videos?|blogs?|e-?mails?|leaflets?)\b[^.;]{0,60}\b(?:say|says|claim|claims|claiming)"
    r"|(?:message|video|post|letter)\b[^.;]{0,80}\baccording to which|word (?:is|has it)|talk (?:in town|of)"
    r"|(?:was|were) (?:at first |first |initially |once |long )?(?:thought|believed|assumed|suspected)"
    r"|going a?round|somebody (?:who|told)|a friend (?:of|who|told)|passed (?:around|on))\b",
    re.IGNORECASE,
)

_OPEN = re.compile(
    r"\b(?:neither (?:be(?:en)? )?(?:confirmed|proven|proved) nor|un(?:confirmed|proven|verified)"
    r"|(?:not|never|n['’]t) (?:yet )?(?:been )?(?:confirmed|proven|verified|established))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class SpokenWords:
    """The words that a claim gives to a speaker, and the speaker's name."""

    words: str
    speaker: str


def quotation_in(claim: str) -> SpokenWords | None:
    """Return the quotation that a claim gives to a named speaker; None where it gives none."""
    found = _QUOTED.search(claim)
    if found is None or len(words_of(found[1] or found[2])) < LEAST_WORDS:
        return None
    before, after = claim[: found.start()], claim[found.end() :]
    verbs = list(re.finditer(rf"\b{_SPEAKS}\b", before))
    if not verbs and not re.search(rf"\b{_SPEAKS}\b", after):
        return None
    named = _names(before[: verbs[-1].start()] if verbs else "")[-1:] or _names(after)[:1]
    return SpokenWords(found[1] or found[2], named[0].text) if named else None


def heard(claim: str, stances: Sequence[PassageStance]) -> tuple[PassageStance, ...]:
    """Return the stances with quotations compared as words and speaker, and rumours as denied or repeated."""
    quotation = quotation_in(claim)
    return tuple(
        one if one.kind in UNCOUNTED else _quoted(one, claim, quotation) if quotation else _rumoured(one, claim)
        for one in stances
    )


def _quoted(one: PassageStance, claim: str, quotation: SpokenWords) -> PassageStance:
    """Return the stance of a passage towards a quotation: other words of anybody are not against it."""
    text, here = one.passage.text, one.passage.start
    found, share = _found(quotation.words, words_of(text))
    speakers = _speakers(text, found) if share >= ALIKE else []
    another = bool(speakers) and not any(_same_person(quotation.speaker, name.text) for name in speakers)
    words = text[slice(*found)]
    if share < ALIKE or not _has_all(words, quotation.words):
        return _other_words(one, words if share >= ALIKE else "", another=another)
    if another:
        placed = tuple((start + here, end + here) for start, end in sorted((found, speakers[0].span)))
        reason = f"gives these words to {speakers[0].text}, not to {quotation.speaker}"
        return replace(
            one,
            stance=Stance.AGAINST,
            probability=SURE,
            kind="name",
            reason=reason,
            spans=placed,
            claim_spans=_placed(claim, quotation.speaker),
        )
    if one.stance is Stance.FOR and not speakers and not _has_all(text, quotation.speaker.split()[-1]):
        reason = f"has these words, but does not name {quotation.speaker}"
        return replace(one, stance=Stance.ABOUT, kind="", reason=reason)
    doubted = _DOUBTED.search(f"{text[: found[0]]} {text[found[1] :]}")
    if speakers and share == 1.0 and one.stance is Stance.ABOUT and not doubted and _has_names_and_numbers(claim, text):
        return replace(
            one,
            stance=Stance.FOR,
            probability=SURE,
            kind=SAME_WORDS,
            reason=f"says the same: “{shortened(words)}”",
            spans=((found[0] + here, found[1] + here),),
            claim_spans=_placed(claim, quotation.words),
        )
    return one


def _other_words(one: PassageStance, alike: str, *, another: bool) -> PassageStance:
    """Return the stance of a passage without the words of a quotation: `alike` are words that only look like them.

    Only the speaker's own words, changed, may be against it, or a denial.
    """
    if one.stance is Stance.AGAINST and (another or not alike) and one.kind != "denial":
        return replace(one, stance=Stance.ABOUT, kind="", reason="does not have the words of the quotation")
    if one.stance is Stance.FOR and alike:
        return replace(one, stance=Stance.ABOUT, kind="", reason=f"has other words: “{shortened(alike)}”")
    return one


def _placed(claim: str, words: str) -> tuple[Span, ...]:
    at = claim.find(words)
    return ((at, at + len(words)),)


def _has_all(text: str, words: str) -> bool:
    """Say whether a text has all words of meaning and negations of others."""
    told = {word.stem for word in words_of(text)}
    return all(
        word.stem in told
        for word in words_of(words)[:_COMPARED]
        if is_content(word) or word.lower in lexicon().negation
    )


def _found(quoted: str, told: Sequence[Word]) -> tuple[Span, float]:
    """Return the characters of a text that are likest to quoted words, and the share of equal words, in [0, 1]."""
    mine = [word.lower for word in words_of(quoted)[:_COMPARED]]
    theirs = [word.lower for word in told]
    best: tuple[Span, float] = ((0, 0), 0.0)
    for at in range(len(theirs)):
        if theirs[at] not in mine[:2]:
            continue
        window = theirs[at : at + len(mine)]
        share = 1.0 if window == mine else min(0.99, SequenceMatcher(None, mine, window, autojunk=False).ratio())
        if share > best[1]:
            best = (told[at].start, told[at + len(window) - 1].end), share
    return best


def _speakers(text: str, quoted: Span) -> list[Name]:
    """Return the names in the words that say who speaks; none if these are a pronoun or missing."""
    after = _SPEAKER_AFTER.match(text, quoted[1])
    if after:
        group = "last" if after["last"] else "first"
        return _names(text[after.start(group) : after.end(group)], after.start(group))
    opened = _OPENS.search(text, 0, quoted[0])
    start = opened.start() if opened else quoted[0]
    begin = next((a for a, _ in reversed(sentence_spans(text[:start]))), 0)
    before = text[begin:start]
    return _names(before, begin) if _SPEAKER_BEFORE.search(before) else []


def _names(text: str, start: int = 0) -> list[Name]:
    """Return the names of a text that may be a person's: not Tarn in "of Tarn"."""
    led = f"by {text}"  # so that no name is taken for a word that begins a sentence
    found = [one for one in names(led, words_of(led)) if not _OF_A_PLACE.search(led[3 : one.span[0]])]
    return [replace(one, span=(one.span[0] + start - 3, one.span[1] + start - 3)) for one in found]


def _same_person(one: str, other: str) -> bool:
    """Say whether two names have the last word of one of them in common."""
    first, second = [[word.stem for word in words_of(name)] for name in (one, other)]
    return first[-1] in second or second[-1] in first


def _has_names_and_numbers(claim: str, text: str) -> bool:
    told = {word.stem for word in words_of(text)}
    return all(word.stem in told for word in words_of(claim)[1:] if not word.text[0].islower())


def _rumoured(one: PassageStance, claim: str) -> PassageStance:
    """Return the stance of a passage on a rumour: against if it denies it, else named as repeating it."""
    if one.stance not in (Stance.FOR, Stance.ABOUT) or _HEARSAY.search(claim) or denies(claim):
        return one
    if one.stance is Stance.FOR and (undecided := _undecided(one.passage.text, claim)):
        return replace(one, stance=Stance.ABOUT, kind="", reason=f"leaves it open: “{shortened(undecided)}”")
    for span, after in _tellings(one.passage, claim):
        telling = one.passage.document.text[slice(*span)]
        denial = telling if denies(telling) else next(filter(calls_false, after), "")
        if denial:
            reason = f"calls it false: “{shortened(denial)}”"
            return replace(one, stance=Stance.AGAINST, probability=SURE, kind="denial", reason=reason, spans=(span,))
        if one.stance is Stance.FOR:
            return replace(one, reason=f"repeats it: “{shortened(telling)}”")
    return one


def _undecided(text: str, claim: str) -> str:
    """Return the sentence that leaves a matter of the claim open, if no other sentence has its words; else ""."""
    if _OPEN.search(claim):
        return ""
    mine = {word.stem for word in words_of(claim) if is_content(word)}
    told = {text[start:end]: {word.stem for word in words_of(text[start:end])} for start, end in sentence_spans(text)}
    for sentence, stems in told.items():
        others = set().union(*(found for other, found in told.items() if other != sentence))
        if _OPEN.search(sentence) and (mine & stems) - others:
            return sentence
    return ""


def _tellings(passage: Passage, claim: str) -> Iterator[tuple[Span, list[str]]]:
    """Yield the sentences of a passage that give the claim as hearsay, each with the two sentences after it.

    Of a claim with "because" they give the cause: "At first debris was thought to have struck it".
    """
    mine = {word.stem for word in words_of(_BECAUSE.split(claim)[-1]) if is_content(word)}
    text = passage.document.text
    window = text[passage.start : passage.end + 200]
    spans = [(passage.start + start, passage.start + end) for start, end in sentence_spans(window)]
    for at, (start, end) in enumerate(spans):
        told = {word.stem for word in words_of(content_told(text[start:end]))}
        enough = mine and len(mine & told) >= LEAST_SHARE * len(mine)
        if enough and end <= passage.end and _HEARSAY.search(text, start, end):
            yield (start, end), [text[a:b] for a, b in spans[at + 1 : at + 3]]
