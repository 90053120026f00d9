"""The data dictionary: every column of an exported study, the kind of its values and their meaning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from core.agreement.own_questions import Measure, OwnQuestion
from core.tabular.exports import csv_text


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

WINS, ENDS = ("Wins", "Ties", "Losses"), ("Best", "Worst")
"""Counts of compared systems."""

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
        Field("item", W, "the rating's item; empty if all of the rater's ratings are excluded", True),
        _RATER,
        Field("excluded", B, "true: left out of all figures; false: taken back in. The last row counts"),
        Field("reason", T, "why"),
        Field("saved", D, "when"),
    ),
}


_CONTROL = Field("control", B, "whether the right answers are known and the item measures the raters")

RATINGS_CSV: tuple[Field, ...] = (
    Field("Timestamp", T, "when it was submitted, UTC", True),
    Field("Team", T, "the rater's team", True),
    Field("Rater", T, "the rater's pseudonym; settled or median ratings have one word in its place"),
    Field("id", T, "the claim's id in the files that the item comes from"),
    Field("System", T, "whose evidence it is", True),
    Field("Control", B, "true of a control item: agreement leaves it out"),
    Field("Claim", T, "the claim's text"),
    Field("Predicted evidence", T, "questions and answers as one text"),
    Field("Major errors", T, "the answer to the first question, in the form's words"),
    Field("Label", T, "the rater's verdict", True),
    Field("Supporting text", T, "the passage that the rater copied", True),
    Field("Comment", T, "the rater's comment", True),
)

FILES: dict[str, tuple[Field, ...]] = {
    "ratings.csv": RATINGS_CSV,
    "ratings.jsonl": (
        Field("id", T, "the claim's id in the files that the item comes from"),
        Field("system", T, "whose evidence it is", True),
        Field("rater", T, "the rater's pseudonym"),
        Field("team", T, "the rater's team", True),
        Field("timestamp", T, "when it was submitted, UTC", True),
        _CONTROL,
        Field("claim", T, "the claim's text"),
        Field("error", T, "the answer to the first question"),
        Field("verdict", T, "the rater's verdict", True),
        Field("ratings", J, "the rating on each scale; null where there is none"),
        Field("support", T, "the passage that the rater copied", True),
        Field("comment", T, "the rater's comment", True),
        Field("evidence", J, "question and answer of each pair of the predicted evidence"),
    ),
    "label-studio.json": (
        Field("data", J, "id, system, control, claim and evidence"),
        Field("annotations", J, "one of each rater: error, verdict and scales, then pseudonym, support and comment"),
    ),
    "argilla.json": (
        Field("id", T, "the item's id and system"),
        Field("fields", J, "claim and evidence"),
        Field("metadata", J, "item, system and control"),
        Field("suggestions", J, "empty"),
        Field("responses", J, "value and user of each answer, by question"),
        Field("vectors", J, "empty"),
    ),
    "items.jsonl": (
        *(field for field in TABLES["items"] if field.name not in ("position", "practice")),
        Field("id", T, "the item's id on this server"),
    ),
    "raters.csv": (
        Field("Rater", T, "the rater's pseudonym"),
        Field("Team", T, "the rater's team", True),
        Field("Submitted", W, "how many ratings were submitted"),
        Field("Begun", W, "how many items were opened and not submitted"),
        Field("Seconds a rating", N, "the median time of a rating", True),
        Field("Practice right", T, "right answers to practice items", True),
        Field("Controls right", T, "right answers to control items", True),
        Field("Same on all scales", N, "the share of items with one rating on every scale", True),
        Field("Signs of carelessness", T, "striking facts, with numbers", True),
    ),
    "items.csv": (
        Field("Item", T, "the claim's id in the files that the item comes from"),
        Field("System", T, "whose evidence it is"),
        Field("Drawn from", T, "the group that it was drawn from"),
        Field("Claim", T, "the claim's text"),
        Field("Submitted", W, "how many ratings were submitted"),
        Field("Begun", W, "how many raters opened it and did not submit"),
        Field("Wanted", W, "how many ratings it is to have"),
    ),
    "win-rates.csv": (
        Field("Question", T, "the question's title"),
        Field("System", T, "the system"),
        Field("Compared", W, "how many answers are about the system"),
        *(Field(name, W, f"how many of them are {name.lower()}; of a pairwise form") for name in WINS),
        Field("Win rate", N, "wins and half of the ties, by answers; of a pairwise form"),
        *(Field(name, W, f"how many chose it as {name.lower()}; of a best-worst form") for name in ENDS),
        Field("Score", N, "best minus worst, by answers; of a best-worst form"),
    ),
    "links.csv": (
        Field("Name", T, "the name that the organiser gave", True),
        Field("Rater", T, "the rater's pseudonym"),
        Field("Link", T, "the rater's link: it lets anybody rate as this person"),
    ),
    "data_dictionary": (
        Field("table", T, "the table or file"),
        Field("column", T, "the column, or the field of an object"),
        Field("kind", T, "the kind of its values"),
        Field("meaning", T, "its meaning"),
    ),
}
"""The columns of all other exports, by the file's name. Medians and settled ratings have those of ratings.csv."""

