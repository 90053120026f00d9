"""Queries as they are sent: words only, so that no text of a claim or model acts as a command."""

from __future__ import annotations

import heapq
import re
import zlib
from collections import defaultdict
from dataclasses import dataclass, field

from core.search.types import Capabilities
from core.terms import lower_words
from core.types import is_web_address
from core.wording import readable_name

# In searx, "!g" sends the query to Google, and ":de" and "<" are commands too. "-word" excludes a word.
_SIGNS = re.compile(r"(?<!\S)[!:<>+\-~?&|^*\\/]+(?=\S)|(?<=\S)[*~^\\]+(?!\S)")
_OPERATORS = re.compile(
    r"\b(site|inurl|allinurl|intitle|allintitle|insource|inbody|incategory|filetype|ext|mime|link|related|cache|lang"
    r"|language|loc|domain|domainis|sourcelang|sourcecountry|theme|tone|near|before|after|since|prefix|hastemplate"
    r"|linksto|morelike|deepcat|repeat\d*)\s*:\s*(?=\S)",
    re.IGNORECASE,
)
_UPPER = re.compile(r"\b(AND|OR|NOT|NEAR)\b")
_MARKS = re.compile(r"[\"“”„«»()\[\]{}]")


def query_text(query: str, can: Capabilities) -> str:
    """Return a query on one line, without operators, cut to the source's limit; an address stays as it is."""
    line = readable_name(query)
    if is_web_address(line):
        return line
    words = _UPPER.sub(lambda word: word[0].lower(), _OPERATORS.sub(r"\1 ", _MARKS.sub(" ", line)))
    plain = [word for word in _SIGNS.sub("", words).split() if any(sign.isalnum() for sign in word)]
    return shortened(" ".join(plain), can.longest_query)


def whole_claim(claim: str, can: Capabilities) -> str:
    """Return a claim for a service of published fact-checks: on one line, cut to the service's limit."""
    return " ".join(claim.split())[: can.longest_query]


def shortened(line: str, longest: int) -> str:
    """Return a line of at most `longest` characters, cut at a word where it has several."""
    if len(line) <= longest:
        return line
    return line[: longest + 1].rpartition(" ")[0] or line[:longest]


SHINGLE_WORDS = 5
SKETCH = 128
SAME = 0.85
"""Minimum estimated share of common shingles for texts to count as one."""


def sketch(text: str) -> frozenset[int]:
    """Return the SKETCH smallest hashes of the runs of five words of a text. Source: Broder, SEQUENCES 1997."""
    found = lower_words(text)
    runs = (" ".join(found[at : at + SHINGLE_WORDS]) for at in range(max(1, len(found) - SHINGLE_WORDS + 1)))
    return frozenset(heapq.nsmallest(SKETCH, {zlib.crc32(run.encode("utf-8", "replace")) for run in runs}))


@dataclass
class Duplicates:
    """The texts seen so far, by name."""

    sketches: dict[str, frozenset[int]] = field(default_factory=dict)
    holders: defaultdict[int, list[str]] = field(default_factory=lambda: defaultdict(list))

    def seen(self, name: str, text: str) -> str:
        """Return the name of an earlier near-duplicate; without one, store the text and return ""."""
        mine = sketch(text)
        candidates = dict.fromkeys(holder for value in sorted(mine) for holder in self.holders[value])
        for other in candidates:
            if resemblance(mine, self.sketches[other]) >= SAME:
                return other
        self.sketches[name] = mine
        for value in mine:
            self.holders[value].append(name)
        return ""


def resemblance(one: frozenset[int], other: frozenset[int]) -> float:
    """Return the estimated share of shingles that two texts have in common, in [0, 1]."""
    smallest = frozenset(heapq.nsmallest(SKETCH, one | other))
    return len(smallest & one & other) / len(smallest)
