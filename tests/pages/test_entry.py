"""Addresses that a server knows before its first run."""

from __future__ import annotations

from tests.pages.desks import ROOT


def test_every_page_has_its_address_from_the_start() -> None:
    """Streamlit leaves out the number before a file's name; the first page has another address besides."""
    pages = {path.parent.name for path in (ROOT / "pages").glob("*/page.py")}
    known = {path.stem.removeprefix("0_") for path in (ROOT / "pages").glob("0_*.py")}
    assert known == pages | {"start"}
