"""The independent unit of a study: chosen by its design, and named with its reason."""

import json
from pathlib import Path

import numpy as np
import pytest

from core.__main__ import main
from core.agreement.ratings import read_ratings
from core.agreement.recipes import RECIPES
from core.agreement.scored_items import read_scored_items
from core.agreement.study import build_study


def study(rated, scored):
    ratings = f"rater,id,{rated[0]}coverage\n" + "".join(f"A{i:02},{row}\n" for i, row in enumerate(rated[1]))
    return build_study(
        read_ratings("r.csv", ratings.encode()), read_scored_items([("s.csv", scored.encode())]), RECIPES["default"]
    )


def test_a_claim_of_two_systems_is_one_cluster_by_its_id():
    found = study(("system,", ["1,X,5", "1,Y,4", "2,X,3"]), "id,system,bleu\n1,X,.1\n1,Y,.2\n2,X,.3\n")
    assert [one.claim for one in found.judged] == ["1", "1", "2"]
    assert found.recipe.cluster == "claim"
    assert all(size in found.cluster_reason for size in ("2 claims", "2 systems", "3 items"))


@pytest.mark.parametrize("named", ["ratings", "scores"])
def test_a_column_claim_id_names_the_claim(named):
    first = ("claim_id,", ["a,c,5", "b,c,4", "d,e,3"]) if named == "ratings" else ("", ["a,5", "b,4", "d,3"])
    scores = "id,claim_id,bleu\na,c,.1\nb,c,.2\nd,e,.3\n" if named == "scores" else "id,bleu\na,.1\nb,.2\nd,.3\n"
    found = study(first, scores)
    assert [one.item.item for one in found.judged] == ["a", "b", "d"]
    assert [one.claim for one in found.judged] == ["c", "c", "e"]
    assert found.recipe.cluster == "claim"


def test_one_text_under_two_ids_is_one_claim():
    found = study(("", ["a,5", "b,4", "d,3"]), "id,claim,bleu\na,The sun,.1\nb,the  SUN,.2\nd,Mars,.3\n")
    assert [one.claim for one in found.judged] == ["a", "a", "d"]


def test_items_without_a_common_claim_stay_items():
    found = study(("", ["1,5", "2,4", "3,3", "3,2"]), "claim_id,bleu\n1,.1\n2,.2\n3,.3\n")
    assert found.recipe.cluster == "item"
    assert "items are independent" in found.cluster_reason


@pytest.fixture
def crossed_files(tmp_path):
    generator = np.random.default_rng(5)
    ratings, scores = ["rater,id,system,semantic_coverage"], ["id,system,bleu,noise"]
    for claim in range(20):
        base = generator.normal()
        for system in range(5):
            quality = base + generator.normal()
            ratings.append(f"A{system},{claim},S{system},{int(np.clip(round(3 + quality), 1, 5))}")
            scores.append(f"{claim},S{system},{quality:.4f},{generator.normal():.4f}")
    paths = tmp_path / "ratings.csv", tmp_path / "scores.csv"
    for path, lines in zip(paths, (ratings, scores), strict=True):
        path.write_text("\n".join(lines) + "\n")
    return ["agreement", "--ratings", str(paths[0]), "--scores", str(paths[1]), "--resamples", "200"]


@pytest.mark.parametrize(("cluster", "shared", "told"), [
    ("item", True, "20 of 20 claims"),
    ("response", False, "12 of 12 items"),
    ("claim", True, ""),
    ("claim-system", True, ""),
])  # fmt: skip
def test_a_unit_that_tears_claims_or_items_apart_is_warned_of(crossed_files, capsys, cluster, shared, told):
    if not shared:
        for path, lines in (
            (crossed_files[2], ["rater,id,semantic_coverage", *(f"A{n % 2},{n // 2},{1 + n % 5}" for n in range(24))]),
            (crossed_files[4], ["id,bleu", *(f"{n},{n % 7}" for n in range(12))]),
        ):
            Path(path).write_text("\n".join(lines) + "\n")
    assert main([*crossed_files, "--cluster", cluster, "--json"]) == 0
    reason = json.loads(capsys.readouterr().out)["cluster"]["reason"]
    assert told in reason
    assert ("too small" in reason) is bool(told)


def pooled(output):
    rows = [row for row in output["correlations"] if row["level"] == "pooled" and row["coefficient"] == "spearman"]
    return {row["metric"]: row for row in rows}


def test_the_command_chooses_claims_and_systems_and_says_why(crossed_files, capsys):
    assert main([*crossed_files, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["recipe"]["cluster"] == found["cluster"]["unit"] == "claim-system"
    assert "20 claims" in found["cluster"]["reason"]
    assert "simulated" in found["cluster"]["level"]
    assert pooled(found)["bleu"]["clusters"] == 20
    assert main(crossed_files) == 0
    assert "'rank'" in capsys.readouterr().out  # the column that is missing


@pytest.mark.parametrize(("cluster", "units", "method"), [
    ("claim", 20, "jackknife"),
    ("claim-system", 20, "permutation"),
    ("response", 100, "bootstrap"),
])  # fmt: skip
def test_every_cluster_can_be_chosen(crossed_files, capsys, cluster, units, method):
    assert main([*crossed_files, "--cluster", cluster, "--json"]) == 0
    found = pooled(json.loads(capsys.readouterr().out))
    assert (found["bleu"]["clusters"], found["bleu"]["interval"]["method"]) == (units, method)
    assert found["bleu"]["p"] < 0.05
    assert found["noise"]["p"] > 0.05


def test_the_command_ranks_metrics_as_wmt_does(crossed_files, capsys):
    assert main([*crossed_files, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    best, worst = found["measures"]
    assert (best["metric"], worst["metric"]) == ("bleu", "noise")
    assert (best["systems"], best["claims"], best["complete"], best["segment_pairs"]) == (5, 20, 20, 200)
    assert best["segment"] > worst["segment"]
    assert (best["segment_rank"], worst["segment_rank"]) == (1, 2)
    assert (best["correlation_rank"], worst["correlation_rank"]) == (1, 2)
    assert all(0 <= best[name] <= 1 for name in ("system", "system_tied", "soft", "segment", "pooled"))
    assert found["comparisons"][0]["adjusted_bh"] == found["comparisons"][0]["adjusted"]


def test_too_few_systems_to_permute_have_a_reason_and_no_p(tmp_path, capsys):
    ratings, scores = ["rater,id,semantic_coverage"], ["id,bleu,chrf"]
    for item in range(12):
        ratings.append(f"A01,{item},{1 + item % 5}")
        scores.append(f"{item},{item % 4},{item % 3}")
    paths = tmp_path / "ratings.csv", tmp_path / "scores.csv"
    for path, lines in zip(paths, (ratings, scores), strict=True):
        path.write_text("\n".join(lines) + "\n")
    command = ["agreement", "--ratings", str(paths[0]), "--scores", str(paths[1]), "--cluster", "claim-system"]
    assert main([*command, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["comparisons"][0]["p"], "1 system:" in found["comparisons"][0]["reason"]) == (None, True)
    assert pooled(found)["bleu"]["p"] is None
