"""Ratings joined with scores, the two recipes, the tables, and the report: small cases worked out by hand."""

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pytest

from core.__main__ import main
from core.agreement.agreement_report import report_tables, to_archive, to_json, to_report
from core.agreement.agreement_tables import correlation_row, disagreements, distribution, system_table, verdict_table
from core.agreement.analysis import analyse
from core.agreement.charts import correlation_intervals
from core.agreement.findings import against_the_others, best_metric
from core.agreement.metric_ranking import compare_metrics
from core.agreement.paper_tables import paper_tables
from core.agreement.ratings import read_ratings, same_claim
from core.agreement.recipes import RECIPES
from core.agreement.scored_items import read_control_key, read_scored_items
from core.agreement.study import VERDICT_AGREEMENT, build_study, pairs, rating_matrix
from core.errors import BadInput, BadRecord
from core.scoring.registry import name_in_words
from core.statistics.correlation import Coefficient, correlate
from core.tabular.charts import picture
from core.tabular.exports import to_csv, to_html, to_latex, to_text
from core.tabular.table import Column, Table, number, shown
from core.types import Label

ASSETS = Path(__file__).resolve().parents[2] / "assets" / "agreement"
OK = "No major errors. AT LEAST SOME PART of the evidence is non-empty"
BAD = '"Yes, the evidence is ENTIRELY EMPTY"'
RATINGS = f"""Rater,id,claim,major errors?,Label,semantic_coverage,relevance
A01,1,sun is hot,{OK},supported,5,5
A02,1,sun is hot,{OK},refuted,3,4
A01,2,moon is near,{OK},not enough information,1,2
A02,3,mars is red,{OK},conflicting/cherry-picking,,3
A02,4,rain is wet,{BAD},,,
A01,5,snow is cold,{OK},supported,2,2
A01,9,no scores here,{OK},supported,2,2
"""
SCORES = """id,system,rank,gold label,bleu,claim
1,X,1,Supported,0.9,Sun is hot.
2,Y,2,Refuted,0.1,moon is near
3,Y,2,Conflicting Evidence/Cherrypicking,0.5,mars is red
4,X,1,Refuted,0.2,rain is wet
5,X,1,Supported,0.3,something else entirely different
"""


def imported(text=RATINGS):
    return read_ratings("ratings.csv", text.encode())


def scored(text=SCORES):
    return read_scored_items([("scores.csv", text.encode())])


def study(recipe="default", **changes):
    return build_study(imported(), scored(), replace(RECIPES[recipe], **changes))


def test_default_keeps_every_rating_drops_missing_ones_and_says_so():
    default = study()
    assert [(one.response.row, one.ratings) for one in default.judged] == [
        (2, {"semantic_coverage": 5.0, "relevance": 5.0, VERDICT_AGREEMENT: 1.0}),
        (3, {"semantic_coverage": 3.0, "relevance": 4.0, VERDICT_AGREEMENT: 0.0}),
        (4, {"semantic_coverage": 1.0, "relevance": 2.0, VERDICT_AGREEMENT: 0.0}),
        (5, {"relevance": 3.0, VERDICT_AGREEMENT: 1.0}),
    ]
    assert default.unanswered == {"semantic_coverage": 1, "relevance": 0, VERDICT_AGREEMENT: 0}
    assert [count for _, count in default.account] == [7, 1, 1, 1, 4]  # the last is what is analysed
    assert default.mistyped == (7,)


def test_published_takes_the_first_rating_and_makes_missing_ones_0():
    published = study("published")
    assert [one.ratings for one in published.judged][:2] == [
        {"semantic_coverage": 5.0, "relevance": 5.0, VERDICT_AGREEMENT: 1.0},
        {"semantic_coverage": 5.0, "relevance": 5.0, VERDICT_AGREEMENT: 1.0},
    ]
    third = next(one for one in published.judged if one.item.item == "3")
    assert third.ratings == {"semantic_coverage": 0.0, "relevance": 3.0, VERDICT_AGREEMENT: 0.0}
    assert "claim differs" not in str(published.account)


