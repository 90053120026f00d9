"""Files that the workers of a Dask cluster read make the same archive as files read here."""

from dataclasses import replace
from pathlib import Path

import pytest

from core.archive import catalogue
from core.archive.actions import fill
from core.archive.catalogue import COMMAND_LINE, Archives
from core.archive.types import Added, Found
from core.search.snapshots import records_of
from core.search.types import Page
from tests.archive.test_actions import context
from tests.archive.test_intake import ARTICLE
from tests.batch.small_batch import ROOT
from tests.retrieval.test_index import tiny_static

distributed = pytest.importorskip("distributed", reason="the package distributed is not installed")

pytestmark = pytest.mark.slow


def test_a_cluster_makes_the_same_archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "articles"
    folder.mkdir()
    for number in range(9):
        (folder / f"{number}.txt").write_text(f"The river rose {number} feet in spring.")
    (folder / "ice.html").write_text(ARTICLE)
    (folder / "broken.pdf").write_bytes(b"no PDF")
    (folder / "records.csv").write_text("text,url\nThe budget was cut.,https://b.org/1\nIt was not.,https://b.org/1\n")
    (folder / "copies.warc.gz").write_bytes(records_of(Page("https://a.org/ice", ARTICLE.encode())))
    monkeypatch.setenv("PYTHONPATH", str(ROOT))  # of the workers' processes
    archives = Archives(f"sqlite:///{tmp_path / 'archives.db'}", tmp_path / "archives", static=tiny_static)
    monkeypatch.setattr(catalogue, "own_archives", lambda: archives)

    def made(name: str, scheduler: str) -> tuple[Added, tuple[Found, ...]]:
        entry = archives.create(COMMAND_LINE, name)
        done = fill(entry, [(str(folder), "article")], context([]), scheduler=scheduler)
        return done.added, archives.open(entry.id).search("the river budget ice", k=50)

    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, memory_limit=0
    ) as cluster:
        there = made("There", cluster.scheduler_address)
    here = made("Here", "")
    assert (here[0].new, here[0].changed, len(here[0].problems)) == (12, 1, 1)
    assert without_times(there) == without_times(here)


def without_times(made: tuple[Added, tuple[Found, ...]]) -> tuple[Added, list[Found]]:
    """Return an addition without the time of its versions."""
    return made[0], [replace(one, version=replace(one.version, looked=0.0)) for one in made[1]]
