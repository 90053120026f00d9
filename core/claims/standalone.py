"""Make a sentence readable alone: pronouns, "this year" and "here" are replaced from the sentences before it.

The rules replace a word only if there is exactly one candidate for it. Else they leave it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from core.claims.speech import Speech, SpokenSentence
from core.verification.claim_parts import subject_meant
from core.verification.question_focus import DATE, NAME
from core.verification.stance.words import words_of
from core.wording import countries

WINDOW = 3
"""How many sentences before one may name the person, place or thing that it speaks of."""

_TITLES = frozenset(
    "mr mrs ms miss madam dr sir lord lady dame king queen prince princess president chancellor minister senator "
    "governor mayor secretary speaker councillor congressman congresswoman representative general judge justice "
    "professor chairman chairwoman commissioner ambassador pope bishop captain colonel sergeant".split()
)
_MALE = frozenset("mr sir lord king prince chairman congressman pope he him his".split())
_FEMALE = frozenset("mrs ms miss madam lady dame queen princess chairwoman congresswoman she her".split())
_NO_PERSON = frozenset(
    "new north south east west northern southern eastern western saint st san santa los las united great republic "
    "kingdom states state county city town street road avenue square bridge river lake mount mountain valley island "
    "bay park university college school hospital church court senate congress house parliament council committee "
    "commission department ministry office agency bureau bank fund union party association federation league club "
    "company corporation corp inc ltd group times post news act bill law treaty agreement plan project program "
    "programme war day week month year january february march april may june july august september october november "
    "december monday tuesday wednesday thursday friday saturday sunday god internet covid democrats republicans "
    "democratic republican labour conservative american americans british english european africa asia europe "
    "america britain england scotland wales ireland authority institute museum airport station "
    "hotel trust board tribune herald grants security medicare medicaid".split()
)
_OPENERS = frozenset(
    "a an and as at but by during for from he her his i if in it its last my no now of on or our she so that the their "
    "then there these they this those to today tomorrow we well what when while with yesterday yes you your since "
    "after before under over only even both all some many most each every one because although though also here".split()
)
_ARTICLES = frozenset(("a", "an", "the"))
MOST_SUBJECT_WORDS = 8
_BEFORE_PLACE = re.compile(r"\b(?:in|at|near|across|throughout|outside)\s+$")
_IN_PLACE = re.compile(
    r"\b(?:in|at|across|throughout)\s+((?:[A-Z][\w’'-]+)(?:\s+(?:(?:of|upon|on|the)\s+)?[A-Z][\w’'-]+){0,3})"
)
_AT_START = re.compile(r"\b(?:[A-Z][\w’'-]+)(?:\s[A-Z][\w’'-]+){0,2}(?=, [^,.]{0,20}\d{4}\b)")
_HE_SHE = re.compile(r"\b(?:he|him|his|she|her|hers)\b(?!['’](?:d|ll|ve)\b)", re.IGNORECASE)
_IT_THEY = re.compile(r"(?:it|they)\b(?!['’])", re.IGNORECASE)
_EMPTY_IT = re.compile(
    r"it\s+(?:(?:is|was|has been|will be|would be|seems|seemed|appears|takes|took|turns|happens|makes)\b.*\b(?:that|to|"
    r"for|how|what|when|why|who|whether|if|because|time|rain\w*|snow\w*)\b|(?:is|was)\s+(?:\w+ly\s+)?(?:true|false|"
    r"right|wrong|over|done|clear|late|early|cold|hot|dark|good|great|important|possible|like)\b)",
    re.IGNORECASE,
)
_CONTRACTED = re.compile(r"['’]s\s+(?:(been|had|got|made|done|\w+ed)\b)?")
_UNCLEAR = re.compile(r"[:;<>\"“”]|\b(?:i|we|you|he|she|it|they|this|that|who|which|my|our|your)\b", re.IGNORECASE)
"""Words and signs of a subject that would not be readable alone."""

_SAYING = frozenset("say says said tell told think thinks want wants".split())
_PERIOD = re.compile(
    r"(?:\b(?P<before>in|by|for|of|since|from|until|during|than|to|over|throughout)\s+)?"
    r"(?<!the )(?<!all )\b(?P<which>this|last|next)\s+(?P<unit>year|month)\b(?P<own>['’]s)?",
    re.IGNORECASE,
)
_DAY = re.compile(r"\b(?P<which>today|yesterday|tomorrow)\b(?P<own>['’]s)?", re.IGNORECASE)
_HERE = re.compile(
    r"(?<!right )\bhere(?:\s+at home)?\b(?!['’]s|\s+(?:in|at|on|is|are|comes?|we|i|to)\b)", re.IGNORECASE
)
_AFTER_HER = re.compile(
    r"\s*(?:$|[.,;:!?)]|(?:and|but|or|to|in|on|at|by|for|from|with|as|that|when|while|because|into|about|after|before|"
    r"again|back|today|yesterday|too|up|down|out|off|over|a|an|the|this|her|his|how|why|what|if|last|next)\b)",
    re.IGNORECASE,
)


def standalone_sentences(speech: Speech) -> list[str]:
    """Return each sentence of a speech so that it can be read by itself, in order; unchanged where in doubt."""
    ordinary = frozenset(word for one in speech.sentences for word in one.text.split() if word.islower())
    ready = list[str]()
    for at, sentence in enumerate(speech.sentences):
        before = _context(speech.sentences, at)
        text = _with_thing(sentence.text, before)
        text = _with_person(text, before, sentence.speaker, ordinary)
        text = _with_dates(text, speech.day)
        ready.append(_with_place(text, before, speech))
    return ready


def _context(sentences: Sequence[SpokenSentence], at: int) -> list[str]:
    """Return the texts of the sentences before one, nearest last."""
    return [one.text for one in sentences[max(0, at - WINDOW) : at]]


def _with_thing(text: str, before: Sequence[str]) -> str:
    """Replace "it" or "they" at the beginning by the subject of the sentence before."""
    first = _IT_THEY.match(text)
    if not before or not first or _EMPTY_IT.match(text):
        return text
    own, last = words_of(text), tuple(words_of(before[-1]))
    if len(own) < 3 or not last or own[1].lower in _SAYING:
        return text
    meant = subject_meant(own[0].lower, last)
    if meant is None:
        return text
    subject = before[-1][meant[0].start : meant[-1].end]
    opener = subject.split()[0].lower()
    adverb = any(word.endswith("ly") for word in (opener.rstrip(","), subject.split()[-1]))
    unclear = (opener in _OPENERS and opener not in _ARTICLES) or adverb or bool(_UNCLEAR.search(subject))
    if unclear or len(subject.split()) > MOST_SUBJECT_WORDS:
        return text
    return f"{_opened(subject)}{text[first.end() :]}"


def _opened(words: str) -> str:
    return words[:1].upper() + words[1:]


def _with_person(text: str, before: Sequence[str], speaker: str, ordinary: frozenset[str]) -> str:
    """Replace "he" or "she" near the beginning by the only person that the sentences before name."""
    found = _HE_SHE.search(text)
    if not found or len({_gender(one) for one in _HE_SHE.findall(text)}) > 1:
        return text
    leading = [word.strip(",.;:–—-").lower() for word in text[: found.start()].split()]
    if any(word and word not in _OPENERS and not word.endswith("ly") for word in leading) or _people([text], ordinary):
        return text
    people = [one for one in _people(before, ordinary) if one.name.split()[-1].lower() not in speaker.lower()]
    if len(people) != 1 or people[0].gender not in ("", _gender(found.group())):
        return text
    said, name, rest = found.group().lower(), people[0].name, text[found.end() :]
    if said in ("his", "hers") or (said == "her" and not _AFTER_HER.match(rest)):
        name += "’" if name.endswith("s") else "’s"
    elif contracted := _CONTRACTED.match(rest):
        rest = f" {'has' if contracted[1] else 'is'}{rest[2:]}"
    return f"{text[: found.start()]}{name}{rest}"


def _gender(word: str) -> str:
    return "m" if word.lower() in _MALE else "f" if word.lower() in _FEMALE else ""


@dataclass(frozen=True)
class _Person:
    """A person's longest name, and "m", "f" or "" by the title before it."""

    name: str
    gender: str = ""


