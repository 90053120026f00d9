"""Shared tasks on the command line: from the gold file to the exported scores."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from core.__main__ import main
from core.averitec.averitec import read_gold
from tests.cli.conftest import Command

ASSETS = Path(__file__).resolve().parents[2] / "assets"
GOLD, CAREFUL, HASTY = (str(ASSETS / "scoring" / f"{name}.json") for name in ("gold", "careful", "hasty"))

pytestmark = pytest.mark.usefixtures("home")


def made(command: Command, *more: str) -> str:
    now = datetime.now(UTC)
    phase = f"Test={(now - timedelta(days=1)).isoformat()}/{(now + timedelta(days=1)).isoformat()}"
    opens = (now + timedelta(days=2)).isoformat()
    words = ("task", "new", "AVeriTeC", "--gold", GOLD, "--phase", phase, "--opens", opens, "--metric", "verdict")
    return str(json.loads(command(*words, *more, "--json"))["task"])


def test_a_task_from_its_gold_to_its_export(command: Command, tmp_path: Path) -> None:
    assert command("task", "list").startswith("There are no tasks")
    task = made(command, "--daily", "1")
    assert json.loads(command("task", "list", "--json"))[0]["id"] == task
    assert "AVeriTeC" in command("task", "list")
    for team in ("Alpha", "Beta"):
        link = json.loads(command("task", "invite", task[:8], team, "--url", "https://x.example", "--json"))["link"]
        assert link.startswith("https://x.example/tasks?invite=")
    command("task", "submit", "AVeriTeC", CAREFUL, "--team", "Alpha")
    submitted = json.loads(command("task", "submit", "AVeriTeC", HASTY, "--team", "Beta", "--json"))
    assert submitted["submission"]
    assert "its 1 a day" in command("task", "submit", "AVeriTeC", HASTY, "--team", "Beta", status=2)
    board = json.loads(command("task", "leaderboard", "AVeriTeC", "--json"))
    assert [row["Team"] for row in board["rows"]] == ["Alpha", "Beta"]
    assert "Alpha" in command("task", "leaderboard", "AVeriTeC", "--phase", "Test")
    out = tmp_path / "scores.csv"
    command("task", "export", "AVeriTeC", "--out", str(out))
    written = out.read_text(encoding="utf-8")
    assert written.startswith("Team,Phase,Received (UTC),File,Claims,Final,State,")
    assert not [claim.justification for claim in read_gold(Path(GOLD)) if claim.justification in written]
    assert len(json.loads(command("task", "export", "AVeriTeC", "--json"))["rows"]) == 2


def test_faults_are_sentences(command: Command, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made(command)
    assert "no team 'Alpha'" in command("task", "submit", "AVeriTeC", CAREFUL, "--team", "Alpha", status=2)
    command("task", "invite", "AVeriTeC", "Alpha")
    large = tmp_path / "large.json"
    with large.open("wb") as file:
        file.truncate(200 * 2**20)
    assert "50 MB" in command("task", "submit", "AVeriTeC", str(large), "--team", "Alpha", status=2)
    other = tmp_path / "other.json"
    other.write_text(json.dumps([{"claim_id": 99, "claim": "", "pred_label": "Refuted", "evidence": []}]))
    assert "shares no id" in command("task", "submit", "AVeriTeC", str(other), "--team", "Alpha", status=2)
    assert "'Other'" in command("task", "leaderboard", "Other", status=2)
    assert "has no phase 'Dev'" in command("task", "leaderboard", "AVeriTeC", "--phase", "Dev", status=2)
    for phase in ("Test", "Test=2026-11-01", "Test=2026-11-01T00:00/2026-11-02T00:00Z", "Test=x/y"):
        with pytest.raises(SystemExit):
            main(["task", "new", "T", "--gold", GOLD, "--phase", phase, "--opens", "2026-11-01T00:00Z"])
    assert "has no time zone" in capsys.readouterr().err


def test_a_submission_to_gold_that_lacks_its_claims_is_scored_and_remarked_on(
    command: Command, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made(command)
    command("task", "invite", "AVeriTeC", "Alpha")
    rows = json.loads(Path(CAREFUL).read_text(encoding="utf-8"))
    pairs = [{"question": f"Q{n}?", "answer": "A."} for n in range(50)]
    other = tmp_path / "other.json"
    other.write_text(json.dumps([*rows[:5], {**rows[5], "claim_id": 99, "claim": "Another.", "evidence": pairs}]))
    assert main(["task", "submit", "AVeriTeC", str(other), "--team", "Alpha"]) == 0
    said = capsys.readouterr()
    assert "Alpha" in said.out
    assert len([line for line in said.err.splitlines() if "5 fit, 1" in line]) == 1
    assert "id 5: id:" in said.err
    assert "has 50 pairs" in said.err
