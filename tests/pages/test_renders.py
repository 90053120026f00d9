import csv
import io
import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import date

import pytest

from core.tabular.exports import spreadsheet_safe
from core.types import (
    Case,
    Claim,
    Document,
    Evidence,
    Hit,
    Label,
    Passage,
    PassageStance,
    Stance,
    Verdict,
)
from core.verification.report.judge_measurements import UNMEASURED, own_documents
from core.verification.stance.stance_words import reason_of
from core.verification.verdict.documents_say import SILENT
from pages.ui.evidence import evidence_cards, in_context, marked, matched
from pages.ui.progress import planned, stage_list
from pages.ui.stance_cards import passages_by_stance
from pages.ui.verdict_card import verdict_card
from pages.verify.documents import ORDERS, document_row
from pages.verify.hand_over import evidence_csv
from tests.pages.desks import hand_made

TEXT = "Before. The wall is wide. After."
WALL = Passage(Document("https://example.org", TEXT), 8, 25)


def verdict(probabilities: tuple[float, float, float, float], threshold: float = 0.5) -> Verdict:
    return Verdict(
        dict(zip(Label, probabilities, strict=True)), "verdict classifier", threshold, "See [2].", {"closest": 0.81}
    )


TEST = own_documents()
RIGHT, MISSED = TEST["right"] / TEST["sided"], TEST["open_with_answer"] / TEST["open"]


def card_of(said: Verdict, measured: Mapping[str, float] | None = None) -> str:
    """Return the verdict card of a case with a claim and two answers."""
    pairs = tuple(Evidence("", "An answer.") for _ in range(2))
    return verdict_card(Case(Claim("The wall is narrow."), evidence=pairs, verdict=said), measured)


@pytest.mark.parametrize(
    ("probabilities", "word", "css"),
    [
        ((0.7, 0.1, 0.1, 0.1), "Supported", "vd-supported"),
        ((0.1, 0.7, 0.1, 0.1), "Refuted", "vd-refuted"),
        ((0.1, 0.1, 0.7, 0.1), "Not enough evidence", "vd-missing"),
        ((0.1, 0.1, 0.1, 0.7), "Conflicting evidence", "vd-conflicting"),
        ((0.3, 0.4, 0.2, 0.1), "Cannot tell", "vd-doubt"),
    ],
)
def test_each_verdict_has_its_word_icon_and_colour(
    probabilities: tuple[float, float, float, float], word: str, css: str
) -> None:
    card = card_of(verdict(probabilities))
    assert f'class="vd vd-card vd-verdict {css}"' in card
    heading = re.search(r'<p class="vd-verdict-word".*?</p>', card)
    assert f"vd-icon-{css.removeprefix('vd-')}" in heading.group()
    assert heading.group().endswith(f" {word}</p>")


def stance(stance: Stance, kind: str = "", reason: str = "", **spans: tuple[tuple[int, int], ...]) -> PassageStance:
    return PassageStance(WALL, stance, 0.9, reason, kind, **spans)


def test_the_card_says_first_what_the_documents_say_and_quotes_it() -> None:
    one = stance(
        Stance.AGAINST, "number", "says wide; the claim says narrow", spans=((20, 24),), claim_spans=((12, 18),)
    )
    card = card_of(replace(verdict((0.1, 0.7, 0.1, 0.1)), justification="", stances=(one, stance(Stance.UNRELATED))))
    order = ["The one source on this says wide, not narrow: example.org.", "“The wall is wide.”", "vd-verdict-word"]
    assert sorted(order, key=card.index) == order


