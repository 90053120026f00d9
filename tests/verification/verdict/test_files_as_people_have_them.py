"""Files of nine kinds, two of each, as people have them: each with a true claim and a false one."""

import io

import pytest
from docx import Document as Word
from reportlab.pdfgen.canvas import Canvas

from core.documents.documents import read_files
from core.interfaces import Models, RunContext
from core.retrieval.index import Index
from core.training.annotated_cases import found_for, index_of
from core.training.stress_verdict import judged
from core.types import Claim, Label
from core.verification.recipes.catalogue import DEFAULT, recipe_named
from core.verification.verdict.verdict_words import shown_label

pytestmark = pytest.mark.slow


def page(body: str) -> bytes:
    filler = "<p>" + "The valley has three villages, a mill and an old station beside the river. " * 5 + "</p>"
    return f"<html><body><article>{filler}{body}{filler}</article></body></html>".encode()


def word(*paragraphs: tuple[str, str] | list[tuple[str, str]]) -> bytes:
    """Return a Word file of paragraphs, each a style and a text, and of tables, each a list of rows."""
    document, file = Word(), io.BytesIO()
    for paragraph in paragraphs:
        if isinstance(paragraph, list):
            table = document.add_table(rows=0, cols=2)
            for row in paragraph:
                for cell, text in zip(table.add_row().cells, row, strict=True):
                    cell.text = text
            continue
        style, text = paragraph
        added = document.add_paragraph(style=style)
        for place, part in enumerate(text.split("^")):  # "34^1^ people" raises the 1
            added.add_run(part).font.superscript = bool(place % 2) or None
    document.save(file)
    return file.getvalue()


def pdf(*lines: tuple[int, int, str], fields: tuple[tuple[str, str], ...] = ()) -> bytes:
    """Return a page of lines, each at x and y, and of filled fields with their tooltips."""
    file = io.BytesIO()
    canvas = Canvas(file)
    for x, y, text in lines:
        canvas.drawString(x, y, text)
    for place, (tooltip, value) in enumerate(fields):
        canvas.acroForm.textfield(name=f"f{place}", tooltip=tooltip, value=value, x=72, y=500 - 40 * place)
    canvas.save()
    return file.getvalue()


def two_columns(left: str, right: str) -> bytes:
    rows = zip(left.split("\n"), right.split("\n"), strict=True)
    lines = [(x, 700 - 14 * at, text) for at, row in enumerate(rows) for x, text in zip((72, 320), row, strict=True)]
    return pdf((72, 760, "The Harl Courier, a weekly paper for all of the valley"), *lines)


HOSPITAL = """The new hospital of Oberdale opened
its doors to patients on Monday. It
has 84 beds and six rooms for births.
Doctors had waited for it since 2009,
when the old house was closed down.
The state paid for most of the work.
Visitors may park behind the chapel."""
HARVEST = """Farmers in the valley bring in their
apples two weeks early this year. The
dry summer cost them a third of all
fruit. Prices at the market rose, and
the press at Lund stays open at night.
Rain is not expected before October.
The lake is lower than ever before."""
FERRY = """The ferry to Marsk runs again after
a winter of repairs. It carries 45
cars and leaves every second hour in
the summer months. A trip takes 25
minutes. Tickets are sold on board.
Bicycles travel free of charge until
the end of the season in September."""
SCHOOL = """The school at Brekke will teach two
more classes from August. The number
of pupils grew to 312 this spring.
A new head has not been found yet.
Parents asked for a longer break at
noon and for a safer way to school.
The council will decide next month."""

