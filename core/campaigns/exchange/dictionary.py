"""The data dictionary: every column of an exported study, the kind of its values and their meaning."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class ColumnKind(StrEnum):
    """The contents of a column. Times are seconds since 1970 (UTC); "json" is a text in JSON."""

    TEXT = "text"
    WHOLE = "whole number"
    NUMBER = "number"
    TIME = "time"
    TRUTH = "true or false"
    JSON = "json"


@dataclass(frozen=True)
class Field:
    """One column; `optional` ones may have no value."""

    name: str
    kind: ColumnKind
    meaning: str
    optional: bool = False


T, W, N, D, B, J = (
    ColumnKind.TEXT,
    ColumnKind.WHOLE,
    ColumnKind.NUMBER,
    ColumnKind.TIME,
    ColumnKind.TRUTH,
    ColumnKind.JSON,
)

_ITEM = Field("item", W, "the item: its position in the table items")
_RATER = Field("rater", T, "the rater's pseudonym")
_ANSWER = (
    _ITEM,
    _RATER,
    Field("question", T, "error, verdict, support, comment, cannot_judge, flag, or the name of a scale"),
    Field("value", J, "the answer: a whole number from 1 to 5 on a scale, else a text"),
    Field("saved", D, "when it was saved"),
    Field("version", W, "1 for the first answer to the question, 2 for the second, …"),
    Field("seconds", N, "how long the question had been in view before; empty where it was not measured", True),
)

TABLES: dict[str, tuple[Field, ...]] = {
    "campaign": (
        Field("title", T, "the campaign's title"),
        Field("state", T, "open, paused or closed"),
        Field("created", D, "when it was made"),
        Field("seed", W, "what drew the items and orders them for each rater"),
        Field("ratings_per_item", W, "how many ratings an item is to have"),
        Field("items_per_rater", W, "how many items a rater gets, controls included"),
        Field("controls_per_rater", W, "how many of them are controls"),
        Field("form", J, "the scales that are asked, with their texts"),
        Field("options", J, "introduction, guidelines, examples, and how the campaign works for raters"),
    ),
    "items": (
        Field("position", W, "the item's place in the campaign, from 0; other tables name it by this"),
        Field("item", T, "the claim's id in the files that the item comes from"),
        Field("system", T, "whose evidence it is"),
        Field("team", T, "the system's team; its raters do not get the item"),
        Field("rank", W, "the system's place on a leaderboard", True),
        Field("claim", T, "the claim's text"),
        Field("about", J, "speaker, date and source of the claim, as far as known"),
        Field("evidence", J, "the predicted evidence: question, answer, url, scraped_text of each pair"),
        Field("reference", J, "the reference evidence, likewise"),
        Field("predicted", T, "the label that the system predicted"),
        Field("gold", T, "the annotated label"),
        Field("control", B, "whether the right answers are known and the item measures the raters"),
        Field("control_key", J, "what counts as right on a control or practice item", True),
        Field("practice", B, "whether it is a practice item, which counts nowhere"),
        Field("stratum", T, "the group that it was drawn from"),
        Field("scores", J, "its scores by metric"),
    ),
    "raters": (
        Field("pseudonym", T, "the name by which all tables know the rater"),
        Field("team", T, "the rater's team; they do not rate its systems"),
        Field("created", D, "when they were invited"),
        Field("revoked", D, "when their access was ended", True),
    ),
    "ratings": (
        _ITEM,
        _RATER,
        Field("position", W, "its place among the rater's items; practice items count down from -1"),
        Field("opened", D, "when the rater first saw it"),
        Field("touched", D, "when the rater last did something with it"),
        Field("submitted", D, "when it was submitted; empty until it is", True),
        Field("seconds", N, "how long it took, while the page was in view and the rater active"),
        Field("counted", B, "false of what is excluded or could not be judged"),
    ),
    "answers": _ANSWER,
    "history": _ANSWER,
    "adjudications": (
        _ITEM,
        Field("question", T, "the question that was settled"),
        Field("value", J, "the decision"),
        Field("reason", T, "why"),
        Field("saved", D, "when"),
    ),
    "exclusions": (
        Field("item", W, "the rating's item; empty where everything of the rater is meant", True),
        _RATER,
        Field("excluded", B, "true: left out of all figures; false: taken back in. The last row counts"),
        Field("reason", T, "why"),
        Field("saved", D, "when"),
    ),
}


def names_of(table: str) -> tuple[str, ...]:
    """Return the names of a table's columns."""
    return tuple(field.name for field in TABLES[table])


def dictionary_rows() -> list[tuple[str, str, str, str]]:
    """Return (table, column, kind, meaning) of every column."""
    rows = []
    for table, fields in TABLES.items():
        for field in fields:
            kind = f"{field.kind}, may be empty" if field.optional else str(field.kind)
            rows.append((table, field.name, kind, field.meaning))
    return rows
