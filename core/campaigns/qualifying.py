"""How raters did in the qualification round, for the organiser."""

from __future__ import annotations

import json
from collections import Counter, defaultdict

from sqlalchemy import select

from core.campaigns.organising import organised
from core.campaigns.planning.form import Answer
from core.campaigns.planning.options import CampaignOptions
from core.campaigns.planning.plans import ControlKey
from core.campaigns.types import Practice
from core.storage.store import Store
from core.storage.tables import answers, assignments, campaign_items, raters


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