@pytest.mark.parametrize(
    ("shares", "features", "worth"),
    [
        ((0.1, 0.7, 0.1, 0.1), {"closest": 0.8}, "80% of 100 such verdicts on published claims were right."),
        (
            (0.1, 0.7, 0.1, 0.1),
            {},
            f"In a test on {TEST['documents']} documents, "
            f"{RIGHT:.0%} of {TEST['sided']} verdicts with a side were right.",
        ),
        ((0.1, 0.1, 0.7, 0.1), {}, f"in a test, {MISSED:.0%} of {TEST['open']} open claims had one."),
    ],
)
def test_a_verdict_has_the_one_figure_that_was_measured_for_such_cases(
    shares: tuple[float, float, float, float], features: dict[str, float], worth: str
) -> None:
    rows = [{"threshold": 0.45, "coverage": 0.5, "accuracy": 0.8}, {"threshold": 0.9, "coverage": 0.1, "accuracy": 0.9}]
    measured = {"accuracy": 0.6, "claims": 200, "calibration_error": 0.04, "always_refuted": 0.5, "risk_coverage": rows}
    card = card_of(replace(verdict(shares), features=features), measured)
    glance = card[: card.index("<details")]
    assert worth in glance
    assert glance.count("%") == 1


def test_a_verdict_that_nobody_measured_or_that_has_a_caveat_has_no_figure() -> None:
    assert UNMEASURED in card_of(verdict((0.1, 0.7, 0.1, 0.1)))
    conflicting = replace(verdict((0.1, 0.1, 0.1, 0.7)), features={})
    assert UNMEASURED in card_of(conflicting, {"accuracy": 0.6, "claims": 250})
    caveat = card_of(replace(verdict((0.1, 0.7, 0.1, 0.1)), caveat="Fitted elsewhere."), {"accuracy": 0.6})
    assert "Fitted elsewhere." in caveat
    assert "60%" not in caveat[: caveat.index("<details")]


def test_cannot_tell_names_no_likeliest_verdict_but_the_terms_that_are_missing() -> None:
    told = (stance(Stance.ABOUT),)
    card = card_of(replace(verdict((0.1, 0.7, 0.1, 0.1)), grounded=False, features={}, stances=told))
    assert "Cannot tell" in card
    assert "“narrow”" in card
    assert "Refuted" not in card
    silent = replace(verdict((0.1, 0.1, 0.7, 0.1)), justification="", features={}, stances=(stance(Stance.UNRELATED),))
    assert SILENT in card_of(silent)


def test_probabilities_are_shown_only_where_their_error_was_measured_on_such_evidence() -> None:
    sure, measured = verdict((0.1, 0.7, 0.1, 0.1)), {"accuracy": 0.6, "calibration_error": 0.04}
    assert "70%" in card_of(sure, measured)
    assert "70%" not in card_of(sure, {"accuracy": 0.6})
    assert "70%" not in card_of(replace(sure, caveat="Fitted elsewhere."), measured)
    assert "70%" not in card_of(replace(sure, features={}), measured)


def passages_of(said: Verdict, *pairs: Evidence, claim: str = "The wall is narrow.") -> str:
    """Return the passages of a case with this verdict and evidence."""
    return passages_by_stance(Case(Claim(claim), evidence=pairs, verdict=said))


def folded(page: str) -> list[tuple[str, bool]]:
    """Return the line of each passage, and whether the passage is open."""
    found = re.findall(r'<details class="vd-card vd-folded"([^>]*)><summary>(.*?)</summary>', page)
    return [(re.sub("<.*?>", "", line), " open" in attributes) for attributes, line in found]


def test_a_passage_in_another_language_is_not_said_to_say_neither() -> None:
    said = stance(Stance.ABOUT, "language", "is in German, and was hardly read")
    page = passages_of(replace(verdict((0.1, 0.7, 0.1, 0.1)), stances=(said,)))
    assert "Not counted" in page
    assert "Leaves it open" not in page


def test_deciding_passages_are_open_others_a_line_each_and_those_off_topic_are_counted() -> None:
    places = [Passage(Document(f"https://site{at}.example", "It is long. It is wide."), 12, 23) for at in range(5)]
    kinds = (Stance.UNRELATED, Stance.ABOUT, Stance.FOR, Stance.AGAINST, Stance.UNRELATED)
    stances = tuple(PassageStance(*each, 0.9, "a reason") for each in zip(places, kinds, strict=True))
    page = passages_of(replace(verdict((0.1, 0.7, 0.1, 0.1)), stances=stances, decisive=(3,)))
    lines = folded(page)
    assert [is_open for _, is_open in lines] == [True, False, False, False, False]
    assert [line.split("site")[1][0] for line, _ in lines] == ["3", "2", "1", "0", "4"]
    assert all(words in lines[1][0] for words in ("Agrees", "site2.example", "no date", "It is wide."))
    assert page.index("site1") < page.index("2 passages off topic") < page.index("site0")


