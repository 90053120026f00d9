"""Read subtitles (SRT, WebVTT): their words, speakers and times."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from core.documents.dateline import dated_by_text
from core.documents.text import decode
from core.errors import BadInput
from core.types import Document

SUFFIXES = (".srt", ".vtt")
_ARROW = "-->"
_TIME = re.compile(r"(?:(\d{1,3}):)?([0-5]?\d):([0-5]?\d)[.,](\d{1,3})")
_VOICE = re.compile(r"<v(?:\.[\w.-]+)?\s+((?:[^<>]|<[^<>]*>){1,80})>", re.IGNORECASE)
_TAG = re.compile(
    r"</?(?:[biu]|c|v|lang|ruby|rt|font)\b[^<>]{0,200}>|<\d[\d:.]{3,14}>|\{\\[^{}]{0,80}\}", re.IGNORECASE
)
_BLOCK = re.compile(r"(?:WEBVTT|NOTE|STYLE|REGION)\b")
_FIRST = 4096


@dataclass(frozen=True)
class Cue:
    """A line of subtitles: `start` in seconds, None where its time cannot be read; `speaker` is "" if unknown."""

    text: str
    start: float | None
    speaker: str = ""


def read_subtitles(name: str, content: bytes) -> Document:
    """Return subtitles as a document: the words alone, with a line for each stretch of one speaker.

    Raises BadInput if the file has no words, and as `decode`.
    """
    cues = cues_of(decode(name, content))
    turns = [(who, " ".join(cue.text for cue in said)) for who, said in groupby(cues, key=lambda cue: cue.speaker)]
    text = "\n".join(f"{who}: {words}" if who else words for who, words in turns)
    if not text:
        raise BadInput(f"{name}: these subtitles have no words.")
    return dated_by_text(Document(url=name, text=text), text)


def looks_like_subtitles(text: str) -> bool:
    """Say whether a text begins as subtitles do: with the name of the format, or with a line of times."""
    lines = [line.strip() for line in text[:_FIRST].split("\n")]
    first = next((line for line in lines if line), "")
    arrows = (at for at, line in enumerate(lines) if _ARROW in line and line[:1].isdigit())
    return first.startswith("WEBVTT") or next(arrows, None) is not None


def cues_of(text: str) -> list[Cue]:
    """Return the lines of subtitles in order, without those that repeat the one before, as rolling captions do."""
    found = list[Cue]()
    for cue in _cues(text):
        if cue.text and (not found or found[-1].text != cue.text):
            found.append(cue)
    return found


def _cues(text: str) -> Iterator[Cue]:
    start: float | None = None
    speaker, ours = "", True
    lines = text.split("\n")
    for at, line in enumerate(lines):
        bare = line.strip()
        if not bare:
            speaker, ours = "", True
        elif _ARROW in bare:
            start, speaker, ours = _seconds(bare), "", True
        elif _BLOCK.match(bare) and (at == 0 or not lines[at - 1].strip()):
            ours = False
        elif ours and not _names_cue(lines, at):
            named = _VOICE.search(bare)
            speaker = " ".join(html.unescape(named[1]).split()) if named else speaker
            yield Cue(
                " ".join(html.unescape(_TAG.sub("", _VOICE.sub("", bare))).split()).removeprefix("- "), start, speaker
            )


def _names_cue(lines: list[str], at: int) -> bool:
    """Say whether a line is the number or name of the cue that the next line times."""
    return at + 1 < len(lines) and _ARROW in lines[at + 1] and (at == 0 or not lines[at - 1].strip())


def _seconds(line: str) -> float | None:
    """Return the beginning that a line of times states, in seconds; None if it is not one."""
    found = _TIME.fullmatch(line.partition(_ARROW)[0].strip())
    if not found:
        return None
    hours, minutes, seconds, parts = found.groups(default="0")
    return round(int(hours) * 3600 + int(minutes) * 60 + int(seconds) + int(parts.ljust(3, "0")) / 1000, 3)
