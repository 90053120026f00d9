"""Stores built in the background: cancelled, gone on with, and nobody else's."""

import json
import threading
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from core.errors import BadInput
from core.jobs.jobs import Jobs
from core.jobs.limits import JobLimits
from core.jobs.queue import JobQueue
from core.jobs.store import JobStore
from core.jobs.types import State
from core.search.sender import Sender, anywhere
from core.search.stores import orders
from core.search.stores.build_job import Builds, StoreBuild, build_kind
from core.search.stores.command import BuildOrder
from core.search.stores.orders import forecast, open_build
from core.storage.store import Store
from tests.search.site import Site
from tests.search.test_knowledge_stores import Engine, engine, filled
from tests.waiting import until

ANNA, BERT = "a" * 64, "b" * 64
ORDER = BuildOrder("claims.json", ("wikipedia",), kinds=("claim named entities",), claim_only=True)
CLAIMS = json.dumps(
    [{"claim_id": n, "claim": f"The bridge of Springfield{n} is wooden.", "claim_date": "31-10-2020"} for n in range(3)]
).encode()
FILES = {"claims.json": CLAIMS}


@pytest.fixture
def builds(site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Builds]:
    """Builds whose one source is a search engine on the site, and that may read pages of loopback."""
    filled(site, 3)
    monkeypatch.setattr(orders, "open_source", lambda named: Engine(f"{site.base}/find", "engine"))
    monkeypatch.setattr(
        orders, "Sender", lambda consent, contact, *, stop: Sender(consent, contact, anywhere, stop=stop)
    )
    monkeypatch.setattr(orders, "PAUSE_SECONDS", 0.0)
    engine(site, 3)
    jobs = JobStore(Store(f"sqlite:///{tmp_path / 'v.db'}"))
    queue = JobQueue(jobs)
    yield Jobs(queue, build_kind(tmp_path / "stores"))
    queue.close()


def agreed(folder: Path) -> BuildOrder:
    """Return the order as its person agreed to it."""
    file = folder / "claims.json"
    file.write_bytes(CLAIMS)
    return replace(ORDER, consent=forecast(open_build(replace(ORDER, claims=str(file)))).digest)


def ended(builds: Builds, build_id: str) -> StoreBuild:
    until(lambda: (build := builds.find(build_id, ANNA)) and not build.state.live)
    build = builds.find(build_id, ANNA)
    assert build
    return build


def test_a_build_is_kept_with_its_figures_and_is_nobody_else_s(builds: Builds, tmp_path: Path) -> None:
    build_id = builds.start(ANNA, agreed(tmp_path), FILES)
    build = ended(builds, build_id)
    assert (build.state, build.status.error) == (State.DONE, "")
    assert build.manifest["claims"] == 3
    # of five addresses a claim one is too late and one does not exist; its fact-check is not known here
    assert build.manifest["left_out"] == {"too late": 3}
    assert [(one.addresses, one.with_text) for one in build.stats.claims] == [(4, 2)] * 3
    assert sorted(file.name for file in build.files()) == ["0.json", "1.json", "2.json", "manifest.json"]
    assert builds.find(build_id, BERT) is None
    assert builds.of(BERT) == []
    builds.delete(build.status)
    assert builds.find(build_id, ANNA) is None
    assert not build.folder.exists()


def test_a_cancelled_build_goes_on_and_asks_nothing_twice(builds: Builds, site: Site, tmp_path: Path) -> None:
    whole = ended(builds, builds.start(ANNA, agreed(tmp_path), FILES))
    reached, go_on = threading.Event(), threading.Event()
    answer = site.pages["/find?q=Springfield1"]

    def slow(handler: BaseHTTPRequestHandler) -> None:
        reached.set()
        go_on.wait(300)
        answer(handler)

    site.pages["/find?q=Springfield1"] = slow
    site.requests.clear()
    build_id = builds.start(ANNA, agreed(tmp_path), FILES)
    assert reached.wait(300)
    build = builds.find(build_id, ANNA)
    assert build
    builds.cancel(build.status)
    go_on.set()
    build = ended(builds, build_id)
    assert build.state is State.CANCELLED
    assert not (build.store / "manifest.json").exists()
    builds.resume(build.status)
    build = ended(builds, build_id)
    assert build.state is State.DONE
    assert [file.read_bytes() for file in build.files()] == [file.read_bytes() for file in whole.files()]
    asked = [path for path in site.requests if path.startswith("/find")]
    assert {path: asked.count(path) for path in asked if path != "/find?q=Springfield1"} == {
        "/find?q=Springfield0": 1,
        "/find?q=Springfield2": 1,
    }


def test_an_order_that_cannot_be_carried_out_leaves_nothing_behind(builds: Builds) -> None:
    with pytest.raises(BadInput):
        builds.start(ANNA, ORDER, {"claims.json": b"no claims"})
    assert list(builds.kind.folders.iterdir()) == []


def test_an_order_that_cannot_be_carried_out_costs_no_older_store(builds: Builds, tmp_path: Path) -> None:
    builds.kind = replace(builds.kind, limits=JobLimits(kept=1))
    kept = ended(builds, builds.start(ANNA, agreed(tmp_path), FILES))
    with pytest.raises(BadInput):
        builds.start(ANNA, ORDER, {"claims.json": b"no claims"})
    assert builds.find(kept.status.id, ANNA)


def test_what_a_build_costs_at_most(tmp_path: Path) -> None:
    file = tmp_path / "claims.json"
    question = {"question": "Of what?", "answers": [{"answer": "Steel.", "answer_type": "Extractive",
                "source_url": "https://a.example/x", "source_medium": "Web text"}]}  # fmt: skip
    claims = [{"claim": "The Eiffel Tower in Paris is wooden.", "label": "Refuted", "questions": [question]}]
    file.write_text(json.dumps(claims))
    most = forecast(open_build(BuildOrder(str(file), ("wikipedia", "searxng=http://127.0.0.1:1"), pages=2)))
    # 3 questions, 3 background, 3 provenance; Eiffel Tower, Paris, both; 1 paragraph; 2 from the gold address;
    # 3 of other events, 3 of similar entities; 1 gold question, 1 with the claim, 1 rephrased; 1 answer, 1 rephrased
    assert most.most == {"en.wikipedia.org": 2 * 26, "127.0.0.1:1": 2 * 26}
    assert most.pages == 1 + 2 * 26 * (10 + 10)
    only = forecast(open_build(BuildOrder(str(file), ("wikipedia",), kinds=("claim named entities",))))
    assert (only.most, only.pages) == ({"en.wikipedia.org": 3}, 1 + 30)


@pytest.mark.parametrize(
    ("order", "said"),
    [
        (BuildOrder("x", ()), "at least one source"),
        (BuildOrder("x", ("wayback",)), "searched by words"),
        (BuildOrder("x", ("wikipedia",), pages=99), "from 1 to 10"),
        (BuildOrder("x", ("wikipedia",), kinds=("none",)), "no kind of query “none”"),
        (BuildOrder("x", ("wikipedia",), kinds=("gold answers",), claim_only=True), "No kind of query is left"),
        (BuildOrder("x", ("wikipedia",), scheduler="tcp://a:1", workers=2), "brings its own workers"),
    ],
)
def test_orders_that_cannot_be(order: BuildOrder, said: str, tmp_path: Path) -> None:
    file = tmp_path / "claims.json"
    file.write_text(json.dumps([{"claim": "It is wood.", "label": "Refuted", "questions": []}]))
    with pytest.raises(BadInput, match=said):
        open_build(replace(order, claims=str(file)))
