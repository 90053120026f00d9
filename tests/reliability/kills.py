"""A piece of work that is killed at each of its writes in turn: `python -m tests.reliability.kills NAME FOLDER`.

In the Nth try the process at work is killed (SIGKILL) at its Nth write: a statement that changes the database, a
commit, a file opened for writing, renamed or deleted. Another process then looks at what is there. Ends once the work
came to its end, and prints how often it was killed.
"""

import os
import shutil
import signal
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sqlalchemy import event, func, select, text
from sqlalchemy.engine import Engine

from core.__main__ import main
from core.campaigns.command_work import open_as_organiser
from core.campaigns.organising import all_campaigns, load_campaign
from core.files import ASSETS
from core.retrieval.kept_index import KeptIndex, open_index
from core.settings import settings
from core.storage import migrating
from core.storage.backup import back_up
from core.storage.store import Store
from core.storage.tables import campaign_items, campaigns, drafts
from core.types import Document
from tests.retrieval.test_index import LetterEncoder, tiny_static

MOVING = ("os.rename", "os.remove", "os.mkdir", "os.truncate")
READING = ("SELECT", "PRAGMA", "BEGIN")
MAX_KILLS = 300
ITEMS = str(ASSETS / "agreement" / "scores.csv")
ITEM_COUNT = 36
DRAFTS = 600
REVISION = """
import sqlalchemy as sa
from alembic import op

revision = "9999"
down_revision = "NEWEST"

def upgrade() -> None:
    op.add_column("drafts", sa.Column("note", sa.Text(), nullable=False, server_default="none"))
    op.execute("update drafts set note = owner")
"""


@dataclass(frozen=True)
class Case:
    """Work on a home that was prepared, and what must be true of the home however the work ended."""

    prepare: Callable[[], None]
    work: Callable[[], int]
    look: Callable[[bool], None]


def store() -> Store:
    return Store(settings().database_url)


def command(*words: str) -> None:
    assert main(list(words)) == 0, words


def an_organiser() -> None:
    open_as_organiser()


def create_a_campaign() -> int:
    return main(["campaign", "create", "--title", "Pilot", "--items", ITEMS])


def a_campaign_is_whole_or_not_there(done: bool) -> None:
    here, owner = open_as_organiser()
    with here.transaction() as connection:
        counts = [connection.scalar(select(func.count()).select_from(table)) for table in (campaigns, campaign_items)]
    assert counts in ([0, 0], [1, ITEM_COUNT]), counts
    assert counts[0] == 1 or not done
    for line in all_campaigns(here, owner):
        assert len(load_campaign(here, line.id, owner).plan.items) == ITEM_COUNT


def many_drafts() -> None:
    here = store()
    for number in range(DRAFTS):
        here.save_draft(f"owner {number}", "verify", {"text": str(number)})


def a_backup_and_other_drafts() -> None:
    many_drafts()
    back_up(store(), settings().home / "backup.zip")
    store().save_draft("newest", "verify", {"text": "saved after the backup"})


def restore_it() -> int:
    return main(["restore", str(settings().home / "backup.zip"), "--replace"])


def all_is_old_or_new(done: bool) -> None:
    with store().transaction() as connection:
        count = connection.scalar(select(func.count()).select_from(drafts))
    assert count == DRAFTS if done else count in (DRAFTS, DRAFTS + 1)


def drafts_and_a_newer_program() -> None:
    many_drafts()
    folder = settings().home / "newer"
    shutil.copytree(migrating.FOLDER, folder, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "versions" / "notes.py").write_text(REVISION.replace("NEWEST", migrating.newest()))


def migrate() -> int:
    migrating.FOLDER = settings().home / "newer"
    store()
    return 0


def the_tables_can_be_brought_up_to_date(done: bool) -> None:
    migrate()
    with store().transaction() as connection:
        assert connection.scalar(text("select version_num from alembic_version")) == "9999"
        assert connection.scalar(text("select count(*) from drafts where note = owner")) == DRAFTS


def nothing() -> None:
    settings().indexes.mkdir(parents=True)


def opened() -> KeptIndex:
    documents = [Document(f"u{number}", f"Sentence {number} is about towers. It is tall.") for number in range(50)]
    return open_index(settings().indexes, documents, LetterEncoder(), static=tiny_static)


def build_an_index() -> int:
    index = opened()
    index.fill()
    index.link()
    return 0


def an_index_is_whole_or_built_again(done: bool) -> None:
    kept = list(settings().indexes.glob("[!.]*"))
    assert len(kept) == 1 if done else len(kept) <= 1
    index = opened()
    index.link()
    everywhere = range(len(index.passages))
    expected = LetterEncoder().encode([passage.text for passage in index.passages])
    assert np.array_equal(index.vectors(everywhere), expected)
    assert len(index.search_dense("tall towers", k=3)[0]) == 3


CASES = {
    "campaign": Case(an_organiser, create_a_campaign, a_campaign_is_whole_or_not_there),
    "restore": Case(a_backup_and_other_drafts, restore_it, all_is_old_or_new),
    "migration": Case(drafts_and_a_newer_program, migrate, the_tables_can_be_brought_up_to_date),
    "index": Case(nothing, build_an_index, an_index_is_whole_or_built_again),
}


def die_at(number: int) -> None:
    """Have this process killed at its `number`th write."""
    home, left = str(settings().home), [number]

    def count(*_: Any) -> None:
        left[0] -= 1
        if left[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def audit(name: str, arguments: tuple[Any, ...]) -> None:
        writes = name in MOVING or (name == "open" and set(str(arguments[1])) & set("wax+"))
        if writes and str(arguments[0]).startswith(home):
            count()

    def statement(_connection: Any, _cursor: Any, words: str, *_: Any) -> None:
        if not words.lstrip().upper().startswith(READING):
            count()

    sys.addaudithook(audit)
    event.listen(Engine, "before_cursor_execute", statement)
    event.listen(Engine, "commit", count)


def apart(work: Callable[[], int | None], home: Path, number: int = 0) -> int:
    """Do something with this home in a copy of this process; return its status, or minus the signal that ended it."""
    process = os.fork()
    if process == 0:
        os.environ["VERIDESK_HOME"] = str(home)
        status = 99
        try:
            if number:
                die_at(number)
            status = work() or 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def kills(case: Case, folder: Path) -> int:
    """Return how often the work was killed until it came to its end."""
    first = folder / "first"
    assert apart(case.prepare, first) == 0
    for number in range(1, MAX_KILLS):
        home = folder / str(number)
        shutil.copytree(first, home)
        status = apart(case.work, home, number)
        assert status in (0, -signal.SIGKILL), f"write {number}: status {status}"
        assert apart(lambda done=status == 0: case.look(done), home) == 0, f"after write {number}"  # type: ignore[misc]
        shutil.rmtree(home)
        if status == 0:
            return number - 1
    raise AssertionError(f"It was killed {MAX_KILLS} times and did not end.")


if __name__ == "__main__":
    print(kills(CASES[sys.argv[1]], Path(sys.argv[2])))