def test_a_passage_that_says_a_sentence_again_is_put_away() -> None:
    once = stance(Stance.FOR, "wording", spans=((0, 3), (9, 13)))
    again = stance(Stance.FOR, "wording", spans=((9, 13),))
    other = stance(Stance.FOR, "wording", spans=((20, 23),))
    page = passages_of(replace(verdict((0.7, 0.1, 0.1, 0.1)), stances=(once, again, other)))
    assert page.count("Counted already") == 1
    assert page.index("1 passage that repeats") < page.index("Counted already")


def test_a_copy_names_the_earliest_source_of_its_text() -> None:
    text = " ".join(f"word{number}" for number in range(30))
    days = (date(2023, 3, 15), date(2023, 3, 14))
    copies = [Document(f"https://{name}.example", text, published=day) for name, day in zip("ab", days, strict=True)]
    stances = tuple(PassageStance(Passage(one, 0, len(text)), Stance.FOR, 0.9, "says so") for one in copies)
    lines = folded(passages_of(replace(verdict((0.7, 0.1, 0.1, 0.1)), stances=stances)))
    assert ["Copy of b.example" in line for line, _ in lines] == [False, True]


def test_each_passage_shows_its_reason_and_the_words_that_decide() -> None:
    reason = "says wide; the claim says <b>narrow</b>"
    one = stance(Stance.AGAINST, "number", reason, spans=((20, 24),), claim_spans=((12, 18),))
    pair = Evidence("How wide?", "The wall is wide.", WALL)
    page = passages_of(replace(verdict((0.1, 0.7, 0.1, 0.1)), stances=(one,), decisive=(0,)), pair)
    assert "The wall is <mark>wide</mark>" in page
    assert "The wall is <mark>narrow</mark>." in page
    assert "&lt;b&gt;narrow&lt;/b&gt;" in page
    assert page.count("Decisive") == page.count("How wide?") == 1
    assert "[1]" in page


@pytest.mark.parametrize(
    ("reason", "shown"),
    [
        ("says the same: “A long sentence.”", "Says the same"),
        ("on “It is wide”: says it in other words: “So.”, which the claim denies", "which the claim denies"),
        ("speaks of something near it: says 4; the claim says 5", "Speaks of something near it"),
        ("calls it false: “This is false.”", "Calls it false: “This is false.”"),
        ("says the same: “Six fled.”; the document corrects itself: “No, six.”", "“No, six.”"),
    ],
)
def test_a_reason_quotes_nothing_that_the_passage_shows(reason: str, shown: str) -> None:
    said = reason_of(stance(Stance.ABOUT, reason=reason))
    assert said.endswith(shown)
    assert ("“So.”" in said, "5" in said) == (False, False)


def test_a_passage_and_its_quotation_name_their_section() -> None:
    text = "# Fees\n## Harl\nIt is 4 pounds.\n## Tarn\nIt is 6 pounds."
    one = PassageStance(
        Passage(Document("fees.md", text, "Fees"), text.index("It is 6"), len(text)), Stance.FOR, 0.9, ""
    )
    said = replace(verdict((0.7, 0.1, 0.1, 0.1)), stances=(one,))
    for page in (passages_of(said), card_of(replace(said, justification=""))):
        assert re.findall(r">Section: ([^<]*)<", page) == ["Tarn"]
    whole = replace(said, stances=(replace(one, passage=replace(one.passage, start=0)),))
    assert "Section:" not in passages_of(whole)


def test_a_corrected_sentence_is_quoted_with_its_notice() -> None:
    text = "Nine fled.\nCorrection: There were six."
    one = PassageStance(Passage(Document("a.txt", text), 0, len(text)), Stance.FOR, 0.9, "", spans=((0, 10),))
    card = card_of(replace(verdict((0.7, 0.1, 0.1, 0.1)), justification="", stances=(one,)))
    assert "“Nine fled. … Correction: There were six.”" in card


