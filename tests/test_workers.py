"""Processes of our own: one that waits, one that ends, one that goes on, and one that stands still."""

import os
import signal
import time
from multiprocessing.connection import Connection

import pytest

from core import workers
from core.workers import end_process, exit_code, start_piped


def serve(connection: Connection) -> None:
    """Answer once with the process's id, then do as the message says."""
    message = connection.recv()
    connection.send(os.getpid())
    connection.close()
    if message == "leave":
        os._exit(7)
    if message == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    time.sleep(600)


@pytest.mark.parametrize(("message", "code"), [("leave", 7), ("crash", -signal.SIGSEGV), ("stay", -signal.SIGKILL)])
def test_the_exit_code_tells_how_a_process_ended(message: str, code: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "END_SECONDS", 300.0 if message != "stay" else 0.3)
    process, connection = start_piped("tests.test_workers")
    connection.send(message)
    assert connection.recv() == process.pid
    assert exit_code(process) == code


def test_a_process_that_stands_still_is_ended() -> None:
    process, _ = start_piped("tests.test_workers")
    os.kill(process.pid, signal.SIGSTOP)
    end_process(process)
    assert process.returncode == -signal.SIGKILL