def test_controls_are_left_out():
    joined = build_study(imported(), scored(), RECIPES["default"], controls=["1"])
    assert {one.item.item for one in joined.judged} == {"2", "3"}
    assert dict(joined.account)["control or excluded items"] == 2


def test_pairs_have_both_a_score_and_a_rating():
    data = pairs(study(), "bleu", "semantic_coverage")
    assert (data.scores.tolist(), data.ratings.tolist()) == ([0.9, 0.9, 0.1], [5.0, 3.0, 1.0])
    assert (data.raters, data.systems) == (("A01", "A02", "A01"), ("X", "X", "Y"))


def test_several_systems_of_one_item_need_a_system_in_the_ratings():
    two = scored(SCORES + "1,Y,2,Supported,0.4,sun is hot\n")
    with pytest.raises(BadInput, match=r"\(X, Y\).* row 2"):
        build_study(imported(), two, RECIPES["default"])
    named = imported("Rater,id,system,relevance\nA01,1,Y,3\nA01,1,X,5\n")
    joined = build_study(named, two, RECIPES["default"])
    assert pairs(joined, "bleu", "relevance").scores.tolist() == [0.4, 0.9]


def test_nothing_joined_names_ids_of_both_sides():
    with pytest.raises(BadInput, match=r"77.* 1, 2, 3"):
        build_study(imported("Rater,id,relevance\nA01,77,3\n"), scored(), RECIPES["default"])


def test_same_claim_allows_typing_but_no_other_claim():
    assert same_claim("The sun is hot", "the sun is  hot.")
    assert same_claim("", "anything")
    assert not same_claim("The sun is hot", "Rain fell on Monday")


def test_table_5_by_hand():
    table = verdict_table(study(), "gold label")
    order = list(Label)
    cells = {(human, gold): table.counts[order.index(human)][order.index(gold)] for human in Label for gold in Label}
    assert {pair: n for pair, n in cells.items() if n} == {
        (Label.SUPPORTED, Label.SUPPORTED): 1,
        (Label.REFUTED, Label.SUPPORTED): 1,
        (Label.NOT_ENOUGH_EVIDENCE, Label.REFUTED): 1,
        (Label.CONFLICTING, Label.CONFLICTING): 1,
    }
    assert (table.accuracy, table.n) == (0.5, 4)
    assert verdict_table(study(conflicting_never_agrees=True), "gold label").accuracy == 0.25
    assert verdict_table(study(), "predicted label") is None


def test_table_6_by_hand_imputes_nothing_under_any_recipe():
    for recipe in RECIPES:
        found = distribution(study(recipe), "relevance")
        # Row 7, another item's claim, is left out by the default only.
        expected = {1: 0, 2: 1, 3: 1, 4: 1, 5: 1} if recipe == "default" else {1: 0, 2: 2, 3: 1, 4: 1, 5: 1}
        assert found.counts == expected
    coverage = distribution(study(), "semantic_coverage")
    assert (coverage.n, coverage.missing, coverage.mean, coverage.sd) == (3, 1, 3.0, 2.0)


def test_table_8_by_hand():
    rows, correlations = system_table(study(), "relevance")
    assert [(row.system, row.mean, row.n, row.rank) for row in rows] == [("X", 4.5, 2, 1), ("Y", 2.5, 2, 2)]
    assert (correlations[Coefficient.KENDALL].value, correlations[Coefficient.KENDALL].n) == (None, 2)


def test_table_8_of_agreeing_verdicts_is_over_the_verdicts_that_were_given():
    for recipe in ("default", "published"):
        rows, _ = system_table(study(recipe, conflicting_never_agrees=False, any_claim=False), VERDICT_AGREEMENT)
        assert [(row.system, row.mean, row.n) for row in rows] == [("X", 0.5, 2), ("Y", 0.5, 2)]


