"""Faults while an archive grows: a full disk, large and hostile files. No confirmed document is lost."""

import json
import resource
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from core.archive.catalogue import Archives
from core.archive.engine import KeptArchive
from core.archive.intake import Intake
from core.archive.types import NewDocument
from core.errors import VerideskError
from tests.archive.test_archive import BUDGET, HARBOUR, JULIA, page, urls
from tests.retrieval.test_index import tiny_static


@pytest.fixture
def archive(tmp_path: Path) -> KeptArchive:
    archives = Archives(f"sqlite:///{tmp_path / 'archives.db'}", tmp_path / "archives", static=tiny_static)
    return archives.open(archives.create(JULIA, "The paper").id)


@contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    """Let the system refuse to write a file beyond a size, as a full disk does."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("size", [0, 3_000, 30_000, 100_000], ids=lambda size: f"{size} bytes")
def test_a_full_disk_is_named_and_loses_nothing(archive: KeptArchive, size: int) -> None:
    archive.add([HARBOUR])
    many = [page(f"https://a.org/{n}", f"The river {n} rose in spring. " * 40) for n in range(100)]
    with files_of_at_most(size), pytest.raises(VerideskError):
        archive.add(many)
    assert urls(archive, "frozen harbour") == [HARBOUR.document.url]
    assert archive.stats().documents == 1
    assert archive.add([*many, BUDGET]).new == 101
    assert urls(archive, "library budget")[0] == BUDGET.document.url


def test_a_long_document_is_found_to_its_end(archive: KeptArchive) -> None:
    text = "The council met and nothing was decided. " * 4_000 + "A heron nested on the tower."
    archive.add([HARBOUR, page("https://a.org/minutes", text)])
    first = archive.search("heron nested")[0]
    assert first.text.endswith("A heron nested on the tower.")
    assert first.end == len(text)
    assert urls(archive, "frozen harbour")[0] == HARBOUR.document.url


def test_a_folder_that_goes_away_while_it_is_read_is_named(archive: KeptArchive, tmp_path: Path) -> None:
    folder, problems = tmp_path / "in", list[str]()
    folder.mkdir()
    for number in range(20):
        (folder / f"{number:02}.txt").write_text(f"The weir {number} held the flood.")

    def read() -> Iterator[NewDocument]:
        reading = Intake(tell=problems.append).read(str(folder))
        yield next(reading)
        shutil.rmtree(folder)
        yield from reading

    added = archive.add(read()).new
    assert added == archive.stats().documents == 20 - len(problems)
    assert 0 < added < 20


@pytest.mark.slow
def test_ten_thousand_documents_of_one_line(archive: KeptArchive, tmp_path: Path) -> None:
    lines = (json.dumps({"text": f"Report {n} of the station.", "url": f"https://a.org/{n}"}) for n in range(10_000))
    (tmp_path / "lines.jsonl").write_text("\n".join(lines))
    assert archive.add(Intake().read(str(tmp_path / "lines.jsonl"))).new == 10_000
    assert urls(archive, "report 7777")[0] == "https://a.org/7777"
    assert archive.stats().passages == 10_000


def test_hostile_files_are_named_and_the_others_added(archive: KeptArchive, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "deep.json").write_bytes(b"[" * 100_000)
    (folder / "deep.jsonl").write_bytes(b'{"text":' + b"[" * 100_000 + b"\n")
    (folder / "broken.warc.gz").write_bytes(b"\x1f\x8b" + b"\xff" * 1000)
    (folder / "nothing.pdf").write_bytes(b"%PDF-1.7\n" + b"\x00" * 1000)
    (folder / "loop").symlink_to(folder / "loop")
    (folder / "signs.txt").write_bytes(b"A weir \x00 \x1b[2J held the flood.")
    odd = {
        "text": "The \ud800 mill \x00 burned.",
        "title": "\ud800\x00",
        "url": "https://a.org/\ud800\x00",
        "date": "9" * 9,
    }
    (folder / "odd.jsonl").write_text(json.dumps(odd) + "\n" + json.dumps({"text": 7}) + "\n")
    (folder / "sound.jsonl").write_text(json.dumps({"text": "The lock stayed shut.", "url": "u" * 100_000}) + "\n")
    problems: list[str] = []
    done = archive.add(Intake(tell=problems.append).read(str(folder)))
    for name in ("deep.json", "deep.jsonl", "broken.warc.gz", "nothing.pdf", "signs.txt"):
        assert any(name in problem for problem in problems), name
    assert done.new == 2
    for words in ("mill burned", "lock stayed shut"):
        assert archive.search(words)[0].word_rank == 1
