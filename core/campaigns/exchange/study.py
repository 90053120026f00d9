"""A whole study as tables: everything that a campaign holds but names and addresses, and back into a campaign.

Texts, numbers and times are exported as they are in the database. So importing an export gives the same study to the
last digit. `core.campaigns.exchange.study_files` writes and reads the tables as files.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Row, Table, select

from core.agreement.own_questions import BETWEEN_SYSTEMS
from core.campaigns.access import require_organiser
from core.campaigns.exchange.dictionary import names_of
from core.campaigns.organising import organised
from core.campaigns.planning.options import CampaignOptions
from core.campaigns.planning.rating_form import Form, checked_answer
from core.campaigns.redeeming import storable
from core.campaigns.types import CampaignState
from core.errors import BadInput
from core.storage.ids import new_id
from core.storage.store import Store
from core.storage.tables import (
    adjudications,
    answer_history,
    answers,
    assignments,
    campaign_items,
    campaigns,
    exclusions,
    people,
    raters,
)

Rows = list[dict[str, Any]]
Study = Mapping[str, Rows]
"""By table, rows with the columns that `core.campaigns.exchange.dictionary` describes."""

STORED: dict[str, Table] = {
    "items": campaign_items,
    "raters": raters,
    "ratings": assignments,
    "answers": answers,
    "history": answer_history,
    "adjudications": adjudications,
    "exclusions": exclusions,
}
"""The tables of a study that are the database's, in the order in which they refer to each other."""
ORDER = {"items": "position", "raters": "pseudonym", "history": "id", "exclusions": "id"}


def study_of(store: Store, campaign: str, owner: str) -> Study:
    """Return everything of a campaign; items are known by their position, raters by their pseudonym."""
    with store.transaction() as connection:
        found = organised(connection, campaign, owner)
        rows = {name: _rows(connection, table, campaign, ORDER.get(name)) for name, table in STORED.items()}
    items = {row.id: row.position for row in rows["items"]}
    pseudonyms = {row.id: row.pseudonym for row in rows["raters"]}
    study: dict[str, Rows] = {"campaign": [_known("campaign", found, {}, {})]}
    for name in STORED:
        study[name] = [_known(name, row, items, pseudonyms) for row in rows[name]]
    # By names that do not change with an import, as the ids of items and raters do.
    study["ratings"].sort(key=lambda row: (row["rater"], row["position"]))
    study["answers"].sort(key=lambda row: (row["rater"], row["item"], row["question"]))
    study["adjudications"].sort(key=lambda row: (row["saved"], row["item"], row["question"]))
    return study


def create_from_study(store: Store, owner: str, study: Study) -> str:
    """Create a campaign from the tables of `study_of`, and return its id; nobody has a link to it.

    Raises BadInput naming the unusable parts. All is kept, or nothing.
    """
    try:
        (head,) = study["campaign"]
        checked_study(head, study)
        campaign = new_id()
        items = {row["position"]: new_id() for row in study["items"]}
        ids = {row["pseudonym"]: new_id() for row in study["raters"]}
        with store.transaction(writing=True) as connection:
            require_organiser(connection, owner)
            connection.execute(campaigns.insert().values(head | {"id": campaign, "owner": owner}))
            for name, table in STORED.items():
                rows = [_stored(name, row, campaign, owner, items, ids) for row in study[name]]
                if rows:
                    connection.execute(table.insert(), rows)
            nobody = {"campaign": campaign, "name": "", "address": ""}
            if ids:
                connection.execute(people.insert(), [nobody | {"rater": rater} for rater in ids.values()])
    except KeyError as error:
        raise BadInput(f"The study lacks {error}, or refers to something that it lacks: export it again.") from error
    except ValueError as error:
        raise BadInput(f"The study cannot be used ({error}): export it again.") from error
    return campaign


def checked_study(head: Mapping[str, Any], study: Study) -> None:
    """Raise BadInput or ValueError for a study that no campaign can hold."""
    form = Form.from_json(head["form"])
    CampaignOptions.from_json(head["options"])
    CampaignState(head["state"])
    for name, rows in study.items():
        for row in rows:
            for value in row.values():
                if isinstance(value, str):
                    storable(value, f"A row of {name}")
    systems = {row["position"]: row["system"].split(BETWEEN_SYSTEMS) for row in study["items"]}
    for name in ("answers", "history", "adjudications"):
        for row in study[name]:
            checked_answer(form.bound(systems[row["item"]]), row["question"], json.loads(row["value"]))


def _rows(connection: Connection, table: Table, campaign: str, order: str | None) -> Sequence[Row[Any]]:
    wanted = select(table).where(table.c.campaign == campaign)
    return connection.execute(wanted.order_by(table.c[order]) if order else wanted).all()


def _known(name: str, row: Row[Any], items: Mapping[str, int], pseudonyms: Mapping[str, str]) -> dict[str, Any]:
    """Return a row as a study has it."""
    known: dict[str, Any] = {}
    for column in names_of(name):
        value = row._mapping[column]
        if column == "item" and name != "items":
            value = items.get(value)  # an exclusion of a whole rater has no item
        known[column] = pseudonyms[value] if column == "rater" else value
    return known


def _stored(
    name: str, row: Mapping[str, Any], campaign: str, owner: str, items: Mapping[int, str], ids: Mapping[str, str]
) -> dict[str, Any]:
    """Return a row as the database has it."""
    stored = dict(row) | {"campaign": campaign}
    if name == "items":
        return stored | {"id": items[row["position"]]}
    if name == "raters":
        return stored | {"id": ids[row["pseudonym"]]}
    if name in ("adjudications", "exclusions"):
        stored["owner"] = owner
    stored["item"] = "" if name == "exclusions" and row["item"] is None else items[row["item"]]
    return stored | ({"rater": ids[row["rater"]]} if "rater" in row else {})
