"""The contract on imports names every page folder."""

import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_every_page_folder_is_independent_by_contract() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    independent = next(one["modules"] for one in contracts if one["type"] == "independence")
    assert independent == sorted(f"pages.{page.parent.name}" for page in ROOT.glob("pages/*/page.py"))