def test_tables_10_and_11_by_hand():
    found = disagreements(study(), "bleu", "relevance")
    # Scores .9 .1 .5 have places 5/6, 1/6, 3/6; mean relevance 4.5, 2, 3 the same: no disagreement.
    assert [one.gap for one in found] == [0.0, 0.0, 0.0]
    assert {one.judged.item.item: one.rating for one in found} == {"1": 4.5, "2": 2.0, "3": 3.0}
    text = RATINGS.replace("not enough information,1,2", "not enough information,1,5")
    turned = disagreements(build_study(imported(text), scored(), RECIPES["default"]), "bleu", "relevance")
    assert [(one.judged.item.item, round(one.gap, 3)) for one in turned] == [("1", 0.333), ("3", 0.333), ("2", -0.667)]


def test_levels_of_a_correlation():
    by_system = correlation_row(study(), "bleu", "relevance", coefficient=Coefficient.PEARSON, level="by system")
    assert (by_system.correlation.value, by_system.correlation.n) == (None, 2)
    within = correlation_row(study(), "bleu", "relevance", coefficient=Coefficient.PEARSON, level="within rater")
    assert (within.correlation.value, within.correlation.left_out) == (None, 2)


def test_rating_matrix_takes_the_last_answer_and_numbers_verdicts():
    twice = imported(RATINGS + f"A01,2,moon is near,{OK},refuted,4,4\n")
    raters, items, matrix = rating_matrix(twice.responses, "semantic_coverage")
    assert (raters, items) == (("A01", "A02"), ("1", "2", "5", "9"))
    assert matrix[0].tolist() == [5.0, 4.0, 2.0, 2.0]
    assert matrix[1, 0] == 3.0
    verdicts = rating_matrix(twice.responses, "verdict")[2]
    assert verdicts[0, 1] == list(Label).index(Label.REFUTED)


def test_metrics_are_compared_both_ways_and_one_may_be_undefined():
    lines = SCORES.splitlines()
    wide = "\n".join([lines[0] + ",worse,same", *(f"{line},{v},7" for line, v in zip(lines[1:], "13200", strict=True))])
    joined = build_study(imported(), scored(wide), RECIPES["default"])
    first, *others = compare_metrics(joined, "relevance", coefficient=Coefficient.SPEARMAN)
    assert (first.better, first.worse, first.n, first.exact) == ("bleu", "worse", 4, True)
    assert first.adjusted == first.p
    assert {one.reason for one in others} == {"all scores are equal"}
    assert all(one.p is None for one in others)


def test_control_key():
    key = read_control_key("key.csv", b"id,label\n333,Refuted\n444,\n")
    assert key == {"333": Label.REFUTED, "444": None}
    with pytest.raises(BadRecord, match=r"key\.csv, row 2: .*'maybe'"):
        read_control_key("key.csv", b"id,label\n333,maybe\n")


@pytest.fixture(scope="module")
def example():
    files = [(path.name, path.read_bytes()) for path in sorted(ASSETS.glob("*.csv"))]
    recipe = replace(RECIPES["default"], resamples=50)
    return analyse(read_ratings(*files[0]), read_scored_items(files[1:]), recipe, control_key={"1": Label.REFUTED})


def test_metrics_are_named_in_words_and_keep_their_hyphens(example):
    assert name_in_words("soft-coverage:q+a") == "Soft coverage (Q + A)"
    assert name_in_words("bert-score") == "bert-score"
    rows = [replace(row, metric="bert-score") for row in example.correlations]
    worse = [replace(row, correlation=replace(row.correlation, value=-0.5)) for row in rows]
    answer = best_metric(replace(example, correlations=tuple(worse)))
    assert answer.startswith("bert-score")
    assert "ρ = −0.500" in answer


def test_the_example_has_a_clear_answer(example):
    assert best_metric(example).startswith("coverage score")
    assert "coverage score is better" in against_the_others(example)
    assert example.raters.controls_known
    assert all(control.share is not None for control in example.raters.controls if control.answered)


def test_a_metric_without_a_correlation_is_never_the_best():
    ratings = imported("Rater,id,relevance\nA01,1,1\nA01,2,2\nA01,3,3\n")
    scores = scored("id,worse,constant\n1,3,7\n2,2,7\n3,1,7\n")
    assert analyse(ratings, scores, replace(RECIPES["default"], resamples=9)).metric == "worse"


