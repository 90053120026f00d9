"""Carelessness and agreement, worked out by hand."""

from dataclasses import replace

import pytest

from core.agreement.raters import ControlAccuracy, Straightness
from core.agreement.ratings import ImportReport, MajorError, RatingImport, Response
from core.campaigns.adjudication import settled
from core.campaigns.progress import RaterProgress
from core.campaigns.reliability import inter_rater_agreement, signs_of_carelessness
from core.types import Label
from tests.campaigns.builders import item

CALM = RaterProgress("R01", "", 10, 10, 1.0, None, ControlAccuracy("R01", 5, 4), Straightness("R01", 10, 2, 3), 10)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({}, ()),
        ({"controls": ControlAccuracy("R01", 5, 2)}, ("2 of 5 controls right",)),
        ({"controls": ControlAccuracy("R01", 1, 0)}, ()),  # one control says nothing
        ({"straight": Straightness("R01", 10, 9, 3)}, ("one and the same rating on every scale for 9 of 10 items",)),
        ({"straight": Straightness("R01", 10, 2, 8)}, ("the same ratings for 8 items in a row",)),
        ({"straight": Straightness("R01", 7, 7, 7)}, ()),
        ({"minutes": 0.25}, ("15 seconds per item (median), where all raters take 60",)),
        ({"minutes": 0.25, "timed": 2}, ()),
        ({"minutes": None}, ()),
    ],
)
def test_what_is_striking_is_said_with_its_numbers(change: dict[str, object], words: tuple[str, ...]) -> None:
    assert signs_of_carelessness(replace(CALM, **change), 1.0) == words  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("seconds", "words", "flagged"), [(20.0, 300.0, True), (30.0, 300.0, False), (20.0, 0.0, False)]
)
def test_a_rater_is_too_quick_to_have_read_also_among_quick_ones(seconds: float, words: float, flagged: bool) -> None:
    quick = replace(CALM, minutes=seconds / 60)
    assert bool(signs_of_carelessness(quick, seconds / 60, words)) is flagged


def response(rater: str, number: int, value: int, *, control: bool = False) -> Response:
    one = item(number, control=control)
    return Response(
        2, one.item, rater, "", MajorError.NONE, Label.SUPPORTED, {"relevance": value}, one.system, one.claim
    )


def ratings(*responses: Response) -> RatingImport:
    return RatingImport(responses, ("relevance",), ImportReport("f", 0, 0, (), (), {}, {}, 0, (), ()))


def test_alpha_of_raters_without_scores_and_without_controls() -> None:
    """Six items, three pairs of equal and three of neighbouring ratings; and controls on which all agree."""
    first, second = (1, 2, 3, 4, 5, 1), (1, 2, 3, 5, 4, 2)
    given = [response("R01", n, value) for n, value in enumerate(first)]
    given += [response("R02", n, value) for n, value in enumerate(second)]
    items = [item(n) for n in range(6)]
    plain = inter_rater_agreement(items, ratings(*given))
    controls = [item(n, control=True) for n in (6, 7)]
    both = [response(rater, n, 5, control=True) for n in (6, 7) for rater in ("R01", "R02")]
    assert inter_rater_agreement([*items, *controls], ratings(*given, *both)) == plain
    error, verdict, relevance = plain
    assert (error.alpha.value, verdict.alpha.value) == (None, None)  # all answers are equal
    assert (relevance.alpha.items, relevance.alpha.raters) == (6, 2)
    # 1 - Σ(a-b)²/n over Σ(a_i - b_j)²/n²: 0.5 over 56/6 + 59/6 - 2 · 16/6 · 17/6 = 4.0556
    (kappa,) = relevance.kappas
    assert kappa.n == 6
    assert kappa.value == pytest.approx(1 - 0.5 / (56 / 6 + 59 / 6 - 2 * 16 / 6 * 17 / 6))


def test_four_shared_items_make_no_kappa() -> None:
    given = [response(rater, n, n + 1) for n in range(4) for rater in ("R01", "R02")]
    *_, relevance = inter_rater_agreement([item(n) for n in range(4)], ratings(*given))
    assert relevance.kappas == ()
    assert relevance.alpha.value == 1.0


def test_the_median_is_a_rating_that_somebody_gave() -> None:
    items = [item(0), item(1)]
    given = [response(rater, 0, value) for rater, value in (("R01", 1), ("R02", 4), ("R03", 5))]
    given += [response(rater, 1, value) for rater, value in (("R01", 2), ("R02", 5))]
    middle = settled(items, ratings(*given), (), median=True)
    assert [one.ratings for one in middle.responses] == [{"relevance": 4}, {"relevance": 2}]
    assert [one.ratings for one in settled(items, ratings(*given), ()).responses] == [{}, {}]
