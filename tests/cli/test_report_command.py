import json
from io import BytesIO
from pathlib import Path

import docx
import pytest

from core.__main__ import main
from core.dataclass_json import to_json
from core.jobs.store import JobStore
from core.jobs.types import JobResult, Listed, State
from core.storage.store import Store
from core.types import Label
from core.verification.receipt import Json, receipt_to_json
from core.verification.review import Conclusion, Review
from tests.verification.report.conftest import CASE, MODEL, REQUEST


@pytest.fixture
def receipt() -> Json:
    review = to_json(Review(Conclusion(Label.REFUTED, "It is six years.")))
    return {**receipt_to_json(REQUEST, CASE, MODEL, MODEL), "review": review}


def test_a_receipt_becomes_a_file_of_each_kind(tmp_path: Path, receipt: Json) -> None:
    path = tmp_path / "receipt.json"
    path.write_text(json.dumps(receipt), encoding="utf-8")
    for kind, words in (("html", b"It is six years."), ("md", b"**Refuted**"), ("claimreview", b'"ratingValue": 1')):
        out = tmp_path / f"report.{kind}"
        assert main(["report", str(path), "--format", kind, "--out", str(out)]) == 0
        assert words in out.read_bytes()
    assert main(["report", str(path), "--format", "docx", "--out", str(tmp_path / "report.docx")]) == 0
    word = docx.Document(BytesIO((tmp_path / "report.docx").read_bytes()))
    assert word.paragraphs[1].text == CASE.claim.text


def test_a_case_is_found_in_the_database_by_its_id(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, receipt: Json, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.setenv("VERIDESK_DATABASE", f"sqlite:///{tmp_path / 'desk.db'}")
    table = JobStore(Store(f"sqlite:///{tmp_path / 'desk.db'}"))
    case_id = table.add("verify", "a" * 64, Listed(CASE.claim.text), {}, tries=1)
    assert main(["report", case_id]) == 2
    assert b"no finished case" in capfdbinary.readouterr().err
    assert table.claim({"verify": ()}, server="one", place="") is not None
    assert table.end(case_id, "one", State.DONE, 1.0, error="", result=JobResult(receipt, "Supported"))
    assert main(["report", case_id, "--format", "md"]) == 0
    assert b"# The tower is painted" in capfdbinary.readouterr().out


@pytest.mark.parametrize("content", ["no json", "[1]", "{}", '{"request": 1}'])
def test_what_is_no_receipt_is_refused_in_a_sentence(
    tmp_path: Path, content: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "receipt.json"
    path.write_text(content, encoding="utf-8")
    assert main(["report", str(path)]) == 2
    assert "receipt" in capsys.readouterr().err


def test_a_broken_review_is_named(tmp_path: Path, receipt: Json, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "receipt.json"
    path.write_text(json.dumps({**receipt, "review": {"marks": {}}}), encoding="utf-8")
    assert main(["report", str(path)]) == 2
    assert "The review" in capsys.readouterr().err


def test_a_word_file_wants_a_place(tmp_path: Path, receipt: Json, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "receipt.json"
    path.write_text(json.dumps(receipt), encoding="utf-8")
    assert main(["report", str(path), "--format", "docx"]) == 2
    assert "--out" in capsys.readouterr().err
