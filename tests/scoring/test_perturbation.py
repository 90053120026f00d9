import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.annotations import GoldAnswer, GoldClaim, GoldQuestion, PredictedEvidence, Prediction
from core.scoring.metrics.hungarian_meteor_metric import HungarianMeteor
from core.scoring.perturbation import (
    PERTURBATIONS,
    change_numbers,
    contract,
    drop_stop_words,
    number_word,
    numbers_as_words,
    perturbed,
    shuffle_words,
    swap_entities,
    typo,
)
from core.scoring.stress import Movement, as_predictions, stress
from core.statistics.bootstrap import Interval
from core.types import Claim, Label
from tests.scoring.test_averitec import Spaces

BY_NAME = {perturbation.name: perturbation for perturbation in PERTURBATIONS}


def chance() -> random.Random:
    return random.Random(1)


def test_every_digit_of_a_number_becomes_another() -> None:
    text = "In 2020, 3,000 of 45.5 m people"
    changed = change_numbers(text, chance())
    assert [a == b for a, b in zip(text, changed, strict=True)] == [not c.isdigit() for c in text]


def test_small_numbers_are_written_as_words() -> None:
    assert numbers_as_words("14 of 99 in 2020, 3.5 and 7% of 1,000", chance()) == (
        "fourteen of ninety-nine in 2020, 3.5 and 7% of 1,000"
    )
    assert [number_word(n) for n in (0, 19, 20, 42)] == ["zero", "nineteen", "twenty", "forty-two"]


def test_contractions_keep_the_capital() -> None:
    assert contract("It is not so. They are not. Cannot.", chance()) == "It's not so. They're not. Can't."


def test_letters_that_only_look_like_an_i_in_lower_case_are_left() -> None:
    assert contract("İt is so. It is so. Éit is so.", chance()) == "İt is so. It's so. Éit is so."


def test_stop_words_go_and_others_stay() -> None:
    assert drop_stop_words("The bridge was closed in May", chance()) == "bridge closed May"


@given(st.text(alphabet="abcdef ", max_size=80))
def test_typos_and_shuffled_words_keep_the_letters(text: str) -> None:
    assert sorted(typo(text, chance())) == sorted(text)
    assert sorted(shuffle_words(text, chance()).split(" ")) == sorted(text.split(" "))


def test_one_name_is_always_swapped_for_the_same_other() -> None:
    mine = (PredictedEvidence("Did the mayor Anna Lind speak?", "Yes, Anna Lind spoke in Ostwick."),)
    foreign = (PredictedEvidence("Was it in Norrby?", "No, in Harland."),)
    (changed,) = swap_entities(mine, chance(), foreign)
    name = changed.question.split("mayor ")[1].split(" speak")[0]
    assert name in ("Norrby", "Harland")
    assert f"Yes, {name} spoke" in changed.answer
    assert swap_entities(mine, chance(), ()) == mine


def predictions() -> list[Prediction]:
    return [
        Prediction(
            "0", "", None, (PredictedEvidence("How many?", "There were 12."), PredictedEvidence("Who?", "Ann."))
        ),
        Prediction("1", "", None, (PredictedEvidence("Where?", "here"),)),
    ]


def test_only_changed_predictions_count_and_a_seed_repeats_them() -> None:
    changed = perturbed(predictions(), BY_NAME["numbers changed"], seed=3)
    assert list(changed) == ["0"]
    assert changed == perturbed(predictions(), BY_NAME["numbers changed"], seed=3)
    blank = perturbed(predictions(), BY_NAME["answers blank"], seed=3)
    assert [e.answer for e in blank["0"].evidence] == ["", ""]
    inserted = perturbed(predictions(), BY_NAME["foreign pair inserted"], seed=3)
    assert inserted["0"].evidence[2] == PredictedEvidence("Where?", "here")
    repeated = perturbed(predictions(), BY_NAME["one pair repeated"], seed=3)
    assert len(repeated["1"].evidence) == 2


def test_order_and_repetition_leave_hungarian_meteor_where_it_is_and_blank_answers_do_not() -> None:
    gold = [
        GoldClaim(
            Claim("c", id=str(i)),
            Label.REFUTED,
            (GoldQuestion(f"q{i} one", (GoldAnswer("a b c"),)), GoldQuestion(f"q{i} two", (GoldAnswer("d 5 f"),))),
        )
        for i in range(6)
    ]
    movements = stress(gold, as_predictions(gold), HungarianMeteor(Spaces()))
    moved = {m.perturbation: m for m in movements}
    assert set(moved) == set(BY_NAME)
    for name in ("pairs shuffled", "one pair repeated", "foreign pair inserted"):
        assert moved[name].after == pytest.approx(moved[name].before)
    assert (moved["answers blank"].after or 0) < 0.6 < (moved["answers blank"].before or 0)
    assert moved["contractions"].n == 0
    assert moved["contractions"].before is None


def test_a_pair_that_is_added_to_ten_is_read() -> None:
    first, second = ("q one", "a b c"), ("q two", "d e f")
    gold = [
        GoldClaim(Claim("c", id=claim_id), Label.REFUTED, (GoldQuestion(question, (GoldAnswer(answer),)),))
        for claim_id, (question, answer) in (("0", second), ("1", first))
    ]
    full = {
        claim_id: Prediction(claim_id, "", None, (PredictedEvidence(*pair),) * 10)
        for claim_id, pair in (("0", first), ("1", second))
    }
    moved = {m.perturbation: m for m in stress(gold, full, HungarianMeteor(Spaces()))}
    foreign = moved["foreign pair inserted"]  # the other claim's pair, which is this claim's gold
    assert (foreign.n, foreign.after) == (2, pytest.approx(1 - 0.5 / 5**3))
    assert (foreign.before or 0) < 0.5


@pytest.mark.parametrize(
    ("expected", "low", "high", "said"),
    [
        ("falls", -0.3, -0.2, "sound"),
        ("falls", -0.01, 0.01, "blind"),
        ("falls", -0.1, -0.01, "unclear"),
        ("holds", -0.02, 0.01, "sound"),
        ("holds", -0.3, -0.1, "fragile"),
        ("holds", -0.1, 0.0, "unclear"),
    ],
)
def test_a_movement_is_judged_by_its_interval(expected: str, low: float, high: float, said: str) -> None:
    interval = Interval(low, high, 0.95, 100, 0, 0)
    assert Movement("p", expected, "m", 5, 0.5, 0.4, interval).finding == said
    assert Movement("p", expected, "m", 4, 0.5, 0.4, interval).finding == "too few items"
