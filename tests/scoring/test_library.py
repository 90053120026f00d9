"""The example of docs/library.md, run as it is written, and one metric that goes wrong in each way."""

import os
import re
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from core.annotations import GoldAnswer, GoldClaim, GoldQuestion, PredictedEvidence, Prediction
from core.errors import BadInput, Cancelled
from core.files import ROOT
from core.scoring.items import ItemStatus
from core.scoring.metrics import own
from core.scoring.metrics.metric import Metric, Registration
from core.scoring.metrics.own import NO_SCORE, OwnMetric, own_metrics
from core.scoring.progress import ProgressMonitor
from core.types import Claim, Label

ODD = """
import os, time
from core.scoring.own_metric import own_metric

@own_metric(seconds=4)
def odd(gold, predictions, *, how: str = "fine", at: int = 2, lower: bool = True):
    '''Half for each claim.'''
    if how == "few" and any(int(claim.id) == at for claim in gold):
        return []
    def value(number):
        if number != at:
            return 0.5
        if how == "raise":
            return 1 / 0
        if how == "hang":
            time.sleep(600)
        if how == "exit":
            os._exit(3)
        return {"fine": 0.5, "none": None, "nan": float("nan"), "out": 7}[how]
    return [value(int(claim.id)) for claim in gold]
"""
CLAIMS = 20
GOLD = [
    GoldClaim(Claim("c", id=str(n)), Label.REFUTED, (GoldQuestion("q", (GoldAnswer("a"),)),)) for n in range(CLAIMS)
]
PREDICTIONS = {
    str(n): Prediction(str(n), "c", Label.REFUTED, (PredictedEvidence("q", "a"),)) for n in range(CLAIMS - 1)
}


@pytest.fixture
def odd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Registration:
    file = tmp_path / "odd.py"
    file.write_text(ODD)
    monkeypatch.setenv("VERIDESK_METRICS", str(file))
    monkeypatch.setattr(own, "BATCH", 2)  # a batch that hangs takes its claims' time
    (found,), faults = own_metrics(())
    assert faults == []
    return found


def opened(odd: Registration, parameters: str) -> OwnMetric:
    assert odd.given
    metric: Metric = odd.given(parameters).open(None)  # type: ignore[arg-type]
    assert isinstance(metric, OwnMetric)
    return metric


@pytest.mark.parametrize(
    ("how", "word"),
    [
        ("raise", "ZeroDivisionError in line 14 of odd.py"),
        ("few", "0 values"),
        ("nan", "nan"),
        ("out", "7"),
        ("hang", "seconds"),
        ("exit", "exit status 3"),
    ],
)
def test_a_fault_costs_one_claim_its_score(odd: Registration, how: str, word: str) -> None:
    metric = opened(odd, f"how={how}")
    measured = metric.measure(GOLD, PREDICTIONS)
    metric.close()
    assert measured.main == f"odd(how={how}):score"
    found = {item.claim_id: item for item in measured.items}
    wrong, missing = found.pop("2"), found.pop(str(CLAIMS - 1))
    assert (wrong.value, wrong.status) == (None, ItemStatus.UNSCORED)
    assert all(part in wrong.reason for part in ("Odd", "claim 2", word))
    assert (missing.value, missing.status) == (0.0, ItemStatus.MISSING)
    assert {item.value for item in found.values()} == {0.5}


def test_a_claim_may_have_no_score(odd: Registration) -> None:
    metric = opened(odd, "how=none, at=4")
    measured = metric.measure(GOLD, PREDICTIONS)
    metric.close()
    assert [item.claim_id for item in measured.items if item.reason == NO_SCORE] == ["4"]


def test_a_run_can_be_cancelled_in_a_metric_that_hangs(odd: Registration) -> None:
    metric, asked = opened(odd, "how=hang"), threading.Event()

    def stop() -> bool:
        asked.set()
        return metric.running is not None and time.monotonic() > begun + 0.1

    begun = time.monotonic()
    with pytest.raises(Cancelled):
        metric.measure(GOLD, PREDICTIONS, ProgressMonitor(stop=stop))
    assert asked.is_set()
    assert metric.running is None


@pytest.mark.parametrize("parameters", ["many=1", "at=two", "lower=perhaps", "how=a:b"])
def test_a_wrong_parameter_is_refused(odd: Registration, parameters: str) -> None:
    assert odd.given
    with pytest.raises(BadInput, match=parameters.partition("=")[0]):
        odd.given(parameters)


@pytest.mark.parametrize("content", ["1 / 0", "x = 1", "import os; os._exit(1)"])
def test_a_file_without_a_usable_metric_is_named(content: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "bad.py"
    file.write_text(content)
    monkeypatch.setenv("VERIDESK_METRICS", str(file))
    found, (fault,) = own_metrics(())
    assert found == []
    assert str(file) in fault


def test_a_metric_is_found_by_its_entry_point(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "installed_odd.py").write_text(ODD)
    info = tmp_path / "odd-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: odd\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[veridesk.metrics]\nodd = installed_odd:odd\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
    (found,), faults = own_metrics(())
    assert (found.name, faults) == ("odd", [])
    metric = opened(found, "")
    assert {item.value for item in metric.measure(GOLD[:3], PREDICTIONS).items} == {0.5}
    metric.close()
    assert own_metrics(["odd"])[0] == []  # the name is taken


def test_the_example_of_the_library_runs(tmp_path: Path) -> None:
    metric, example = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "library.md").read_text(), re.DOTALL)
    for name, content in (("word_overlap.py", metric), ("example.py", example)):
        (tmp_path / name).write_text(content)
    (tmp_path / "assets").symlink_to(ROOT / "assets")
    variables = {"VERIDESK_METRICS": "word_overlap.py", "PYTHONPATH": str(ROOT), "VERIDESK_HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "example.py"], cwd=tmp_path, env=os.environ | variables, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert re.search(r"careful.* 0\.5\d\d\d \(", done.stdout)
    assert "word-overlap(letters=3)|" in done.stdout
    assert "pooled" in done.stdout
    assert len((tmp_path / "items.csv").read_text().splitlines()) == 1 + 2 * 6 * 3
