"""Shared tasks on the command line: from the gold file to the exported scores."""

import json
import time
from pathlib import Path

import pytest

from core.__main__ import main
from core.averitec.averitec import read_gold
from core.tasks.moments import written_moment
from tests.cli.conftest import Command

ASSETS = Path(__file__).resolve().parents[2] / "assets"
GOLD, CAREFUL, HASTY = (str(ASSETS / "scoring" / f"{name}.json") for name in ("gold", "careful", "hasty"))

pytestmark = pytest.mark.usefixtures("home")


def made(command: Command, *more: str) -> str:
    words = ("task", "new", "AVeriTeC", "--gold", GOLD, *dates(), "--metric", "verdict")
    return str(json.loads(command(*words, *more, "--json"))["task"])


def dates(opens: float = 2) -> tuple[str, ...]:
    now = time.time()
    days = {"--start": -1, "--end": 1, "--opens": opens}
    return tuple(word for name, day in days.items() for word in (name, written_moment(now + day * 86_400)))


def test_a_task_from_its_gold_to_its_export(command: Command, tmp_path: Path) -> None:
    assert command("task", "list").startswith("There are no tasks")
    task = made(command, "--daily", "1")
    assert json.loads(command("task", "list", "--json"))[0]["id"] == task
    assert "AVeriTeC" in command("task", "list")
    for team in ("Alpha", "Beta"):
        (row,) = json.loads(command("task", "invite", task[:8], team, "--url", "https://x.example", "--json"))
        link = row["link"]
        assert link.startswith("https://x.example/tasks?invite=")
    command("task", "submit", "AVeriTeC", CAREFUL, "--team", "Alpha")
    submitted = json.loads(command("task", "submit", "AVeriTeC", HASTY, "--team", "Beta", "--json"))
    assert submitted["submission"]
    assert "its 1 submission of today" in command("task", "submit", "AVeriTeC", HASTY, "--team", "Beta", status=2)
    board = json.loads(command("task", "leaderboard", "AVeriTeC", "--json"))
    assert [row["Team"] for row in board["rows"]] == ["Alpha", "Beta"]
    assert "Alpha" in command("task", "leaderboard", "AVeriTeC", "--phase", "Test")
    out = tmp_path / "scores.csv"
    command("task", "export", "AVeriTeC", "--out", str(out), "--json")
    written = out.read_text(encoding="utf-8")
    assert written.startswith("Team,Phase,Received (UTC),File,Claims,Final,State,")
    assert not [claim.justification for claim in read_gold(Path(GOLD)) if claim.justification in written]
    assert len(json.loads(command("task", "export", "AVeriTeC", "--json"))["rows"]) == 2


