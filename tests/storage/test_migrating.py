"""Revisions of the tables: applied once, after a backup, with all data kept; a newer database is refused."""

import json
import shutil
import sqlite3
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import text

from core.errors import StoreError
from core.storage import migrating
from core.storage.migrating import newest
from core.storage.store import Store
from core.storage.tables import metadata

NOW = newest()
LATER = """
import sqlalchemy as sa
from alembic import op

revision = "9999"
down_revision = "NEWEST"

def upgrade() -> None:
    op.add_column("drafts", sa.Column("note", sa.Text(), nullable=False, server_default="none"))
"""


@pytest.fixture
def later(tmp_path: Path) -> Path:
    """The migrations of a program with one revision more."""
    folder = tmp_path / "later"
    shutil.copytree(migrating.FOLDER, folder, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "versions" / "notes.py").write_text(LATER.replace("NEWEST", NOW))
    return folder


def test_a_new_database_has_the_tables_of_the_program(database_url: str) -> None:
    with Store(database_url).engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []


def test_an_older_database_is_backed_up_and_migrated_with_its_data(
    database_url: str, later: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VERIDESK_HOME", str(tmp_path / "home"))
    Store(database_url).save_draft("a", "verify", {"text": "x"})
    monkeypatch.setattr(migrating, "FOLDER", later)
    store = Store(database_url, clock=lambda: 1_700_000_000.0)
    with store.transaction() as connection:
        assert connection.execute(text("select owner, form, note from drafts")).all() == [("a", "verify", "none")]
        assert connection.scalar(text("select version_num from alembic_version")) == "9999"
    assert store.draft("a", "verify") == {"text": "x"}
    if database_url.startswith("sqlite"):
        with sqlite3.connect(f"{store.engine.url.database}.before-9999-1700000000") as copy:
            assert copy.execute("select version_num from alembic_version").fetchall() == [(NOW,)]
            assert copy.execute("select content from drafts").fetchall() == [('{"text": "x"}',)]
    else:
        with zipfile.ZipFile(tmp_path / "home" / "veridesk-before-9999-1700000000.zip") as archive:
            assert json.loads(archive.read("manifest.json"))["schema"] == int(NOW)
            assert json.loads(archive.read("drafts.jsonl"))["content"] == '{"text": "x"}'
    again = Store(database_url)  # which changes nothing, so it is not backed up again
    assert again.draft("a", "verify") == {"text": "x"}
    kept = [path for path in tmp_path.rglob("*before-9999*") if not path.name.endswith(("-wal", "-shm"))]
    assert len(kept) == 1


def test_servers_that_start_at_once_migrate_once(database_url: str) -> None:
    with ThreadPoolExecutor(6) as servers:
        stores = list(servers.map(lambda _: Store(database_url), range(6)))
    with stores[0].transaction() as connection:
        assert connection.execute(text("select version_num from alembic_version")).all() == [(NOW,)]


def test_a_database_of_a_newer_program_is_refused_in_a_sentence(
    database_url: str, later: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(migrating, "FOLDER", later)
        Store(database_url)
    with pytest.raises(StoreError, match=rf"tables 9999, here {NOW}.: update this program"):
        Store(database_url)


@pytest.mark.parametrize(
    "made", ["create table campaigns (id text)",
             "create table alembic_version (version_num text); insert into alembic_version values ('0001')"]
)  # fmt: skip
def test_a_database_of_before_the_first_release_is_refused_in_a_sentence(tmp_path: Path, made: str) -> None:
    with sqlite3.connect(tmp_path / "old.db") as connection:
        connection.executescript(made)
    with pytest.raises(StoreError, match="before its first release"):
        Store(f"sqlite:///{tmp_path / 'old.db'}")
