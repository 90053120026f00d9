"""A desk whose work is written by hand."""

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import streamlit as st
from streamlit.components.v2 import manifest_scanner
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner.script_cache import ScriptCache
from streamlit.testing.v1 import app_test, local_script_runner

from core.verification.model_pool import ModelPool
from pages.ui.app_state import AppState, app_state
from tests.pages.desks import answer, work_by


@pytest.fixture(scope="session", autouse=True)
def packages_scanned_once() -> Iterator[None]:
    """AppTest looks through every installed package for components each time: more than half of what a page takes."""
    with pytest.MonkeyPatch.context() as patch:
        found = manifest_scanner.scan_component_manifests()
        patch.setattr(manifest_scanner, "scan_component_manifests", lambda: found)
        yield


@pytest.fixture(scope="session", autouse=True)
def scripts_compiled_once() -> Iterator[None]:
    """AppTest compiles app.py and the page anew in each run: a quarter of its time. A server keeps them, as here."""
    kept = ScriptCache()
    with pytest.MonkeyPatch.context() as patch:
        for module in (app_test, local_script_runner):
            patch.setattr(module, "ScriptCache", lambda: kept)
        yield


@pytest.fixture(scope="session", autouse=True)
def runs_awaited_without_polling() -> Iterator[None]:
    """AppTest asks each millisecond whether a run has ended, and so takes a third of its time from the run."""
    with pytest.MonkeyPatch.context() as patch:
        ended = local_script_runner.require_widgets_deltas

        def wait(runner: local_script_runner.LocalScriptRunner, timeout: float) -> None:
            assert runner._script_thread
            runner._script_thread.join(timeout)
            ended(runner, timeout=1)

        patch.setattr(local_script_runner, "require_widgets_deltas", wait)
        yield


@pytest.fixture(scope="session", autouse=True)
def no_model_loaded_ahead() -> Iterator[None]:
    """Pages ask a server to load its model ahead of the first claim; no claim here needs it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ModelPool, "prepare", lambda self: None)
        yield


@pytest.fixture(autouse=True)
def main_is_pytest_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """AppTest puts the app in place of `__main__`, and Python runs that anew in each process that is spawned later."""
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])


@pytest.fixture
def at_desk(tmp_path: Path, empty_database: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[AppState]:
    monkeypatch.setenv("VERIDESK_HOME", str(tmp_path))
    monkeypatch.delenv("VERIDESK_DATABASE", raising=False)
    # AppTest begins every run as on a server that was just started (see pages/ui/entry.py); a real server runs
    # app.py from the second run on.
    monkeypatch.setattr(PagesManager, "uses_pages_directory", False)
    monkeypatch.setattr(app_test, "PagesManager", type("Manager", (PagesManager,), {}))
    st.cache_resource.clear()
    shutil.copy(empty_database, tmp_path)
    here = app_state()
    work_by(here, answer)
    yield here
    st.cache_resource.clear()


@pytest.fixture(autouse=True)
def nothing_unforeseen(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """A page says an error of ours in a sentence: here it fails the test all the same."""
    yield
    assert not [record.exc_text for record in caplog.get_records("call") if record.name == "core.errors"]
