"""Files as people have them: marks of footnotes, powers, cells with lists, filled forms, subtitles."""

import io

import pytest
from docx import Document as Word
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Paragraph, SimpleDocTemplate

from core.documents.documents import read_files
from core.documents.text import marked, settled

FILLER = "<p>" + "The valley has three villages, a mill and an old station beside the river. " * 5 + "</p>"


def text_of(name: str, content: bytes) -> str:
    (document,) = read_files([(name, content)]).documents
    return document.text


def page(body: str) -> str:
    return text_of("a.html", f"<html><body><article>{FILLER}{body}{FILLER}</article></body></html>".encode())


@pytest.mark.parametrize(
    ("before", "raised", "shown"),
    [
        ("34", "1", "34"),
        ("houses.", "12", "houses."),
        ("Smith", "2,3", "Smith"),
        ("rate", "[4]", "rate"),
        ("5 m", "2", "5 m²"),
        ("km", "3", "km³"),
        ("10", "6", "10⁶"),
        ("10", "-6", "10⁻⁶"),
        ("x", "2", "x²"),
        ("1", "st", "1st"),
        ("Veridesk", "TM", "VerideskTM"),
        ("claimed", "*", "claimed"),
    ],
)
def test_a_raised_figure_is_a_mark_or_a_power(before: str, raised: str, shown: str) -> None:
    assert settled(before + marked(raised) + " and so on") == f"{shown} and so on"


def test_a_web_page_has_its_numbers_without_marks_of_footnotes() -> None:
    text = page(
        "<p>The flood closed 27<sup>3</sup> roads and 8<sup><a href='#f4'>4</a></sup> schools. It covered 19 "
        "km<sup>2</sup> and 10<sup>5</sup> trees; CO<sub>2</sub> rose on the 2<sup>nd</sup>.<sup>5</sup></p>"
    )
    assert "27 roads and 8 schools" in text
    assert "19 km² and 10⁵ trees; CO2 rose on the 2nd." in text


def test_a_word_file_has_its_numbers_without_marks_of_footnotes() -> None:
    word, file = Word(), io.BytesIO()
    paragraph = word.add_paragraph("The flood closed 27")
    for run, raised in (("3", True), (" roads and covered 19 km", False), ("2", True), (" of fields.", False)):
        paragraph.add_run(run).font.superscript = raised or None
    word.save(file)
    assert text_of("a.docx", file.getvalue()) == "The flood closed 27 roads and covered 19 km² of fields."


def test_a_pdf_has_its_numbers_without_marks_of_footnotes() -> None:
    file = io.BytesIO()
    words = (
        "The flood closed 27<super>3</super> roads. It covered 19 km<super>2</super> of fields, and the CO<sub>2</sub> "
        "rose 10<super>5</super> times.<super>4</super> Nobody was hurt."
    )
    SimpleDocTemplate(file).build([Paragraph(words, getSampleStyleSheet()["Normal"])])
    text = "The flood closed 27 roads. It covered 19 km² of fields, and the CO2 rose 10⁵ times. Nobody was hurt."
    assert text_of("a.pdf", file.getvalue()) == text


def test_figures_at_places_of_their_own_in_a_pdf_join_their_line() -> None:
    file = io.BytesIO()
    canvas, left = Canvas(file), 72.0
    for words, height, size in (("The flood closed 27", 0, 11), ("3", 4, 6.5), (" roads; CO", 0, 11), ("2", -3, 7)):
        canvas.setFont("Helvetica", size)
        canvas.drawString(left, 700 + height, words)
        left += canvas.stringWidth(words, "Helvetica", size)
    canvas.save()
    assert text_of("a.pdf", file.getvalue()) == "The flood closed 27 roads; CO2"


