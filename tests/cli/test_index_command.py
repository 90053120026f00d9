"""`python -m core index`: list and remove; building has its tests in test_kept.py."""

import shutil
from pathlib import Path

import pytest

from core.__main__ import main
from core.retrieval.index_cache import kept_stores
from core.retrieval.kept_index import open_index
from core.settings import settings
from core.types import Document
from tests.retrieval.test_index import LetterEncoder


@pytest.fixture(autouse=True)
def two_stores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VERIDESK_HOME", str(tmp_path))
    for number in (1, 2):
        documents = [Document("u", f"The bridge {place}.") for place in range(number)]
        open_index(settings().indexes, documents, LetterEncoder(), name=f"store-{number}.jsonl")


def keys() -> list[str]:
    return [store.key for store in kept_stores(settings().indexes)]


def test_the_list_names_stores_sizes_and_the_limit(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VERIDESK_INDEX_LIMIT", "0.5")
    assert main(["index", "list"]) == 0
    shown = capsys.readouterr().out
    assert "2 documents, 2 passages" in shown
    assert "store-1.jsonl" in shown
    assert shown.splitlines()[-1].startswith("2 indexes, ")
    assert shown.splitlines()[-1].endswith(" of 500 MB.")


def test_one_is_removed_by_the_beginning_of_its_key_and_all_on_request(capsys: pytest.CaptureFixture[str]) -> None:
    first, second = keys()
    assert main(["index", "remove", first[:12]]) == 0
    assert keys() == [second]
    assert main(["index", "remove", "--all"]) == 0
    assert keys() == []
    assert len(capsys.readouterr().out.splitlines()) == 2


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ([], "by their keys, or say --all"),
        (["--all", "a"], "or say --all"),
        (["zz"], "begins with 'zz'"),
        ([""], "begins with ''"),
    ],
)
def test_a_wrong_request_removes_nothing(given: list[str], error: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["index", "remove", *given]) == 2
    assert error in capsys.readouterr().err
    assert len(keys()) == 2


def test_a_beginning_of_several_keys_removes_none(capsys: pytest.CaptureFixture[str]) -> None:
    first = keys()[0]
    shared = first[:8]
    shutil.copytree(settings().indexes / first, settings().indexes / f"{shared}0")
    before = keys()
    assert main(["index", "remove", shared]) == 2
    assert f"begin with {shared!r}" in capsys.readouterr().err
    assert sorted(keys()) == sorted(before)


def test_a_store_that_is_not_there_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["index", "build", "--store", "/nowhere/at.jsonl"]) == 2
    assert "/nowhere/at.jsonl" in capsys.readouterr().err


@pytest.mark.parametrize("limit", ["much", "-1", "nan"])
def test_a_wrong_limit_is_named(
    limit: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("VERIDESK_INDEX_LIMIT", limit)
    assert main(["index", "list"]) == 2
    assert f"not '{limit}'" in capsys.readouterr().err
