"""A checked speech as files: every sentence in a table, and a report of the whole as a web page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import groupby

from core.claims.chosen import ChosenClaim
from core.claims.ranking import RankedSentence, ranks_of
from core.tabular.exports import to_csv
from core.tabular.table import Column, Table
from core.verification.report import blocks
from core.verification.report.html import blocks_page
from core.wording import clock_words, counted, day

LIMITS = (
    "A program chose the order of the sentences and gave the verdicts. It errs: open each case and read its evidence.",
    "Sentences without a number in brackets were not checked.",
)
COLUMNS = (
    Column("position", 0),
    Column("speaker"),
    Column("start", 3, "(s)"),
    Column("text"),
    Column("readable alone"),
    Column("rank", 0),
    Column("score", 3),
    Column("reason"),
    Column("claim checked"),
    Column("verdict"),
    Column("the documents"),
)


@dataclass(frozen=True)
class CheckedSpeech:
    """A speech, the claims that were checked from it, and the word of each verdict by the claim's id.

    A claim without a word is not done, or failed. `said` has the sentence on the documents of each claim that is done.
    `searched` names the documents.
    """

    name: str
    sentences: Sequence[RankedSentence]
    checked: Sequence[ChosenClaim]
    verdicts: Mapping[str, str]
    said: Mapping[str, str]
    searched: str


def speech_csv(speech: CheckedSpeech) -> str:
    """Return every sentence as a row of CSV, with the claims checked from it and their verdicts."""
    rows = list[tuple[str | int | float | None, ...]]()
    for one, rank in zip(speech.sentences, ranks_of(speech.sentences), strict=True):
        claims = [claim for claim in speech.checked if one.position in claim.positions]
        told = "; ".join(claim.text for claim in claims)
        verdicts = "; ".join(speech.verdicts.get(claim.id, "") for claim in claims)
        said = " ".join(speech.said.get(claim.id, "") for claim in claims)
        place = (one.position, one.speaker, one.start, one.text, one.standalone)
        rows.append((*place, rank, one.score, one.reason, told, verdicts, said))
    return to_csv(Table("speech", speech.name, COLUMNS, tuple(rows)))


def speech_html(speech: CheckedSpeech, made: date) -> str:
    """Return the report as one HTML file without scripts; every text in it is escaped."""
    return blocks_page(speech.name, _in_order(speech, made))


def _in_order(speech: CheckedSpeech, made: date) -> Iterator[blocks.Block]:
    yield blocks.Paragraph(f"Report on a speech, {day(made)}", "kind")
    yield blocks.Heading(speech.name, 1)
    counts = [f"{word}: {len(list(same))}" for word, same in groupby(sorted(speech.verdicts.values()))]
    yield blocks.Facts(
        (
            ("Text", f"{counted(len(speech.sentences), 'sentence')}, {counted(len(speech.checked), 'claim')} checked"),
            ("Verdicts", ", ".join(counts) or "none yet"),
            ("Searched in", speech.searched),
        )
    )
    yield blocks.Heading("Claims checked", 2)
    for number, claim in enumerate(speech.checked, start=1):
        yield blocks.Numbered(number, claim.text, tuple(_behind(speech, claim)))
    yield blocks.Heading("The whole text", 2)
    numbers = {claim.id: number for number, claim in enumerate(speech.checked, start=1)}
    for _, group in groupby(speech.sentences, key=lambda one: one.paragraph):
        paragraph = list(group)
        speaker = f"{paragraph[0].speaker}: " if paragraph[0].speaker else ""
        yield blocks.Paragraph(speaker + " ".join(_words(speech, one, numbers) for one in paragraph))
    yield blocks.Heading("Limits", 2)
    yield blocks.Bullets(LIMITS)


def _behind(speech: CheckedSpeech, claim: ChosenClaim) -> Iterator[blocks.Simple]:
    yield blocks.Paragraph(speech.verdicts.get(claim.id, "No verdict"), "verdict")
    if said := speech.said.get(claim.id):
        yield blocks.Paragraph(said)
    sources = [one for one in speech.sentences if one.position in claim.positions]
    for one in sources:
        if one.text != claim.text:
            yield blocks.Quotation(one.text)
        if place := place_words(one):
            yield blocks.Paragraph(place, "source")


def place_words(one: RankedSentence) -> str:
    """Return who said a sentence and when: "RUTH VANE · 0:01:05"; "" if nobody knows."""
    start = "" if one.start is None else clock_words(one.start)
    return " · ".join(part for part in (one.speaker, start) if part)


def _words(speech: CheckedSpeech, one: RankedSentence, numbers: Mapping[str, int]) -> str:
    found = [
        f"[{numbers[claim.id]}: {speech.verdicts.get(claim.id, 'no verdict')}]"
        for claim in speech.checked
        if one.position in claim.positions
    ]
    return " ".join((one.text, *found))
