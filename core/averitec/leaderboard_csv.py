"""Read and write the leaderboard's CSV (`id,claim,evi,label,split`).

`evi` is `question TAB TAB NEWLINE answer TAB TAB NEWLINE NEWLINE`, once for each pair.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from itertools import groupby

from core.annotations import GoldAnswer, GoldClaim, GoldQuestion, Prediction, parse_label
from core.errors import BadRecord
from core.types import Claim

AFTER_QUESTION = "\t\t\n"
AFTER_PAIR = "\t\t\n\n"
COLUMNS = ("id", "claim", "evi", "label", "split")


def split_evidence(text: str) -> list[tuple[str, str]]:
    """Return the question-answer pairs of an `evi` cell; an empty cell has none.

    A piece without the separator after its question is only an answer. Answers may hold single newlines and tabs.
    Windows line ends inside the cell are read as newlines, so that separators match.
    """
    pairs = []
    for piece in text.replace("\r\n", "\n").split(AFTER_PAIR):
        if piece.strip(" \n"):
            question, separator, answer = piece.partition(AFTER_QUESTION)
            pairs.append((question, answer) if separator else ("", question))
    return pairs


def join_evidence(pairs: Iterable[tuple[str, str]]) -> str:
    """Return the `evi` cell of the pairs: the inverse of `split_evidence`.

    Separators inside a question or an answer become spaces, because they would split the pair.
    """
    cells = ((_cell(question), _cell(answer).lstrip("\n")) for question, answer in pairs)
    return "".join(f"{question}{AFTER_QUESTION}{answer}{AFTER_PAIR}" for question, answer in cells)


def _cell(text: str) -> str:
    # A final tab would join the next separator, a first newline of an answer the previous one.
    return " ".join(text.split(AFTER_QUESTION)).rstrip("\t")


def gold_from_row(name: str, place: str, row: dict[str, str]) -> GoldClaim:
    """Return the gold claim of a CSV row; pairs that share their question become one question.

    Raises BadRecord if the label is unknown or the id is empty.
    """
    label = parse_label(row["label"])
    if label is None:
        where = f"{name}: {place} (id {row['id']})"
        raise BadRecord(f"{where}: 'label' must be one of the four verdicts, got {row['label']!r}.")
    questions = tuple(
        GoldQuestion(question, tuple(GoldAnswer(answer) for _, answer in pairs))
        for question, pairs in groupby(split_evidence(row["evi"]), key=lambda pair: pair[0])
    )
    return GoldClaim(Claim(row["claim"], id=row["id"].strip()), label, questions)


def gold_csv(claims: Sequence[GoldClaim]) -> str:
    """Return gold claims as the leaderboard's CSV, with LF row ends."""
    return _csv((c.id, c.claim.text, join_evidence(c.pairs), c.label.value, "gold") for c in claims)


def submission_csv(predictions: Sequence[Prediction]) -> str:
    """Return predictions as the leaderboard's CSV, with LF row ends and unknown labels unchanged."""
    return _csv(
        (
            p.claim_id,
            p.claim,
            join_evidence((e.question, e.answer) for e in p.evidence),
            p.label.value if p.label else p.label_text,
            "pred",
        )
        for p in predictions
    )


def _csv(rows: Iterable[tuple[str, str, str, str, str]]) -> str:
    # Cells are not escaped against spreadsheet formulas: scorers compare them, an extra quote would be text.
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(rows)
    return buffer.getvalue()