FILES = {
    "marks.html": (
        page("<p>The storm of March cut down 58<sup>2</sup> oaks in the park of Linden.</p>"),
        "The storm cut down 58 oaks in the park of Linden",
        "The storm cut down 582 oaks in the park of Linden",
    ),
    "marks.docx": (
        word(("Normal", "The flood at Tarn destroyed 27^3^ bridges. Nobody had expected it.")),
        "The flood at Tarn destroyed 27 bridges",
        "The flood at Tarn destroyed 273 bridges",
    ),
    "spaces.html": (
        page("<p>The port of Varde handled 48&#8239;600 containers last year.</p>"),
        "The port of Varde handled 48,600 containers last year",
        "The port of Varde handled 48 containers last year",
    ),
    "spaces.txt": (
        "The lottery of Uri paid 2’350’000 francs to the winner.".encode(),
        "The lottery of Uri paid 2,350,000 francs to the winner",
        "The lottery of Uri paid 350,000 francs to the winner",
    ),
    "headings.html": (
        page(
            "<h2>Oakham</h2><p>The dog licence costs 30 dollars a year.</p>"
            "<h2>Pinewood</h2><p>The dog licence costs 45 dollars a year.</p>"
        ),
        "In Pinewood the dog licence costs 45 dollars a year",
        "In Pinewood the dog licence costs 30 dollars a year",
    ),
    "headings.docx": (
        word(
            ("Title", "Libraries of the county"),
            ("Heading 1", "Harl"),
            ("Normal", "The library opened in 1962. It lends games too."),
            ("Heading 1", "Tarn"),
            ("Normal", "The library opened in 1988. It has a garden."),
        ),
        "The library in Tarn opened in 1988",
        "The library in Tarn opened in 1962",
    ),
    "cells.html": (
        page(
            "<h2>Swimming pool</h2><table><tr><td><b>Child ticket</b></td><td><ul><li>4 euros</li></ul></td></tr>"
            "<tr><td><b>Adult ticket</b></td><td><ul><li>7 euros</li></ul></td></tr></table>"
        ),
        "A ticket for a child costs 4 euros",
        "A ticket for a child costs 7 euros",
    ),
    "cells.docx": (
        word(
            ("Heading 1", "Ferry fares"), [("Car with driver", "18 euros"), ("Bicycle", "3 euros"), ("Dog", "2 euros")]
        ),
        "A bicycle costs 3 euros on the ferry",
        "A bicycle costs 18 euros on the ferry",
    ),
    "columns1.pdf": (
        two_columns(HOSPITAL, HARVEST),
        "The new hospital of Oberdale has 84 beds",
        "The new hospital of Oberdale has 48 beds",
    ),
    "columns2.pdf": (
        two_columns(FERRY, SCHOOL),
        "The number of pupils of the school at Brekke grew to 312",
        "The number of pupils of the school at Brekke grew to 45",
    ),
    "form1.pdf": (
        pdf(
            (72, 700, "Report of the rowing club of Harl for the year 2021."),
            fields=(("Number of members", "140"), ("Number of boats", "23")),
        ),
        "The rowing club of Harl has 140 members",
        "The rowing club of Harl has 23 members",
    ),
    "form2.pdf": (
        pdf(
            (72, 700, "Application for a permit to build, town of Tarn."),
            fields=(("Name of the owner", "Ann Berg"), ("Height of the building", "12 metres")),
        ),
        "The height of the building is 12 metres",
        "The height of the building is 21 metres",
    ),
    "corrected.txt": (
        b"Eleven people were hurt when a tram left its rails in Essen on Monday. The line was shut for a day.\n\n"
        b"Correction, 9 June: After the police had counted again, there were seven.",
        "Seven people were hurt when a tram left its rails in Essen",
        "Eleven people were hurt when a tram left its rails in Essen",
    ),
    "corrected.html": (
        page(
            "<p>The museum at Holm sold 9,000 tickets in its first week.</p><p>This article was amended on 4 May 2021. "
            "An earlier version said that the museum sold 9,000 tickets. It sold 6,000 tickets.</p>"
        ),
        "The museum at Holm sold 6,000 tickets in its first week",
        "The museum at Holm sold 9,000 tickets in its first week",
    ),
    "film.srt": (
        b"1\n00:00:01,000 --> 00:00:03,500\nThe new tunnel under the\n\n2\n00:00:03,500 --> 00:00:06,000\n"
        b"Sund is 18 kilometres long.\n\n3\n00:00:07,000 --> 00:00:09,000\nIt opens in May.\n",
        "The new tunnel under the Sund is 18 kilometres long",
        "The new tunnel under the Sund is 28 kilometres long",
    ),
    "film.vtt": (
        b"WEBVTT\n\n00:01.000 --> 00:03.000\n<v Mayor>The bath of Harl has been\n\n00:03.000 --> 00:06.000\n"
        b"<v Mayor>closed since 2016.\n",
        "The bath of Harl has been closed since 2016",
        "The bath of Harl has been closed since 2006",
    ),
    "hyphens1.pdf": (
        pdf(
            (72, 700, "The observatory on the Kahlen-"),
            (72, 686, "berg bought a telescope with a mir-"),
            (72, 672, "ror of 80 centimetres in 1994."),
        ),
        "The observatory on the Kahlenberg bought a telescope in 1994",
        "The observatory on the Kahlenberg bought a telescope in 1974",
    ),
    "hyphens2.pdf": (
        pdf(
            (72, 700, "The parlia-"),
            (72, 686, "ment of Norland rejected the bud-"),
            (72, 672, "get by 51 votes to 44 on Friday."),
        ),
        "The parliament of Norland rejected the budget by 51 votes to 44",
        "The parliament of Norland rejected the budget by 61 votes to 34",
    ),
}
LEFT_OPEN = ("spaces.txt",)
"""Files with a false claim that gets no verdict: the passage is near it, and the reader is not sure enough."""


@pytest.fixture(scope="module")
def context(bundled_models: Models) -> RunContext:
    return RunContext(bundled_models, Index([], bundled_models.encoder))


@pytest.mark.parametrize("name", FILES)
def test_the_claims_on_a_file_get_the_verdict_that_its_reader_knows(name: str, context: RunContext) -> None:
    content, true, false = FILES[name]
    here = RunContext(context.models, index_of(read_files([(name, content)]).documents, context.models))
    found = []
    for text in (true, false):
        case = found_for(Claim(text), recipe_named(DEFAULT), here)
        found.append(shown_label(judged(case.claim, case.hits, here)))
    assert found == [Label.SUPPORTED, None if name in LEFT_OPEN else Label.REFUTED]
