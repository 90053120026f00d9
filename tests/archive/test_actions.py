"""The commands on archives: places that fail, places that are kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.actions.action import ActionContext
from core.actions.fields import BadField
from core.archive import actions, catalogue
from core.archive.actions import MAX_TOLD, Sync, fill, filled, sync
from core.archive.catalogue import COMMAND_LINE, Archives
from core.archive.types import ArchiveEntry
from core.errors import BadInput
from core.interfaces import ignore, never
from tests.retrieval.test_index import tiny_static


@pytest.fixture
def entry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ArchiveEntry:
    made = Archives(f"sqlite:///{tmp_path / 'archives.db'}", tmp_path / "archives", static=tiny_static)
    monkeypatch.setattr(catalogue, "own_archives", lambda: made)
    return made.create(COMMAND_LINE, "The paper")


@pytest.fixture
def articles(tmp_path: Path) -> Path:
    folder = tmp_path / "articles"
    folder.mkdir()
    (folder / "ice.txt").write_text("The harbour was frozen.")
    return folder


def context(told: list[str]) -> ActionContext:
    return ActionContext(ignore, lambda done, total: None, told.append, never)


def test_a_place_that_fails_stops_no_other(entry: ArchiveEntry, articles: Path) -> None:
    done = fill(entry, [("/nowhere", ""), (str(articles), "")], context([]))
    assert (done.added.new, done.problems, len(done.added.problems)) == (1, 1, 1)
    with pytest.raises(BadInput):
        fill(entry, [("/nowhere", "")], context([]))


def test_of_many_problems_the_first_are_told_and_all_counted(entry: ArchiveEntry, tmp_path: Path) -> None:
    (tmp_path / "broken.jsonl").write_text("{broken\n" * 100)
    told: list[str] = []
    done = fill(entry, [(str(tmp_path / "broken.jsonl"), "")], context(told))
    assert (done.problems, len(done.added.problems), len(told)) == (100, MAX_TOLD, MAX_TOLD)


def test_places_are_kept_whole_until_they_are_forgotten(
    entry: ArchiveEntry, articles: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(articles.parent)
    assert sync(Sync(entry.name, (articles.name,)), context([])).added.new == 1
    monkeypatch.chdir("/")
    assert sync(Sync(entry.name), context([])).added.known == 1
    with pytest.raises(BadField):
        sync(Sync(entry.name, ("not-there",)), context([]))
    assert catalogue.own_archives().places(entry) == [(str(articles), "")]
    with pytest.raises(BadField):
        sync(Sync(entry.name, forget=(str(articles),)), context([]))


def test_a_look_that_fails_is_followed_by_another(
    entry: ArchiveEntry, articles: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    looks = iter([True, True, False])

    def wait(seconds: float, here: ActionContext) -> bool:
        again = next(looks)
        if not told:
            articles.rename(articles.parent / "away")
        elif again:
            (articles.parent / "away").rename(articles)
        return again

    monkeypatch.setattr(actions, "waited", wait)
    done = sync(Sync(entry.name, (str(articles),), every=1.0), context(told))
    assert len(told) == 2
    assert done.added.known == 1
    assert told[1] == filled(done)
