"""The statistics themselves: on 400 simulated studies a design, false positives and coverage are what they say."""

from __future__ import annotations

import pytest

from tests.benchmarks.calibration import DESIGNS, Design, calibrate

MEASURED = [design for design in DESIGNS if not design.crossed or "differ, Pearson" in design.name]
"""All but the quicker twins of the crossed design. The benchmark measures those too."""


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("design", MEASURED, ids=lambda design: design.name)
def test_false_positives_and_coverage_are_what_they_claim(design: Design) -> None:
    found = calibrate(design, 400, following=100)
    assert 0.025 <= found.false_positives <= 0.075
    assert 0.925 <= found.coverage <= 0.975
    assert 0.025 <= found.compared_false_positives <= 0.075
    assert found.power > 2 * found.false_positives
