"""Pages that give the answer away: the claim's own fact-check, and, where a store is built, any fact-checker's."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from core.interfaces import Encoder
from core.search.addresses import host_of, page_key, registrable_domain, unwrapped
from core.search.spellings import as_numeral
from core.search.types import SearchFailure
from core.search_report import Reason
from core.terms import terms, words

SAME_CLAIM = 0.6
"""Two wordings are of the same claim when they share this part of the words of the shorter one."""

MIN_SHARED = 3
SAME_MEANING = 0.7
"""The cosine of their vectors from which on two wordings are of the same claim."""

_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")


@cache
def fact_checkers() -> tuple[frozenset[str], tuple[str, ...]]:
    """Return the registrable domains of fact-checkers, and the hosts with a path under which others keep theirs."""
    lines = (Path(__file__).parent / "fact_checkers.txt").read_text(encoding="utf-8").split("\n")
    entries = [line.strip() for line in lines if line.strip() and not line.startswith("#")]
    return frozenset(entry for entry in entries if "/" not in entry), tuple(entry for entry in entries if "/" in entry)


def is_fact_checker(url: str) -> bool:
    """Say whether a page is a fact-checker's: by registrable domain, or by host and path of a newsroom's section."""
    inner, _ = unwrapped(url)
    domains, sections = fact_checkers()
    host = host_of(inner).removeprefix("www.")
    if host in domains or registrable_domain(inner) in domains:
        return True
    place = page_key(inner).removeprefix("//").partition("?")[0].lower().rstrip("/") + "/"
    return any(place.startswith((f"{section}/", f"{section}-")) for section in sections)


def same_claim(one: str, other: str) -> bool:
    """Say whether two wordings are of the same claim."""
    first, second = (set(terms(words(text))) - {""} for text in (one, other))
    shorter, longer = sorted((len(first), len(second)))
    shared = len(first & second)
    return shorter > 0 and shared >= min(MIN_SHARED, longer) and shared / shorter >= SAME_CLAIM


def same_meaning(one: str, other: str, encoder: Encoder | None) -> bool:
    """Say whether two wordings are of the same claim, by words or, with an encoder, by meaning.

    Claims with different numbers are different, although their vectors hardly differ.
    """
    if same_claim(one, other):
        return True
    if encoder is None or not one.strip() or not other.strip():
        return False
    numbers = [{number for word in _NUMBER.findall(text) if (number := as_numeral(word))} for text in (one, other)]
    if all(numbers) and numbers[0].isdisjoint(numbers[1]):
        return False
    first, second = encoder.encode([one, other])
    return float(first @ second) >= SAME_MEANING


@dataclass(frozen=True)
class LeakageCheck:
    """The signs of a leak. `own` are addresses of the claim's fact-check; `every` drops all fact-checkers' pages.

    With an `encoder` a paraphrase of the claim in a page's ClaimReview is recognised by its meaning.
    """

    claim: str
    own: frozenset[str] = field(default=frozenset())
    every: bool = False
    encoder: Encoder | None = None

    @classmethod
    def of(
        cls, claim: str, own: Iterable[str] = (), *, every: bool = False, encoder: Encoder | None = None
    ) -> LeakageCheck:
        return cls(claim, frozenset(page_key(url) for url in own if url), every, encoder)

    def address(self, url: str) -> SearchFailure | None:
        """Return why a page must not be read, by its address; None if it may."""
        if url and page_key(url) in self.own:
            return SearchFailure(Reason.GIVES_AWAY, f"{url}: this is the claim's own fact-check.")
        if self.every and is_fact_checker(url):
            return SearchFailure(Reason.GIVES_AWAY, f"{url}: this is a fact-checker's page.")
        return None

    def markup(self, url: str, reviewed: Sequence[str]) -> SearchFailure | None:
        """Return why a page must not be used, by the claims that it says it reviews; None if it may."""
        if any(same_meaning(self.claim, claim, self.encoder) for claim in reviewed):
            return SearchFailure(Reason.GIVES_AWAY, f"{url}: this page says that it checks this very claim.")
        return None