def _people(texts: Iterable[str], ordinary: frozenset[str]) -> list[_Person]:
    """Return the different people that texts name by title or by two to four words, none of them `ordinary`."""
    people = dict[str, _Person]()
    for text in texts:
        for found in NAME.finditer(text):
            words = found.group().replace("’s", "").replace("'s", "").split()
            while words and words[0].lower() in _OPENERS:
                words = words[1:]
            plain = [word.lower().rstrip(".") for word in words]
            title = plain[0] if plain and plain[0] in _TITLES else ""
            place = not title and _BEFORE_PLACE.search(text, 0, found.start())
            if not words or place or set(plain) & _NO_PERSON or " ".join(words) in _country_names():
                continue
            known = people.get(plain[-1])
            named = 2 <= len(words) <= 4 and not _joined(words) and (title or not set(plain) & ordinary)
            if known or named:
                name = max(known.name if known else "", " ".join(words), key=len)
                people[plain[-1]] = _Person(name, (known.gender if known else "") or _gender(title))
    return list(people.values())


def _joined(words: Sequence[str]) -> bool:
    """Say whether a name is of a thing: it has "of" or "the", or letters in capitals."""
    return any(word in ("of", "the") or (len(word) > 1 and word.isupper()) for word in words)


def _country_names() -> frozenset[str]:
    return frozenset(countries().values())


