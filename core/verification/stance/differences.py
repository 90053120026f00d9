"""Find the differences of a sentence from the claim: number, date, name, negation, opposite, "this is false".

Each difference is a clause with the words that a person can check. The stance classifier decides whether it counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.types import Span
from core.verification.stance.alignment import Alignment, Text
from core.verification.stance.amounts import Amount, numbered_names
from core.verification.stance.denials import BARE, calls_false, denies, denying_words
from core.verification.stance.names import Name
from core.verification.stance.two_amounts import (
    DATES,
    agree,
    counters,
    is_yearless,
    mid_sentence,
    of_one_matter,
    of_one_thing,
    phrase,
)
from core.verification.stance.words import Word, lexicon, stem, words_of

ALIKE = 0.55
"""From this similarity on two words are taken to stand for each other."""

MIN_REST = 0.5
"""From this coverage on, another name in a sentence may replace the claim's, and a difference is near the claim."""

SAME = 0.75
"""Minimum token coverage at which a mismatch counts as a contradiction."""

NEARLY_ALL = 0.85
"""From this share of the claim's own words on, a little word such as "before" is the difference."""

_SCOPE = 3
"""How many words of meaning after a negation are negated."""

_TELLS_THAT = re.compile(r"\b(?:claim(?:s|ed|ing)?|say(?:s|ing)?|alleg(?:es|ed|ing)|rumou?rs?|stor(?:y|ies)) that\b")
_AS_MUCH_AS = re.compile(r"[^.,;!?]*\b(?:as|so) [\w-]+ as\b| before\b[^.,;!?]*\b(?:such|so|as)\b")
_TAKES_SIDES = re.compile(
    r"\b(?:vot\w*|spoke|speaks?|argu\w*|decid\w*|rul\w*|campaign\w*|protest\w*|advis\w*|is|are|was|were|be)"
    r"\s(?:\w+ly\s)?$",
    re.IGNORECASE,
)
"""Words before "against" that make it a refusal."""

_OF_A_COUNTRY = re.compile(r"(?<=\w{4})(?:ean|ian|an|ese|ish|i)$")
_ALIAS = re.compile(
    r"\b(?:also|better|formerly|once|otherwise|previously) (?:called|known as|named|spelled|written)\W*$", re.IGNORECASE
)
"""Words before a second name of a thing, which replaces no name of the claim."""

