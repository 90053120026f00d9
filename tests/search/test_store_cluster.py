"""A store built with a Dask cluster: its workers write the queries and read the pages, and one machine asks."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from core.__main__ import main
from core.errors import BadInput
from core.search.sender import Sender, anywhere
from core.search.stores import orders
from core.search.stores.command import BuildOrder
from core.search.stores.orders import carry_out, forecast, open_build
from tests.batch.small_batch import ROOT
from tests.search.site import Site, reply
from tests.search.test_knowledge_stores import Engine, filled

pytestmark = pytest.mark.slow


def test_a_cluster_builds_the_store_that_this_machine_builds(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    distributed = pytest.importorskip("distributed", reason="the package distributed is not installed")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))  # of the workers' processes
    monkeypatch.setattr(orders, "open_source", lambda named: Engine(f"{site.base}/find", "engine"))
    monkeypatch.setattr(
        orders, "Sender", lambda consent, contact, *, stop: Sender(consent, contact, anywhere, stop=stop)
    )
    monkeypatch.setattr(orders, "PAUSE_SECONDS", 0.0)
    filled(site, 3)
    everything = reply(200, "\n".join(f"{site.base}/{name}{n}" for n in range(3) for name in "ab"))
    none = reply(404)
    site.otherwise = lambda handler: (everything if handler.path.startswith("/find") else none)(handler)
    file = tmp_path / "claims.json"
    claims = [{"claim_id": n, "claim": f"The bridge of Springfield{n} is wooden."} for n in range(3)]
    file.write_text(json.dumps(claims))
    order = BuildOrder(
        str(file), ("wikipedia",), kinds=("generated background queries", "claim named entities"), claim_only=True
    )
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, memory_limit=0
    ) as cluster:
        order = replace(order, consent=forecast(open_build(order)).digest)
        shared = replace(order, scheduler=cluster.scheduler_address)
        carry_out(open_build(shared), tmp_path / "shared", report=lambda progress: None)
    asked = [path for path in site.requests if path != "/robots.txt"]
    assert len(asked) == len(set(asked)) > 6  # a page that three claims share was read once
    carry_out(open_build(order), tmp_path / "alone", report=lambda progress: None)
    rows = {name: (tmp_path / name / "1.json").read_text(encoding="utf-8") for name in ("shared", "alone")}
    assert rows["shared"] == rows["alone"]
    assert "background_query" in rows["shared"]
    assert main(["store", "stats", str(tmp_path / "shared"), "--chart", str(tmp_path / "kinds.svg")]) == 0
    assert main(["store", "stats", str(tmp_path / "shared"), "--chart", str(tmp_path / "kinds.bmp")]) == 2
    assert "background query" in (tmp_path / "kinds.svg").read_text(encoding="utf-8")


def test_no_scheduler_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = pytest.importorskip("core.dask_executor", reason="the package distributed is not installed")
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 0.2)
    file = tmp_path / "claims.json"
    file.write_text(json.dumps([{"claim": "The Eiffel Tower is wooden."}]))
    order = BuildOrder(str(file), ("wikipedia",), kinds=("claim named entities",), claim_only=True)
    order = replace(order, scheduler="tcp://127.0.0.1:9", consent=forecast(open_build(order)).digest)
    with pytest.raises(BadInput, match="No Dask scheduler answers"):
        carry_out(open_build(order), tmp_path / "out", report=lambda progress: None)
