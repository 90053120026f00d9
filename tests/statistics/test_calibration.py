"""The statistics themselves: on simulated studies, false positives and coverage are what they say."""

import pytest

from tests.benchmarks.calibration import ALPHAS, DESIGNS, AlphaDesign, Design, calibrate, calibrate_alpha

STUDIES = 200
KINDS = (
    "that differ, half zeros, r",
    "within rater: 3",
    "means of 10",
    "1 rater, 60 items, half zeros, r",
    "12 with 20",
)
"""Words in the name of a hard design of each kind. The benchmark measures all of them."""

MEASURED = [next(design for design in DESIGNS if words in design.name) for words in KINDS]


@pytest.mark.slow
@pytest.mark.parametrize("design", MEASURED, ids=lambda design: design.name)
def test_false_positives_and_coverage_are_what_they_claim(design: Design) -> None:
    found = calibrate(design, STUDIES)
    # 200 studies give 5 % with a standard error of 1.5.
    assert 0.01 <= found.false_positives <= 0.095
    assert min(found.null_coverage, found.coverage) >= 0.905
    assert all(one is None or one <= 0.095 for one in (found.compared_false_positives, found.equal_false_positives))
    assert found.power > 2 * found.false_positives


@pytest.mark.slow
@pytest.mark.parametrize("design", [ALPHAS[0], ALPHAS[-1]], ids=lambda design: design.name)
def test_intervals_of_alpha_cover_it(design: AlphaDesign) -> None:
    *_, covered, without = calibrate_alpha(design, STUDIES)
    assert without < 0.5
    assert covered is not None
    assert covered >= 0.905
