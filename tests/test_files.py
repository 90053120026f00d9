"""Files that are written whole or not at all."""

import os
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path

import pytest

from core.errors import BadInput
from core.files import ROOT, replacing, write_whole
from tests.files import full_disk


def test_a_file_is_replaced_at_once_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    write_whole(path, "one")
    with replacing(path) as file:
        file.write(b"two")
        assert path.read_text() == "one"
    assert path.read_text() == "two"
    assert os.listdir(tmp_path) == ["a.json"]


def test_what_fails_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.json"
    write_whole(path, "one")
    with suppress(KeyError), replacing(path) as file:
        file.write(b"half")
        raise KeyError
    full_disk(monkeypatch, "a.json")
    with pytest.raises(BadInput, match=r"a\.json .*No space"):
        write_whole(path, "two")
    assert (path.read_text(), os.listdir(tmp_path)) == ("one", ["a.json"])


def test_as_many_files_may_be_open_as_the_system_allows() -> None:
    code = (
        "import resource; from core.files import allow_many_files as allow; kind = resource.RLIMIT_NOFILE; "
        "hard = min(resource.getrlimit(kind)[1], 4000); resource.setrlimit(kind, (256, hard)); allow(); "
        "assert resource.getrlimit(kind) == (hard, hard), resource.getrlimit(kind); allow()"
    )
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)


def test_a_folder_is_made_only_on_demand(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="No such file"):
        write_whole(tmp_path / "no" / "a.json", "")
    write_whole(tmp_path / "no" / "a.json", "x", parents=True)
    assert (tmp_path / "no" / "a.json").read_text() == "x"


def test_a_link_stays_a_link_and_a_pipe_is_written_to(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "target")
    write_whole(tmp_path / "link", "through")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_text() == "through"
    os.mkfifo(tmp_path / "pipe")
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append((tmp_path / "pipe").read_text()))
    reader.start()
    write_whole(tmp_path / "pipe", "poured")
    reader.join(300)
    assert read == ["poured"]


def test_writers_at_the_same_time_leave_one_of_their_files_whole(tmp_path: Path) -> None:
    texts = [str(number) * 300_000 for number in range(4)]
    threads = [threading.Thread(target=write_whole, args=(tmp_path / "a", text)) for text in texts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (tmp_path / "a").read_text() in texts
    assert os.listdir(tmp_path) == ["a"]
