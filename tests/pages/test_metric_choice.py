"""An own metric is chosen with other parameters, and a wrong one stays in its field."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.scoring.metrics.own import own_metrics
from core.scoring.registry import METRICS
from tests.pages.desks import told

OVERLAP = """
from core.scoring.own_metric import own_metric

@own_metric()
def overlap(gold, predictions, *, words: int = 1):
    '''Share of claims.'''
    return [1.0 for _ in gold]
"""
FIELD = "chosen-with-overlap"


def form() -> None:
    import streamlit as st

    from core.actions.fields import Choices
    from core.scoring.registry import metric_name
    from pages.ui.metric_choice import metric_pills

    offered = Choices({"verdict": "Verdict", "overlap": "Overlap"}, metric_name)
    st.text(",".join(metric_pills("Scores", offered, "chosen", help="", default=["verdict"])))


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    file = tmp_path / "overlap.py"
    file.write_text(OVERLAP)
    monkeypatch.setenv("VERIDESK_METRICS", str(file))
    (found,), faults = own_metrics(())
    assert faults == []
    monkeypatch.setitem(METRICS, "overlap", found)
    return AppTest.from_function(form, default_timeout=300).run()


def test_parameters_add_a_metric_beside_those_chosen(page: AppTest) -> None:
    page.text_input(key=FIELD).set_value(" words = 3 ").run()
    assert not page.exception
    assert page.text[0].value == "verdict,overlap(words=3)"
    assert page.text_input(key=FIELD).value == ""
    page.text_input(key=FIELD).set_value("words=3").run()
    assert page.text[0].value == "verdict,overlap(words=3)", "it is there once"


@pytest.mark.parametrize("typed", ["words=many", "letters=3", "words"])
def test_a_wrong_parameter_changes_nothing_and_stays(page: AppTest, typed: str) -> None:
    page.text_input(key=FIELD).set_value(typed).run()
    assert page.text[0].value == "verdict"
    assert page.text_input(key=FIELD).value == typed
    assert "Overlap" in told(page)
