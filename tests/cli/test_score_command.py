import csv
import io
import json
from pathlib import Path

import pytest

from core.__main__ import main
from core.averitec.averitec import read_gold, read_submission
from core.scoring.items import ALL, ItemScore, ItemStatus, Score, mean_score
from core.scoring.leaderboard import SystemReport, leaderboard
from core.scoring.leaderboard_tables import board_table
from core.scoring.metrics.verdict import confusion
from core.scoring.open_metrics import Opening
from core.tabular.exports import csv_text, latex_safe, to_csv, to_latex, to_text
from core.wording import numbered_names
from tests.fakes import Reader

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
    given = [word for name in ("wrong", "right") for word in ("--submission", str(files[name]))]
    status = main(["score", "--gold", str(files["gold"]), *given])
    out, err = capsys.readouterr()
    assert status == 0
    lines = out.splitlines()
    assert "Hungarian METEOR" in lines[0]
    assert lines[2].split()[:4] == ["Rank", "System", "Letters", "Seconds"]
    assert lines[3].split()[:4] == ["1", "=right", "a", "2.00"]
    assert lines[4].split()[:3] == ["2", "wrong", "b"]
    assert "Signature: hungarian-meteor|" in out
    assert "id 99" in err
    assert "id 7" in err
    assert "'None'" in err


