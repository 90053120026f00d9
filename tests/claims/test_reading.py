"""A speech is read into sentences with their speakers and times, whatever file it comes in."""

import io
import zipfile
from datetime import date

import pytest

from core.claims.speech import MAX_WORDS, Speech, read_speech, speech_of, title_of
from core.errors import BadInput

SRT = """1
00:00:01,500 --> 00:00:04,000
<i>Good evening.</i> The bridge

2
00:00:04,000 --> 00:00:06,000
opened in 2006.

3
00:99:61,000 --> xx
It cost 340 million.
"""

VTT = """WEBVTT - a title

NOTE
not said by anybody

00:01.000 --> 00:03.000 align:start
<v Ruth <b>Vane>We built 400 homes.</v>

second
01:00:03.000 --> 01:00:05.000
<v.loud Harold Pike>You &amp; I know <00:00:04.000><c>better</c>.
"""

TRANSCRIPT = """RUTH VANE: We built 400 homes. They cost little.
And more will come.

[01:02] Harold Pike: Note this: they did not.
Harold Pike: Not one.
Only once: a remark with a colon.
"""


def said(speech: Speech) -> list[tuple[str, str, float | None]]:
    return [(one.text, one.speaker, one.start) for one in speech.sentences]


def test_a_sentence_of_several_cues_begins_with_the_first_of_them() -> None:
    assert said(read_speech("talk.srt", SRT.encode())) == [
        ("Good evening.", "", 1.5),
        ("The bridge opened in 2006.", "", 1.5),
        ("It cost 340 million.", "", None),
    ]


def test_unreadable_times_are_counted() -> None:
    assert any("1 line" in remark for remark in read_speech("talk.srt", SRT.encode()).remarks)


def test_voices_name_speakers_and_notes_are_not_said() -> None:
    assert said(read_speech("talk.vtt", VTT.encode())) == [
        ("We built 400 homes.", "Ruth <b>Vane", 1.0),
        ("You & I know better.", "Harold Pike", 3603.0),
    ]


def test_subtitles_are_known_by_their_content() -> None:
    assert said(read_speech("standard input", SRT.encode()))[0][2] == 1.5


def test_a_caption_that_rolls_is_read_once() -> None:
    rolling = "1\n00:00:01,000 --> 00:00:02,000\nWe won.\n\n2\n00:00:02,000 --> 00:00:03,000\nWe won.\nThey lost.\n"
    assert [one.text for one in speech_of("x", rolling, subtitles=True).sentences] == ["We won.", "They lost."]


def test_names_before_a_colon_are_speakers_until_the_next() -> None:
    assert said(speech_of("x", TRANSCRIPT)) == [
        ("We built 400 homes.", "RUTH VANE", None),
        ("They cost little.", "RUTH VANE", None),
        ("And more will come.", "RUTH VANE", None),
        ("Note this: they did not.", "Harold Pike", 62.0),
        ("Not one.", "Harold Pike", None),
        ("Only once: a remark with a colon.", "Harold Pike", None),
    ]


def test_times_are_read_before_and_behind_names_and_on_lines_of_their_own() -> None:
    lines = "RUTH VANE (00:05): We won.\nHarold Pike: (01:00)\nThey lost.\n02:00 Harold Pike: Not all.\n1:00:00\nGo."
    assert said(speech_of("x", lines)) == [
        ("We won.", "RUTH VANE", 5.0),
        ("They lost.", "Harold Pike", 60.0),
        ("Not all.", "Harold Pike", 120.0),
        ("Go.", "Harold Pike", 3600.0),
    ]


def test_broken_lines_are_joined_but_not_across_speakers() -> None:
    first = "RUTH VANE: The bridge over the river in our town opened\nin the year 2006 and it cost a lot of money, but"
    lines = f"{first}\nHAROLD PIKE: No."
    assert [one.text for one in read_speech("x.txt", lines.encode()).sentences] == [
        "The bridge over the river in our town opened in the year 2006 and it cost a lot of money, but",
        "No.",
    ]


def test_a_name_with_markup_and_turned_letters_is_text_on_one_line() -> None:
    [one] = speech_of("x", "\u202eEVE <script>alert(1)</script>\u202c: It cost 4 pounds.").sentences
    assert one.speaker == "EVE <script>alert(1)</script>"


def test_the_first_lines_date_a_speech() -> None:
    assert speech_of("x", "Kelmouth, 12 May 2023\n\nThis year we built 400 homes.").day == date(2023, 5, 12)
    assert speech_of("x", "\nSpeech at the harbour, 12 May 2023\n\nWe built 400 homes.").day == date(2023, 5, 12)


@pytest.mark.parametrize(
    "first", ["RUTH VANE: We met on 12 May 2023", "We met on 12 May 2023 and won.", "To be held on 12 May 2999"]
)
def test_a_day_within_the_words_does_not_date_a_speech(first: str) -> None:
    assert speech_of("x", f"{first}\n\nWe built 400 homes.").day is None


def test_pasted_words_are_called_by_their_first_line() -> None:
    assert title_of("\n  Speech at the harbour, 12 May 2023\nMore.") == "Speech at the harbour, 12 May 2023"
    assert title_of("word " * 30) == f"{('word ' * 12).strip()} …"
    assert title_of("\n") == ""


def test_a_word_file_is_read() -> None:
    space = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    paragraph = "<w:p><w:r><w:t>It cost 4 pounds.</w:t></w:r></w:p>"
    body = f'<w:document xmlns:w="{space}"><w:body>{paragraph}</w:body></w:document>'
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as file:
        file.writestr("word/document.xml", body)
    assert said(read_speech("speech.docx", packed.getvalue())) == [("It cost 4 pounds.", "", None)]


def test_a_sentence_of_5000_words_becomes_pieces_with_every_word() -> None:
    found = speech_of("x", "word " * 5000).sentences
    assert sum(len(one.text.split()) for one in found) == 5000
    assert len(found) > 1


def test_another_language_is_named() -> None:
    german = "Wir haben im letzten Jahr vierhundert Wohnungen gebaut. Die Brücke wurde nie eröffnet. " * 3
    assert "German" in speech_of("x", german).remarks[0]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("long.txt", b"word " * (MAX_WORDS + 1)),
        ("empty.txt", b""),
        ("signs.txt", b"... !!! ---"),
        ("empty.vtt", b"WEBVTT\n\n00:01.000 --> 00:02.000\n"),
        ("picture.txt", b"\x89PNG\r\n\x1a\n\0\0\0"),
        ("broken.pdf", b"%PDF-1.7 nothing"),
    ],
)
def test_a_text_that_is_no_speech_is_refused_by_name(name: str, content: bytes) -> None:
    with pytest.raises(BadInput, match=name):
        read_speech(name, content)
