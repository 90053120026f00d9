"""The bundled model's copy as Q8_0: made once, whole or not at all, and never left in the temporary folder."""

import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from core.errors import ModelError
from core.llm import llama_loading
from core.llm.backends import bundled_model
from core.types import Message

ROOT = Path(__file__).resolve().parents[2]
PROMPT = (Message("user", "Is the tower tall?"),)
LOAD = "from core.llm.backends import bundled_model; bundled_model(context_tokens=256).close(); print('loaded')"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return where the copies are; the home and the temporary folder are empty."""
    monkeypatch.setenv("VERIDESK_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    (tmp_path / "tmp").mkdir()
    return tmp_path / "home" / "expanded"


def likelihoods() -> list[float]:
    llm = bundled_model(context_tokens=256)
    try:
        return [float(value) for value in llm.log_likelihoods(PROMPT, ["Yes", "No"])[0]]
    finally:
        llm.close()


def files(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir() if file.name != ".lock")


def app(**given: object) -> subprocess.Popen[str]:
    """Start a program that loads the bundled model, in a group of its own."""
    return subprocess.Popen(
        [sys.executable, "-c", LOAD], cwd=ROOT, start_new_session=True, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, **given,
    )  # type: ignore[call-overload,no-any-return]  # fmt: skip


def unpacked(folder: Path) -> int:
    """Return how many bytes of a copy that is being made are there."""
    return max(map(size_of, folder.glob(".*.new")), default=0)


def size_of(file: Path | os.DirEntry[str]) -> int:
    try:
        return file.stat().st_size
    except FileNotFoundError:  # renamed just now, or Python's own few bytes that try the folder
        return 0


@pytest.mark.slow
def test_a_copy_is_made_once_checked_at_each_start_and_made_again_where_it_is_damaged(folder: Path) -> None:
    first = likelihoods()
    (copy,) = folder.glob("*.gguf")
    made = copy.stat().st_ino
    assert likelihoods() == first
    assert copy.stat().st_ino == made
    with copy.open("r+b") as file:
        file.seek(-1000, os.SEEK_END)
        file.write(b"damaged")
    assert likelihoods() == first
    assert files(folder) == [copy.name]
    os.truncate(copy, 1_000_000)
    assert likelihoods() == first
    assert files(folder) == [copy.name]
    assert copy.stat().st_size > 100_000_000
    assert list((folder.parent.parent / "tmp").iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize(("megabytes", "number"), [(0, signal.SIGKILL), (110, signal.SIGINT)])
def test_a_signal_while_a_copy_is_made_leaves_nothing_for_ever(
    number: signal.Signals, megabytes: int, folder: Path
) -> None:
    process = app()
    while unpacked(folder) <= megabytes * 1_000_000 and not list(folder.glob("*.gguf")):
        assert process.poll() is None, process.stderr and process.stderr.read()
        time.sleep(0.002)
    os.killpg(process.pid, number)
    process.communicate()
    assert list((folder.parent.parent / "tmp").iterdir()) == []
    assert app().communicate()[0] == "loaded\n"
    (name,) = files(folder)
    assert name.endswith(".gguf")


@pytest.mark.slow
def test_two_processes_at_once_make_one_copy(folder: Path) -> None:
    both = [app(), app()]
    assert [process.communicate()[0] for process in both] == ["loaded\n", "loaded\n"]
    assert len(files(folder)) == 1


@contextmanager
def watched(folder: Path, process: subprocess.Popen[str]) -> Iterator[set[str]]:
    """Return the names of large files that were seen in a folder while the process ran."""
    seen: set[str] = set()
    yield seen
    while process.poll() is None:
        seen |= {entry.name for entry in os.scandir(folder) if size_of(entry) > 100_000}
        time.sleep(0.005)


def test_a_home_that_takes_no_copy_has_one_without_a_name(folder: Path) -> None:
    folder.parent.mkdir()
    folder.write_text("a file where a folder should be")
    process = app()
    with watched(folder.parent.parent / "tmp", process) as seen:
        pass
    assert process.communicate()[0] == "loaded\n"
    assert seen == set()


def test_where_the_disks_are_full_a_sentence_names_the_place(folder: Path) -> None:
    process = app(preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (10_000_000, 10_000_000)))
    said = process.communicate()[1]
    assert "ModelError" in said
    assert f"unpacked into {folder.parent.parent / 'tmp'}" in said
    assert "that disk" in said
    assert files(folder) == []
    assert list((folder.parent.parent / "tmp").iterdir()) == []


def test_copies_long_unused_and_files_of_dead_processes_go_with_the_next_copy(folder: Path) -> None:
    folder.mkdir(parents=True)
    old, recent, left = folder / "old-0.3.1-00.gguf", folder / "recent-0.3.1-00.gguf", folder / ".4194305.new"
    for file in (old, recent, left):
        file.write_bytes(b"GGUF")
    os.utime(old, (time.time() - llama_loading.UNUSED_SECONDS - 60,) * 2)
    bundled_model(context_tokens=256).close()
    assert not old.exists()
    assert not left.exists()
    assert recent.exists()


def test_a_lock_that_is_held_does_not_hold_up_a_start_for_ever(
    folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from filelock import FileLock

    from core.models.choice import bundled_path

    monkeypatch.setattr(llama_loading, "LOCK_SECONDS", 0.1)
    folder.mkdir(parents=True)
    with FileLock(folder / ".lock"), llama_loading.expanded_copy(bundled_path(), digest="0" * 64, threads=1) as copy:
        assert copy.stat().st_size > 100_000_000
    missing = tmp_path / "none.gguf"
    with (
        pytest.raises(ModelError, match="could not be unpacked"),
        llama_loading.expanded_copy(missing, digest="1" * 64, threads=1),
    ):
        pass
