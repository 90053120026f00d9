"""Addresses that a server knows before its first run, and before it has imported everything."""

from functools import partial

import pytest
from streamlit.commands import navigation
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData
from streamlit.testing.v1 import local_script_runner

from pages.ui.app_state import AppState
from pages.ui.imported import EVERYTHING
from tests.pages.desks import ANNA, ROOT, keys, new_app


def test_every_page_has_its_address_from_the_start() -> None:
    """Streamlit leaves out the number before a file's name; the first page has another address besides."""
    pages = {path.parent.name for path in (ROOT / "pages").glob("*/page.py")}
    known = {path.stem.removeprefix("0_") for path in (ROOT / "pages").glob("0_*.py")}
    assert known == pages | {"start"}


def test_the_first_page_has_its_name_while_a_server_imports(at_desk: AppState, monkeypatch: pytest.MonkeyPatch) -> None:
    missing: list[object] = []
    monkeypatch.setattr(navigation, "send_page_not_found", missing.append)
    monkeypatch.setattr(local_script_runner, "RerunData", partial(RerunData, page_name="verify"))
    EVERYTHING.clear()
    app = new_app()
    app.session_state["owner"] = ANNA
    app.run()
    assert "verify-text" in keys(app)
    assert missing == []