OF_SHARED_TASK = ("Major errors", "Label", "Supporting text")
"""The columns of ratings.csv that a form of one's own does not have."""
SHOWN = Field("Shown order", T, "the compared systems in the order in which the rater saw them: A, B, …", True)
LINES_SHOWN = Field("shown_order", J, "the compared systems in the order in which the rater saw them: A, B, …", True)
OWN_LINES = Field("own", J, "the answers by question; its name is the title of the column in ratings.csv")
MEANINGS = {
    Measure.NOMINAL: "one of the labels, which have no order",
    Measure.ORDINAL: "the number or label; they have an order",
    Measure.INTERVAL: "the number; the steps between numbers are equal",
    Measure.CHOICE: "the id of the chosen system, or tie",
    Measure.TEXT: "the text that the rater wrote",
    Measure.SPANS: "places in the item's evidence, pair:start-end: the pair from 1, characters of its answer from 0",
}
"""The answers to a question of one's own, by its measure."""

OF_ITEM = ("item", "system", "claim", "predicted", "gold", "control", "practice", "stratum")
OF_RATING = ("position", "opened", "submitted", "seconds", "counted")
QUESTIONS = {
    "error": "the answer on major errors",
    "verdict": "the rater's verdict",
    "support": "the passage that the rater copied",
    "comment": "the rater's comment",
    "cannot_judge": "why the rater could not judge it",
    "flag": "the rater's remark to the organisers",
}


def wide_fields(scales: Sequence[str], own: Sequence[OwnQuestion] = ()) -> tuple[Field, ...]:
    """Return the columns of ratings_wide for a form with these scales, or with questions of one's own.

    They are item, rater, rating, answers, and the answers' seconds.
    """
    items, ratings = ({field.name: field for field in TABLES[name]} for name in ("items", "ratings"))
    first = {name: QUESTIONS[name] for name in ("error", "verdict", "support")}
    last = {name: QUESTIONS[name] for name in ("comment", "cannot_judge", "flag")}
    questions = first | dict.fromkeys(scales, "the rating from 1 to 5") | last
    if own:
        questions = {one.name: MEANINGS[one.measure] for one in own} | last
    whole = {*scales, *(one.name for one in own if one.is_scale)}
    return (
        *(items[name] for name in OF_ITEM),
        _RATER,
        *(ratings[name] for name in OF_RATING),
        Field("excluded", T, "why it is excluded; empty where it counts", True),
        *(Field(name, W if name in whole else T, meaning, True) for name, meaning in questions.items()),
        *(Field(f"seconds {name}", N, f"how long {name} was in view before its answer", True) for name in questions),
        Field("predicted evidence", T, "questions and answers as one text"),
        Field("reference evidence", T, "likewise, of the annotated evidence"),
    )


def names_of(table: str) -> tuple[str, ...]:
    """Return the names of a table's columns."""
    return tuple(field.name for field in TABLES[table])


def rating_fields(scales: Sequence[str], own: Sequence[OwnQuestion] = ()) -> tuple[Field, ...]:
    """Return the columns of ratings.csv for a form with these scales, or with questions of one's own."""
    if not own:
        return (*RATINGS_CSV, *(Field(scale, W, "the rating from 1 to 5", True) for scale in scales))
    asked = (Field(one.title, W if one.is_scale else T, MEANINGS[one.measure], True) for one in own)
    shown = (SHOWN,) if any(one.measure is Measure.CHOICE for one in own) else ()
    return (*(field for field in RATINGS_CSV if field.name not in OF_SHARED_TASK), *asked, *shown)


def dictionary_csv(scales: Sequence[str], own: Sequence[OwnQuestion] = ()) -> str:
    """Return the dictionary of every export as CSV, for a form with these scales or questions of one's own."""
    return csv_text([field.name for field in FILES["data_dictionary"]], dictionary_rows(scales, own))


def dictionary_rows(scales: Sequence[str] = (), own: Sequence[OwnQuestion] = ()) -> list[tuple[str, str, str, str]]:
    """Return (table, column, kind, meaning) of every column of every export, as `dictionary_csv`."""
    rated = {"ratings.csv": rating_fields(scales, own)}
    if own:
        lines = [one for one in FILES["ratings.jsonl"] if one.name not in ("error", "verdict", "ratings", "support")]
        rated["ratings.jsonl"] = (*lines, OWN_LINES, LINES_SHOWN)
    rows = []
    for table, fields in (TABLES | {"ratings_wide": wide_fields(scales, own)} | FILES | rated).items():
        for field in fields:
            kind = f"{field.kind}, may be empty" if field.optional else str(field.kind)
            rows.append((table, field.name, kind, field.meaning))
    return rows
