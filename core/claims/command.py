"""Declare the ranking of a speech's sentences by whether they are worth checking."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from core.actions.action import Action, Later
from core.actions.fields import Between, FromFile, Help, InputFile, Place
from core.claims.speech import MAX_WORDS

FIELDS = (
    "position, text, standalone, score, reason, speaker, start. The position is the index among all sentences of the "
    "text, from 0. The standalone text is readable alone. The score is from 0 to 1. An unknown speaker or start (in "
    "seconds) is null"
)


@dataclass(frozen=True)
class RankSpeech:
    """Rank the sentences of a speech by whether they are worth checking."""

    file: Annotated[
        InputFile,
        Place("FILE|-"),
        FromFile(InputFile),
        Help(
            f"a speech or transcript of at most {MAX_WORDS:,} words. It may be text, Markdown, DOCX, ODT, RTF, PDF, "
            "HTML, SRT or WebVTT. - reads standard input"
        ),
    ]
    top: Annotated[
        int | None, Between(1, 10_000_000), Help("only the N different sentences with the highest scores")
    ] = None


work = Later("core.claims.ranking").rank_speech
CLAIMS = Action("claims", RankSpeech, work, json_help=f"an array in the order of the text ({FIELDS})")
