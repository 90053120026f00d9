from __future__ import annotations

import csv
import io
import re
from dataclasses import replace
from datetime import date

import pytest

from core.types import Claim, Document, Evidence, Hit, Label, Passage, PassageStance, Ranking, Stance, StepTime, Verdict
from core.verification.verdict.classifier import CLASSIFIER
from core.verification.verdict.explaining import SILENT
from pages.ui.evidence import evidence_cards, in_context, marked, matched
from pages.ui.progress import planned, stage_list, times_table
from pages.ui.stance_cards import headline, passages_by_stance
from pages.ui.verdict_card import verdict_card
from pages.verify.documents import ORDERS, document_row, evidence_csv, guarded, searched_for
from tests.pages.desks import hand_made

TEXT = "Before. The wall is wide. After."
WALL = Passage(Document("https://example.org", TEXT), 8, 25)


def verdict(probabilities: tuple[float, float, float, float], threshold: float = 0.5) -> Verdict:
    return Verdict(
        dict(zip(Label, probabilities, strict=True)), "verdict classifier", threshold, "See [2].", {"closest": 0.81}
    )


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
    card = verdict_card(verdict(probabilities), None, pairs=2)
    assert f'class="vd vd-card vd-verdict {css}"' in card
    heading = re.search(r'<p class="vd-verdict-word".*?</p>', card)
    assert heading is not None
    assert f"vd-icon-{css.removeprefix('vd-')}" in heading.group()
    assert heading.group().endswith(f" {word}</p>")


def test_doubt_says_what_is_likeliest_and_the_threshold() -> None:
    unsure = verdict((0.3, 0.4, 0.2, 0.1), threshold=0.55)
    assert "“Refuted” is the likeliest, but not by enough to be quoted." in verdict_card(unsure, None, pairs=2)
    card = verdict_card(unsure, {"accuracy": 0.6, "calibration_error": 0.04}, pairs=2)
    assert "The likeliest is “Refuted” with 40%. Below 55% this judge was wrong too often." in card


def test_a_verdict_that_no_passage_bears_out_says_so_and_not_the_threshold() -> None:
    unsaid = replace(verdict((0.1, 0.7, 0.1, 0.1)), grounded=False)
    card = verdict_card(unsaid, {"accuracy": 0.6, "calibration_error": 0.04}, pairs=2)
    assert "Cannot tell" in card
    assert "No passage settles the claim clearly enough" in card
    assert "Below" not in card
    assert "70%" not in card


def test_plain_words_and_silence_have_no_probability() -> None:
    measured = {"accuracy": 0.6, "calibration_error": 0.04}
    plain = replace(verdict((0.1, 0.7, 0.1, 0.1)), judge=CLASSIFIER, features={}, stances=(stance(Stance.AGAINST),))
    assert "70%" not in verdict_card(plain, measured, pairs=1)
    silent = replace(verdict((0.1, 0.1, 0.7, 0.1)), judge=CLASSIFIER, features={}, justification=SILENT)
    card = verdict_card(silent, measured, pairs=0)
    assert card.count(SILENT) == 1
    assert "The search found no passage that shares anything with this claim." in card


def test_a_passage_that_orders_a_verdict_is_not_said_to_be_about_the_claim() -> None:
    assert "1 passage orders a verdict and is not counted" in headline((stance(Stance.ABOUT, "order"),))


def test_a_passage_in_another_language_is_not_said_to_say_neither() -> None:
    told = stance(Stance.ABOUT, "language", "is in German, and was hardly read")
    assert "1 passage is in another language and was hardly read" in headline((told,))
    page = passages_by_stance(Claim("It stands."), replace(verdict((0.1, 0.7, 0.1, 0.1)), stances=(told,)), ())
    assert "Not counted" in page
    assert "About it" not in page


def test_the_card_shows_what_it_is_worth_beside_what_needs_no_evidence() -> None:
    measured = {"accuracy": 0.66, "always_refuted": 0.61, "claim_only": 0.63, "claims": 250, "command": "fit"}
    card = verdict_card(verdict((0.1, 0.7, 0.1, 0.1)), measured, pairs=2)
    assert (
        "on 250 published claims this judge was right 66% of the time. Without reading any document: always saying "
        "“Refuted”, 61%; judging by the claim’s words alone, 63%. So read the passages" in card
    )
    assert re.findall(r'vd-number">(\d\d%)', card)[-3:] == ["66%", "61%", "63%"]
    assert "how close the closest answer is to the claim" in card


