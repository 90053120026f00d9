"""The statistics themselves: on 400 simulated studies a design, false positives and coverage are what they say."""

from __future__ import annotations

import pytest

from tests.benchmarks.calibration import DESIGNS, Design, calibrate

MEASURED = (0, 2, 3, 4, 9, 13, 14)
"""One design of each kind, in its hardest form. The benchmark measures all of them, on 1,000 studies."""


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("design", [DESIGNS[place] for place in MEASURED], ids=lambda design: design.name)
def test_false_positives_and_coverage_are_what_they_claim(design: Design) -> None:
    found = calibrate(design, 400, following=100)
    assert 0.025 <= found.false_positives <= 0.075
    assert 0.925 <= found.coverage <= 0.975
    assert 0.025 <= found.compared_false_positives <= 0.075
    assert found.power > 2 * found.false_positives
