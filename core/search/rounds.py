"""Queries as a person types them, in rounds: a few rare words first, then others that depend on the answers."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import combinations, pairwise
from typing import Any

from core.files import ASSETS
from core.retrieval.chunking import sentence_spans
from core.retrieval.dense import bundled_folder
from core.search.queries import content_words, each_once, is_strange, named_entities, plain_form
from core.search.spellings import as_numeral, other_forms, spellings
from core.terms import STOP_WORDS, terms, words
from core.types import Claim, Document

FIRST = 3
"""The queries of the first round, which a person sees before anything is sent."""

MAX_WORDS = 4
WINDOW = 3
"""Sentences of a passage that may speak of a whole claim."""

WHOLE = 0.8
"""The share of a claim's words, rare ones counting more, from which on a passage speaks of all of it."""

_TOKEN = re.compile(r"\d+(?:[.,:]\d+)*(?:[^\W_]+)?|[^\W_]+(?:[-&][^\W_]+)*")
_LIGHT = frozenset(
    "ever never every first last one two three said says say made make makes many much used use uses like get got year "
    "years new still without within per percent million billion thousand hundred another across among around along "
    "always already almost even ago back became become becomes really whole entire time times thing things way dr mr "
    "mrs ms instead else half single anywhere everywhere somewhere since until while whereas rather whether".split()
)
_TITLES = frozenset(
    "mayor president minister senator judge king queen prince princess sir dame lord lady pope chancellor governor "
    "general captain professor doctor".split()
)
_AFTER_VERBS = frozenset("the a an all at by for from in into its his her more no of off on over to up with".split())
_PREPOSITIONS = frozenset("in at of from on near for".split())
_VERBAL = re.compile(r"(?:ed|ing|ly|est)$")


@cache
def word_ranks() -> dict[str, int]:
    """Return how common English words are: their place in the bundled encoder's vocabulary, which begins with "the"."""
    lines = (bundled_folder() / "vocab.txt").read_text(encoding="utf-8").splitlines()
    return {word: rank for rank, word in enumerate(lines)}


def rarity(text: str) -> int:
    """Return the rank of a text's rarest word among common words; an unknown word is above all ranks."""
    ranks = word_ranks()
    return max((ranks.get(word.lower(), len(ranks)) for word in words(text)), default=0)


@dataclass(frozen=True)
class ClaimWords:
    """The names, nouns and numbers of a claim, each as it is typed, the rarest first.

    `nouns` are all words that carry meaning and are in no name; those with an ending of verbs are last. `order` holds
    the words of the claim in small letters, as it has them.
    """

    names: tuple[str, ...]
    nouns: tuple[str, ...]
    numbers: tuple[str, ...]
    order: tuple[str, ...] = ()

    @classmethod
    def of(cls, text: str) -> ClaimWords:
        plain = plain_form(text)
        names = each_once(part for found in named_entities(plain) for part in _parts(found)) or _unknown_runs(plain)
        named = {word.lower() for name in names for word in name.split()}
        tokens = _TOKEN.findall(plain)
        free = [token for token in tokens if token.lower() not in named and not _is_light(token)]
        numbers = [token for token in free if as_numeral(token) or token[0].isdigit()]
        beside, verbs = _beside(tokens, named), _verbs(tokens, named)

        def promise(noun: str) -> tuple[bool, bool, int]:
            return noun in verbs or _is_verbal(noun), noun not in beside, -rarity(noun)

        return cls(
            tuple(sorted(names, key=rarity, reverse=True)),
            each_once(sorted((token for token in free if token not in numbers), key=promise)),
            each_once(numbers),
            tuple(token.lower() for token in tokens),
        )

    def typed(self, *parts: str) -> str:
        """Return a query of at most MAX_WORDS words, each once, in the order of the claim."""
        chosen = each_once(word for part in parts for word in part.split())[:MAX_WORDS]
        places = {word: place for place, word in reversed(list(enumerate(self.order)))}
        return " ".join(sorted(chosen, key=lambda word: places.get(word.lower(), -1)))


def _verbs(tokens: Sequence[str], named: Collection[str]) -> set[str]:
    """Return the verbs after a name, before an article or the like: "Group owns the", not "COVID-19 vaccines cause"."""
    triples = zip(tokens, tokens[1:], [*tokens[2:], "the"], strict=False)
    return {
        verb
        for name, verb, after in triples
        if name.lower() in named and verb.endswith("s") and (after.lower() in _AFTER_VERBS or after[0].isdigit())
    }


