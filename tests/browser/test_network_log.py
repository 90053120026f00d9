"""The tests' own measure: what a process of Python sends elsewhere is written down."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ELSEWHERE = (
    "import socket; one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); one.connect(('192.0.2.1', 9))",
    "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'', ('192.0.2.1', 9))",
    "import socket; socket.getaddrinfo('192.0.2.1', 80)",
    "import socket; socket.getaddrinfo('nowhere.invalid', 80)",
)
HERE = (
    "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).connect(('127.0.0.1', 9))",
    "import socket; socket.getaddrinfo('localhost', 80); socket.getaddrinfo(None, 80)",
    "import socket; one, other = socket.socketpair(); one.send(b'')",
)


def logged(code: str, log: Path) -> str:
    log.touch()
    environment = {**os.environ, "VERIDESK_TEST_NETWORK": str(log)}
    subprocess.run([sys.executable, "-c", code], env=environment, stderr=subprocess.DEVNULL, check=False)
    return log.read_text(encoding="utf-8")


@pytest.mark.parametrize("code", ELSEWHERE)
def test_what_goes_elsewhere_is_written_down(code: str, tmp_path: Path) -> None:
    assert "192.0.2.1" in logged(code, tmp_path / "log") or "nowhere.invalid" in logged(code, tmp_path / "log")


@pytest.mark.parametrize("code", HERE)
def test_what_stays_here_is_not(code: str, tmp_path: Path) -> None:
    assert logged(code, tmp_path / "log") == ""
