"""The report as Markdown (CommonMark with tables), in which other people's text is text."""

from __future__ import annotations

import re
from collections.abc import Iterable

from core.verification.report.case_report import (
    Answer,
    CaseReport,
    Exhibit,
    Fact,
    Grid,
    MachineVerdict,
    OwnVerdict,
    RankedPassage,
)
from core.verification.report.html import is_web_address
from core.verification.report.sources import CitedSource, day

SIGNS = re.compile(r"([\\`*_{}\[\]<>()#+!|~&^=$@:.-])")
"""What CommonMark and its common extensions read something into, at the start of a line or anywhere."""


def to_markdown(report: CaseReport) -> str:
    """Return the report as Markdown; it ends with a line break."""
    parts = [
        f"Report on a claim, {day(report.made)}",
        f"# {line(report.claim)}",
        _facts(report.facts),
        _own(report.own) if report.own else "",
        _finding(report.finding),
        "## Evidence",
        *(_exhibit(one) for one in report.evidence),
        "## Passages found",
        _listed(report.listed),
        _bullets("Left out, and why", report.left_out),
        "## What was searched for" if report.protocol else "",
        *(_grid(one) for one in report.protocol),
        f"## How this was made\n\n{line(report.method)}",
        _facts(report.made_with),
        _bullets("Limits", report.limits),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def line(words: str) -> str:
    """Return words on one line in which no sign means anything."""
    return SIGNS.sub(r"\\\1", " ".join(words.split()))


def paragraphs(words: str) -> str:
    """Return words whose line breaks are kept, as paragraphs."""
    return "\n\n".join(line(part) for part in words.splitlines() if part.strip())


def quoted(words: str) -> str:
    return "\n".join(f"> {part}".rstrip() for part in paragraphs(words).splitlines())


def _facts(facts: Iterable[Fact]) -> str:
    return "\n".join(f"* **{name}:** {line(value)}" for name, value in facts)


def _bullets(title: str, sentences: Iterable[str]) -> str:
    items = "\n".join(f"* {line(sentence)}" for sentence in sentences)
    return f"## {title}\n\n{items}" if items else ""


def _grid(grid: Grid) -> str:
    head = "| " + " | ".join(grid.columns) + " |"
    rows = ("| " + " | ".join(line(cell) for cell in row) + " |" for row in grid.rows)
    return "\n".join((f"### {grid.title}\n", head, "| --- " * len(grid.columns) + "|", *rows))


def _own(own: OwnVerdict) -> str:
    title = f"## Conclusion of {line(own.name)}" if own.name else "## Conclusion"
    notes = f"### Notes\n\n{paragraphs(own.notes)}" if own.notes else ""
    parts = (title, f"**{own.word}**" if own.word else "", paragraphs(own.reason), notes)
    return "\n\n".join(part for part in parts if part)


def _finding(finding: MachineVerdict) -> str:
    shares = "\n".join(f"| {word} | {share:.0%} |" for word, share in finding.shares)
    parts = (
        f"## Verdict of the machine\n\n**{finding.word}.** {finding.meaning}",
        paragraphs(finding.reason),
        f"| Verdict | Probability |\n| --- | ---: |\n{shares}" if shares else "",
        "### What this is worth\n\n" + "\n\n".join(line(sentence) for sentence in finding.worth),
    )
    return "\n\n".join(part for part in parts if part)


def _exhibit(exhibit: Exhibit) -> str:
    return "\n\n".join((f"### {line(exhibit.question)}", *map(_answer, exhibit.answers)))


def _answer(answer: Answer) -> str:
    parts = (
        f"**{line(f'[{answer.number}]')}** {paragraphs(answer.text)}".rstrip(),
        quoted(answer.passage),
        citation(answer.source) if answer.source else "No passage was named.",
        f"Read by the machine: {line(answer.stance)}" if answer.stance else "",
        f"Marked as {answer.mark}." if answer.mark else "",
    )
    return "\n\n".join(part for part in parts if part)


def citation(source: CitedSource) -> str:
    """Return a source in two lines: what it is, and where and with which digest it was read."""
    named = (source.title, source.site, source.published or "no date", source.page, source.snapshot)
    return f"{line(' · '.join(part for part in named if part))}\\\n{_address(source)}SHA-256 `{source.digest}`"


def _address(source: CitedSource) -> str:
    if is_web_address(source.address) and not re.search(r"[<>\s]", source.address):
        return f"<{source.address}>\\\n"
    return f"{line(source.address)}\\\n" if source.address != source.site else ""


def _listed(listed: Iterable[RankedPassage]) -> str:
    rows = [
        f"| {one.rank} | {line(one.source.title or one.source.site)} | {line(one.source.address)} "
        f"| {one.source.published or '–'} | {one.by_words or '–'} | {one.by_meaning or '–'} "
        f"| {line(one.stance) or '–'} | {one.mark or '–'} |"
        for one in listed
    ]
    if not rows:
        return "The search found no passage in these documents."
    head = "| Rank | Document | Address | Date | By words | By meaning | Read as | Mark |"
    return "\n".join((head, "| ---: | --- | --- | --- | ---: | ---: | --- | --- |", *rows))
