"""An archive over its life: additions, versions, removals, filters, owners, kills."""

import os
import threading
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from sqlalchemy import func, select

from core.archive import catalogue, engine, writing
from core.archive.catalogue import Archives, archive_named, check_readable
from core.archive.engine import KeptArchive
from core.archive.segments import Key
from core.archive.tables import versions
from core.archive.types import Filters, NewDocument, Readers, Version
from core.errors import BadInput, Cancelled, Denied
from core.types import Document
from tests.retrieval.test_index import tiny_static

TODAY = datetime(2026, 11, 29, 12, tzinfo=UTC).timestamp()
JULIA, SANDRA, BOB = "a" * 64, "b" * 64, "c" * 64


@pytest.fixture
def archives(tmp_path: Path) -> Archives:
    url = f"sqlite:///{tmp_path / 'archives.db'}"
    return Archives(url, tmp_path / "archives", static=tiny_static, clock=lambda: TODAY)


@pytest.fixture
def archive(archives: Archives) -> KeptArchive:
    return archives.open(archives.create(JULIA, "The paper").id)


def page(url: str, text: str, day: str | None = None, *, seen: str | None = None, kind: str = "") -> NewDocument:
    published = date.fromisoformat(day) if day else None
    return NewDocument(Document(url, text, published=published), date.fromisoformat(seen) if seen else None, kind)


def urls(archive: KeptArchive, query: str, **filters: object) -> list[str]:
    return [one.version.url for one in archive.search(query, filters=Filters(**filters))]  # type: ignore[arg-type]


HARBOUR = page("https://a.org/harbour", "The harbour was frozen in January.", "2020-01-10", kind="article")
BUDGET = page("https://b.org/budget", "The council cut the budget of the library.", "2021-03-01", kind="minutes")


def test_what_was_added_is_found_with_its_place(archive: KeptArchive) -> None:
    done = archive.add([HARBOUR, BUDGET])
    assert (done.new, done.changed, done.known) == (2, 0, 0)
    first = archive.search("frozen harbour")[0]
    assert (first.version.url, first.text) == (HARBOUR.document.url, HARBOUR.document.text)
    assert first.version.published == date(2020, 1, 10)
    assert first.word_rank == 1
    assert archive.documents("library budget", k=1) == (BUDGET.document,)


def test_the_same_document_twice_is_one(archive: KeptArchive) -> None:
    archive.add([HARBOUR, HARBOUR])
    again = archive.add([HARBOUR])
    assert (again.new, again.known) == (0, 1)
    assert archive.stats().documents == 1
    assert archive.stats().segments == 1


def test_a_claim_is_checked_against_the_version_of_its_day(archive: KeptArchive) -> None:
    url = "https://a.org/deaths"
    archive.add([page(url, "The ministry counts forty deaths.", "2021-02-01")])
    archive.add([page(url, "The ministry counts ninety deaths.", "2023-05-05")])
    former, newest = archive.versions(url)
    assert (former.since, former.until, newest.until) == (date(2021, 2, 1), date(2023, 5, 5), None)

    def texts(day: date | None) -> list[str]:
        return [one.text for one in archive.search("ministry counts deaths", filters=Filters(day))]

    assert texts(date(2021, 6, 1)) == ["The ministry counts forty deaths."]
    assert texts(date(2023, 5, 5)) == texts(None) == ["The ministry counts ninety deaths."]
    assert texts(date(2020, 6, 1)) == []


def test_a_change_without_a_new_date_stands_from_the_day_it_was_seen(archive: KeptArchive) -> None:
    url = "https://a.org/deaths"
    archive.add([page(url, "Forty deaths.", "2021-02-01"), page(url, "Ninety deaths.", "2021-02-01")])
    assert [one.since for one in archive.versions(url)] == [date(2021, 2, 1), date(2026, 11, 29)]


def test_copies_of_a_page_are_put_in_the_order_of_their_days(archive: KeptArchive) -> None:
    url = "https://a.org/page"
    archive.add([page(url, "Later text.", "2015-01-01", seen="2021-01-01")])
    archive.add([page(url, "Earlier text.", "2015-01-01", seen="2018-01-01")])
    assert [(one.since, one.until) for one in archive.versions(url)] == [
        (date(2015, 1, 1), date(2021, 1, 1)),
        (date(2021, 1, 1), None),
    ]
    assert [one.text for one in archive.search("text", filters=Filters(date(2020, 1, 1)))] == ["Earlier text."]
    assert [one.text for one in archive.search("text")] == ["Later text."]