def _beside(tokens: Sequence[str], named: Collection[str]) -> set[str]:
    """Return the words right before and after a name, which are nouns more often than others: "the Varga shipyard".

    After a name behind a preposition follows a verb more often: "pupils in Solby learn".
    """
    triples = zip(["", *tokens], tokens, tokens[1:], strict=False)
    after = {
        other
        for before, name, other in triples
        if name.lower() in named and not other.endswith("s") and before.lower() not in _PREPOSITIONS
    }
    before = {other for other, name in pairwise(tokens) if name.lower() in named and other.lower() not in _TITLES}
    return after | before


def _parts(name: str) -> Iterator[str]:
    """Yield the names in a run of capitals: "Dr. Ann Lee" is Ann Lee, "Association of Noordam" is two names."""
    for part in re.split(r"\s+(?:of|the)\s+", name):
        kept = part.split()
        while kept and (kept[0].strip(".").lower() in _TITLES or _is_light(kept[0].strip("."))):
            kept.pop(0)
        if kept:
            yield " ".join(kept)


def _unknown_runs(text: str) -> tuple[str, ...]:
    """Return the runs of words that no vocabulary has, in a text without capitals: these are its names."""
    ranks = word_ranks()
    runs: list[list[str]] = [[]]
    for token in _TOKEN.findall(text):
        if token.lower() in ranks or token.lower().removesuffix("s") in ranks or token[0].isdigit():
            runs.append([])
        else:
            runs[-1].append(token)
    return each_once(" ".join(run) for run in runs)


def _is_light(word: str) -> bool:
    acronym = len(word) > 1 and word.isupper()  # WHO, US
    return not acronym and (word.lower() in STOP_WORDS or word.lower() in _LIGHT)


def _is_verbal(word: str) -> bool:
    return word.islower() and (bool(_VERBAL.search(word)) or word in _lexicon()["past"])


@cache
def _lexicon() -> dict[str, Any]:
    lists: dict[str, Any] = json.loads((ASSETS / "stance" / "lexicon.json").read_text(encoding="utf-8"))
    return lists


def first_queries(claim: Claim) -> tuple[str, ...]:
    """Return up to FIRST queries of a claim's own words, best first. A claim may have no words to search for."""
    if not re.search(r"\s\w", claim.text):  # Chinese and Japanese have no spaces to tell words by
        return each_once([content_words(claim.text)])
    return each_once(_of_claim(ClaimWords.of(claim.text)))[:FIRST]


def _of_claim(found: ClaimWords) -> Iterator[str]:
    """Yield the queries of a claim's own words, the most promising first."""
    typed, names, nouns = found.typed, [_short(name) for name in found.names], found.nouns or found.numbers
    if not names:
        yield from (typed(*chosen) for count in (3, 2) for chosen in combinations(nouns[:4], min(count, len(nouns))))
        yield from (typed(noun) for noun in nouns)
        return
    one, two = (*nouns, "", "")[:2]
    yield typed(names[0], one, "" if " " in names[0] else two)
    yield from (typed(name, one) for name in names[1:2])
    yield from (typed(_rarest(names[0]), _rarest(name)) for name in names[1:2])
    yield from (typed(name, noun) for noun in nouns[:2] for name in names[:3])
    yield from (typed(name) for name in found.names)
    yield from (typed(name, noun) for noun in nouns[2:5] for name in names[:2])
    yield from (typed(_rarest(name), *nouns[:1]) for name in names)
    yield from (typed(names[0], number) for number in found.numbers)
    yield typed(*nouns[:3])


def _short(name: str) -> str:
    """Return the two rarest words of a name, in their order."""
    rarest = sorted(name.split(), key=rarity, reverse=True)[:2]
    return " ".join(word for word in name.split() if word in rarest)


def _rarest(name: str) -> str:
    return max(name.split(), key=rarity)


def _respelled(found: ClaimWords, text: str) -> Iterator[str]:
    """Yield queries with other spellings, other forms and other words of the same meaning."""
    typed, names = found.typed, [_short(name) for name in found.names[:2]] or [""]
    for name in names:
        for noun in found.nouns[:4]:
            yield from (typed(name, form) for form in other_forms(noun, word_ranks()))
    for spelling in spellings(text):
        yield typed(names[0], spelling)
    for noun in found.nouns[:4]:
        yield from (typed(name, meaning) for meaning in synonyms(noun) for name in names)


