"""What the pages' files must hold for their downloads to arrive."""

import ast
from pathlib import Path

PAGES = sorted((Path(__file__).resolve().parents[2] / "pages").rglob("*.py"))


def test_a_download_begins_no_run_which_would_clear_the_queue_with_its_address() -> None:
    for path in PAGES:
        calls = (node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Call))
        for call in calls:
            if isinstance(call.func, ast.Attribute) and call.func.attr == "download_button":
                on_click = [keyword.value for keyword in call.keywords if keyword.arg == "on_click"]
                assert [ast.literal_eval(value) for value in on_click] == ["ignore"], f"{path}, line {call.lineno}"
