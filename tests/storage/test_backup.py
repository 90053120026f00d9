"""Backup and restore: all rows come back in either database, or nothing changes."""

import json
import zipfile
from pathlib import Path

import pytest
from sqlalchemy import select

from core.errors import BadInput
from core.jobs.store import JobStore
from core.jobs.types import Listed
from core.storage import archive, backup
from core.storage.backup import SCHEMA, back_up, restore
from core.storage.store import Store
from core.storage.tables import (
    answer_history,
    answers,
    assignments,
    campaign_items,
    campaigns,
    drafts,
    jobs,
    metadata,
    raters,
)

CAMPAIGN = {
    "id": "c", "owner": "o" * 64, "title": "Évidence “2024”", "form": "[]", "seed": 7, "ratings_per_item": 2,
    "items_per_rater": 35, "controls_per_rater": 5, "state": "open", "created": 1732187654.123456,
}  # fmt: skip
ITEM = {
    "id": "i", "campaign": "c", "position": 0, "item": "1460", "system": "X", "team": "",
    "claim": "line one\nline two \U0001f600", "about": "{}", "evidence": "[]", "reference": "[]", "predicted": "",
    "gold": "Refuted", "control": True, "control_key": None, "stratum": "", "scores": "{}",
}  # fmt: skip
RATER = {"id": "r", "campaign": "c", "pseudonym": "R01", "team": "", "created": 0.1 + 0.2, "revoked": None}
HELD = {"campaign": "c", "item": "i", "rater": "r"}
WORK = HELD | {"position": 1, "opened": 1.0, "touched": 2.0, "submitted": None, "seconds": 90.5}
ANSWER = HELD | {"question": "relevance", "value": "4", "saved": 3.0, "version": 1}


def store_at(path: Path) -> Store:
    return Store(f"sqlite:///{path}", clock=lambda: 1_700_000_000.0)


def add(store: Store, claim: str) -> None:
    JobStore(store).add("verify", "o" * 64, Listed(claim), {"claim": "é"}, tries=1)


def rows(store: Store) -> dict[str, list[tuple[object, ...]]]:
    with store.transaction() as connection:
        return {
            table.name: [tuple(row) for row in connection.execute(select(table).order_by(*table.primary_key.columns))]
            for table in metadata.sorted_tables
        }


@pytest.fixture
def filled(tmp_path: Path) -> Store:
    store = store_at(tmp_path / "filled.db")
    add(store, "A claim")
    store.save_draft("o" * 64, "verify", {"text": "x"})
    with store.transaction(writing=True) as connection:
        for table, row in ((campaigns, CAMPAIGN), (campaign_items, ITEM), (raters, RATER), (assignments, WORK)):
            connection.execute(table.insert().values(row))
        for _ in range(3):
            connection.execute(answer_history.insert().values(ANSWER | {"version": _ + 1}))
        connection.execute(answers.insert().values(ANSWER | {"version": 3}))
    return store


def test_all_rows_come_back(filled: Store, tmp_path: Path) -> None:
    made = back_up(filled, tmp_path / "b.zip")
    other = store_at(tmp_path / "other.db")
    assert restore(other, tmp_path / "b.zip") == made
    assert rows(other) == rows(filled)
    assert made.created == "2023-11-14T22:13:20+00:00"
    once = ("jobs", "job_requests", "drafts", "campaigns", "campaign_items", "raters", "assignments", "answers")
    assert {name: n for name, n in made.rows.items() if n} == {**dict.fromkeys(once, 1), "answer_history": 3}


def test_all_rows_go_to_the_other_kind_of_database_and_back(filled: Store, database_url: str, tmp_path: Path) -> None:
    back_up(filled, tmp_path / "b.zip")
    other = Store(database_url)
    restore(other, tmp_path / "b.zip")
    assert rows(other) == rows(filled)
    # What comes next is numbered after what was restored.
    for store in (other, filled):
        with store.transaction(writing=True) as connection:
            connection.execute(answer_history.insert().values(ANSWER | {"version": 4}))
    assert rows(other) == rows(filled)
    back_up(other, tmp_path / "back.zip")
    third = store_at(tmp_path / "third.db")
    restore(third, tmp_path / "back.zip")
    assert rows(third) == rows(filled)


