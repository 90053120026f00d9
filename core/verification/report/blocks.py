"""Walk a report once, in the order of reading, and return the blocks that each format renders."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from core.types import is_web_address
from core.verification.report.case_report import (
    Answer,
    CaseReport,
    CitedSentence,
    Exhibit,
    Fact,
    RankedPassage,
)
from core.verification.report.sources import CitedSource, Grid
from core.wording import day

Role = Literal["", "kind", "verdict", "note", "source", "mark"]
"""How a paragraph looks."""


@dataclass(frozen=True)
class Heading:
    """A heading. Level 1 is the claim. One that is `apart` begins a page on paper."""

    words: str
    level: int
    apart: bool = False


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
    yield Paragraph(f"Fact-check, {day(report.made)}", "kind")
    yield Heading(report.claim, 1)
    if report.facts:
        yield Paragraph(" · ".join(f"{name}: {value}" for name, value in report.facts), "note")
    yield from _conclusion(report)
    yield Heading("Sources", 2)
    yield Paragraph(report.finding.said)
    for cited in report.cited:
        yield from _quoted(cited)
    if report.not_found:
        yield Heading("Asked and not found", 2)
        yield Bullets(report.not_found)
    yield Heading("How it was done", 2)
    yield Paragraph(report.method)
    if signed(report):
        yield Paragraph(f"The program’s own verdict is “{report.finding.word}”. {report.finding.worth}".strip())
    yield from _appendix(report)


def signed(report: CaseReport) -> bool:
    """Say whether a person gave the verdict of a report."""
    return bool(report.own and report.own.word)


def _conclusion(report: CaseReport) -> Iterator[Block]:
    """Yield the verdict that counts with the one who signed it, the reason, and notes that a person shows."""
    own, finding = report.own, report.finding
    yield Heading("Conclusion", 2)
    if own and own.word:
        yield Paragraph(own.word, "verdict")
    else:
        yield Paragraph(finding.word, "verdict")
        unsigned = "" if own else "; no person has signed it"
        yield Paragraph(f"By a program{unsigned}. {finding.worth}".strip(), "note")
    if finding.reason and not (own and own.reason):
        yield Paragraph(finding.reason)
    if own and own.reason:
        yield Paragraph(own.reason)
    if own and own.name:
        yield Paragraph(f"{'Signed' if own.word else 'Reason by'}: {own.name}", "source")
    if own and own.notes:
        yield Heading("Notes", 3)
        yield Paragraph(own.notes)


def _quoted(cited: CitedSentence) -> Iterator[Simple]:
    source = cited.source
    named = (source.site or source.title, source.kind, source.published or "no date")
    yield Heading(", ".join(part for part in named if part), 3)
    yield Paragraph(cited.stance, "mark")
    yield Quotation(f"“{cited.words}”")
    more = (source.title if source.title != source.site else "", source.page, source.snapshot)
    mark = f"marked as {cited.mark} by a person" if cited.mark else ""
    if said := " · ".join(part for part in (*more, mark) if part):
        yield Paragraph(said, "source")
    if is_web_address(source.address):
        yield WebAddress(source.address)


def _appendix(report: CaseReport) -> Iterator[Block]:
    """Yield the rest: other passages and their questions, everything found, the searches, hashes and settings."""
    yield Heading("Appendix", 2, apart=True)
    if report.evidence:
        yield Heading("Other passages on the topic", 3)
        yield from _evidence(report.evidence)
    yield Heading("Passages by rank", 3)
    yield from _listed(report.listed)
    if report.left_out:
        yield Heading("Left out, and why", 3)
        yield Bullets(report.left_out)
    for grid in report.protocol:
        yield Heading(grid.title, 3)
        yield grid
    yield Heading("Limits", 3)
    yield Bullets(report.limits)
    yield Heading("Hashes and settings", 3)
    if report.texts:
        yield Grid("", ("Document", "Text as read, SHA-256"), report.texts, style="grid hashes")
    yield Facts(report.made_with)


def _evidence(evidence: tuple[Exhibit, ...]) -> Iterator[Block]:
    for exhibit in evidence:
        if exhibit.question:
            yield Heading(exhibit.question, 4)
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
        yield Paragraph(answer.stance, "mark")
    if answer.mark:
        yield Paragraph(f"Marked as {answer.mark}.", "mark")


def _cited(source: CitedSource) -> Iterator[Simple]:
    named = (
        source.title if source.title != source.site else "",
        source.site,
        source.kind,
        source.published or "no date",
        source.page,
        source.snapshot,
    )
    yield Paragraph(" · ".join(part for part in named if part), "source")
    if is_web_address(source.address):
        yield WebAddress(source.address)
    elif source.address != source.site:
        yield Paragraph(source.address, "source")


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