def test_probabilities_are_shown_only_where_their_error_was_measured_on_such_evidence() -> None:
    sure, measured = verdict((0.1, 0.7, 0.1, 0.1)), {"accuracy": 0.6, "calibration_error": 0.04}
    assert "70%" in verdict_card(sure, measured, pairs=2)
    assert "70%" not in verdict_card(sure, {"accuracy": 0.6}, pairs=2)
    assert "70%" not in verdict_card(replace(sure, caveat="Fitted elsewhere."), measured, pairs=2)


def stance(stance: Stance, kind: str = "", reason: str = "", **spans: tuple[tuple[int, int], ...]) -> PassageStance:
    return PassageStance(WALL, stance, 0.9, reason, kind, **spans)


def test_the_card_says_first_what_the_documents_say() -> None:
    stances = (
        stance(Stance.FOR, "wording"),
        stance(Stance.UNRELATED),
        stance(Stance.AGAINST, "number"),
        stance(Stance.FOR, "wording"),
        stance(Stance.AGAINST, "denial"),
    )
    card = verdict_card(replace(verdict((0.1, 0.7, 0.1, 0.1)), stances=stances), None, pairs=2)
    said = re.sub("<.*?>", "", card[card.index("vd-says") : card.index("vd-verdict-word")]).split(">", 1)[1]
    assert said.startswith(
        "1 passage gives another number, 1 calls it false, 2 agree with this, 1 is about something else."
    )
    assert card.count('href="#stance-against"') == 2


def test_passages_that_say_one_sentence_again_are_shown_and_not_counted() -> None:
    once = stance(Stance.FOR, "wording", spans=((0, 3), (9, 13)))
    again = stance(Stance.FOR, "wording", spans=((9, 13),))
    other = stance(Stance.FOR, "wording", spans=((20, 23),))
    assert "2 passages agree with this" in headline((once, again, other))
    told = replace(verdict((0.7, 0.1, 0.1, 0.1)), stances=(once, again, other))
    assert passages_by_stance(Claim("It stands."), told, ()).count("Counted already") == 1


def test_a_judge_no_better_than_its_baselines_leaves_the_headline_to_the_evidence() -> None:
    read = replace(verdict((0.1, 0.7, 0.1, 0.1)), stances=(stance(Stance.AGAINST, "number"),))
    better = {"accuracy": 0.7, "always_refuted": 0.56, "claim_only": 0.65, "auc": 0.8, "claim_only_auc": 0.74}
    better["claims"] = 1000
    assert "vd-minor" not in verdict_card(read, better, pairs=1)
    for worse in ({"accuracy": 0.64}, {"auc": 0.7}, {"claims": 250}):  # of 250 claims, .05 more could be chance
        card = verdict_card(read, {**better, **worse}, pairs=1)
        assert "A rough judgement of all passages" in card
        assert "vd-minor" in card


def test_each_passage_shows_its_reason_and_the_words_that_decide() -> None:
    one = stance(
        Stance.AGAINST, "number", "says wide; the claim says <b>narrow</b>", spans=((20, 24),), claim_spans=((12, 18),)
    )
    pair = Evidence("How wide?", "The wall is wide.", WALL)
    other = replace(stance(Stance.UNRELATED), passage=Passage(WALL.document, 0, 7))
    decided = replace(verdict((0.1, 0.7, 0.1, 0.1)), stances=(other, one), decisive=(1,))
    page = passages_by_stance(Claim("The wall is narrow."), decided, [pair])
    assert page.index('id="stance-against"') < page.index('id="stance-unrelated"')
    assert "The wall is <mark>wide</mark>" in page
    assert "The wall is <mark>narrow</mark>." in page
    assert "Says wide; the claim says &lt;b&gt;narrow&lt;/b&gt;" in page
    assert page.count("Decisive") == 1
    assert page.count("How wide?") == 1
    assert "[1]" in page