@pytest.mark.parametrize("after", ["", "refuted"])  # what some answer though the form has ended
def test_a_major_error_on_a_control_is_an_answer_and_a_wrong_one(after):
    text = RATINGS.replace(f"rain is wet,{BAD},,", f"rain is wet,{BAD},{after},")
    key = {"4": Label.REFUTED, "1": Label.SUPPORTED}
    found = analyse(imported(text), scored(), replace(RECIPES["default"], resamples=9), control_key=key)
    controls = [(one.rater, one.correct, one.answered) for one in found.raters.controls]
    assert controls == [("A01", 1, 1), ("A02", 0, 2)]


def test_one_rating_has_no_deviation(example):
    alone = replace(example, distributions=(replace(example.distributions[0], sd=None),))
    table6 = next(table for table in paper_tables(alone) if table.name == "table6")
    assert "s.d. –," in table6.note


def test_labels_in_every_spelling_are_read_and_others_are_named():
    lines = ["id,gold,predicted_label,bleu", "1,Conflicting Evidence / Cherrypicking,b. refuted,1", "2,,perhaps,2"]
    found = scored("\n".join(lines))
    assert found.items["1", ""].gold is Label.CONFLICTING
    assert found.items["1", ""].predicted is Label.REFUTED
    (note,) = found.notes
    assert "'predicted_label'" in note
    assert "'perhaps'" in note


def test_four_items_are_too_few_for_an_interval_and_the_chart_says_so(example):
    few = correlate([1, 2, 3, 4], [1, 2, 4, 3], coefficient=Coefficient.SPEARMAN, seed=0)
    none = correlate([1, 2], [1, 2], coefficient=Coefficient.SPEARMAN, seed=0)

    def drawn(correlation):
        rows = tuple(replace(row, correlation=correlation) for row in example.correlations)
        return correlation_intervals(replace(example, correlations=rows))

    assert "too few items" in drawn(few)
    assert "too few items" not in drawn(none)
    assert "No correlation" in drawn(none)


def test_names_are_checked(example):
    files = [(path.name, path.read_bytes()) for path in sorted(ASSETS.glob("*.csv"))]
    parts = read_ratings(*files[0]), read_scored_items(files[1:]), example.study.recipe
    with pytest.raises(BadInput, match=r"'blue'.* coverage score"):
        analyse(*parts, metric="blue", correlations=example.correlations)


def test_json_has_no_nan_and_every_undefined_figure_its_reason(example):
    text = json.dumps(to_json(example), allow_nan=False)
    rows = json.loads(text)["correlations"]
    assert len(rows) == 2 * 3 * 3 * 3
    assert all(row["value"] is not None or row["reason"] for row in rows)
    assert rows[0]["interval"]["method"] == "permutation"  # of items with several raters
    assert all(row["p"] is None or row["p_holm"] >= row["p"] for row in rows)


class _Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.names, self.links = set(), []

    def handle_starttag(self, tag, attributes):
        self.names.add(tag)
        self.links += [value for name, value in attributes if name in ("src", "href", "srcset") and value]


def test_report_stands_alone_and_escapes(example):
    evil = replace(example, notes=("<img src=x onerror=alert(1)>",))
    page = to_report(evil, command="python -m core agreement")
    tags = _Tags()
    tags.feed(page)
    assert not tags.names & {"script", "img", "link", "iframe"}
    assert tags.links == []
    assert not re.search(r"@import|url\(", page)
    assert "Seed 7, 50 resamples" in page
    assert "Table 11" in page
    assert page.count("<svg") == 2


def test_archive_has_every_table_twice(example):
    with ZipFile(BytesIO(to_archive(example))) as archive:
        names = archive.namelist()
    assert {"table5-gold.csv", "table7.tex", "table10.xlsx", "report.html", "agreement.json"} <= set(names)
    assert sum(name.endswith(".csv") for name in names) == sum(name.endswith(".tex") for name in names)


