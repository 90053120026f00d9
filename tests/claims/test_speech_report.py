"""A checked speech as files: every sentence, its claims and verdicts, and nothing that a program would run."""

import csv
import io
from datetime import date

from lxml.html import document_fromstring

from core.claims.chosen import ChosenClaim
from core.claims.ranking import RankedSentence
from core.claims.speech_report import CheckedSpeech, speech_csv, speech_html

HOSTILE = "<script>alert(1)</script>"
SPEECH = CheckedSpeech(
    f"Speech {HOSTILE}",
    (
        RankedSentence(0, "It fell by 6.", "The price fell by 6.", 0.9, "states a number", f"EVE {HOSTILE}", 65.0),
        RankedSentence(1, "=1+1", "=1+1", 0.0, "", "", None, 1),
    ),
    (ChosenClaim("4", "The price fell by 6.", (0,)),),
    {"4": "Refuted"},
    {"4": f"One source says 5, not 6: courier.txt {HOSTILE}."},
    "a dossier",
)


def test_every_sentence_is_a_row_with_its_verdict() -> None:
    first, second = csv.DictReader(io.StringIO(speech_csv(SPEECH)))
    assert (first["claim checked"], first["verdict"], first["rank"]) == ("The price fell by 6.", "Refuted", "1")
    assert first["the documents"].startswith("One source says 5, not 6")
    assert (second["text"], second["verdict"]) == ("'=1+1", "")


def test_the_report_shows_verdicts_in_the_text_and_escapes_it() -> None:
    page = document_fromstring(speech_html(SPEECH, date(2026, 11, 23)))
    assert not page.xpath("//script")
    told = page.text_content()
    assert f"EVE {HOSTILE}: It fell by 6. [1: Refuted]" in told
    assert "0:01:05" in told
    assert "5, not 6: courier.txt" in told
    assert "a dossier" in told
