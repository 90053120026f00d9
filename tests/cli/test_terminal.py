"""What commands have in common: --version, standard input, lines of progress where nobody watches."""

import io
import sys

import pytest

from core.__main__ import main
from core.cli.common import terminal
from core.cli.common.action_command import on_terminal
from core.cli.common.terminal import ProgressLine
from core.records import standard_input
from tests.cli.test_score_command import files  # noqa: F401  # a fixture


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == "Veridesk 0.1.0\n"


def test_a_file_can_come_from_standard_input(
    files: dict[str, object],  # noqa: F811
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with open(str(files["right"]), "rb") as submission:
        content = io.BytesIO(submission.read())
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(content))
    standard_input.cache_clear()
    assert main(["check", "-", "--gold", str(files["gold"])]) == 0
    standard_input.cache_clear()
    assert "8 predictions for 8" in capsys.readouterr().out


def test_where_nobody_watches_a_line_is_written_now_and_then(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert list(on_terminal("").each("ab", "quick work")) == ["a", "b"]
    assert capsys.readouterr().err == ""
    now = [0.0]
    monkeypatch.setattr(terminal.time, "monotonic", lambda: now[0])
    line = ProgressLine("slow work", "claims")
    for done, now[0] in ((1, 4.0), (2, 11.0), (3, 12.0), (4, 13.0)):
        line.show(done, 4)
    first, last = capsys.readouterr().err.splitlines()
    assert ("2 of 4" in first, "11 s" in first, "4 of 4" in last) == (True, True, True)
