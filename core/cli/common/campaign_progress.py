"""The progress of a campaign, for the terminal and as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict

from core.campaigns.progress import SECONDS_A_MINUTE, CampaignProgress, RaterProgress, practice_in_words
from core.campaigns.reliability import signs_of_carelessness
from core.tabular.exports import to_text
from core.tabular.table import Column, Table

NAMES = {"inter-rater": "agreement", "win-rates": "systems"}
"""The tables' keys in JSON."""


def progress_json(now: CampaignProgress, tables: Sequence[Table]) -> str:
    """Return the figures, the raters, and the tables: how far raters agree, and the systems compared, if any were."""
    return json.dumps(
        {
            "submitted": now.submitted,
            "wanted": now.wanted,
            "minutes": now.minutes,
            "nobody_left": now.nobody_left,
            "raters": [
                _rater_row(one) | {"signs": signs_of_carelessness(one, now.minutes, now.words)} for one in now.raters
            ],
        }
        | {NAMES.get(table.name, table.name): _records(table) for table in tables},
        ensure_ascii=False,
    )


def progress_text(title: str, now: CampaignProgress, tables: Sequence[Table]) -> str:
    """Return the figures, one line per rater, and the tables."""
    seconds = "" if now.minutes is None else f", {now.minutes * SECONDS_A_MINUTE:.0f} seconds each (median)"
    head = f"{title}: {now.submitted} of {now.wanted} ratings{seconds}."
    head += f" {now.nobody_left}" if now.nobody_left else ""
    rows = tuple(
        (
            one.rater,
            one.team,
            f"{one.submitted} of {one.opened}",
            None if one.minutes is None else one.minutes * SECONDS_A_MINUTE,
            practice_in_words(one.practice),
            f"{one.controls.correct} of {one.controls.answered}" if one.controls and one.controls.answered else None,
            None if one.uniform_share is None else 100 * one.uniform_share,
            "; ".join(signs_of_carelessness(one, now.minutes, now.words)),
        )
        for one in now.raters
    )
    columns = (
        *(Column(title) for title in ("Rater", "Team", "Submitted")),
        Column("Seconds", 0),
        Column("Practice right"),
        Column("Controls right"),
        Column("All scales alike", 0, "%"),
        Column("Signs of carelessness"),
    )
    table = Table("raters", "Raters", columns, rows)
    return "\n\n".join([head, to_text(table), *map(to_text, tables)] if rows else [head, "Nobody is invited yet."])


def _records(table: Table) -> list[dict[str, object]]:
    titles = [column.title for column in table.columns]
    return [dict(zip(titles, row, strict=True)) for row in table.rows]


def _rater_row(one: RaterProgress) -> dict[str, object]:
    controls = one.controls
    return {
        "rater": one.rater,
        "team": one.team,
        "opened": one.opened,
        "submitted": one.submitted,
        "minutes": one.minutes,
        "controls_answered": controls.answered if controls else 0,
        "controls_correct": controls.correct if controls else 0,
        "uniform_share": one.uniform_share,
        "practice": one.practice and asdict(one.practice),
    }
