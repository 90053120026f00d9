import json
from dataclasses import replace
from pathlib import Path

import pytest

from core.batch import read_journal, request_for, run_batch
from core.errors import BadInput, BadRecord
from core.formats.averitec import read_submission
from core.judges import HeadJudge
from core.types import Claim
from core.verify import Request, Workbench
from tests.fakes import ScriptedWriter, WordEncoder

CLAIMS = [Claim(f"Town {name} has a bridge.", id=str(number)) for number, name in enumerate(("Ash", "Bow", "Cop"))]


@pytest.fixture
def stores(tmp_path: Path) -> Path:
    folder = tmp_path / "stores"
    folder.mkdir()
    for claim in CLAIMS:
        record = {"url": f"https://example.org/{claim.id}", "url2text": [claim.text, "It crosses the river."]}
        (folder / f"{claim.id}.json").write_text(json.dumps(record) + "\n")
    return folder


def batch(stores: Path, out: Path) -> list[tuple[str, bool, bool]]:
    """Run and return (claim id, came out, had been done before) for each claim."""
    bench = Workbench(WordEncoder(), ScriptedWriter(), HeadJudge("quoted_passages"), stores)
    results = run_batch(CLAIMS, lambda claim: request_for(claim, stores, (), Request(Claim(""))), bench, out)
    return [(done.claim_id, done.prediction is not None, before) for done, before in results]


def test_a_submission_has_each_claim_under_its_own_id(stores: Path, tmp_path: Path) -> None:
    assert batch(stores, tmp_path / "out.json") == [("0", True, False), ("1", True, False), ("2", True, False)]
    for prediction in read_submission(tmp_path / "out.json").predictions:
        assert prediction.claim == CLAIMS[int(prediction.claim_id)].text
        assert prediction.evidence[0].url == f"https://example.org/{prediction.claim_id}"
        assert "It crosses the river." in prediction.evidence[0].scraped_text


def test_a_second_run_does_nothing_again(stores: Path, tmp_path: Path) -> None:
    batch(stores, tmp_path / "out.json")
    first = (tmp_path / "out.json").read_bytes()
    assert [before for _, _, before in batch(stores, tmp_path / "out.json")] == [True, True, True]
    assert (tmp_path / "out.json").read_bytes() == first


def test_a_failure_shifts_no_id_and_is_tried_again(stores: Path, tmp_path: Path) -> None:
    broken = (stores / "1.json").read_text()
    (stores / "1.json").write_text("{")
    assert [came for _, came, _ in batch(stores, tmp_path / "out.json")] == [True, False, True]
    kept = {item.claim_id: item.claim for item in read_submission(tmp_path / "out.json").predictions}
    assert kept == {"0": CLAIMS[0].text, "2": CLAIMS[2].text}
    assert "1.json:1" in json.loads((tmp_path / "out.json.failures.json").read_text())["1"]
    (stores / "1.json").write_text(broken)
    assert batch(stores, tmp_path / "out.json") == [("0", True, True), ("1", True, False), ("2", True, True)]
    assert json.loads((tmp_path / "out.json.failures.json").read_text()) == {}


@pytest.mark.parametrize("kept", [0.3, 0.9])
def test_a_journal_torn_by_a_kill_loses_at_most_the_claim_being_written(
    stores: Path, tmp_path: Path, kept: float
) -> None:
    batch(stores, tmp_path / "out.json")
    whole = (tmp_path / "out.json").read_bytes()
    journal = tmp_path / "out.json.journal"
    journal.write_bytes(journal.read_bytes()[: int(kept * journal.stat().st_size)])
    batch(stores, tmp_path / "out.json")

    def unhurried(content: bytes) -> list[dict[str, object]]:
        return [{key: value for key, value in row.items() if key != "seconds"} for row in json.loads(content)]

    assert unhurried((tmp_path / "out.json").read_bytes()) == unhurried(whole)
    assert len(read_journal(journal)) == 3


def test_a_journal_that_is_none_is_named_by_its_line(tmp_path: Path) -> None:
    journal = tmp_path / "out.json.journal"
    journal.write_text("[]\n")
    with pytest.raises(BadRecord, match=r"journal:1"):
        read_journal(journal)


def test_a_claim_without_a_store_says_which_file_is_missing(stores: Path) -> None:
    with pytest.raises(BadInput, match=r"9\.json is expected"):
        request_for(replace(CLAIMS[0], id="9"), stores, (), Request(Claim("")))