def test_evidence_on_a_passage_that_is_shown_with_its_stance_is_not_shown_twice() -> None:
    pairs = [Evidence("How wide?", "Wide.", WALL), Evidence("Who says so?", "Nobody.")]
    assert "How wide?" in evidence_cards(pairs)
    assert "How wide?" not in evidence_cards(pairs, besides={WALL})
    assert 'id="evidence-2"' in evidence_cards(pairs, besides={WALL})
    assert evidence_cards(pairs[:1], besides={WALL}) == ""


def test_passages_that_answer_one_question_share_its_card() -> None:
    pairs = [Evidence("How wide?", "Wide.", WALL), Evidence("Who?", "Nobody."), Evidence("How wide?", "Very.", WALL)]
    shown = evidence_cards([*pairs, Evidence("", "Alone.", WALL)])
    cards = re.findall(r"<article.*?</article>", shown, re.DOTALL)
    assert [re.findall(r'id="evidence-(\d)"', card) for card in cards] == [["1", "3"], ["2"], ["4"]]
    assert [card.count("vd-question") for card in cards] == [1, 1, 0]


def test_passages_that_answer_the_claim_share_a_question_and_a_single_one_has_its_own() -> None:
    kinds = (Stance.FOR, Stance.AGAINST, Stance.ABOUT)
    documents = [Document(f"https://example.org/{n}", f"Text {n} on the wall.") for n in range(3)]
    walls = [Passage(document, 0, len(document.text)) for document in documents]
    stances = tuple(replace(stance(kind), passage=wall) for kind, wall in zip(kinds, walls, strict=True))
    asked = ("Is it so?", "Is it so?", "How wide?")
    evidence = tuple(Evidence("", one.text, one, claim_question=asked[n]) for n, one in enumerate(walls))
    told = replace(verdict((0.1, 0.7, 0.1, 0.1)), stances=stances)
    shown = passages_of(told, *evidence)
    assert (shown.count("Is it so?</p>"), shown.count("How wide?</p>")) == (1, 1)
    shared = shown[shown.index('aria-label="Is it so?"') :]
    assert re.findall(r'id="evidence-(\d)"', shared.partition("How wide?</p>")[0]) == ["2", "1", "3"]


def test_what_the_wording_brings_stands_apart() -> None:
    wording = dict(zip(Label, (0.2, 0.6, 0.1, 0.1), strict=True))
    documents = dict(zip(Label, (0.8, 0.1, 0.05, 0.05), strict=True))
    told = replace(verdict((0.7, 0.1, 0.1, 0.1)), wording=wording, from_documents=documents)
    card = card_of(told, {"accuracy": 0.6, "calibration_error": 0.1})
    assert "“Refuted” (60%)" in card
    assert "“Supported” (80%)" in card


def test_citations_lead_to_their_cards() -> None:
    told = replace(verdict((0.1, 0.7, 0.1, 0.1)), counterfactual="Without passage [2] or [3] it is another.")
    card = card_of(told)
    assert '<a href="#evidence-2">[2]</a>' in card
    assert 'href="#evidence-3"' not in card


def test_the_span_is_marked_inside_the_passage_and_the_rest_is_context() -> None:
    shown = in_context(WALL, spans=[(12, 16)])
    assert '<span class="vd-context">Before. </span>The <mark>wall</mark> is wide.' in shown
    assert '<span class="vd-context"> After.</span>' in shown


def test_spans_that_leave_the_passage_or_overlap_are_clipped() -> None:
    assert marked("0123456789", 2, 8, [(0, 4)]) == "<mark>23</mark>4567"
    assert marked("0123456789", 2, 8, [(7, 9), (3, 5), (4, 6)]) == "2<mark>34</mark><mark>5</mark>6<mark>7</mark>"
    assert marked("0123456789", 2, 8, [(0, 2), (8, 10)]) == "234567"


