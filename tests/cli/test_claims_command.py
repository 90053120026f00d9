"""`claims` prints rows in the order of the text, and refuses bad input in a sentence."""

import io
import json
from pathlib import Path

import pytest

from core.__main__ import main
from core.claims.worthiness import LOW
from tests.claims.odd_texts import ODD

SPEECH = "RUTH VANE: Thank you. Unemployment rose to 6.1 percent in 2022. Prices fell by 4 percent. I hope so."


@pytest.fixture
def speech(tmp_path: Path) -> str:
    path = tmp_path / "speech.txt"
    path.write_text(SPEECH, encoding="utf-8")
    return str(path)


def test_rows_of_the_best_come_in_the_order_of_the_text(speech: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["claims", speech, "--json", "--top", "2"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["position"] for row in rows] == [1, 2]
    assert list(rows[0]) == ["position", "text", "standalone", "score", "reason", "speaker", "start"]
    assert (rows[0]["speaker"], rows[0]["start"]) == ("RUTH VANE", None)


def test_standard_input_is_read(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"We won 40 seats.")))
    assert main(["claims", "-"]) == 0
    assert "We won 40 seats." in capsys.readouterr().out


@pytest.mark.parametrize("name", ODD)
def test_odd_texts_are_ranked_with_a_remark(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text, remark = ODD[name]
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert main(["claims", str(tmp_path / name), "--json"]) == 0
    said = capsys.readouterr()
    rows = json.loads(said.out)
    assert all(0 <= row["score"] <= 1 for row in rows)
    assert remark in said.err
    assert "\u202e" not in said.out
    if name in ("code.txt", "lyrics.txt"):
        assert max(row["score"] for row in rows) < LOW


def test_a_text_that_is_too_long_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "long.txt"
    path.write_text("word " * 200_000, encoding="utf-8")
    assert main(["claims", str(path)]) == 2
    told = capsys.readouterr().err
    assert "200,000 words" in told
    assert "Traceback" not in told
