"""The published agreement figures on the public half of the 2024 ratings, to their six decimals.

Origin: ../shared/data/reference/agreement_public.json, computed with scipy from the shared task's own
responses (mubasharaak/fc-evidence-evaluation) under the recipe the file names. The data is not ours to ship.
"""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from core.agreement.agreement_tables import correlation_row, distribution, system_table, verdict_table
from core.agreement.ratings import read_ratings
from core.agreement.recipes import RECIPES
from core.agreement.scored_items import read_scored_items
from core.agreement.study import VERDICT_AGREEMENT, build_study
from core.statistics.correlation import Coefficient
from core.types import Label

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
REFERENCE = DATA / "reference" / "agreement_public.json"
RATINGS = DATA / "human_eval" / "responses_public.csv"
EVIDENCE = DATA / "human_eval" / "evidence_public.csv"
SCORES = DATA / "human_eval" / "scores_public.csv"
pytestmark = pytest.mark.skipif(not REFERENCE.exists(), reason=f"the public ratings are not at {DATA}")

LABELS = {
    "conflicting": Label.CONFLICTING,
    "nei": Label.NOT_ENOUGH_EVIDENCE,
    "refuted": Label.REFUTED,
    "supported": Label.SUPPORTED,
}


@pytest.fixture(scope="module")
def expected():
    return json.loads(REFERENCE.read_text())


@pytest.fixture(scope="module")
def imported():
    return read_ratings("responses", RATINGS.read_bytes())


@pytest.fixture(scope="module")
def scored():
    return read_scored_items([("scores", SCORES.read_bytes())])


@pytest.fixture(scope="module")
def texts():
    """The same scores, with the claims and evidence of the items."""
    return read_scored_items([("scores", SCORES.read_bytes()), ("evidence", EVIDENCE.read_bytes())])


@pytest.fixture(scope="module")
def published(imported, scored):
    return build_study(imported, scored, RECIPES["published"])


def mistakes(study, figures, *, intervals):
    """Return every figure that differs from the reference, rounded to its six decimals."""
    wrong = []
    for key, figure in figures.items():
        metric, scale = key.split("|")
        for coefficient in Coefficient:
            found = correlation_row(study, metric, scale, coefficient=coefficient).correlation
            got = [round(found.value, 6), found.n]
            want = [figure[coefficient], figure["n"]]
            if intervals and coefficient is not Coefficient.KENDALL:
                got += [round(found.interval.low, 6), round(found.interval.high, 6)]
                want += figure[f"{coefficient}_ci95"]
            if got != want:
                wrong.append((key, coefficient.value, got, want))
    return wrong


def test_published_recipe_equals_the_published_correlations(published, expected):
    figures = expected["correlations_published_recipe"]
    assert len(figures) == 24
    assert mistakes(published, figures, intervals=True) == []


def test_default_recipe_equals_the_corrected_correlations(imported, texts, expected):
    # The corrected figures leave out HUMANE's response to 1460: its claim is another item's. The default
    # finds that out by itself where the claims are known. Both compare verdicts by spelling.
    recipe = replace(RECIPES["default"], conflicting_never_agrees=True)
    study = build_study(imported, texts, recipe, controls=["333"])
    assert dict(study.account)["claim differs from the item's (mistyped id)"] == 1
    figures = expected["correlations_corrected_recipe(drop HUMANE row of id 1460, drop missing ratings)"]
    assert mistakes(study, figures, intervals=False) == []  # those of items are permuted


def test_account_of_rows(published, expected, imported):
    counts = expected["counts"]
    account = dict(published.account)
    assert len(imported.responses) == counts["rows"]
    assert account["control or excluded items"] == counts["control_rows"]
    assert account["evidence with a major error (not rated further)"] == counts["error_rows_noncontrol"]
    assert account["analysed"] == counts["analysed_rows"]
    missing = {scale: n for scale, n in published.unanswered.items() if scale != VERDICT_AGREEMENT}
    assert missing == counts["analysed_missing"]
    assert len({response.rater for response in imported.responses}) == counts["annotators"]


def test_without_claims_the_default_keeps_both_ratings_and_drops_missing_ones(imported, scored):
    study = build_study(imported, scored, RECIPES["default"], controls=["333"])
    row = correlation_row(study, "meteor", "semantic_coverage", coefficient=Coefficient.SPEARMAN)
    assert row.correlation.n == 139
    assert study.unanswered["semantic_coverage"] == 1
    assert sum(judged.item.item == "1460" for judged in study.judged) == 2
    assert all(0 not in judged.response.ratings.values() for judged in study.judged)


def test_table_6_distributions(published, expected):
    for scale, figure in expected["rating_distribution_analysed"].items():
        found = distribution(published, scale)
        assert (found.n, found.missing) == (figure["n"], figure["missing"])
        assert (round(found.mean, 6), round(found.sd, 6)) == (figure["mean"], figure["sd"])
        assert found.counts == {value: figure[str(value)] for value in range(1, 6)}


def test_table_5_against_gold(published, expected):
    table = verdict_table(published, "gold label")
    order = list(Label)
    for human, columns in expected["confusion_human_rows_vs_gold_cols"].items():
        for gold, count in columns.items():
            assert table.counts[order.index(LABELS[human])][order.index(LABELS[gold])] == count
    assert round(table.accuracy, 6) == expected["human_vs_gold_accuracy"]
    assert verdict_table(published, "predicted label") is None


def test_table_8_coverage_and_rank(published, expected):
    figure = expected["mean_coverage_vs_neg_rank"]
    rows, correlations = system_table(published, "semantic_coverage")
    assert len(rows) == figure["n"]
    assert round(correlations[Coefficient.KENDALL].value, 6) == figure["tau_b"]
    assert round(correlations[Coefficient.KENDALL].p, 6) == figure["p"]
    assert round(correlations[Coefficient.SPEARMAN].value, 6) == figure["spearman"]
