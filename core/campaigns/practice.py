"""The qualification round: practice items before all others, their right answers, and the pass mark."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from sqlalchemy import Connection, select

from core.campaigns.organising import organised
from core.campaigns.planning.form_questions import Answer
from core.campaigns.planning.options import CampaignOptions
from core.campaigns.planning.plans import ControlKey
from core.campaigns.planning.rating_form import ERROR, VERDICT, Form
from core.campaigns.rater_context import Held, RaterContext
from core.campaigns.types import Feedback, Practice
from core.storage.store import Store
from core.storage.tables import answers, assignments, campaign_items, raters


def practice_of(connection: Connection, context: RaterContext) -> Practice:
    """Return how far the rater came with the practice items, and how many they answered as expected."""
    total = len(_items(connection, context.campaign))
    if not total:
        return Practice(0, 0, 0, 0)
    keys, given = _keys_told(connection, context), _answers(connection, context)
    right = sum(not key.wrong(given.get(item, {})) for item, key in keys.items())
    return Practice(len(keys), total, right, context.options.pass_mark)


def assign_practice(connection: Connection, context: RaterContext, now: float) -> str:
    """Give the rater the next practice item and return its id. There must be one left; the campaign must be locked."""
    mine = select(assignments.c.item).where(assignments.c.rater == context.rater, assignments.c.position < 0)
    had = set(connection.scalars(mine))
    item = next(item for item in _items(connection, context.campaign) if item not in had)
    row = {"campaign": context.campaign, "item": item, "rater": context.rater, "position": -len(had) - 1}
    connection.execute(assignments.insert().values(row | {"opened": now, "touched": now, "seconds": 0.0}))
    return item


def feedback(connection: Connection, held: Held, given: Mapping[str, Answer]) -> tuple[Feedback, ...]:
    """Return the key's remark on each question that it checks, once the item is submitted."""
    if not held.practice or held.submitted is None:
        return ()
    key = _keys_told(connection, held.context)[held.item]
    wrong, said = key.wrong(given), held.shown(given)
    key = replace(key, own={name: str(right) for name, right in held.shown(key.own).items()})
    return tuple(
        Feedback(title, str(said.get(name, "no answer")), expected, name not in wrong)
        for name, (title, expected) in _expected(key, held.form).items()
    )


def _expected(key: ControlKey, form: Form) -> dict[str, tuple[str, str]]:
    """Return, by question that the key checks, its title and the right answer."""
    titles = form.titles
    checked = {ERROR: ("Major errors", str(key.error))} if key.error is not None else {}
    if key.verdict is not None:
        checked[VERDICT] = ("Verdict", str(key.verdict))
    for name, (low, high) in key.scales.items():
        if name in titles:
            checked[name] = (titles[name], str(low) if low == high else f"{low} to {high}")
    return checked | {name: (titles[name], right) for name, right in key.own.items() if name in titles}


def _items(connection: Connection, campaign: str) -> Sequence[str]:
    table = campaign_items.c
    return connection.scalars(
        select(table.id).where(table.campaign == campaign, table.practice).order_by(table.position)
    ).all()


def _keys_told(connection: Connection, context: RaterContext) -> dict[str, ControlKey]:
    """Return the keys of the practice items that the rater has submitted: no others are read on a rater's behalf."""
    table, mine = campaign_items.c, assignments.c
    wanted = select(table.id, table.control_key).join(assignments, mine.item == table.id)
    wanted = wanted.where(table.practice, mine.campaign == context.campaign, mine.rater == context.rater)
    rows = connection.execute(wanted.where(mine.submitted.is_not(None)))
    return {row.id: ControlKey.from_json(json.loads(row.control_key)) for row in rows}


def _answers(connection: Connection, context: RaterContext) -> dict[str, dict[str, Answer]]:
    table = answers.c
    wanted = (
        select(table.item, table.question, table.value)
        .join(campaign_items, campaign_items.c.id == table.item)
        .where(table.campaign == context.campaign, table.rater == context.rater, campaign_items.c.practice)
    )
    given: dict[str, dict[str, Answer]] = {}
    for row in connection.execute(wanted):
        given.setdefault(row.item, {})[row.question] = json.loads(row.value)
    return given


def practised(store: Store, campaign: str, owner: str) -> dict[str, Practice]:
    """Return, by pseudonym, how far each rater came with the practice items; empty where there are none."""
    table, held = campaign_items.c, assignments.c
    keys = select(table.id, table.control_key).where(table.campaign == campaign, table.practice)
    submitted = select(held.item, held.rater).where(held.campaign == campaign, held.position < 0)
    given = select(answers).join(campaign_items, table.id == answers.c.item)
    with store.transaction() as connection:
        pass_mark = CampaignOptions.from_json(organised(connection, campaign, owner).options).pass_mark
        wanted = {row.id: ControlKey.from_json(json.loads(row.control_key)) for row in connection.execute(keys)}
        people = connection.execute(select(raters.c.id, raters.c.pseudonym).where(raters.c.campaign == campaign)).all()
        done = connection.execute(submitted.where(held.submitted.is_not(None))).all()
        rows = connection.execute(given.where(answers.c.campaign == campaign, table.practice)).all()
    said: defaultdict[tuple[str, str], dict[str, Answer]] = defaultdict(dict)
    for row in rows:
        said[row.item, row.rater][row.question] = json.loads(row.value)
    tried = Counter(row.rater for row in done)
    right = Counter(row.rater for row in done if not wanted[row.item].wrong(said[row.item, row.rater]))
    if not wanted:
        return {}
    return {one.pseudonym: Practice(tried[one.id], len(wanted), right[one.id], pass_mark) for one in people}
