"""Rank the sentences of a speech by whether they are worth checking."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from core.actions.action import ActionContext, Said
from core.claims.command import RankSpeech
from core.claims.speech import Speech, read_speech
from core.claims.standalone import standalone_sentences
from core.claims.worthiness import feature_rows, load_worthiness
from core.interfaces import Encoder, Stop, ignore, never
from core.wording import clock_words

AT_ONCE = 256
"""Sentences between two reports of progress."""

FIRST_SHOWN = 3
"""Sentences that are shown while others are still read."""

_SIGN = re.compile(r"[{}=<>_\\\[\]|;#()/@$^~*+]")
NO_PROSE = "is no sentence of words"


@dataclass(frozen=True)
class RankedSentence:
    """A sentence with its score in [0, 1] and the reason for it in words.

    `position` is its index among the sentences of the text, from 0. `standalone` is the sentence made readable alone.
    `speaker` is "" and `start` (in seconds) None if unknown. `paragraph` is the index of its paragraph.
    """

    position: int
    text: str
    standalone: str
    score: float
    reason: str
    speaker: str = ""
    start: float | None = None
    paragraph: int = 0

    def row(self) -> dict[str, Any]:
        """Return it as a row of the command line's JSON; an unknown speaker is None."""
        return {
            "position": self.position,
            "text": self.text,
            "standalone": self.standalone,
            "score": self.score,
            "reason": self.reason,
            "speaker": self.speaker or None,
            "start": self.start,
        }


def rank_sentences(
    speech: Speech,
    encoder: Encoder,
    *,
    report: Callable[[int, int], None],
    best_so_far: Callable[[list[str]], None] = ignore,
    stop: Stop = never,
) -> tuple[RankedSentence, ...]:
    """Return every sentence of a speech with its score, in the order of the text.

    `report` gets the number of sentences read so far, and of all. `best_so_far` gets the best FIRST_SHOWN of those,
    best first. Each different sentence is read once. Raises Cancelled if `stop` says so.
    """
    classifier = load_worthiness()
    different = sorted({one.text for one in speech.sentences}, key=len)
    found = dict[str, tuple[float, str]]()
    for start in range(0, len(different), AT_ONCE):
        report(start, len(different))
        texts = different[start : start + AT_ONCE]
        rows = feature_rows(texts, encoder, stop=stop)
        for text, row, score in zip(texts, rows, classifier.scores(rows), strict=True):
            found[text] = (
                (round(float(score), 3), classifier.reason(row, float(score))) if is_prose(text) else (0.0, NO_PROSE)
            )
        best_so_far(sorted(found, key=lambda text: -found[text][0])[:FIRST_SHOWN])
    report(len(different), len(different))
    return tuple(
        RankedSentence(at, one.text, alone, *found[one.text], one.speaker, one.start, one.paragraph)
        for at, (one, alone) in enumerate(zip(speech.sentences, standalone_sentences(speech), strict=True))
    )


def is_prose(sentence: str) -> bool:
    """Say whether a sentence is of words: mostly letters, and no line of a program."""
    letters = sum(character.isalpha() for character in sentence)
    signs = len(_SIGN.findall(sentence))
    return 2 * letters >= len(sentence) and signs * 20 <= len(sentence) and len(sentence.split()) > 1


def best_of(ranked: Sequence[RankedSentence], count: int) -> list[RankedSentence]:
    """Return the `count` sentences with the highest scores, in the order of the text; of equal ones the first.

    A repeated sentence is returned once, such as the line of a chorus.
    """
    first = {one.text.casefold(): one for one in reversed(ranked)}.values()
    best = sorted(first, key=lambda one: (-one.score, one.position))[:count]
    return sorted(best, key=lambda one: one.position)


def ranks_of(ranked: Sequence[RankedSentence]) -> list[int]:
    """Return the rank of each sentence, 1 for the highest score."""
    order = np.argsort([-one.score for one in ranked], kind="stable")
    ranks = np.empty(len(ranked), dtype=int)
    ranks[order] = np.arange(1, len(ranked) + 1)
    return [int(rank) for rank in ranks]


def rank_speech(request: RankSpeech, context: ActionContext) -> Said:
    """Rank the sentences of a file, and tell the remarks on it. Raises as `read_speech` and `rank_sentences`."""
    from core.retrieval.dense import load_encoder  # it brings torch, for which bad input should not wait

    speech = read_speech("standard input" if request.file.name == "-" else request.file.name, request.file.content)
    for remark in speech.remarks:
        context.tell(remark)
    context.begin("sentences read")
    ranked = rank_sentences(speech, load_encoder(), report=context.advance, stop=context.stop)
    chosen, ranks = best_of(ranked, request.top) if request.top else ranked, ranks_of(ranked)
    said = "\n".join(lines(one, ranks[one.position]) for one in chosen)
    return Said(said, [one.row() for one in chosen])


def lines(one: RankedSentence, rank: int) -> str:
    """Return a sentence as a person reads it: rank, score, place and reason, then the words."""
    at = "" if one.start is None else f"  {clock_words(one.start)}"
    speaker = f"  {one.speaker}" if one.speaker else ""
    alone = f"\n      = {one.standalone}" if one.standalone != one.text else ""
    return f"{rank:4}. {one.score:.2f}{at}{speaker}  ({one.reason})\n      {one.text}{alone}"
