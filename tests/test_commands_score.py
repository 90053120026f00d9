from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from core.__main__ import main
from core.formats.averitec import read_gold, read_submission
from core.scoring.export import csv_text, latex_safe

GOLD = [
    {
        "claim": f"Claim {i}",
        "label": label,
        "claim_types": [kind],
        "questions": [{"question": f"Was bridge {i} closed?", "answers": [{"answer": "It stayed open all year."}]}],
    }
    for i, (label, kind) in enumerate([("Refuted", "Numerical Claim"), ("Supported", "Quote Verification")] * 4)
]


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    def write(name: str, content: object) -> Path:
        path = tmp_path / name
        path.write_text(json.dumps(content), encoding="utf-8")
        return path

    right = [
        {
            "claim_id": i,
            "claim": row["claim"],
            "pred_label": row["label"],
            "evidence": [{"question": f"Was bridge {i} closed?", "answer": "It stayed open all year."}],
            "seconds": 2.0,
        }
        for i, row in enumerate(GOLD)
    ]
    wrong = [{**row, "pred_label": "None", "evidence": []} for row in right[:7]] + [{**right[0], "claim_id": 99}]
    return {
        "gold": write("gold.json", GOLD),
        "right": write("=right.json", right),
        "wrong": write("wrong.json", wrong),
        "twice": write("twice.json", [right[0], right[0]]),
    }


def test_score_prints_a_leaderboard_with_signature(files: dict[str, Path], capsys: pytest.CaptureFixture[str]) -> None:
    status = main(["score", "--gold", str(files["gold"]), "--submission", str(files["wrong"]), str(files["right"])])
    out, err = capsys.readouterr()
    assert status == 0
    lines = out.splitlines()
    assert lines[0].split()[:3] == ["#", "system", "s/claim"]
    assert lines[1].split()[:3] == ["1a", "=right", "2.00"]
    assert lines[2].split()[:2] == ["2b", "wrong"]
    assert "Signature: hungarian-meteor|" in out
    assert "id 99" in err
    assert "id 7" in err
    assert "'None' is none of the four verdicts" in err


def test_score_json_gives_every_score_its_count_and_signature(
    files: dict[str, Path], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    items = tmp_path / "items.csv"
    arguments = ["score", "--gold", str(files["gold"]), "--submission", str(files["right"]), "--metric", "verdict"]
    assert main([*arguments, "--json", "--items", str(items)]) == 0
    printed = json.loads(capsys.readouterr().out)
    accuracy = next(s for s in printed["scores"] if s["metric"] == "verdict:accuracy" and s["breakdown"] == "all")
    assert (accuracy["system"], accuracy["value"], accuracy["n_scored"], accuracy["n_unscored"]) == (
        "=right",
        1.0,
        8,
        0,
    )
    assert accuracy["signature"].startswith("verdict|")
    rows = list(csv.DictReader(io.StringIO(items.read_text())))
    assert len(rows) == 8
    assert rows[0] == {"id": "0", "system": "'=right", "metric": "verdict:accuracy", "value": "1.0", "status": "scored"}


def test_score_breakdown_lists_types_and_verdicts(files: dict[str, Path], capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["score", "--gold", str(files["gold"]), "--submission", str(files["right"]), "--metric", "verdict"]
    main([*arguments, "--breakdown"])
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["claim", "type", "Numerical", "Claim", "4", "1.0000"] in lines
    assert ["gold", "verdict", "Refuted", "4", "1.0000"] in lines


def test_score_as_latex_escapes_names(files: dict[str, Path], capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["score", "--gold", str(files["gold"]), "--submission", str(files["right"]), "--metric", "verdict"]
    main([*arguments, "--format", "latex"])
    out = capsys.readouterr().out
    assert r"\begin{tabular}" in out
    assert latex_safe("a_b & 50% \\") == r"a\_b \& 50\% \textbackslash{}"


def test_two_files_of_one_name_stay_two_systems(files: dict[str, Path], capsys: pytest.CaptureFixture[str]) -> None:
    paths = [str(files["right"]), str(files["right"])]
    main(["score", "--gold", str(files["gold"]), "--submission", *paths, "--metric", "verdict"])
    assert "=right (2)" in capsys.readouterr().out


def test_check_says_whether_a_file_would_be_accepted(
    files: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    gold = ["--gold", str(files["gold"])]
    assert main(["check", str(files["right"]), *gold]) == 0
    assert capsys.readouterr().out == "Accepted: 8 predictions for 8 claims, 0 remarks.\n"
    assert main(["check", str(files["wrong"]), *gold]) == 0
    remarks = capsys.readouterr().out
    assert "Accepted: 8 predictions for 8 claims, 9 remarks." in remarks  # 7 labels, 1 missing, 1 extra
    assert "remark\tid 7\tid\thas no prediction; it scores 0." in remarks
    assert main(["check", str(files["twice"]), *gold]) == 1
    assert "error\tid 0\tid\toccurs 2 times" in capsys.readouterr().out


def test_a_refused_submission_ends_score_with_its_reason(
    files: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    assert (
        main(["score", "--gold", str(files["gold"]), "--submission", str(files["twice"]), "--metric", "verdict"]) == 2
    )
    assert "twice cannot be scored: id 0" in capsys.readouterr().err


def test_convert_goes_through_every_format_and_back(files: dict[str, Path], tmp_path: Path) -> None:
    steps = [tmp_path / "a.csv", tmp_path / "b.jsonl", tmp_path / "c.json"]
    source = files["right"]
    for target in steps:
        assert main(["convert", str(source), str(target)]) == 0
        source = target
    first, last = read_submission(files["right"]), read_submission(steps[-1])
    assert [p.evidence for p in first.predictions] == [p.evidence for p in last.predictions]
    assert [p.label for p in first.predictions] == [p.label for p in last.predictions]
    assert main(["convert", str(files["gold"]), str(tmp_path / "gold.csv")]) == 0
    assert [c.pairs for c in read_gold(tmp_path / "gold.csv")] == [c.pairs for c in read_gold(files["gold"])]


def test_convert_refuses_what_it_cannot_know(
    files: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    neither = tmp_path / "neither.json"
    neither.write_text('[{"claim": "c"}]')
    assert main(["convert", str(neither), str(tmp_path / "x.csv")]) == 2
    assert "neither 'questions'" in capsys.readouterr().err
    assert main(["convert", str(files["gold"]), str(tmp_path / "x.xlsx")]) == 2
    assert "must end in .json, .jsonl, .csv" in capsys.readouterr().err


def test_cells_that_a_spreadsheet_would_compute_are_exported_as_text() -> None:
    text = csv_text(["a"], [["=1+1"], ["@x"], ["plain"], [-0.5]])
    assert text == "a\n'=1+1\n'@x\nplain\n-0.5\n"
