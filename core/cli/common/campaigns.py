"""Parts that the commands on rating campaigns share: the database as its organiser, and campaigns by name."""

from __future__ import annotations

from core.campaigns.access import command_line
from core.campaigns.organising import all_campaigns
from core.errors import BadInput
from core.settings import settings
from core.storage.store import Store


def open_as_organiser() -> tuple[Store, str]:
    """Return the database's ratings, and the owner that the command line acts as: an organiser."""
    store = Store(settings().database_url)
    return store, command_line(store)


def campaign_named(store: Store, owner: str, name: str) -> str:
    """Return the id of the campaign of this id, beginning of an id, or title. Raises BadInput if not exactly one."""
    lines = all_campaigns(store, owner)
    exact = [line.id for line in lines if name in (line.id, line.title)]
    found = exact or [line.id for line in lines if name and line.id.startswith(name)]
    if len(found) != 1:
        several = "Several campaigns are" if found else "No campaign is"
        raise BadInput(f"{several} named {name!r}: `python -m core campaign list` shows their ids.")
    return found[0]
