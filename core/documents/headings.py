"""Find the headings in a document's text: lines of Markdown, and short lines above sentences."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from core.types import Span

_MARKDOWN = re.compile(r"(#{1,6})\s+\S")
_MARKS = " \t#*_"
_NO_HEADING = re.compile(r"""[.!?,;…"”’»)\]]$|[|\t]|^[-•*+>–—]\s|://""")
_SENTENCE_OR_ROW = re.compile(r"""[.!?;:…]["'”’»)\]]*$|[|\t]""")
_ENTRY = re.compile(r"[^:]{1,40}: \S")
"""A line such as "Child single: 6 euros"."""

_LONGEST, _MOST_WORDS = 80, 10
_BODY = 60
"""The least characters of a line that is text without a full stop."""

_OUTER, _INNER = 7, 8
"""The levels of headings without marks: of those above another heading, and of those above text."""


@dataclass(frozen=True)
class SectionHeading:
    """A heading: its words, its line in the text, its level from 1 (the title), and the headings above it."""

    text: str
    span: Span
    level: int
    above: tuple[SectionHeading, ...] = ()


def headings_above(text: str, place: int) -> tuple[SectionHeading, ...]:
    """Return the headings of the section that holds a character of a text, outermost first."""
    last = next((one for one in reversed(headings_of(text)) if one.span[1] <= place), None)
    return (*last.above, last) if last else ()


@lru_cache(maxsize=64)
def headings_of(text: str) -> tuple[SectionHeading, ...]:
    """Return the headings of a text in order.

    A heading without marks is a short line that no full stop ends. Text or another heading follows it. A sentence, a
    row of a table or a heading precedes it.
    """
    lines = [(match.group().rstrip(), match.span()) for match in re.finditer(r"\S[^\n]*", text)]
    found: list[SectionHeading] = []
    for place, (line, span) in enumerate(lines):
        before = "." if place == 0 or (found and found[-1].span == lines[place - 1][1]) else lines[place - 1][0]
        if level := _level(line, before, [following for following, _ in lines[place + 1 : place + 3]]):
            outer = (*found[-1].above, found[-1]) if found else ()
            found.append(
                SectionHeading(line.strip(_MARKS), span, level, tuple(one for one in outer if one.level < level))
            )
    return tuple(found)


def _level(line: str, before: str, following: list[str]) -> int:
    """Return the level of a line's heading, 0 for other lines."""
    if found := _MARKDOWN.match(line):
        return len(found.group(1))
    if not (_is_short(line) and following and _is_body(before)):
        return 0
    if _ENTRY.match(line) and _ENTRY.match(following[0]):
        return 0
    if _is_body(following[0]):
        return _INNER
    return _OUTER if _is_short(following[0]) and _is_body(following[-1]) else 0


def _is_short(line: str) -> bool:
    words = line.strip(_MARKS)
    fits = len(words) <= _LONGEST and len(words.split()) <= _MOST_WORDS
    return fits and (words[:1].isupper() or words[:1].isdigit()) and not _NO_HEADING.search(words)


def _is_body(line: str) -> bool:
    return len(line) >= _BODY or bool(_SENTENCE_OR_ROW.search(line) or _ENTRY.match(line))
