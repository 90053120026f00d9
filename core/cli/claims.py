"""`python -m core claims`: the sentences of a speech, ranked by whether they are worth checking."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from core.claims.ranking import RankedSentence, best_of, rank_sentences, ranks_of
from core.claims.speech import MAX_WORDS, read_speech
from core.cli.common.numbers import first
from core.cli.common.paths import input_name
from core.cli.common.terminal import ProgressLine, asked_to_end, tell
from core.records import read_bytes
from core.wording import clock_words

STANDARD_INPUT = "-"
FIELDS = (
    "position, text, standalone, score, reason, speaker, start. The position is the index among all sentences of the "
    "text, from 0. The standalone text is readable alone. The score is from 0 to 1. An unknown speaker or start (in "
    "seconds) is null"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file",
        type=input_name,
        metavar="FILE|-",
        help=f"a speech or transcript of at most {MAX_WORDS:,} words. It may be text, Markdown, DOCX, ODT, RTF, PDF, "
        "HTML, SRT or WebVTT. - reads standard input",
    )
    parser.add_argument("--json", action="store_true", help=f"print a JSON array in the order of the text: {FIELDS}")
    parser.add_argument("--top", type=first, metavar="N", help="only the N different sentences with the highest scores")


def run(args: argparse.Namespace) -> int:
    from core.retrieval.dense import load_encoder  # it brings torch, for which bad input should not wait

    name, content = given(args.file)
    speech = read_speech(name, content)
    for remark in speech.remarks:
        tell(remark)
    ranked = rank_sentences(speech, load_encoder(), report=ProgressLine("sentences read").show, stop=asked_to_end)
    chosen = best_of(ranked, args.top) if args.top else ranked
    if args.json:
        print(json.dumps([one.row() for one in chosen], ensure_ascii=False, indent=1))
    else:
        ranks = ranks_of(ranked)
        print("\n".join(lines(one, ranks[one.position]) for one in chosen))
    return 0


def given(file: str) -> tuple[str, bytes]:
    """Return the name and the content of the file, or of standard input. Raises BadInput if it cannot be read."""
    if file == STANDARD_INPUT:
        return "standard input", sys.stdin.buffer.read()
    path = Path(file)
    return path.name, read_bytes(path)


def lines(one: RankedSentence, rank: int) -> str:
    """Return a sentence as a person reads it: rank, score, place and reason, then the words."""
    at = "" if one.start is None else f"  {clock_words(one.start)}"
    speaker = f"  {one.speaker}" if one.speaker else ""
    alone = f"\n      = {one.standalone}" if one.standalone != one.text else ""
    return f"{rank:4}. {one.score:.2f}{at}{speaker}  ({one.reason})\n      {one.text}{alone}"