def test_cells_keep_their_lists_and_bold_words() -> None:
    text = page(
        "<table><tr><th>Day</th><th>Pool</th></tr><tr><td><b>Sunday</b></td><td><ul><li>Shut</li></ul></td></tr>"
        "<tr><td>Friday</td><td><ul><li>Open</li><li>Free for <i>pupils</i></li></ul></td></tr></table>"
    )
    rows = [[cell.strip() for cell in line.strip("| ").split("|")] for line in text.split("\n") if "|" in line]
    assert ["Sunday", "Shut"] in rows
    assert ["Friday", "Open; Free for pupils"] in rows


def test_the_values_of_a_filled_form_are_read() -> None:
    file = io.BytesIO()
    canvas = Canvas(file)
    canvas.drawString(72, 700, "Report of the rowing club of Harl for the year 2021, filed in March.")
    canvas.acroForm.textfield(name="members", tooltip="Number of members", value="140", x=72, y=600)
    canvas.acroForm.textfield(name="empty", tooltip="Remarks", value="", x=72, y=500)
    canvas.acroForm.checkbox(name="boats", tooltip="Owns boats", checked=True, x=72, y=400)
    canvas.acroForm.checkbox(name="hall", tooltip="Owns a hall", checked=False, x=72, y=300)
    canvas.save()
    (document,) = read_files([("a.pdf", file.getvalue())]).documents
    assert [line for line in document.text.split("\n") if line][1:] == [
        "Number of members: 140.",
        "Owns boats: yes.",
        "Owns a hall: no.",
    ]
    assert len(document.pages) == 1


LEFT = """The station of Harl was built in 1931
and was made larger twice since then.
It has 14 platforms and a small hall,
which was opened again in the spring.
The mayor said that more trains would
come as soon as the state had paid.
Nobody knows when this will happen.""".split("\n")
RIGHT = """The weather in the valley stays dry and
warm until the end of the week: up to
27 degrees. On Friday the wind turns and
brings clouds from the sea to the hills.
Farmers hope for rain, because the soil
is dry after four weeks without a drop.
The lake is open to bathers from now on.""".split("\n")


def columns(left: list[str], right: list[str]) -> bytes:
    file = io.BytesIO()
    canvas = Canvas(file)
    canvas.drawString(72, 760, "The Harl Courier, a weekly paper for all of the valley")
    for row, texts in enumerate(zip(left, right, strict=True)):
        for place, text in zip((72, 320), texts, strict=True):
            canvas.drawString(place, 720 - 14 * row, text)
    canvas.save()
    return file.getvalue()


def test_two_columns_of_a_pdf_are_read_one_after_the_other() -> None:
    text = " ".join(text_of("a.pdf", columns(LEFT, RIGHT)).split())
    assert "It has 14 platforms and a small hall, which was opened again" in text
    assert "up to 27 degrees. On Friday the wind turns and brings clouds" in text
    assert text.startswith("The Harl Courier")


def test_rows_of_a_table_in_a_pdf_stay_rows() -> None:
    names, counts = [f"Town {n}" for n in range(8)], [f"{n},000 people" for n in range(8)]
    text = " ".join(text_of("a.pdf", columns(names, counts)).split())
    assert "Town 3 3,000 people Town 4 4,000 people" in text


SRT = """1
00:00:01,000 --> 00:00:03,500
The new pool of Harl

2
00:00:03,500 --> 00:00:06,000
cost 4 million euros.

3
00:00:07,000 --> 00:00:09,000
It opens in May.
"""
VTT = """WEBVTT

00:01.000 --> 00:03.000
<v Mayor>The new pool of Harl

00:03.000 --> 00:06.000
<v Mayor>cost 4 million euros.

00:07.000 --> 00:09.000
<v Reporter>When does it open?
"""


@pytest.mark.parametrize(
    ("name", "content", "text"),
    [
        ("a.srt", SRT, "The new pool of Harl cost 4 million euros. It opens in May."),
        ("a.vtt", VTT, "Mayor: The new pool of Harl cost 4 million euros.\nReporter: When does it open?"),
    ],
)
def test_subtitles_are_read_without_numbers_and_times(name: str, content: str, text: str) -> None:
    assert text_of(name, content.encode()) == text