def test_words_are_marked_by_the_stems_that_the_search_compares() -> None:
    assert matched("Walls and a <wall>", "the wall") == (
        '<b class="vd-match">Walls</b> and a &lt;<b class="vd-match">wall</b>&gt;'
    )
    assert matched("the and of", "the and of") == "the and of"  # function words were not searched for


FACTS = {"recipe": "quoted_passages", "searches": False}


def test_the_stages_of_a_search_begin_with_its_progress_by_source() -> None:
    progress = {"done": [], "stage": "Search for documents", "detail": "Wiki: 1 page\nNews: <b>3 pages"}
    shown = stage_list(FACTS | {"searches": True}, progress, 2.0)
    now = shown.partition("vd-stage-now")[2].partition("</li>")[0]
    assert now.count("vd-found") == 2
    assert "News: &lt;b&gt;3 pages" in now
    assert shown.count("vd-stage-next") == len(planned(FACTS))


def test_stages_that_are_done_now_and_to_come_can_be_told_apart() -> None:
    done = [{"stage": "Read the documents", "found": "6 documents", "seconds": 0.5}]
    progress = {"done": done, "stage": "Index the passages", "detail": "half"}
    shown = stage_list(FACTS, progress, 12.0)
    assert shown.count("vd-icon-done") == 1
    assert shown.count("vd-stage-now") == 1
    assert shown.count("vd-stage-next") == len(planned(FACTS)) - 2
    assert "12 s of the" in shown
    assert "width: 20.0%" in shown
    assert "vd-stage-now" not in stage_list(FACTS, None, 0.0, waits="2 ahead")


@pytest.mark.parametrize(
    ("cell", "kept"),
    [
        ("=1+1", "'=1+1"),
        ("  @SUM(A1)", "'  @SUM(A1)"),
        ("-2 °C", "'-2 °C"),
        ("\t=1", "'\t=1"),
        ("a=b", "a=b"),
        ("", ""),
    ],
)
def test_a_cell_that_a_spreadsheet_would_run_is_guarded(cell: str, kept: str) -> None:
    assert spreadsheet_safe(cell) == kept


def test_documents_are_a_table_that_can_be_read_aloud_and_opens_each_passage() -> None:
    case = hand_made(Claim("A wall."), text="The wall is wide. <b>")
    row = document_row(case, case.hits[0], ("Rank", "Document and passage", "Date", "By words", "By meaning"))
    assert row.startswith('<tr><th scope="row">1</th><td data-title="Document and passage">')
    assert "<summary>About the wall The wall is wide. &lt;b&gt;</summary>" in row
    assert '<td data-title="By words">2</td><td data-title="By meaning">1</td></tr>' in row


def test_documents_can_be_ordered_and_those_without_a_rank_or_date_come_last() -> None:
    first, second = Hit(WALL, 1, dense_rank=2), Hit(WALL, 2, bm25_rank=7, dense_rank=1)
    dated = Hit(replace(WALL, document=Document("https://example.org", TEXT, published=date(2020, 1, 2))), 3)
    orders = {name: [hit.rank for hit in sorted((first, second, dated), key=key)] for name, key in ORDERS.items()}
    assert orders == {"As used": [1, 2, 3], "By words": [2, 1, 3], "By meaning": [2, 1, 3], "Newest first": [3, 1, 2]}


def test_the_evidence_table_has_a_line_for_each_pair_even_without_a_passage() -> None:
    case = hand_made(Claim("x"))
    document = Document("https://www.example.org/a", "=HYPERLINK(1)", "Title", date(2020, 1, 2))
    pairs = (Evidence("Q1?", "=HYPERLINK(1)", Passage(document, 0, 13)), Evidence("Q2?", "No passage."))
    rows = list(csv.reader(io.StringIO(evidence_csv(replace(case, evidence=pairs)).decode("utf-8-sig"))))
    assert rows[1:] == [
        ["1", "Q1?", "'=HYPERLINK(1)", "Title", "example.org", "2020-01-02", document.url, "'=HYPERLINK(1)"],
        ["2", "Q2?", "No passage.", "", "", "", "", ""],
    ]