def test_score_json_gives_every_score_its_count_and_signature(
    files: dict[str, Path], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    items = tmp_path / "items.csv"
    arguments = ["score", "--gold", str(files["gold"]), "--submission", str(files["right"]), "--metric", "verdict"]
    assert main([*arguments, "--json", "--items", str(items)]) == 0
    printed = json.loads(capsys.readouterr().out)
    accuracy = next(s for s in printed["scores"] if s["metric"] == "verdict:accuracy" and s["breakdown"] == "all")
    assert [accuracy[name] for name in ("system", "value", "n_scored", "n_unscored")] == ["=right", 1.0, 8, 0]
    assert accuracy["signature"].startswith("verdict|")
    rows = list(csv.DictReader(io.StringIO(items.read_text())))
    assert len(rows) == 8
    assert list(rows[0]) == ["id", "system", "metric", "value", "status", "reason"]
    assert list(rows[0].values()) == ["0", "'=right", "verdict:accuracy", "1.0", "scored", ""]


def test_score_breakdown_lists_types_and_verdicts(files: dict[str, Path], capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["score", "--gold", str(files["gold"]), "--submission", str(files["right"]), "--metric", "verdict"]
    main([*arguments, "--breakdown"])
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["claim", "type", "Numerical", "Claim", "4", "1.0000"] in lines
    assert ["gold", "verdict", "Refuted", "4", "1.0000"] in lines


def test_score_as_latex_labels_each_board_and_escapes_names(
    files: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    main(["score", "--gold", str(files["gold"]), "--submission", str(files["right"]), "--format", "latex"])
    labels = [line for line in capsys.readouterr().out.splitlines() if line.startswith(r"\label")]
    assert labels == [r"\label{tab:leaderboard-1}", r"\label{tab:leaderboard-2}"]
    assert latex_safe("a_b & 50% \\") == r"a\_b \& 50\% \textbackslash{}"
    assert latex_safe("<b> ≥ 1") == r"\textless{}b\textgreater{} $\geq$ 1"


def repeated_report(name: str, values: list[float | None]) -> SystemReport:
    """Return a system judged twice, whose scores were 0.02 apart."""
    metric = "ev2r:averitec>0.5"
    items = tuple(
        ItemScore(str(i), metric, value, ItemStatus.SCORED if value is not None else ItemStatus.UNSCORED)
        for i, value in enumerate(values)
    )
    scores = (mean_score(items, "sig"), Score(f"{metric}:sd", ALL, 0.02, 4, 0, "sig", 0.02, 0.02))
    return SystemReport(name, (), items, scores, {"ev2r": metric}, confusion([], {}), None, 10.0)


def test_an_exported_leaderboard_tells_deviation_unscored_items_and_their_bounds() -> None:
    board = leaderboard([repeated_report("a_b", [1.0, 0.0, 1.0, None])], "ev2r:averitec>0.5")
    (row,) = csv.DictReader(io.StringIO(to_csv(board_table(board))))
    found = [float(row[name]) for name in ("deviation", "unscored", "least if scored", "most if scored")]
    assert found == [0.02, 1, 0.5, 0.75]
    latex = to_latex(board_table(board))
    assert r"0.6667 {\footnotesize $\pm$ 0.020; 1 unscored: 0.500 \dots{} 0.750} &" in latex
    assert r"$\pm$: standard deviation" in latex
    assert "% sig" in latex


UNTESTED = {
    "one of three unscored": ([1.0, 0.0], [0.0, 0.0], [None, None]),
    "two without a common item": ([1.0, None], [None, 0.0]),
}


@pytest.mark.parametrize("values", UNTESTED.values(), ids=UNTESTED)
def test_where_nothing_was_tested_nobody_is_said_to_be_alike(values: tuple[list[float | None], ...]) -> None:
    reports = [repeated_report(f"system{i}", each) for i, each in enumerate(values)]
    board = leaderboard(reports, "ev2r:averitec>0.5")
    assert {standing.letters for standing in board.standings} == {""}
    for shown in (to_latex(board_table(board)), to_text(board_table(board))):
        assert "No difference was tested" in shown
        assert "share a letter" not in shown


def test_systems_of_one_letter_are_said_to_be_alike() -> None:
    board = leaderboard([repeated_report(name, [1.0, 0.0]) for name in "ab"], "ev2r:averitec>0.5")
    latex = to_latex(board_table(board))
    assert r"1 & a & a & 0.5000 {\footnotesize $\pm$ 0.020} & 10.00 \\" in latex
    assert "share a letter" in latex


def test_names_are_numbered_until_no_two_are_the_same() -> None:
    assert numbered_names(["run", "run (2)", "run", "x", "run"]) == ["run", "run (2)", "run (3)", "x", "run (4)"]


def test_answers_of_one_name_are_two_systems_and_may_leave_out_the_first_questions(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VERIDESK_HOME", str(tmp_path))
    monkeypatch.setattr(Opening, "llm", lambda self: Reader())
    answers = [{"id": i, "question": "Who?", "answer": "Anna"} for i in (1, 2)]
    for name, rows in (("key.json", answers), ("run.json", answers[:1]), ("run.jsonl", answers[1:])):
        (tmp_path / name).write_text(json.dumps(rows), encoding="utf-8")
    files = [str(tmp_path / name) for name in ("run.json", "run.jsonl")]
    assert main(["score", "--gold", str(tmp_path / "key.json"), "--submission", *files, "--first", "1", "--json"]) == 0
    board = json.loads(capsys.readouterr().out)["leaderboards"][0]
    assert [(row["system"], row["rank"]) for row in board["standings"]] == [("run", 1), ("run (2)", 2)]


def test_check_says_whether_a_file_would_be_accepted(
    files: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    gold = ["--gold", str(files["gold"])]
    assert main(["check", str(files["right"]), *gold]) == 0
    assert "0 remarks" in capsys.readouterr().out
    assert main(["check", str(files["wrong"]), *gold]) == 0
    remarks = capsys.readouterr().out
    assert "16 remarks" in remarks  # 7 labels, 7 without evidence, 1 missing, 1 extra
    assert "remark\tid 7\tid\t" in remarks
    assert main(["check", str(files["twice"]), *gold]) == 1
    assert "error\tid 0\tid\t" in capsys.readouterr().out


def test_the_ids_of_another_split_are_not_taken_for_these_claims(
    files: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = json.loads(files["right"].read_text(encoding="utf-8"))
    gold, path = ["--gold", str(files["gold"])], tmp_path / "train.json"
    path.write_text(json.dumps([{**row, "claim": f"Another {row['claim']}"} for row in rows]))
    assert main(["check", str(path), *gold]) == 1
    assert "8 of 8 ids" in capsys.readouterr().out
    path.write_text(json.dumps([{**rows[0], "claim": "Another"}, {**rows[1], "claim": " CLAIM  1"}, *rows[2:]]))
    assert main(["check", str(path), *gold]) == 0
    said = capsys.readouterr().out
    assert "remark\tfile\tclaim\t" in said
    assert said.endswith(" 1 remark.\n")
    path.write_text(json.dumps([{**row, "claim": ""} for row in rows]))
    assert main(["check", str(path), *gold]) == 0
    assert "0 remarks" in capsys.readouterr().out


def test_a_refused_submission_ends_score_with_its_reason(
    files: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    assert (
        main(["score", "--gold", str(files["gold"]), "--submission", str(files["twice"]), "--metric", "verdict"]) == 2
    )
    assert "scored: id 0" in capsys.readouterr().err


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
    assert ".json, .jsonl, .csv" in capsys.readouterr().err


def test_cells_that_a_spreadsheet_would_compute_are_exported_as_text() -> None:
    text = csv_text(["a"], [["=1+1"], ["@x"], ["plain"], [-0.5]])
    assert text == "a\n'=1+1\n'@x\nplain\n-0.5\n"


def csv_bytes(label: str, answer: str = "It stayed open all year.", claim_id: str = "0", *, end: str = "\n") -> bytes:
    """Return a leaderboard CSV of one row."""
    cell = f"Was bridge 0 closed?\t\t\n{answer}\t\t\n\n"
    return f'id,claim,evi,label,split{end}{claim_id},Claim 0,"{cell}",{label},dev{end}'.encode()


def json_bytes(**changes: object) -> bytes:
    pair = {"question": "Was bridge 0 closed?", "answer": "It stayed open all year."}
    return json.dumps(
        [{"claim_id": 0, "claim": "Claim 0", "pred_label": "Refuted", "evidence": [pair], **changes}]
    ).encode()


BAD = {
    "empty.json": (json_bytes(evidence=[]), 0.0, ""),
    "null.json": (json_bytes(evidence=None), 0.0, ""),
    "none.csv": (csv_bytes("None"), 1.0, "'None' is none of the four verdicts"),
    "na.csv": (csv_bytes("N/A"), 1.0, "'N/A' is none of the four verdicts"),
    "nan.json": (json_bytes(pred_label=float("nan")), 1.0, "'nan' is none of the four verdicts"),
    "separator.json": (
        json_bytes(evidence=[{"question": "Was bridge 0 closed?", "answer": "It stayed open\t\t\nall year."}]),
        1.0,
        "",
    ),
    "crlf.csv": (csv_bytes("Refuted", end="\r\n").replace(b"\t\t\n", b"\t\t\r\n"), 1.0, ""),
    "bom.json": (b"\xef\xbb\xbf" + json_bytes(), 1.0, ""),
    "latin.csv": (
        csv_bytes("Refuted", "It stayed open all year. Año").replace(b"\xc3\xb1", b"\xf1"),
        0.9,
        "windows-1252",
    ),
}
"""A submission's content, the least Q + A score it should have, and what must be said of it."""


@pytest.mark.parametrize("name", BAD)
def test_odd_files_are_read_scored_and_remarked_on(
    name: str, files: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content, least, said = BAD[name]
    path = tmp_path / name
    path.write_bytes(content)
    arguments = ["--gold", str(files["gold"])]
    assert main(["check", str(path), *arguments]) == 0
    assert said in capsys.readouterr().out
    assert (
        main(["score", "--submission", str(path), *arguments, "--metric", "hungarian-meteor", "--json", "--first", "1"])
        == 0
    )
    scores = json.loads(capsys.readouterr().out)["scores"]
    value = next(s["value"] for s in scores if (s["metric"], s["breakdown"]) == ("hungarian-meteor:q+a", "all"))
    assert value == 0.0 if least == 0.0 else value > least - 0.01


def test_a_file_of_300_mb_is_refused_unread(
    files: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "large.json"
    with path.open("wb") as file:
        file.truncate(300 * 2**20)
    assert main(["check", str(path), "--gold", str(files["gold"])]) == 2
    assert "limit is 256 MB" in capsys.readouterr().err


def test_a_name_that_turns_the_text_is_shown_without_the_turn(
    files: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "\u202egpj\n.json"
    path.write_bytes(json_bytes())
    assert main(["score", "--submission", str(path), "--gold", str(files["gold"]), "--metric", "verdict"]) == 0
    assert " gpj " in capsys.readouterr().out


def test_stress_prints_a_table_with_findings_and_draws_a_picture(
    files: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    picture = tmp_path / "stress.svg"
    assert main(["stress", "--gold", str(files["gold"]), "--chart", str(picture)]) == 0
    lines = capsys.readouterr().out.splitlines()
    blank = next(line.split() for line in lines if line.startswith("answers blank"))
    assert blank[2:6] == ["fall", "Hungarian", "METEOR", "sound"]
    svg = picture.read_text()
    assert svg.startswith("<svg")
    assert svg.count("answers blank") >= 1
    assert main(["stress", "--gold", str(files["gold"]), "--chart", str(tmp_path / "stress.gif")]) == 2
    assert ".svg, .pdf, .png" in capsys.readouterr().err