@cache
def synonyms(word: str) -> tuple[str, ...]:
    """Return words of the same meaning, from the list that stances are read with."""
    pairs: list[list[str]] = _lexicon()["synonyms"]
    return tuple(pair[1 - at] for pair in pairs for at in (0, 1) if pair[at] == word.lower())


@dataclass
class QueryRounds:
    """The later queries for one claim. `sent` holds the words of each query sent, and whether all it finds is known.

    It is `fruitless` while no query has found anything.
    """

    claim: Claim
    sent: dict[frozenset[str], bool] = field(default_factory=dict)
    fruitless: bool = True

    @cached_property
    def found(self) -> ClaimWords:
        return ClaimWords.of(self.claim.text)

    def answered(self, query: str, *, all_known: bool, found: int = 0) -> None:
        """Note that a query was sent, and how much it found; `all_known` says that no source has more for it."""
        self.sent[_key(query)] = all_known
        self.fruitless = self.fruitless and not found

    def next(self, titles: Sequence[str], documents: Sequence[Document]) -> str:
        """Return the next query, "" where none is worth sending. `titles` were found, best first, `documents` read.

        It holds no name and no number that is neither in the claim nor in these.
        """
        read = (*titles, *(document.text for document in documents))
        known = (self.claim.text, self.claim.speaker, *spellings(self.claim.text), *read)
        missing = self.missing(documents)
        if not missing:
            return ""
        waiting = [query for query in each_once(self._possible(titles, missing)) if self._is_new(query)]
        said = [query for query in waiting if not is_strange(query, *known)]
        if self.fruitless:  # too many words
            return min(said, key=lambda query: (len(query.split()), query not in self._names), default="")
        # the query with most of the words that are missing; the first among equals
        return max(said[:6], key=lambda query: len(missing & set(_terms(query))), default="")

    @cached_property
    def _names(self) -> frozenset[str]:
        return frozenset(name for found in self.found.names for name in (found, _short(found), _rarest(found)))

    def _possible(self, titles: Sequence[str], missing: frozenset[str]) -> Iterator[str]:
        own = each_once(_of_claim(self.found))
        yield from own[:6]
        absent = [noun for noun in self.found.nouns if missing & set(_terms(noun))]
        for title in titles[:3]:
            if set(_terms(title)) & set(_terms(self.claim.text)):
                yield self.found.typed(" ".join(content_words(title).split()[:3]), *absent[:1])
        yield from own[6:]
        yield from _respelled(self.found, self.claim.text)
        if self.claim.speaker:
            yield from (self.found.typed(self.claim.speaker, noun) for noun in self.found.nouns[:2])

    def _is_new(self, query: str) -> bool:
        """Say whether a query may find more than those sent: more words find no more where nothing was cut off."""
        mine = _key(query)
        return (
            bool(mine) and mine not in self.sent and not any(known and mine > one for one, known in self.sent.items())
        )

    def missing(self, documents: Sequence[Document]) -> frozenset[str]:
        """Return the claim's terms that the nearest passage lacks; none if it speaks of the whole claim."""
        weights = {term: rarity(word) for word in _content(self.claim.text) for term in _terms(word)}
        best, lacking = 0.0, frozenset(weights)
        for document in documents:
            for passage in _passages(document):
                there = weights.keys() & set(_terms(passage))
                share = sum(weights[term] for term in there) / max(1, sum(weights.values()))
                if share > best:
                    best, lacking = share, frozenset(weights.keys() - there)
        return frozenset() if best >= WHOLE else lacking


def _content(text: str) -> list[str]:
    return [token for token in _TOKEN.findall(plain_form(text)) if not _is_light(token) and not as_numeral(token)]


def _passages(document: Document) -> Iterator[str]:
    spans = list(sentence_spans(document.text))
    for at in range(len(spans)):
        last = spans[min(at + WINDOW, len(spans)) - 1]
        yield f"{document.title} {document.text[spans[at][0] : last[1]]}"


def _terms(text: str) -> list[str]:
    return [term for term in terms(words(text)) if term]


def _key(query: str) -> frozenset[str]:
    return frozenset(word.lower() for word in words(query))
