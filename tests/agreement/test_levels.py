"""The levels named in a result are those that the simulated studies found."""

import csv
import re

import pytest

from core.agreement.findings import SIMULATED
from core.files import ROOT

UNITS = {
    "rater": "rater as unit",
    "system": "system as unit",
    "claim": "by claim:",
    "claim-system": "by claim and system",
    "response": "response as unit",
    "item": ("within rater", "by system", "1 rater", "3 raters"),
}


@pytest.mark.parametrize("unit", SIMULATED)
@pytest.mark.parametrize(
    ("place", "columns"),
    [
        (0, ("Coverage %", "Coverage of 0 %")),
        (1, ("False positives %",)),
        (2, ("Two equally good %", "Comparison: false positives %")),
    ],
)
def test_a_level_in_words_is_the_range_of_the_simulated_figures(
    unit: str, place: int, columns: tuple[str, ...]
) -> None:
    rows = csv.DictReader((ROOT / "docs/data/calibration.csv").open(encoding="utf-8"))
    found = [
        float(row[column]) for row in rows if row["Design"].startswith(UNITS[unit]) for column in columns if row[column]
    ]
    named = [int(figure) for figure in re.findall(r"\d+", SIMULATED[unit][place])]
    assert min(named) == pytest.approx(min(found), abs=0.5)
    assert max(named) == pytest.approx(max(found), abs=0.5)
