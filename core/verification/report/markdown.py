"""The report as Markdown (CommonMark with tables), in which other people's text is text."""

from __future__ import annotations

import re

from core.verification.report import blocks
from core.verification.report.case_report import CaseReport
from core.verification.report.sources import Grid

SIGNS = re.compile(
    r"""
    [`\\]                           # code, and the sign itself
    | (?<!\s)[*~] | [*~](?!\s) | ^[*~]  # emphasis begins or ends beside a word
    | (?<![^\W_])_ | _(?![^\W_])     # likewise, and never within a word
    | \](?=[\[(:]) | ^\[(?=[ x]\])   # a link or a definition, and a box to tick
    | <(?=[a-z/!?])                 # an element
    | \{(?=[{%\#.:])                # a template or an attribute
    | \$(?=[^\s\d])                 # a formula
    | &(?=\#?\w+;)                  # an entity
    | ([=+])(?=\1)                  # highlights and insertions
    | ^[-+:\#>]                     # a list, a heading, a definition or a quotation
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""Signs where they have a meaning in CommonMark and its common extensions."""
NUMBERED = re.compile(r"^(\d{1,9})([.)])")
"""The beginning of a numbered list."""


def to_markdown(report: CaseReport) -> str:
    """Return the report as Markdown; it ends with a line break."""
    return "\n\n".join(part for block in blocks.in_order(report) if (part := _rendered(block))) + "\n"


def line(words: str) -> str:
    """Return words on one line in which no sign means anything."""
    plain = SIGNS.sub(r"\\\g<0>", " ".join(words.split()))
    return NUMBERED.sub(r"\1\\\2", plain)


def paragraphs(words: str) -> str:
    """Return each line of a text as a paragraph."""
    return "\n\n".join(line(part) for part in words.splitlines() if part.strip())


def _rendered(block: blocks.Block) -> str:
    match block:
        case blocks.Heading(words, level):
            return f"{'#' * level} {line(words)}"
        case blocks.Paragraph(words, role):
            return f"**{line(words)}**" if role == "verdict" else paragraphs(words)
        case blocks.Quotation(words):
            return "\n".join(f"> {part}".rstrip() for part in paragraphs(words).splitlines())
        case blocks.WebAddress(address):
            return line(address) if re.search(r"[<>\s]", address) else f"<{address}>"
        case blocks.Facts(facts):
            return "\n".join(f"* **{name}:** {line(value)}" for name, value in facts)
        case blocks.Bullets(sentences):
            return "\n".join(f"* {line(sentence)}" for sentence in sentences)
        case blocks.Numbered(number, words, parts):
            return "\n\n".join((f"**[{number}]** {paragraphs(words)}".rstrip(), *map(_rendered, parts)))
        case Grid():
            return _table(block)


def _table(grid: Grid) -> str:
    rule = ["---:" if column in grid.numbers else "---" for column in range(len(grid.columns))]
    rows = [[" · ".join(map(line, cell.split("\n"))).replace("|", r"\|") for cell in row] for row in grid.rows]
    return "\n".join(f"| {' | '.join(row)} |" for row in (grid.columns, rule, *rows))
