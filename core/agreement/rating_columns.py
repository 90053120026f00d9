"""What the columns of a rating form's export mean: long questions as titles, short names, or our own."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

# The shared task's scales, both editions. A form may have more: see `custom_scales`.
SCALES = ("semantic_coverage", "coherence", "redundancy", "consistency", "relevance")
SCALE_TITLES = {
    "semantic_coverage": "Semantic coverage",
    "coherence": "Coherence",
    "redundancy": "Redundancy",
    "consistency": "Consistency",
    "relevance": "Relevance",
}


def _is(*names: str) -> Callable[[str], bool]:
    return lambda title: title in names


def _asks(*words: str) -> Callable[[str], bool]:
    return lambda title: any(word in title for word in words)


# In order: the first test that a title passes gives its meaning, the first title with a meaning keeps it.
_MEANINGS: tuple[tuple[str, Callable[[str], bool]], ...] = (
    ("timestamp", _is("timestamp", "time", "submitted")),
    ("rater", _is("email address", "e-mail address", "email", "username", "rater", "annotator", "user")),
    ("team", _is("team", "team name", "your team")),
    ("error", _asks("major errors", "predicted evidence errors")),
    ("support", _asks("please copy from the field", "supporting text")),
    ("verdict", _asks("decide if the claim")),
    ("verdict", _is("label", "label majority", "verdict", "label human eval")),
    ("item", _is("id", "claim id", "item", "enter claim id below")),
    ("claim", _is("claim", "enter claim below")),
    ("evidence", _is("predicted evidence", "enter the predicted evidence text below")),
    ("reference", _is("reference evidence")),
    ("predicted", _is("predicted label", "pred label")),
    ("system", _is("system", "rated system")),
    ("comment", _is("comment", "comments")),
    ("semantic_coverage", _is("semantic coverage", "coverage")),
    ("coherence", _is("coherence")),
    ("redundancy", _is("redundancy")),
    ("consistency", _is("consistency")),
    ("relevance", _is("relevance", "relevance to claim")),
)


def meanings(titles: Sequence[str]) -> dict[str, int]:
    """Return meaning → column for the titles that are understood; the first of several with one meaning."""
    found: dict[str, int] = {}
    for column, title in enumerate(titles):
        plain = _plain(title)
        meaning = next((name for name, test in _MEANINGS if test(plain)), None)
        if meaning is not None:
            found.setdefault(meaning, column)
    return found


def custom_scales(titles: Sequence[str], rows: Sequence[Sequence[str]], known: Sequence[int]) -> dict[str, int]:
    """Return name → column of further scales: columns that hold nothing but whole numbers from 1 to 10."""
    found: dict[str, int] = {}
    for column, title in enumerate(titles):
        cells = [row[column].strip() for row in rows if row[column].strip()]
        if column not in known and title and cells and all(re.fullmatch(r"([1-9]|10)(\.0+)?", cell) for cell in cells):
            found.setdefault(_plain(title).replace(" ", "_"), column)
    return found


def _plain(title: str) -> str:
    """Return a title in lower case without numbering, brackets, stars and final punctuation."""
    text = re.sub(r"^\s*\d+[.)]\s*", "", title.lower())
    text = re.sub(r"[\[\]*_:]", " ", text)
    return " ".join(text.split()).rstrip(" .?")
