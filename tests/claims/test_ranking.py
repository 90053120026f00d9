"""Sentences are ranked by whether they are worth checking, each with a reason."""

import pytest

from core.claims.ranking import FIRST_SHOWN, NO_PROSE, RankedSentence, best_of, rank_sentences, ranks_of
from core.claims.speech import speech_of
from core.claims.worthiness import AGAINST, features_of
from core.errors import Cancelled
from core.interfaces import Encoder
from core.retrieval.dense import load_encoder
from tests.fakes import SilentEncoder


def ranked(text: str, encoder: Encoder | None = None) -> tuple[RankedSentence, ...]:
    return rank_sentences(speech_of("x", text), encoder or SilentEncoder(), report=lambda done, total: None)


def test_figures_come_before_thanks_and_views() -> None:
    found = ranked(
        "Thank you all for coming tonight. Unemployment rose by 6 percent last year. I think we can do better.",
        load_encoder(),
    )
    assert ranks_of(found)[1] == 1
    assert found[1].score > 0.5 > max(found[0].score, found[2].score)
    assert "number" in found[1].reason or "amount" in found[1].reason
    assert found[0].reason in AGAINST.values()


@pytest.mark.parametrize(
    "text", ["The bridge was opened in 2006.", "It cost 430 million pounds.", "It fell by 6 percent in May 2023."]
)
def test_the_number_of_an_amount_or_a_date_is_no_second_reason(text: str) -> None:
    [one] = ranked(text, load_encoder())
    assert "states a number" not in one.reason
    assert any(words in one.reason for words in ("date", "amount"))


def test_the_month_of_may_is_no_wish() -> None:
    may, june = (features_of(f"It opened on 12 {month} 2023.") for month in ("May", "June"))
    assert may == june


def test_each_different_sentence_is_read_once() -> None:
    encoder = SilentEncoder()
    found = ranked("We won. They lost. We won. We won.", encoder)
    assert sorted(encoder.read) == ["They lost.", "We won."]
    assert [one.position for one in found] == [0, 1, 2, 3]
    assert found[0].score == found[2].score


def test_the_best_are_in_the_order_of_the_text() -> None:
    found = [RankedSentence(at, str(at), "", score, "") for at, score in enumerate((0.1, 0.9, 0.2, 0.9, 0.5))]
    assert [one.position for one in best_of(found, 3)] == [1, 3, 4]
    assert ranks_of(found) == [5, 1, 4, 2, 3]


def test_a_chorus_takes_one_place_among_the_best() -> None:
    texts = ("Seven nights without the moon.", "We built 400 homes.", "seven nights without the moon.", "So.")
    found = [
        RankedSentence(at, text, "", score, "")
        for (at, text), score in zip(enumerate(texts), (0.9, 0.5, 0.9, 0.1), strict=True)
    ]
    assert [one.position for one in best_of(found, 2)] == [0, 1]


def test_the_best_are_shown_while_others_are_read() -> None:
    shown = list[list[str]]()
    speech = speech_of("x", " ".join(f"We built {number} homes." for number in range(1, 301)))
    rank_sentences(speech, SilentEncoder(), report=lambda done, total: None, best_so_far=shown.append)
    assert [len(best) for best in shown] == [FIRST_SHOWN] * 2


def test_a_line_of_a_program_is_no_claim() -> None:
    [one] = ranked("for (int i = 0; i < 100; i++) { total += prices[i]; }")
    assert (one.score, one.reason) == (0.0, NO_PROSE)


def test_ranking_can_be_stopped() -> None:
    with pytest.raises(Cancelled):
        rank_sentences(speech_of("x", "We won."), SilentEncoder(), report=lambda done, total: None, stop=lambda: True)
