"""Ratings and scores as they should not be: a sentence each, and what can be used is used."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from core.__main__ import main
from core.agreement.analysis import analyse, rater_agreement
from core.agreement.findings import best_metric
from core.agreement.rater_tables import rater_tables
from core.agreement.ratings import RatingImport, read_ratings
from core.agreement.scored_items import read_scored_items
from core.agreement.study import RECIPES
from core.errors import BadInput

FEW = replace(RECIPES["default"], resamples=20)


def ratings(*rows: str) -> RatingImport:
    return read_ratings("ratings.csv", "\n".join(["Rater,id,relevance", *rows]).encode())


def scores(text: str):
    return read_scored_items([("scores.csv", text.encode())])


@pytest.mark.parametrize("begins", [b"Rater,id,relevance\n", b'{"id": 1}\n'], ids=["csv", "jsonl"])
def test_a_file_of_200_mb_is_refused_unread(begins: bytes) -> None:
    with pytest.raises(BadInput, match="200 MB; the limit is"):
        read_ratings("ratings", begins + bytes(200 * 2**20))


def test_ratings_outside_the_scale_are_named_and_not_used() -> None:
    found = ratings("A01,1,7", "A01,2,0", "A01,3,4")
    reasons = [(one.row, one.reason) for one in found.report.unused_answers]
    assert [(row, reason.split("'")[1]) for row, reason in reasons] == [(2, "7"), (3, "0")]
    assert [one.ratings for one in found.responses] == [{}, {}, {"relevance": 4}]


def test_a_file_without_one_rating_inside_the_scale_is_refused() -> None:
    said = r"ratings.csv: not one rating can be used. 2 answers not used, the first in row 2: relevance '9' is not"
    with pytest.raises(BadInput, match=said):
        ratings("A01,1,9", "A01,2,0")


def test_scores_that_are_all_infinite_are_named_as_the_reason() -> None:
    with pytest.raises(BadInput, match="2 infinite values of m"):
        analyse(ratings("A01,1,3", "A01,2,4"), scores("id,m\n1,inf\n2,-1e999\n"), FEW)


def test_the_command_says_what_it_did_not_use_and_then_the_answer(tmp_path, capsys) -> None:
    rated, scored = tmp_path / "r.csv", tmp_path / "s.csv"
    rated.write_text("Rater,id,relevance\nA01,0,7\n" + "".join(f"A01,{i},3\n" for i in range(1, 6)))
    scored.write_text("id,m\n" + "".join(f"{i},{i}\n" for i in range(6)))
    assert main(["agreement", "--ratings", str(rated), "--scores", str(scored), "--resamples", "20"]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("No correlation with relevance")
    assert "'7' is not" in err


def test_an_item_of_500_raters_is_analysed_and_no_pair_of_them_has_a_kappa() -> None:
    many = ratings(*(f"a{i}@x.org,1,{1 + i % 5}" for i in range(500)), "a1@x.org,2,3", "a2@x.org,2,3")
    *_, kappas = rater_tables(rater_agreement(many, "relevance", FEW, {}))
    assert kappas.rows == ()
    assert "124750" in kappas.note


def test_a_rater_with_one_rating_has_no_deviation_and_no_severity() -> None:
    found = rater_agreement(ratings("A01,1,3", "A02,2,4", "A02,3,4"), "relevance", FEW, {})
    (one, _) = found.profiles
    assert (one.n, one.sd, one.severity) == (1, None, None)
    assert found.alphas["relevance"].reason.startswith("0 items")


def test_equal_ratings_have_no_correlation_and_the_answer_says_so() -> None:
    same = ratings(*(f"A01,{i},3" for i in range(6)))
    found = analyse(same, scores("id,m\n" + "".join(f"{i},{i}\n" for i in range(6))), FEW)
    assert best_metric(found).endswith("all ratings are equal.")


def test_infinite_scores_are_left_out_and_counted() -> None:
    found = scores("id,m\n1,inf\n2,0.5\n3,-Infinity\n4,0.25\n")
    assert [note.split()[1] for note in found.notes] == ["2", "2"]
    assert found.items["1", ""].scores == ()
    assert found.items["2", ""].scores == (("m", 0.5),)


def test_the_command_compares_raters_without_scores(tmp_path, capsys) -> None:
    path = tmp_path / "r.csv"
    path.write_text("Rater,id,relevance\n" + "".join(f"A0{r},{i},{1 + i % 5}\n" for r in (1, 2) for i in range(9)))
    assert main(["agreement", "--ratings", str(path)]) == 0
    assert "Quadratic-weighted κ by pair" in capsys.readouterr().out
    assert main(["agreement", "--ratings", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["alphas"]["relevance"]["value"] == 1.0