def test_only_its_owner_can_read_it_and_none_is_overwritten(filled: Store, tmp_path: Path) -> None:
    path = tmp_path / "b.zip"
    back_up(filled, path)
    assert path.stat().st_mode & 0o777 == 0o600
    before = path.read_bytes()
    with pytest.raises(BadInput, match="exists already"):
        back_up(filled, path)
    assert path.read_bytes() == before
    assert not (tmp_path / "b.zip.part").exists()
    with pytest.raises(BadInput, match="cannot be written"):
        back_up(filled, tmp_path / "absent" / "b.zip")


def test_a_database_that_holds_something_is_replaced_only_on_demand(filled: Store, tmp_path: Path) -> None:
    back_up(filled, tmp_path / "b.zip")
    other = store_at(tmp_path / "other.db")
    other.save_draft("p" * 64, "verify", {"text": "mine"})
    before = rows(other)
    with pytest.raises(BadInput, match=r"drafts.*--replace"):
        restore(other, tmp_path / "b.zip")
    assert rows(other) == before
    restore(other, tmp_path / "b.zip", replace=True)
    assert rows(other) == rows(filled)


def changed(path: Path, name: str, content: str) -> Path:
    """Write a copy of an archive in which one file is another; `content` "" leaves it out."""
    copy = path.with_name("changed.zip")
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(copy, "w") as new:
        for member in old.namelist():
            if member != name:
                new.writestr(member, old.read(member))
        if content:
            new.writestr(name, content)
    return copy


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("jobs.jsonl", "", "jobs cannot be read"),
        ("jobs.jsonl", "{", "jobs cannot be read"),
        ("answer_history.jsonl", "", "answer_history cannot be read"),
        ("manifest.json", "", "is no backup of Veridesk"),
        ("manifest.json", "[]", "is no backup of Veridesk"),
        ("manifest.json", json.dumps({"veridesk_backup": 1, "schema": SCHEMA + 1, "created": "", "rows": {}}), "newer"),
        (
            "manifest.json",
            json.dumps({"veridesk_backup": 1, "schema": 1, "created": "", "rows": {"jobs": 2}}),
            "1 of 2",
        ),
    ],
)
def test_a_damaged_backup_changes_nothing(filled: Store, tmp_path: Path, name: str, content: str, says: str) -> None:
    back_up(filled, tmp_path / "b.zip")
    other = store_at(tmp_path / "other.db")
    other.save_draft("p" * 64, "verify", {"text": "mine"})
    before = rows(other)
    damaged = changed(tmp_path / "b.zip", name, content)
    with pytest.raises(BadInput, match=says):
        restore(other, damaged, replace=True)
    assert rows(other) == before


def test_a_file_that_is_no_archive_is_refused(filled: Store, tmp_path: Path) -> None:
    (tmp_path / "x.zip").write_bytes(b"PK\x03\x04 not a zip")
    with pytest.raises(BadInput, match="no whole backup"):
        restore(store_at(tmp_path / "other.db"), tmp_path / "x.zip")
    with pytest.raises(BadInput, match="cannot be read"):
        restore(store_at(tmp_path / "other.db"), tmp_path / "absent.zip")


def test_a_backup_is_of_one_moment(filled: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A case that is stored while the tables are written is in none of them."""
    once = archive._ordered_rows

    def disturbed(connection, table):
        if table is not jobs:
            return once(connection, table)
        add(filled, "Later")
        return once(connection, table)

    monkeypatch.setattr(backup, "_tables", lambda: [drafts, jobs])
    monkeypatch.setattr(archive, "_ordered_rows", disturbed)
    assert back_up(filled, tmp_path / "b.zip").rows == {"drafts": 1, "jobs": 1}
