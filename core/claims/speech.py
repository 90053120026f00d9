"""Read a speech, an article or a transcript into sentences, with their speakers and times if known."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import PurePosixPath

from core.dates import WRITTEN_DAY, written_day
from core.documents.dateline import stated_date
from core.documents.documents import read_files
from core.documents.language import MAX_CHARACTERS, NAMES, language_of
from core.documents.subtitles import SUFFIXES as SUBTITLES
from core.documents.subtitles import Cue, cues_of, looks_like_subtitles
from core.documents.text import OldEncoding, decode, unwrap
from core.errors import BadInput, TooLarge
from core.retrieval.chunking import sentence_spans
from core.wording import counted, readable, readable_name

MAX_WORDS = 30_000
FILE_TYPES = ("txt", "md", "docx", "odt", "rtf", "pdf", "html", "srt", "vtt")
MAX_SPEAKER = 60
MAX_TITLE = 120
_TITLE_DAY = re.compile(rf"[^:]*?({WRITTEN_DAY})", re.IGNORECASE)
"""A title that ends with a day: "Speech at the harbour, 12 May 2023"."""

_CLOCK = r"(?:\d{1,2}:)?[0-5]?\d:[0-5]\d"
_TIMED = re.compile(rf"\s*[\[(]({_CLOCK})[\])]\s*|\s*({_CLOCK})\s+(?=[^\s:]+[^:]*:)|\s*({_CLOCK})\s*$")
"""A time at the beginning of a line: in brackets, before a name, or alone."""

_LABELLED = re.compile(rf"\s*([^\s:][^:]{{0,80}}?)\s*(?:[\[(]({_CLOCK})[\])]\s*)?:(?:\s+|$)")
"""A name before a colon, with the time behind it where it has one."""

_ASIDE = re.compile(r"<(\w+)[^<>]*>[^<>]*</\1>|\([^()]*\)|\[[^\[\]]*\]|<[^<>]*>")
_JOINING = frozenset("of the and de del la van von der den bin al".split())
_ALONE = frozenset("Q A".split())
MOST_NAME_WORDS = 6


@dataclass(frozen=True)
class SpokenSentence:
    """One sentence. `speaker` is "" if unknown, `start` (in seconds) None; `paragraph` counts from 0."""

    text: str
    speaker: str = ""
    start: float | None = None
    paragraph: int = 0


@dataclass(frozen=True)
class Speech:
    """The sentences of a speech in order. `day` is when it was given, None if its text does not say so.

    `remarks` name faults of the text in sentences: another language, unreadable times.
    """

    name: str
    sentences: tuple[SpokenSentence, ...]
    day: date | None = None
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Turn:
    """A stretch of one speaker: its text, and at which characters a time is known."""

    text: str
    speaker: str = ""
    times: tuple[tuple[int, float | None], ...] = ()


def read_speech(name: str, content: bytes) -> Speech:
    """Return the speech of a file. Raises BadInput if it cannot be read, has no sentence, or is too long."""
    written = _written(name, content)
    if _suffix(name) in SUBTITLES or looks_like_subtitles(written):
        return speech_of(name, written, subtitles=True)
    if written:
        return speech_of(name, written, wrapped=True)
    reading = read_files([(name, content)])
    if len(reading.documents) != 1:
        several = f"{name}: this holds {counted(len(reading.documents), 'document')}; give one speech at a time."
        raise BadInput(several if reading.documents else " ".join(reading.problems) or f"{name} holds no text.")
    [document] = reading.documents
    return speech_of(name, document.text, day=document.published)


def _written(name: str, content: bytes) -> str:
    """Return the characters of a plain text or subtitles; "" for another kind of file, or an old encoding.

    Raises BadInput for subtitles that are no text.
    """
    other = content.lstrip().startswith((b"%PDF-", b"PK", b"{", b"<"))
    if _suffix(name) not in SUBTITLES and (other or _suffix(name) not in (".txt", "")):
        return ""
    try:
        return decode(name, content)
    except OldEncoding:
        return ""


def _suffix(name: str) -> str:
    return PurePosixPath(name).suffix.lower()


def speech_of(
    name: str, text: str, *, day: date | None = None, subtitles: bool = False, wrapped: bool = False
) -> Speech:
    """Return a text as a speech: `subtitles`, or lines that a program may have `wrapped`. Raises as `read_speech`."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    count = len(text.split())
    if count > MAX_WORDS:
        raise TooLarge(f"{name} has {count:,} words; the limit is {MAX_WORDS:,}. Split it into parts.")
    cues = cues_of(text) if subtitles else []
    turns = _turns_of_cues(cues) if subtitles else _turns_of_lines(text, wrapped=wrapped)
    sentences = tuple(_sentences(turns))
    if not sentences:
        raise BadInput(f"{name} holds no sentence: paste the words of a speech, or give its file.")
    return Speech(name, sentences, day or stated_date(text) or _day_of_title(text), tuple(_remarks(sentences, cues)))


def title_of(text: str) -> str:
    """Return the first line with words as a short title; "" without one."""
    line = readable_name(next(filter(str.strip, text.splitlines()), ""))
    return line if len(line) <= MAX_SPEAKER else f"{line[:MAX_SPEAKER].rsplit(' ', 1)[0]} …"