ONE_OF_THEM = re.compile(
    r"^\W*(?:one of (?:them|these|those)|among (?:them|these)|another|they include|these include|"
    r"for example|for instance)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Difference:
    """One difference: its kind, a clause that says it, and the characters of sentence and claim that it is between."""

    kind: str
    reason: str
    spans: tuple[Span, ...]
    claim_spans: tuple[Span, ...] = ()


@dataclass(frozen=True)
class Neighbour:
    """The sentence before or after one, and where it begins, counted from that one's beginning."""

    text: str = ""
    start: int = 0

    @property
    def span(self) -> Span:
        return self.start, self.start + len(self.text)


def amount_differences(one: Alignment, passage: Sequence[Amount]) -> Iterator[Difference]:
    """Yield the claim's amounts and dates that the passage lacks and that the sentence counters with its own.

    Where the sentence says the rest of the claim, only its own amounts count, not those of its neighbours. A month or
    a day of the week without a year is countered only there. Elsewhere both are of one matter: "hot in 2019" is not
    countered by "since measurements began in 1887". A rank is countered by one of the same thing: "the third list" is
    not by "the 10th Circuit". Of two that are as near, the one at the claim's place is named.
    """
    same = one.coverage >= SAME
    unsaid, free = unmatched(one.claim.amounts, one.sentence.amounts if same else passage, one.sentence.amounts)
    for amount in unsaid:
        alike = same and amount.kind != "ordinal"
        others = [other for other in free if mid_sentence(phrase(other)) != mid_sentence(phrase(amount))]
        rivals = [
            other
            for other in others
            if counters(amount, other)
            and (alike or of_one_thing(amount, other))
            and (same or of_one_matter(amount, other))
        ]
        if not rivals or (is_yearless(amount) and not same):
            continue
        place = _place_in_sentence(one, amount)
        rival = max(rivals, key=lambda other: (len(amount.near & other.near), -abs(other.span[0] - place)))
        free.remove(rival)
        is_date = amount.kind in DATES
        said = f"speaks of {phrase(rival)}; the claim of {phrase(amount)}"
        said = said if is_date else f"says {phrase(rival)}; the claim says {phrase(amount)}"
        yield Difference("date" if is_date else "number", said, (rival.span,), (amount.span,))


def _place_in_sentence(one: Alignment, amount: Amount) -> int:
    """Return where in the sentence an amount of the claim would be: after the likest to the word before it."""
    before = [at for at in one.claim.content if one.claim.words[at].end <= amount.span[0]]
    return one.sentence.words[int(one.partner[before[-1]])].end if before and one.sentence.words else 0


def unmatched(
    claimed: Sequence[Amount], told: Sequence[Amount], sentence: Sequence[Amount]
) -> tuple[list[Amount], list[Amount]]:
    """Return the claim's amounts without a match, and the sentence's amounts without a match in the claim.

    Where claim and sentence have as many, each may be matched once only: "12 and 12" does not say "12 and 18".
    """
    if len(claimed) == len(sentence) and len(told) == len(sentence):
        left, free = [], list(sentence)
        for amount in claimed:
            same = next((other for other in free if agree(amount, other)), None)
            if same is None:
                left.append(amount)
            else:
                free.remove(same)
        return left, free
    left = [one for one in claimed if not any(agree(one, other) for other in told)]
    return left, [one for one in sentence if not any(agree(other, one) for other in claimed)]


def missing_names(one: Alignment, passage: frozenset[str], initials: frozenset[str]) -> list[int]:
    """Return the places in `claim.names` of names with no word and no initials in the passage."""
    found = []
    for place, name in enumerate(one.claim.names):
        stems = [one.claim.words[at].stem for at in name.places]
        known = passage | initials if len(stems) == 1 else passage
        acronym = "".join(part[0] for part in stems)
        told = [_known(part, known) for part in stems]  # "Johnson" names Boris Johnson, "World" no World Bank
        if not told[-1] and 2 * sum(told) <= len(told) and (len(stems) == 1 or acronym not in passage):
            found.append(place)
    return found


def _known(part: str, passage: frozenset[str]) -> bool:
    """Tell whether a passage has a name's word, or one with an equal beginning ("Pakistan", "Pakistani"; "Chile")."""
    country = _OF_A_COUNTRY.sub("", part)
    return part in passage or (
        len(part) >= 5 and (country in passage or any(word.startswith(part[:5]) for word in passage))
    )


_CODED = re.compile(r"\b([A-Z][a-z]+) ([A-Z]{1,3}-?\d+)\b")
"""Names that end with a letter and a number: "Gate B12"."""


def another_of_its_series(claim: str, text: str) -> tuple[str, str] | None:
    """Return a text's numbered thing and the claim's: ("District 69", "District 7"). None if both are of the claim."""
    told, claimed = ([*numbered_names(one), *_CODED.findall(one)] for one in (text, claim))
    for word, number in claimed:
        others = [other for name, other in told if name == word]
        if others and not any((word, other) in claimed for other in others):
            return f"{word} {others[0]}", f"{word} {number}"
    return None


def name_differences(one: Alignment, passage: frozenset[str], initials: frozenset[str]) -> Iterator[Difference]:
    """Yield the claim's names that the passage lacks where the sentence has a name of its own in their place.

    It is in their place beside the word that the claim has before or after its name. Of several the one with both is
    named, then the likest one. A sentence with none of the claim's names has all the rest of it, or is about another
    thing: "41 °C in Fort Essery" says nothing of Skarnby.
    """
    if one.coverage < MIN_REST:  # another name in a sentence about something else replaces nothing
        return
    mine = {word.stem for word in one.claim.words}
    rivals = [
        name
        for name in one.sentence.names
        if not all(one.sentence.words[at].stem in mine for at in name.places)
        and not _acronym_of(name.text, one.claim.words)
        and not _ALIAS.search(one.sentence.text[: name.span[0]])
    ]
    missing = missing_names(one, passage, initials)
    for place in missing:
        name = one.claim.names[place]
        if len(missing) == len(one.claim.names) and not _has_all_but(one, name):
            continue
        beside = [rival for rival in rivals if _neighbours_shared(one, name, rival)]
        if beside and len(name.text) > 1:
            rival = max(beside, key=lambda other: (_neighbours_shared(one, name, other), _likeness(one, name, other)))
            said = f"names {rival.text} instead of {name.text}"
            yield Difference("name", said, (rival.span,), (name.span,))


def _has_all_but(one: Alignment, name: Name) -> bool:
    """Say whether a sentence has every word of the claim, or a synonym, outside a name."""
    return all(one.exact(place) for place in one.claim.content if place not in name.places)


def _neighbours_shared(one: Alignment, claimed: Name, told: Name) -> int:
    """Return how many of the words before and after a claim's name are also beside one of the sentence: 0 to 2."""
    mine, theirs = _around(one.claim.words, claimed), _around(one.sentence.words, told)
    return sum(word == other for word, other in zip(mine, theirs, strict=True))


def _around(words: Sequence[Word], name: Name) -> tuple[str, str]:
    """Return the stems of the words before and after a name, empty at an end of the text."""
    before, after = words[: name.places[0]], words[name.places[-1] + 1 :]
    return before[-1].stem if before else "", after[0].stem if after else ""


def _acronym_of(text: str, words: Sequence[Word]) -> bool:
    letters = [word.lower[0] for word in words]
    return text.isupper() and len(text) > 1 and text.lower() in "".join(letters)


def _likeness(one: Alignment, claimed: Name, told: Name) -> float:
    return float(one.similarity[list(claimed.places)][:, list(told.places)].max())


def negated(text: Text) -> dict[int, int]:
    """Return the words of meaning that a negation governs, each with the place of the negation before it.

    It governs the next three words of meaning of its clause; a second negation there takes the first one back.
    """
    lex = lexicon()
    found: dict[int, int] = {}
    for place, word in enumerate(text.words):
        if word.lower not in lex.negation and word.lower not in lex.refusal:
            continue
        following = text.words[place + 1].lower if place + 1 < len(text.words) else ""
        if following == "only":  # “not only … but also” denies nothing
            continue
        if word.lower == "against" and not _TAKES_SIDES.search(text.text, 0, word.start):  # "a vaccine against measles"
            continue
        if word.lower in ("no", "never") and _AS_MUCH_AS.match(text.text, word.end):  # a superlative in other words
            continue
        governed = 0
        for after in range(place + 1, len(text.words)):
            if (
                re.search(r"[,;:.!?–—]", text.text[text.words[after - 1].end : text.words[after].start])
                or governed >= _SCOPE
            ):
                break
            if after in text.content and text.words[after].lower not in lex.refusal:
                governed += 1
                if after in found:
                    del found[after]
                else:
                    found[after] = place
    return found


def negation_differences(one: Alignment, theirs: dict[int, int], ours: dict[int, int]) -> Iterator[Difference]:
    """Yield a difference if the sentence negates a word that the claim states, or the other way round.

    theirs, ours: the words `negated` in the sentence and in the claim.
    """
    both = {int(one.partner[place]) for place in ours}
    for cue in dict.fromkeys(cue for _, cue in sorted(theirs.items(), reverse=True)):
        governed = {place for place, by in theirs.items() if by == cue}
        if governed & both:
            continue
        for place in one.claim.content:
            partner = int(one.partner[place])
            if partner in governed and one.matches[place] >= ALIKE and place not in ours:
                span = (one.sentence.words[cue].start, one.sentence.words[partner].end)
                said = f"says the opposite: “{one.sentence.text[span[0] : span[1]]}”"
                yield Difference("negation", said, (span,), (one.claim.words[place].span,))
                break
    for cue, place in {cue: place for place, cue in sorted(ours.items(), reverse=True)}.items():
        partner = int(one.partner[place])
        if one.exact(place) and partner not in theirs:  # a similar word may itself deny: "no danger", "safe"
            span = (one.claim.words[cue].start, one.claim.words[place].end)
            told = one.sentence.words[partner]
            said = f"says the opposite: “{told.text}”, where the claim says “{one.claim.text[span[0] : span[1]]}”"
            yield Difference("negation", said, (told.span,), (span,))
            return


def negate_as_often(theirs: dict[int, int], ours: dict[int, int]) -> bool:
    """Say whether sentence and claim both negate, and as often: they may say the same with the negation elsewhere."""
    return bool(ours) and len(set(theirs.values())) == len(set(ours.values()))


def negate_apart(one: Alignment, theirs: dict[int, int], ours: dict[int, int]) -> bool:
    """Say whether they negate as often, but no word in common."""
    return negate_as_often(theirs, ours) and not any(int(one.partner[place]) in theirs for place in ours)


def antonym_differences(one: Alignment, theirs: dict[int, int], ours: dict[int, int]) -> Iterator[Difference]:
    """Yield where the sentence has the opposite of the claim's word; both negated or neither."""
    alike = {other for word in one.claim.words for other in lexicon().synonyms.get(word.lower, ())}
    claimed = {word.stem for word in one.claim.words} | {stem(word) for word in alike}
    stems = {word.stem for word in one.sentence.words}
    spoken = {word.lower for word in one.sentence.words}
    for i, word in enumerate(one.claim.words):
        if {word.stem, f"re{word.stem}"} & stems or _superlatives(word.lower) & spoken:
            continue
        if word.lower in lexicon().stopwords and one.exact_coverage < NEARLY_ALL:
            continue  # "before" for "after" means something only where the rest is the same
        opposites = _opposites(word.lower) | {stem(other) for other in _opposites(word.lower)}
        for j, told in enumerate(one.sentence.words):
            if (told.lower in opposites or told.stem in opposites) and told.stem not in claimed:
                if {word.lower, told.lower} & lexicon().stopwords and not _same_follows(one, i, j):
                    break
                if (i in ours) == (j in theirs):
                    said = f"says “{told.text}”; the claim says “{word.text}”"
                    yield Difference("antonym", said, (told.span,), (word.span,))
                break


def _superlatives(word: str) -> set[str]:
    """Return the spellings that a superlative of a word may have: "driest", "largest", "biggest"."""
    base = f"{word[:-1]}i" if word.endswith("y") else word.removesuffix("e")
    return {f"{base}est", f"{base}{base[-1:]}est"}


def _same_follows(one: Alignment, i: int, j: int) -> bool:
    """Say whether the next content words after two places are the same word ("before noon", "after noon")."""
    after = next((place for place in one.claim.content if place > i), None)
    told = next((place for place in one.sentence.content if place > j), None)
    return after is not None and one.exact(after) and int(one.partner[after]) == told


def undone_by_antonyms(one: Alignment, theirs: dict[int, int], ours: dict[int, int]) -> bool:
    """Tell whether an opposite is negated, so that sentence and claim say the same ("not open": closed)."""
    return any(
        told.lower in _opposites(word.lower) | _opposites(word.stem) and (i in ours) != (j in theirs)
        for i, word in enumerate(one.claim.words)
        for j, told in enumerate(one.sentence.words)
    )


def _opposites(word: str) -> frozenset[str]:
    return lexicon().antonyms.get(word, frozenset())


def denial_differences(one: Alignment, before: Neighbour, after: Neighbour) -> Iterator[Difference]:
    """Yield the words that call the claim false, in the sentence or in a neighbouring one."""
    own = None if denies(one.claim.text) else denying_words(one.sentence.text, one.sentence.words)
    if own:
        yield Difference("denial", f"calls it false: “{one.sentence.text[own[0] : own[1]]}”", (own,))
        return
    if calls_false(after.text) and _has_most(content_told(one.sentence.text), one.claim):
        yield denial_by(after)
        return
    leads = ONE_OF_THEM.match(one.sentence.text) or before.text.rstrip().endswith(":") or BARE.match(before.text)
    if leads and denies(before.text):
        yield denial_by(before)


def denial_by(one: Neighbour, shift: int = 0) -> Difference:
    """Return the difference that a neighbouring sentence makes by calling the claim false."""
    start, end = one.span
    return Difference("denial", f"calls it false: “{shortened(one.text)}”", ((start + shift, end + shift),))


def content_told(text: str) -> str:
    """Return the words that others say in a sentence: "the pool is shut" of "A message says that the pool is shut"."""
    found = _TELLS_THAT.search(text)
    return text[found.end() :] if found else text


def _has_most(text: str, claim: Text) -> bool:
    """Say whether a text has half of a claim's words of meaning."""
    mine = {claim.words[place].stem for place in claim.content}
    return 2 * len(mine & {word.stem for word in words_of(text)}) >= len(mine)


def shortened(text: str, characters: int = 160) -> str:
    """Return a text on one line, cut after a word where it is longer."""
    line = " ".join(text.split())
    return line if len(line) <= characters else line[:characters].rpartition(" ")[0] + " …"