def test_faults_are_sentences(command: Command, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made(command)
    assert "no team 'Alpha'" in command("task", "submit", "AVeriTeC", CAREFUL, "--team", "Alpha", status=2)
    command("task", "invite", "AVeriTeC", "Alpha")
    assert "a team alpha" in command("task", "invite", "AVeriTeC", "alpha", status=2)
    assert "no team 'Beta'" in command("task", "teams", "AVeriTeC", "--approve", "Beta", status=2)
    large = tmp_path / "large.json"
    with large.open("wb") as file:
        file.truncate(200 * 2**20)
    assert "50 MB" in command("task", "submit", "AVeriTeC", str(large), "--team", "Alpha", status=2)
    other = tmp_path / "other.json"
    other.write_text(json.dumps([{"claim_id": 99, "claim": "", "pred_label": "Refuted", "evidence": []}]))
    assert "shares no id" in command("task", "submit", "AVeriTeC", str(other), "--team", "Alpha", status=2)
    assert "'Other'" in command("task", "leaderboard", "Other", status=2)
    assert "has no phase 'Dev'" in command("task", "leaderboard", "AVeriTeC", "--phase", "Dev", status=2)
    for start in ("2026-11-01", "2026-11-01T00:00", "x", "2099-01-01 00:00 UTC"):
        words = ("task", "new", "T", "--gold", GOLD, *dates(), "--start", start)
        assert ("--end" if "2099" in start else "--start") in command(*words, status=2)
    assert [line["plan"]["name"] for line in json.loads(command("task", "list", "--json"))] == ["AVeriTeC"]


def test_phases_have_their_own_gold_limits_and_boards(command: Command, tmp_path: Path) -> None:
    made(command)
    some = tmp_path / "dev.json"
    some.write_text(json.dumps(json.loads(Path(GOLD).read_text(encoding="utf-8"))[:3]), encoding="utf-8")
    command("task", "phase", "AVeriTeC", "Dev", *dates(-1), "--total", "1", "--gold", str(some))
    command("task", "invite", "AVeriTeC", "Alpha")
    submit = ("task", "submit", "AVeriTeC", CAREFUL, "--team", "Alpha", "--phase", "Dev")
    command(*submit)
    assert "its 1 submission to Dev" in command(*submit, status=2)
    board = json.loads(command("task", "leaderboard", "AVeriTeC", "--phase", "Dev", "--json"))
    assert [(row["Team"], row["Missing"]) for row in board["rows"]] == [("Alpha", 0)]
    command("task", "phase", "AVeriTeC", "Dev", *dates(), "--rename", "Development")
    assert "so it stays" in command("task", "drop-phase", "AVeriTeC", "Development", status=2)
    assert "gold file: replace it" in command("task", "phase", "AVeriTeC", "Test", *dates(), "--gold", GOLD, status=2)
    command("task", "drop-phase", "AVeriTeC", "Test")


def test_a_replaced_gold_file_changes_the_board(command: Command, tmp_path: Path) -> None:
    made(command)
    command("task", "invite", "AVeriTeC", "Alpha", "Beta")
    for team, file in (("Alpha", CAREFUL), ("Beta", HASTY)):
        command("task", "submit", "AVeriTeC", file, "--team", team)
    new = tmp_path / "new.json"
    labels = {str(row["claim_id"]): row["pred_label"] for row in json.loads(Path(HASTY).read_text(encoding="utf-8"))}
    rows = json.loads(Path(GOLD).read_text(encoding="utf-8"))
    corrected = [row | {"label": labels[str(row.get("claim_id", place))]} for place, row in enumerate(rows)]
    words = ("task", "gold", "AVeriTeC", "Test", "--gold", str(new), "--reason", "Labels were corrected.")
    new.write_text(json.dumps(corrected[1:]), encoding="utf-8")
    assert "--gold: The file lacks 1 of the 6" in command(*words, status=2)
    new.write_text(json.dumps([*corrected, corrected[0] | {"claim_id": rows[1].get("claim_id", 1)}]), encoding="utf-8")
    assert "occurs 2 times" in command(*words, status=2)
    new.write_text(json.dumps(corrected), encoding="utf-8")
    said = command(*words)
    assert "from 1 to 2" in said or "from 2 to 1" in said
    board = json.loads(command("task", "leaderboard", "AVeriTeC", "--json"))
    assert [row["Team"] for row in board["rows"]] == ["Beta", "Alpha"]
    old = json.loads(command("task", "leaderboard", "AVeriTeC", "--gold", "1", "--json"))
    assert [row["Team"] for row in old["rows"]] == ["Alpha", "Beta"]
    assert "Labels were corrected." in command("task", "leaderboard", "AVeriTeC")


def test_links_of_many_teams_are_a_csv_and_sign_up_opens_and_closes(command: Command) -> None:
    made(command, "--terms", "Be fair.")
    csv = command("task", "invite", "AVeriTeC", "Alpha, a@x.example", "Beta", "--format", "csv")
    assert [line.split(",")[:2] for line in csv.splitlines()] == [
        ["Team", "Address"], ["Alpha", "a@x.example"], ["Beta", ""]
    ]  # fmt: skip
    assert len(command("task", "invite", "AVeriTeC", "--format", "csv").splitlines()) == 3
    assert "?signup=" in command("task", "sign-up", "AVeriTeC")
    command("task", "sign-up", "AVeriTeC", "--close")
    command("task", "invite", "AVeriTeC", "Random", "--baseline")
    listed = json.loads(command("task", "teams", "AVeriTeC", "--withdraw", "Beta", "--json"))
    states = {row["name"]: row for row in listed}
    assert (states["Beta"]["revoked"], states["Random"]["baseline"]) == (True, True)


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
