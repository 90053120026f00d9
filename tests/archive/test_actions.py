"""The commands on archives: places that fail, places that are kept."""

from collections.abc import Callable
from datetime import date
from itertools import pairwise
from pathlib import Path

import pytest

from core.actions.action import ActionContext
from core.actions.fields import BadField
from core.archive import actions, catalogue
from core.archive.actions import MAX_TOLD, Remove, Sync, fill, remove, sync
from core.archive.catalogue import COMMAND_LINE, Archives
from core.archive.types import ArchiveEntry, Filters
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
    assert remove(Remove(entry.name, below=("/",)), context([])).versions == 1
    with pytest.raises(BadField):
        sync(Sync(entry.name, ("not-there",)), context([]))
    assert catalogue.own_archives().places(entry) == [(str(articles), "")]
    with pytest.raises(BadField):
        sync(Sync(entry.name, forget=(str(articles),)), context([]))


def watched(articles: Path, monkeypatch: pytest.MonkeyPatch, *changes: Callable[[], object]) -> list[int]:
    """Watch a folder, with a change in place of each wait. Return the number of sentences of each look."""
    told: list[str] = []
    looks, left = [0], iter(changes)

    def wait(seconds: float, here: ActionContext) -> bool:
        looks.append(len(told))
        change = next(left, None)
        return change is not None and (change(), True)[1]

    monkeypatch.setattr(actions, "waited", wait)
    sync(Sync("The paper", (str(articles),), every=1.0), context(told))
    return [after - before for before, after in pairwise(looks)]


def test_watching_finds_new_changed_and_removed_files(
    entry: ArchiveEntry, articles: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = catalogue.own_archives().open(entry.id)
    ice, flood = articles / "ice.txt", articles / "2021" / "a#flood.txt"
    flood.parent.mkdir()
    counts: list[tuple[int, int]] = []

    def count() -> None:
        stats = archive.stats()
        counts.append((stats.documents, stats.versions))

    def change(act: Callable[[], object]) -> Callable[[], object]:
        return lambda: (count(), act())

    looks = watched(
        articles, monkeypatch,
        change(lambda: flood.write_text("The river rose.")),
        change(lambda: None),
        change(lambda: ice.write_text("The harbour thawed.")),
        change(ice.unlink),
        change(lambda: ice.write_text("The harbour thawed.")),
        count,
    )  # fmt: skip
    assert counts == [(1, 1), (2, 2), (2, 2), (2, 3), (1, 3), (2, 3)]
    assert looks == [1, 1, 0, 1, 1, 0, 0]


def test_a_removed_file_is_found_for_the_days_before(entry: ArchiveEntry, articles: Path) -> None:
    archive = catalogue.own_archives().open(entry.id)
    (articles / "flood.txt").write_text("The river rose.")
    sync(Sync(entry.name, (str(articles),)), context([]))
    (articles / "ice.txt").unlink()
    assert sync(Sync(entry.name), context([])).added.gone == 1
    assert archive.search("frozen harbour") == ()
    [found] = archive.search("frozen harbour", filters=Filters(before=date(2021, 6, 1)))
    assert found.version.url == str(articles / "ice.txt")
    assert found.version.until == date.today()


def test_a_look_that_fails_is_followed_by_another(
    entry: ArchiveEntry, articles: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive, away = catalogue.own_archives().open(entry.id), articles.parent / "away"
    looks = watched(
        articles, monkeypatch, lambda: articles.rename(away), articles.mkdir,
        lambda: (articles.rmdir(), away.rename(articles), (articles / "flood.txt").write_text("The river rose.")),
    )  # fmt: skip
    assert looks == [1, 1, 1, 1]
    assert archive.stats().documents == 2