TABLE = Table(
    "t",
    "A & B",
    (Column("Claim"), Column("ρ", 2), Column("p", 3, p_values=True)),
    (("=1+1 <b>", -0.125, 0.0001), ("50%", None, 1.0)),
    "Note_1",
    frozenset({(0, 1)}),
)


def test_csv_is_unrounded_and_runs_no_formula():
    assert to_csv(TABLE) == "Claim,ρ,p\n'=1+1 <b>,-0.125,0.0001\n50%,,1.0\n"


def test_latex_is_escaped():
    latex = to_latex(TABLE)
    assert r"=1+1 \textless{}b\textgreater{} & \textbf{$-$0.12} & \textless{}0.001 \\" in latex
    assert r"50\% & -- & 1.000 \\" in latex
    assert r"\caption{A \& B. Note\_1}" in latex
    assert r"\begin{tabular}{lrr}" in latex


def test_html_is_escaped():
    page = to_html(TABLE)
    assert "<td>=1+1 &lt;b&gt;</td><td class=number><strong>−0.12</strong></td>" in page
    assert "<h2>A &amp; B</h2>" in page


def test_text_is_aligned():
    lines = to_text(TABLE).splitlines()
    assert lines[2:5] == ["Claim         ρ       p", "=1+1 <b>  −0.12  <0.001", "50%           –   1.000"]


def test_paper_tables_mark_the_best_metric(example):
    table7 = next(table for table in paper_tables(example) if table.name == "table7")
    assert {(0, 2), (0, 3), (0, 4)} <= table7.best
    assert len(table7.best) == 3 * 3


def test_the_command_prints_json_and_writes_files(tmp_path, capsys):
    (tmp_path / "r.csv").write_text(RATINGS)
    (tmp_path / "s.csv").write_text(SCORES)
    files = ["--ratings", str(tmp_path / "r.csv"), "--scores", str(tmp_path / "s.csv")]
    words = ["agreement", *files, "--resamples", "20"]
    extra = ["--json", "--recipe", "published", "--report", str(tmp_path / "o.html"), "--seed", "3"]
    assert main([*words, *extra]) == 0
    out = json.loads(capsys.readouterr().out)
    assert (out["recipe"]["name"], out["recipe"]["seed"], out["account"]["analysed"]) == ("published", 3, 5)
    assert "--recipe published" in (tmp_path / "o.html").read_text()
    assert main(words) == 0
    assert "Table 7:" in capsys.readouterr().out
    files[-1] = str(tmp_path / "none.csv")
    assert main(["agreement", *files]) == 2
    assert "none.csv" in capsys.readouterr().err


def test_claims_have_a_width_in_latex(example):
    table = next(one for one in report_tables(example) if one.name == "table10")
    assert r"\begin{tabular}{llp{0.3\linewidth}l" in to_latex(table)
    short = Table("t", "T", (Column("Name"), Column("Words"), Column("n", 0)), (("a", "w " * 30, 1),))
    assert r"\begin{tabular}{lp{0.3\linewidth}r}" in to_latex(short)


@pytest.mark.parametrize(("value", "signed", "expected"), [
    (-0.0001, False, "0.000"),
    (-0.0, True, "0.000"),
    (0.0004, True, "0.000"),
    (-0.0006, False, "−0.001"),
    (0.25, True, "+0.250"),
])  # fmt: skip
def test_a_number_that_rounds_to_0_has_no_sign(value, signed, expected):
    assert shown(value, Column("x", 3, signed=signed)) == expected
    assert number(value, 3, signed=signed) == expected


def test_a_chart_has_one_legend_and_whole_names(example):
    long = "a metric whose name is longer than any axis would like to have it"
    named = replace(example, correlations=tuple(replace(row, metric=long) for row in example.correlations[:9]))
    study = replace(named.study, metrics=(long,))
    chart = correlation_intervals(replace(named, study=study))
    drawing = picture(chart, "svg").decode()
    assert '"columns": 2' in chart.to_json()  # three levels in a row are wider than a phone
    assert drawing.count('role-legend"') == 1
    assert long in drawing
    assert "within rater" in drawing
    assert "by system" not in drawing  # three systems are too few for an interval