def test_of_many_passages_about_something_else_the_first_are_shown() -> None:
    many = replace(verdict((0.1, 0.1, 0.7, 0.1)), stances=(stance(Stance.UNRELATED),) * 7)
    page = passages_by_stance(Claim("The wall is narrow."), many, [])
    assert "Show 4 more" in page
    assert page.count("<article") == 7


def test_a_passage_without_a_question_stands_under_the_title_of_its_document_and_deciding_ones_lead() -> None:
    walls = [Passage(Document(f"https://example.org/{name}", "A wall.", name), 0, 7) for name in ("First", "Second")]
    stances = tuple(replace(stance(Stance.FOR), passage=one, spans=()) for one in walls)
    decided = replace(verdict((0.7, 0.1, 0.1, 0.1)), stances=stances, decisive=(1,))
    page = passages_by_stance(Claim("A wall."), decided, [Evidence("", "A wall.", one) for one in walls])
    assert page.index(">Second<") < page.index(">First<")
    assert page.count(">First<") == page.count(">Second<") == 1  # above, and not in its source again
    assert "vd-question" not in page
    asked = passages_by_stance(Claim("A wall."), decided, [Evidence("How old?", "A wall.", one) for one in walls])
    assert asked.index("How old?") < asked.index(">Second<")
    assert evidence_cards([Evidence("", "A wall.", walls[0])]).count(">First<") == 1


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
    stances = tuple(PassageStance(passage, Stance.FOR, 0.9, "says so") for passage in (WALL, replace(WALL, start=0)))
    both = [Evidence("How wide?", one.passage.text, one.passage) for one in stances]
    grouped = passages_by_stance(Claim("It is wide."), replace(verdict((0.7, 0.1, 0.1, 0.1)), stances=stances), both)
    assert grouped.count("<article") == 1
    assert grouped.count("How wide?</p>") == 1
    assert re.findall(r'id="evidence-(\d)"', grouped) == ["1", "2"]


def test_what_the_wording_brings_stands_apart() -> None:
    wording = dict(zip(Label, (0.2, 0.6, 0.1, 0.1), strict=True))
    documents = dict(zip(Label, (0.8, 0.1, 0.05, 0.05), strict=True))
    told = replace(verdict((0.7, 0.1, 0.1, 0.1)), wording=wording, from_documents=documents)
    card = verdict_card(told, {"accuracy": 0.6, "calibration_error": 0.1}, pairs=1)
    assert "“Refuted” (60%). From the documents alone it is “Supported” (80%)" in card


def test_a_judge_that_was_not_measured_is_not_praised() -> None:
    assert "nobody has measured it yet" in verdict_card(verdict((0.1, 0.7, 0.1, 0.1)), None, pairs=2)


def test_citations_lead_to_their_cards() -> None:
    assert '<a href="#evidence-2">[2]</a>' in verdict_card(verdict((0.1, 0.7, 0.1, 0.1)), None, pairs=2)


def test_a_citation_of_a_card_that_is_not_there_leads_nowhere() -> None:
    card = verdict_card(verdict((0.1, 0.7, 0.1, 0.1)), None, pairs=1)
    assert "[2]" in card
    assert "#evidence-2" not in card


def test_words_are_marked_by_the_query_that_found_the_passage() -> None:
    case = hand_made(Claim("A wall."))
    (hit,) = case.hits
    other = Ranking("imagined words", ())
    assert searched_for(replace(case, rankings=(Ranking("gates", (hit,)), other)), hit) == "A wall. gates"


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
    assert "12 s of the 60 s" in shown
    assert "width: 20.0%" in shown
    assert "vd-stage-now" not in stage_list(FACTS, None, 0.0, waits="Waiting, 2 ahead of you")


def test_a_run_longer_than_the_budget_says_so() -> None:
    assert "longer than the 60 s" in stage_list(FACTS, None, 75.0)


def test_times_are_bars_over_the_longest() -> None:
    shown = times_table((StepTime("Search", 0.5, ""), StepTime("Ask", 2.0, "")))
    assert re.findall(r"width: ([\d.]+)%", shown) == ["25.0", "100.0"]


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
    assert guarded(cell) == kept


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
