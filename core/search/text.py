"""Queries as they are sent: words only, so that no text of a claim or model acts as a command."""

from __future__ import annotations

import re

from core.search.types import Capabilities
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