def _with_dates(text: str, day: date | None) -> str:
    """Replace "this year", "last month", "yesterday" by the year, month or day that they mean."""
    if day is None:
        return text
    text = _PERIOD.sub(lambda found: _period(found, text, day), text)
    return _DAY.sub(lambda found: _of_day(found, text, day), text)


def _period(found: re.Match[str], text: str, day: date) -> str:
    move = {"this": 0, "last": -1, "next": 1}[found["which"].lower()]
    if found["unit"].lower() == "year":
        said = str(day.year + move)
    else:
        months = day.year * 12 + day.month - 1 + move
        said = f"{date(months // 12, months % 12 + 1, 1):%B %Y}"
    if found["own"]:
        said = f"{said}{found['own']}"
        return f"{found['before']} {said}" if found["before"] else said
    return f"{found['before']} {said}" if found["before"] else _placed("in", said, found.start())


def _of_day(found: re.Match[str], text: str, day: date) -> str:
    move = {"today": 0, "yesterday": -1, "tomorrow": 1}[found["which"].lower()]
    moved = day + timedelta(days=move)
    said = f"{moved.day} {moved:%B %Y}"
    return f"{said}{found['own']}" if found["own"] else _placed("on", said, found.start())


def _placed(word: str, said: str, start: int) -> str:
    return f"{word if start else word.capitalize()} {said}"


def _with_place(text: str, before: Sequence[str], speech: Speech) -> str:
    """Replace "here" by the only place that the sentences before name, or the only one of the whole speech."""
    if not _HERE.search(text) or _places([text]):
        return text
    near = _places(before)
    everywhere = near or _places([one.text for one in speech.sentences])
    if len(everywhere) != 1:
        return text
    put: Callable[[re.Match[str]], str] = lambda found: _placed("in", everywhere[0], found.start())  # noqa: E731
    return _HERE.sub(put, text, count=1)


def _places(texts: Iterable[str]) -> list[str]:
    """Return the different places that texts name after "in" or "at", or before a date, as a dateline does."""
    found = list[str]()
    for text in texts:
        named = [one[1] for one in _IN_PLACE.finditer(text)] + [one.group() for one in _AT_START.finditer(text)]
        found += [one for one in named if not DATE.fullmatch(one) and not DATE.match(one)]
    return list(dict.fromkeys(one.removesuffix("’s").removesuffix("'s") for one in found))
