"""Readers in a process of their own: what they give, and every way in which they may end."""

import ctypes
import os
import resource
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from core import confined as module
from core.confined import confined
from core.errors import BadInput, BadRecord, Cancelled


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Processes of this test's own, so that it knows which of them is used."""
    workers = module._Workers()
    monkeypatch.setattr(module, "_workers", workers)
    yield
    workers.end()


def double(name: str, content: bytes) -> tuple[int, str, bytes]:
    return os.getpid(), name, content * 2


def refuse(name: str) -> None:
    raise BadRecord(f"{name}: line 3 is wrong.")


def fail(name: str) -> None:
    raise KeyError(name)


def hang(name: str) -> None:
    while True:
        pass


def sleep(name: str) -> None:
    time.sleep(600)


def eat(name: str) -> int:
    return len([bytes(2**20) for _ in range(10_000)])


def crash(name: str) -> None:
    ctypes.string_at(0)


def nest(name: str) -> list[object]:
    value: list[object] = []
    for _ in range(100_000):
        value = [value]
    return value


def write(name: str, path: str) -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    Path(path).write_text("x")


def limits(name: str) -> tuple[int, int]:
    return resource.getrlimit(resource.RLIMIT_AS)[0], os.nice(0)


def nested(name: str) -> tuple[int, int]:
    return os.getpid(), confined(double, name, b"")[0]


def test_a_reader_works_in_another_process_which_is_used_again_whatever_it_raised() -> None:
    first, name, content = confined(double, "a.txt", b"ab")
    assert (name, content) == ("a.txt", b"abab")
    assert first != os.getpid()
    assert confined(limits, "a") == (2 * 1024**3, os.nice(0) + 10)
    assert confined(nested, "a") == (first, first)  # within a reader another runs in the same process
    with pytest.raises(BadRecord, match=r"^a\.csv: line 3"):
        confined(refuse, "a.csv")
    assert confined(double, "b.txt", b"")[0] == first


def test_a_large_server_uses_its_readers_again() -> None:
    held = bytearray(os.urandom(1024)) * (700 * 1024)  # 700 MB, which a process started from here is said to have had
    first = confined(double, "a", b"")[0]
    assert confined(double, "a", b"")[0] == first
    del held


@pytest.mark.parametrize(("reader", "seconds", "sentence"), [
    (hang, 0.5, r"^x\.pdf: reading this file takes more than 0\.5 seconds; split it"),
    (crash, 60.0, r"^x\.pdf: this file crashed its reader \(SIGSEGV\)\. Save it in another form\.$"),
])  # fmt: skip
def test_what_hangs_or_dies_is_a_sentence_and_the_next_file_is_read(
    reader: object, seconds: float, sentence: str
) -> None:
    confined(double, "a", b"")  # its start takes longer than the limits below
    with pytest.raises(BadInput, match=sentence):
        confined(reader, "x.pdf", seconds=seconds)  # type: ignore[arg-type]
    assert confined(double, "a", b"x")[2] == b"xx"


def test_what_takes_long_is_said_once(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr(module, "say", said.append)
    monkeypatch.setattr(module, "LONG_SECONDS", 0.1)
    with pytest.raises(BadInput, match=r"0\.5 seconds; split it"):
        confined(sleep, "x.pdf", seconds=0.5)
    assert ["x.pdf" in one and "0.5 seconds" in one for one in said] == [True]


def test_what_eats_memory_is_a_sentence() -> None:
    with pytest.raises(BadInput, match=r"^x\.xlsx: .*2 GB"):
        confined(eat, "x.xlsx")


def test_what_nobody_foresaw_is_a_sentence_and_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(BadInput, match=r"^x\.docx: "):
        confined(fail, "x.docx")
    assert "KeyError: 'x.docx'" in caplog.text
    with pytest.raises(BadInput, match="unexpected error"):
        confined(nest, "x.json")


def test_it_writes_nothing(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="unexpected error"):
        confined(write, "x", str(tmp_path / "x"))
    assert (tmp_path / "x").stat().st_size == 0


def test_a_stop_ends_it_at_once() -> None:
    began = time.monotonic()
    with pytest.raises(Cancelled):
        confined(sleep, "x", stop=lambda: time.monotonic() - began > 0.3)


def test_one_that_hangs_holds_up_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    assert module.WORKERS >= 2
    ended = threading.Event()

    def hang_until_ended() -> None:
        with suppress(Cancelled):
            confined(sleep, "x", stop=ended.is_set)

    hanging = threading.Thread(target=hang_until_ended)
    hanging.start()
    assert confined(double, "a", b"x")[2] == b"xx"
    ended.set()
    hanging.join()


def test_more_than_there_are_processes_wait_their_turn() -> None:
    threads = [
        threading.Thread(target=lambda: done.append(confined(double, "a", b"")[0])) for _ in range(2 * module.WORKERS)
    ]
    done: list[int] = []
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(done) == 2 * module.WORKERS
    assert len(set(done)) <= module.WORKERS


def test_a_process_that_was_killed_meanwhile_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "WORKERS", 1)
    monkeypatch.setattr(module, "_workers", module._Workers())
    for _ in range(2):
        pid = confined(double, "a", b"")[0]
        os.kill(pid, signal.SIGKILL)
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
