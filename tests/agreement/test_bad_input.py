"""Ratings and scores as they should not be: a sentence each, and what can be used is used."""

import json
from dataclasses import replace

import pytest

from core.__main__ import main
from core.agreement.analysis import analyse, rater_agreement
from core.agreement.rater_tables import rater_tables
from core.agreement.ratings import RatingImport, read_ratings
from core.agreement.recipes import RECIPES
from core.agreement.scored_items import read_scored_items
from core.errors import BadInput

FEW = replace(RECIPES["default"], resamples=20)


def ratings(*rows: str) -> RatingImport:
    return read_ratings("ratings.csv", "\n".join(["Rater,id,relevance", *rows]).encode())


def scores(text: str):
    return read_scored_items([("scores.csv", text.encode())])


@pytest.mark.parametrize("begins", [b"Rater,id,relevance\n", b'{"id": 1}\n'], ids=["csv", "jsonl"])
def test_a_file_of_200_mb_is_refused_unread(begins: bytes) -> None:
    with pytest.raises(BadInput, match="128 MB"):
        read_ratings("ratings", begins + bytes(200 * 2**20))


def test_a_file_without_one_rating_inside_the_scale_is_refused() -> None:
    with pytest.raises(BadInput, match=r"ratings\.csv.*row 2: relevance '9'"):
        ratings("A01,1,9", "A01,2,0")


def test_scores_that_are_all_infinite_are_named_as_the_reason() -> None:
    with pytest.raises(BadInput, match=r"scores\.csv: 2 infinite"):
        analyse(ratings("A01,1,3", "A01,2,4"), scores("id,m\n1,inf\n2,-1e999\n"), FEW)


def test_the_command_says_what_it_did_not_use_and_then_the_answer(tmp_path, capsys) -> None:
    rated, scored = tmp_path / "r.csv", tmp_path / "s.csv"
    rated.write_text("Rater,id,relevance\nA01,0,7\n" + "".join(f"A01,{i},3\n" for i in range(1, 6)))
    scored.write_text("id,m\n" + "".join(f"{i},{i}\n" for i in range(6)))
    assert main(["agreement", "--ratings", str(rated), "--scores", str(scored), "--resamples", "20"]) == 0
    out, err = capsys.readouterr()
    assert "all ratings are equal" in out.splitlines()[0]
    assert "row 2: relevance '7'" in err


def test_an_item_of_500_raters_is_analysed_and_no_pair_of_them_has_a_kappa() -> None:
    many = ratings(*(f"a{i}@x.org,1,{1 + i % 5}" for i in range(500)), "a1@x.org,2,3", "a2@x.org,2,3")
    *_, kappas = rater_tables(rater_agreement(many, "relevance", FEW, {}))
    assert kappas.rows == ()
    assert "124750" in kappas.note


def test_a_rater_with_one_rating_has_no_deviation_and_no_severity() -> None:
    found = rater_agreement(ratings("A01,1,3", "A02,2,4", "A02,3,4"), "relevance", FEW, {})
    (one, _) = found.profiles
    assert (one.n, one.sd, one.severity) == (1, None, None)
    assert (found.alphas["relevance"].value, found.alphas["relevance"].items) == (None, 0)


def test_infinite_scores_are_left_out_and_counted() -> None:
    found = scores("id,m\n1,inf\n2,0.5\n3,-Infinity\n4,0.25\n")
    assert ["2 infinite" in note for note in found.notes] == [True, False]
    assert found.items["1", ""].scores == ()
    assert found.items["2", ""].scores == (("m", 0.5),)


def test_the_command_compares_raters_without_scores(tmp_path, capsys) -> None:
    path = tmp_path / "r.csv"
    path.write_text("Rater,id,relevance\n" + "".join(f"A0{r},{i},{1 + i % 5}\n" for r in (1, 2) for i in range(9)))
    assert main(["agreement", "--ratings", str(path)]) == 0
    assert "κ by pair" in capsys.readouterr().out
    assert main(["agreement", "--ratings", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["alphas"]["relevance"]["value"] == 1.0
