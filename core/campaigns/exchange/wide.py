"""A study as one table for analysis: a row a rating, with every answer, its time, labels, evidence and exclusion."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from core.campaigns.exchange.rating_exports import evidence_text
from core.campaigns.exchange.study import Study
from core.campaigns.planning.form import CANNOT_JUDGE, COMMENT, ERROR, FLAG, SUPPORT, VERDICT
from core.campaigns.planning.plans import pairs_from_json

OF_ITEM = ("item", "system", "claim", "predicted", "gold", "control", "practice", "stratum")
OF_RATING = ("position", "opened", "submitted", "seconds", "counted")


def wide_rows(study: Study) -> list[Sequence[Any]]:
    """Return the titles and a row for each rating, finished or not.

    Each question has its answer and, as "seconds NAME", how long it was in view; `excluded` is the reason.
    """
    scales = [scale["name"] for scale in json.loads(study["campaign"][0]["form"])]
    questions = [ERROR, VERDICT, SUPPORT, *scales, COMMENT, CANNOT_JUDGE, FLAG]
    items = {row["position"]: row for row in study["items"]}
    answers = {(row["rater"], row["item"], row["question"]): row for row in study["answers"]}
    excluded = _excluded(study)
    titles = [*OF_ITEM, "rater", *OF_RATING, "excluded"]
    rows: list[Sequence[Any]] = [
        [*titles, *questions, *(f"seconds {name}" for name in questions), "predicted evidence", "reference evidence"]
    ]
    for rating in study["ratings"]:
        item, rater = items[rating["item"]], rating["rater"]
        given = [answers.get((rater, rating["item"], question)) for question in questions]
        rows.append(
            [
                *(item[name] for name in OF_ITEM),
                rater,
                *(rating[name] for name in OF_RATING),
                excluded.get((rater, rating["item"])) or excluded.get((rater, None), ""),
                *(json.loads(one["value"]) if one else None for one in given),
                *(one["seconds"] if one else None for one in given),
                *(evidence_text(pairs_from_json(item[name])) for name in ("evidence", "reference")),
            ]
        )
    return rows


def _excluded(study: Study) -> dict[tuple[str, int | None], str]:
    """Return the reasons of current exclusions, by rater and item (None: everything of the rater)."""
    newest = {(row["rater"], row["item"]): row for row in study["exclusions"]}
    return {key: row["reason"] for key, row in newest.items() if row["excluded"]}
