"""Walk a report once, in the order of reading, and return the blocks that each format renders."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from core.types import is_web_address
from core.verification.report.case_report import (
    Answer,
    CaseReport,
    Exhibit,
    Fact,
    MachineVerdict,
    OwnVerdict,
    RankedPassage,
)
from core.verification.report.search_protocol import Grid
from core.verification.report.sources import CitedSource
from core.wording import day

Role = Literal["", "kind", "verdict", "note", "source", "digest", "mark"]
"""How a paragraph looks."""


@dataclass(frozen=True)
class Heading:
    """A heading. Level 1 is the claim."""

    words: str
    level: int


@dataclass(frozen=True)
class Paragraph:
    """A text with its line breaks."""

    words: str
    role: Role = ""


@dataclass(frozen=True)
class Quotation:
    """A passage, word for word."""

    words: str


@dataclass(frozen=True)
class WebAddress:
    """A web address that opens when a reader clicks it."""

    address: str


@dataclass(frozen=True)
class Facts:
    """Names with their values."""

    facts: tuple[Fact, ...]


@dataclass(frozen=True)
class Bullets:
    """A list of sentences."""

    sentences: tuple[str, ...]


@dataclass(frozen=True)
class Numbered:
    """An answer with the number that cites it, and the blocks that belong to it; `words` may be empty."""

    number: int
    words: str
    parts: tuple[Simple, ...]


Simple = Heading | Paragraph | Quotation | WebAddress | Facts | Bullets | Grid
Block = Simple | Numbered

RANKS = "“By words” and “by meaning” are the ranks in the two searches that found a passage; “–” means no rank."


def in_order(report: CaseReport) -> Iterator[Block]:
    """Yield the blocks of a report, first to last. Their texts are not escaped."""
    yield Paragraph(f"Report on a claim, {day(report.made)}", "kind")
    yield Heading(report.claim, 1)
    yield Facts(report.facts)
    if report.own:
        yield from _own(report.own)
    yield Heading("Findings of the machine" if report.own else "Verdict of the machine", 2)
    yield from _finding(report.finding)
    yield Heading("Evidence", 2)
    yield from _evidence(report.evidence)
    yield Heading("Passages found", 2)
    yield from _listed(report.listed)
    if report.left_out:
        yield Heading("Left out, and why", 2)
        yield Bullets(report.left_out)
    if report.protocol:
        yield Heading("Searches", 2)
    for grid in report.protocol:
        yield Heading(grid.title, 3)
        yield grid
    yield Heading("How this was made", 2)
    yield Paragraph(report.method)
    yield Facts(report.made_with)
    yield Heading("Limits", 2)
    yield Bullets(report.limits)


def _own(own: OwnVerdict) -> Iterator[Block]:
    yield Heading(f"Conclusion of {own.name}" if own.name else "Conclusion", 2)
    if own.word:
        yield Paragraph(own.word, "verdict")
    if own.reason:
        yield Paragraph(own.reason)
    if own.notes:
        yield Heading("Notes", 3)
        yield Paragraph(own.notes)


def _finding(finding: MachineVerdict) -> Iterator[Block]:
    yield Paragraph(finding.word, "verdict")
    yield Paragraph(finding.meaning)
    if finding.reason:
        yield Paragraph(finding.reason)
    if finding.shares:
        shares = tuple((word, f"{share:.0%}") for word, share in finding.shares)
        yield Grid("", ("Verdict", "Probability"), shares, frozenset({1}), "shares")
    yield Heading("Reliability of this verdict", 3)
    for sentence in finding.worth:
        yield Paragraph(sentence)


def _evidence(evidence: tuple[Exhibit, ...]) -> Iterator[Block]:
    if not evidence:
        yield Paragraph("No question was answered from these documents.")
    for exhibit in evidence:
        yield Heading(exhibit.question, 3)
        for answer in exhibit.answers:
            yield Numbered(answer.number, answer.text, tuple(_behind(answer)))


def _behind(answer: Answer) -> Iterator[Simple]:
    if answer.passage:
        yield Quotation(answer.passage)
    if answer.source:
        yield from _cited(answer.source)
    else:
        yield Paragraph("No passage was named.", "source")
    if answer.stance:
        yield Paragraph(f"Read by the machine: {answer.stance}", "mark")
    if answer.mark:
        yield Paragraph(f"Marked as {answer.mark}.", "mark")


def _cited(source: CitedSource) -> Iterator[Simple]:
    named = (source.title, source.site, source.published or "no date", source.page, source.snapshot)
    yield Paragraph(" · ".join(part for part in named if part), "source")
    if is_web_address(source.address):
        yield WebAddress(source.address)
    elif source.address != source.site:
        yield Paragraph(source.address, "source")
    yield Paragraph(f"Text as read, SHA-256: {source.digest}", "digest")


def _listed(listed: tuple[RankedPassage, ...]) -> Iterator[Block]:
    if not listed:
        yield Paragraph("The search found no passage in these documents.")
        return
    columns = ("Rank", "Document", "Date", "By words", "By meaning")
    grid = Grid("", columns, tuple(map(_row, listed)), frozenset({0, 3, 4}), "listed")
    if any(one.mark for one in listed):
        rows = tuple((*row, one.mark or "–") for row, one in zip(grid.rows, listed, strict=True))
        grid = replace(grid, columns=(*columns, "Mark"), rows=rows)
    yield grid
    yield Paragraph(RANKS, "note")


def _row(one: RankedPassage) -> tuple[str, ...]:
    named = "\n".join(part for part in (one.source.title or one.source.site, one.source.further, one.stance) if part)
    return str(one.rank), named, one.source.published or "–", str(one.by_words or "–"), str(one.by_meaning or "–")
