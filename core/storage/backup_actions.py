"""Back up the database that is set, and restore it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from core.actions.action import Action, ActionContext
from core.actions.fields import Help, Place, Reads, Writes
from core.settings import settings


@dataclass(frozen=True)
class Copied:
    """A backup that was written or read: its file, its time (ISO 8601, UTC), and its number of rows per table."""

    file: str
    created: str
    rows: dict[str, int]

    @property
    def size(self) -> str:
        return f"{sum(self.rows.values()):,} rows"


@dataclass(frozen=True)
class BackUp:
    """Write everything in the database to one file."""

    file: Annotated[Path, Place("FILE"), Writes(), Help("the ZIP file to write; it must not exist yet")]


@dataclass(frozen=True)
class Restore:
    """Fill the database that is set, of either kind, from a backup."""

    file: Annotated[Path, Place("FILE"), Reads(), Help("a file that `backup` wrote; stop the server first")]
    replace: Annotated[bool, Help("delete what the database holds now")] = False


def back_up(request: BackUp, context: ActionContext) -> Copied:
    from core.storage import backup, store  # SQLAlchemy: `--help` should not wait for it

    made = backup.back_up(store.Store(settings().database_url), request.file)
    return Copied(str(request.file), made.created, made.rows)


def restore(request: Restore, context: ActionContext) -> Copied:
    from core.storage import backup, store

    made = backup.restore(store.Store(settings().database_url), request.file, replace=request.replace)
    return Copied(str(request.file), made.created, made.rows)


def written(made: Copied) -> str:
    return (
        f"{made.size} written to {made.file}.\nIt holds all cases, campaigns and ratings, with raters' names and "
        "addresses: keep it where only you can\nread it. Models, indexes and settings are not in it."
    )


def restored(made: Copied) -> str:
    return f"{made.size} restored, as they were at {made.created}."


BACKUP = Action("backup", BackUp, back_up, written, json_help="the number of rows of each table")
RESTORE = Action("restore", Restore, restore, restored, json_help="the number of rows of each table")