def test_a_correction_takes_the_place_of_every_version(archive: KeptArchive) -> None:
    archive.add([page("https://a.org/1", "A wrng text.", "2020-01-01")])
    archive.add([page("https://a.org/1", "A right text.", "2020-01-01")], replace=True)
    [only] = archive.versions("https://a.org/1")
    assert only.since == date(2020, 1, 1)
    assert [one.text for one in archive.search("text", filters=Filters(date(2020, 6, 1)))] == ["A right text."]


def test_a_removed_document_is_gone_with_its_versions(archive: KeptArchive, archives: Archives) -> None:
    archive.add([HARBOUR, BUDGET])
    assert archive.remove([HARBOUR.document.url]) == 1
    assert urls(archive, "frozen harbour") == []
    assert urls(archive, "library budget") == [BUDGET.document.url]
    assert archive.stats().documents == 1
    assert archive.add([HARBOUR]).new == 1
    assert urls(archive, "frozen harbour") == [HARBOUR.document.url]


def test_filters_hold_in_both_searches(archive: KeptArchive) -> None:
    archive.add([HARBOUR, BUDGET, page("https://b.org/undated", "The harbour has no date.")])
    assert set(urls(archive, "the harbour budget", sources=("b.org",))) == {
        BUDGET.document.url,
        "https://b.org/undated",
    }
    assert urls(archive, "the harbour budget", kinds=("minutes",)) == [BUDGET.document.url]
    assert "https://b.org/undated" in urls(archive, "harbour", before=date(1999, 1, 1))


def test_a_source_is_a_host_or_a_folder(archive: KeptArchive) -> None:
    addresses = ("https://www.a.org/1", "/data/minutes/may.txt", "/data/minutes/all.csv#0123", "upload.txt")
    archive.add([page(address, f"The harbour of {number}.") for number, address in enumerate(addresses)])
    assert archive.stats().sources == (("/data/minutes", 2), ("", 1), ("a.org", 1))
    assert set(urls(archive, "harbour", sources=("/data/minutes",))) == set(addresses[1:3])
    assert {one.version.source for one in archive.search("harbour")} == {"/data/minutes", "", "a.org"}


def test_merged_segments_give_the_same_answers(archive: KeptArchive, monkeypatch: pytest.MonkeyPatch) -> None:
    words = "harbour budget library council frozen january minister school bridge river".split()
    made = [
        page(f"https://a.org/{n}", f"The {words[n % 10]} and the {words[n // 10]} in year {n}.", "2020-01-01")
        for n in range(64)
    ]
    monkeypatch.setattr(writing, "FAN", 100)
    for start in range(0, 64, 8):
        archive.add(made[start : start + 8])
    before = {word: urls(archive, f"the {word} bridge") for word in words}
    assert archive.stats().segments == 8
    monkeypatch.setattr(writing, "FAN", 8)
    archive.add([])
    assert archive.stats().segments == 1
    assert {word: urls(archive, f"the {word} bridge") for word in words} == before


def test_a_search_during_an_addition_sees_whole_generations(archive: KeptArchive) -> None:
    seen: list[int] = []
    stop = threading.Event()

    def look() -> None:
        while not stop.is_set():
            seen.append(len(archive.search("harbour", k=100)))

    reader = threading.Thread(target=look)
    reader.start()
    for batch in range(6):
        archive.add([page(f"https://a.org/{batch}-{n}", f"Harbour number {batch} {n}.") for n in range(5)])
    stop.set()
    reader.join()
    assert seen == sorted(seen)
    assert {count % 5 for count in seen} == {0}


def test_one_program_adds_at_a_time(archive: KeptArchive) -> None:
    def documents() -> Iterator[NewDocument]:
        yield HARBOUR
        with pytest.raises(BadInput):
            archive.add([BUDGET])

    assert archive.add(documents()).new == 1


def test_a_stop_keeps_the_batches_before(archive: KeptArchive, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "BATCH_DOCUMENTS", 2)
    done_before: list[int] = []
    many = [page(f"https://a.org/{n}", f"Harbour {n}.") for n in range(6)]
    with pytest.raises(Cancelled):
        archive.add(many, stop=lambda: bool(done_before), report=lambda done, _: done_before.append(done))
    left = archive.stats().documents
    done = archive.add(many)
    assert (done.known, done.new) == (left, 6 - left)
    assert left == 2


def test_a_missing_part_of_the_index_is_built_again(archive: KeptArchive, archives: Archives, tmp_path: Path) -> None:
    archive.add([HARBOUR])
    [part] = [folder for folder in archive.folder.iterdir() if folder.is_dir()]
    part.rename(tmp_path / "lost")
    fresh = Archives(str(archives.database.url), archives.folder, static=tiny_static).open(archive.id)
    with pytest.raises(BadInput):
        fresh.search("harbour")
    fresh.add([BUDGET])
    assert urls(fresh, "frozen harbour") == [HARBOUR.document.url]


