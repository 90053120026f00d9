"""Rows of tables are read with their heads, other lines as they are."""

import pytest

from core.verification.stance.tables import row_with_heads

PIPES = "| Branch | Visits 2019 | Visits 2022 |\n|---|---|---|\n| Tarn | 48,000 | 60,000 |\n| Moor | 100 | 0 |"
ROWS = "Tarn: visits 2019: 48,000; visits 2022: 60,000.", "Moor: visits 2019: 100; visits 2022: 0."


def told(text: str, line: str) -> str:
    start = text.index(line)
    return row_with_heads(text, (start, start + len(line)))


@pytest.mark.parametrize(
    "text",
    [
        f"The visits:\n\n{PIPES}\n\nNo more is known.",
        "Branch\tVisits 2019\tVisits 2022\nTarn\t48,000\t60,000\nMoor\t100\t0",
        "Branch;Visits 2019;Visits 2022\nTarn;48,000;60,000\nMoor;100;0",
    ],
)
def test_each_cell_has_its_heads(text: str) -> None:
    lines = [line for line in text.split("\n") if line.startswith(("Tarn", "Moor", "| Tarn", "| Moor"))]
    assert tuple(told(text, line) for line in lines) == ROWS


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (PIPES, "| Branch | Visits 2019 | Visits 2022 |"),
        (PIPES, "|---|---|---|"),
        ("Ada, Bo, and Cy came.\nDi, Ed, and Flo left.", "Di, Ed, and Flo left."),
        ("1,2,3\n4,5,6", "4,5,6"),
        ("Name;Age\nAda;36", "Ada;36"),
        (f"{PIPES}\n\nTarn;1;2", "Tarn;1;2"),
    ],
)
def test_what_is_no_row_of_a_table_with_heads_stays(text: str, line: str) -> None:
    assert told(text, line) == line