def _day_of_title(text: str) -> date | None:
    """Return the day at the end of a title in the first line. Return None without one, or for a day to come."""
    line = next(filter(str.strip, text.splitlines())).strip()
    found = _TITLE_DAY.fullmatch(line) if len(line) <= MAX_TITLE else None
    day = written_day(found[1]) if found else None
    return day if day and day <= date.today() else None


def _remarks(sentences: Sequence[SpokenSentence], cues: Sequence[Cue]) -> Iterator[str]:
    language = language_of(" ".join(one.text for one in sentences)[:MAX_CHARACTERS])
    if language and language != "en":
        yield f"This text seems to be {NAMES[language]}, and Veridesk reads English only: translate it."
    unknown = sum(cue.start is None for cue in cues)
    if unknown:
        yield f"{counted(unknown, 'line')} of the subtitles {'has' if unknown == 1 else 'have'} no readable time."


def _sentences(turns: Sequence[_Turn]) -> Iterator[SpokenSentence]:
    for number, turn in enumerate(turns):
        places = [place for place, _ in turn.times]
        for start, end in sentence_spans(turn.text):
            if any(map(str.isalnum, turn.text[start:end])):
                at = bisect_right(places, start) - 1
                seconds = turn.times[at][1] if at >= 0 else None
                yield SpokenSentence(" ".join(readable(turn.text[start:end]).split()), turn.speaker, seconds, number)


def _turns_of_cues(cues: Sequence[Cue]) -> list[_Turn]:
    """Return cues as stretches of one speaker. A name before a colon is a speaker too."""
    names = _speakers(cue.text for cue in cues)
    turns, pieces, times, speaker, length = list[_Turn](), list[str](), list[tuple[int, float | None]](), "", 0
    for cue in cues:
        _, named, rest = _label(cue.text, names)
        said = speaker_name(cue.speaker) or named or speaker
        if said != speaker and pieces:
            turns.append(_Turn(" ".join(pieces), speaker, tuple(times)))
            pieces, times, length = [], [], 0
        speaker = said
        if rest:
            times.append((length, cue.start))
            pieces.append(rest)
            length += len(rest) + 1
    return [*turns, _Turn(" ".join(pieces), speaker, tuple(times))]


def _turns_of_lines(text: str, *, wrapped: bool) -> list[_Turn]:
    """Return the lines of a text, with the speaker that the last line with a name before a colon names.

    Of a `wrapped` text, lines that a program broke are joined, but never across speakers.
    """
    lines = text.split("\n")
    names = _speakers(_without_time(line)[1] for line in lines)
    turns, said, speaker, time = list[_Turn](), list[str](), "", ""
    for line in [*lines, None]:
        now, named, rest = ("", "", "") if line is None else _label(line, names)
        if line is None or named or now:
            turns += _turns(said, speaker, time, wrapped=wrapped)
            said, speaker, time = [], named or speaker, now
        said.append(rest)
    return turns


def _turns(lines: Sequence[str], speaker: str, time: str, *, wrapped: bool) -> Iterator[_Turn]:
    whole = "\n".join(lines)
    paragraphs = [one for one in (unwrap(whole) if wrapped else whole).split("\n") if one.strip()]
    for number, paragraph in enumerate(paragraphs):
        yield _Turn(paragraph, speaker, ((0, _clock(time)),) if time and not number else ())


def _speakers(lines: Sequence[str] | Iterator[str]) -> frozenset[str]:
    """Return the names before a colon that are speakers: in capitals, or at the beginning of two lines or more."""
    found = Counter(speaker_name(label[1]) for line in lines if (label := _LABELLED.match(line)))
    return frozenset(name for name, times in found.items() if _is_speaker(name, times))


def _is_speaker(name: str, times: int) -> bool:
    words = [word.strip(".,'’\"“”()[]-") for word in _ASIDE.sub(" ", name).split()]
    words = [word for word in words if any(map(str.isalnum, word))]
    if not 1 <= len(words) <= MOST_NAME_WORDS or not words[0][0].isalpha():
        return False
    if all(word.isupper() or word.isdigit() for word in words):
        return len(words[0]) > 1 or words[0] in _ALONE
    capitals = all(word[0].isupper() or word[0].isdigit() or word in _JOINING for word in words)
    return capitals and times > 1


def speaker_name(name: str) -> str:
    """Return a speaker's name on one line, without characters that turn the text around it, and not too long."""
    return readable_name(name)[:MAX_SPEAKER].strip(" *_-–—•")


def _label(line: str, names: frozenset[str]) -> tuple[str, str, str]:
    """Return the time, the speaker and the words of a line; the first two are "" where it has none."""
    before, rest = _without_time(line)
    found = _LABELLED.match(rest)
    if not found or speaker_name(found[1]) not in names:
        return before, "", rest
    behind, words = _without_time(rest[found.end() :].lstrip("*_ "))
    return before or found[2] or behind, speaker_name(found[1]), words


def _without_time(line: str) -> tuple[str, str]:
    """Return the time at the beginning of a line, "" where it has none, and the rest."""
    found = _TIMED.match(line)
    return (next(filter(None, found.groups())), line[found.end() :]) if found else ("", line)


def _clock(time: str) -> float:
    """Return "1:02:03" or "02:03" in seconds."""
    seconds = 0
    for part in time.split(":"):
        seconds = seconds * 60 + int(part)
    return float(seconds)