def test_only_readers_find_an_archive(archives: Archives) -> None:
    mine, teams, all_ours = (archives.create(JULIA, name) for name in ("Mine", "Team's", "Everybody's"))
    token = archives.share(teams, JULIA, Readers.TEAM)
    archives.share(all_ours, JULIA, Readers.EVERYBODY)
    assert archives.join(token, SANDRA) is not None
    assert archives.join("wrong", BOB) is None
    assert {one.name for one in archives.of(SANDRA)} == {"Team's", "Everybody's"}
    assert {one.name for one in archives.of(BOB)} == {"Everybody's"}
    assert archives.find(mine.id, BOB) is archives.find(teams.id, BOB) is None
    assert archives.may_add(teams.id, SANDRA)
    assert not archives.may_add(all_ours.id, BOB)
    for forbidden in (lambda: archives.share(teams, SANDRA, Readers.EVERYBODY), lambda: archives.delete(teams, BOB)):
        with pytest.raises(Denied):
            forbidden()
    archives.share(teams, JULIA, Readers.PERSON)
    assert archives.find(teams.id, SANDRA) is None
    assert archives.join(token, SANDRA) is None


def test_a_deleted_archive_leaves_nothing(archives: Archives, archive: KeptArchive) -> None:
    archive.add([HARBOUR])
    [entry] = archives.of(JULIA)
    archives.delete(entry, JULIA)
    assert not archive.folder.exists()
    with pytest.raises(BadInput):
        archives.open(entry.id)


def test_nothing_is_added_to_a_deleted_archive(archives: Archives, archive: KeptArchive) -> None:
    [entry] = archives.of(JULIA)
    archives.delete(entry, JULIA)
    with pytest.raises(BadInput):
        archive.add([HARBOUR])
    with pytest.raises(BadInput):
        archive.remove([HARBOUR.document.url])
    with archives.database.connect() as connection:
        assert not connection.scalar(select(func.count()).select_from(versions))


def test_an_earlier_copy_of_the_same_text_is_remembered(archive: KeptArchive) -> None:
    for text, day in (("Text A.", "2021-01-01"), ("Text A.", "2018-01-01"), ("Text B.", "2019-01-01")):
        archive.add([page("https://a.org/page", text, "2015-01-01", seen=day)])
    former, newest = archive.versions("https://a.org/page")
    assert (former.digest, former.until) == (Document("", "Text A.").digest, date(2019, 1, 1))
    assert newest.since == date(2019, 1, 1)


def test_merged_segments_stay_for_searches_that_are_opening_them(
    archive: KeptArchive, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "FAN", 2)
    archive.add([HARBOUR])
    [first] = [folder for folder in archive.folder.iterdir() if folder.is_dir()]
    os.utime(first, (0, 0))
    archive.add([BUDGET])
    assert archive.stats().segments == 1
    assert first.stat().st_mtime > 0


def test_a_claim_reads_only_archives_of_its_person(
    archives: Archives, archive: KeptArchive, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(catalogue, "own_archives", lambda: archives)
    [entry] = archives.of(JULIA)
    check_readable(["/data/store.jsonl", entry.address], JULIA)
    for address in (entry.address, "archive:The paper", "archive:"):
        with pytest.raises(BadInput):
            check_readable([address], BOB)
    with pytest.raises(BadInput) as refused:
        archive_named("archive:nothing")
    assert entry.name not in str(refused.value)


def test_a_search_during_a_correction_finds_the_old_or_the_new(
    archive: KeptArchive, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive.add([HARBOUR])
    former, corrections = archive._passages, iter(["The harbour was frozen in March.", "The harbour froze in May."])

    def meanwhile(keys: Sequence[Key]) -> dict[Key, tuple[Version, str]]:
        if text := next(corrections, None):
            archive.add([page(HARBOUR.document.url, text)], replace=True)
        return former(keys)

    monkeypatch.setattr(archive, "_passages", meanwhile)
    assert [one.text for one in archive.search("harbour")] == ["The harbour froze in May."]


def test_a_new_link_ends_the_access_of_the_one_before(archives: Archives) -> None:
    team = archives.create(JULIA, "Team's", Readers.TEAM)
    assert archives.join(archives.share(team, JULIA, Readers.TEAM), SANDRA)
    token = archives.share(team, JULIA, Readers.TEAM)
    assert archives.find(team.id, SANDRA) is None
    assert archives.join(token, BOB)
