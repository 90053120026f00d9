"""Stores of one's own: rows in the official form, nothing asked twice, and a build that was killed twice."""

import json
import os
import random
import signal
import subprocess
import sys
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from core.__main__ import main
from core.annotations import GoldAnswer, GoldClaim, GoldQuestion
from core.dates import shifted
from core.documents.knowledge_store import load_store
from core.errors import BadInput, BadRecord
from core.search.addresses import page_key
from core.search.queries import Material, QueryWriter, read_kinds
from core.search.sender import Sender, anywhere
from core.search.stores.build import build_store
from core.search.stores.claims import MANIFEST, StoreClaim, from_gold, parse_store_claims, read_store_claims
from core.search.stores.page_workers import LocalPageWorker
from core.search.stores.rows import StorePlan
from core.search.stores.stats import store_stats
from core.search.stores.stats_tables import kinds_table
from core.search.types import Page, ResultPage, SearchResult
from core.types import Claim, Label
from tests.fakes import ScriptedModel
from tests.search.consents import ANYTHING
from tests.search.site import Site, article, reply, running
from tests.search.test_crawl import Listed
from tests.waiting import until

KINDS = read_kinds()
PLAN = StorePlan((KINDS["claim named entities"], KINDS["gold questions"]), seed=7)


def claim(number: int, site: Site) -> StoreClaim:
    """A claim whose entity and question are asked for, and whose gold evidence stands on the site."""
    text = Claim(f"The bridge of Springfield{number} is made of wood.", date=date(2020, 10, 31), id=str(number))
    material = Material(
        text, questions=(f"What is bridge {number} made of?",), answers=("Steel.",), urls=(f"{site.base}/gold{number}",)
    )
    return StoreClaim(material, fact_check=f"{site.base}/check{number}")


def filled(site: Site, claims: int) -> None:
    """Fill a site with a search engine's answers, gold documents and pages, some of which several claims share."""
    for n in range(claims):
        site.page(f"/gold{n}", article(f"The steel bridge number {n}", day="2021-05-05"))
        for page in ("a", "b"):
            site.page(f"/{page}{n}", article(f"The bridge {page} of Springfield{n}", day="2020-01-02"))
        site.page(f"/late{n}", article(f"The late bridge {n}", day="2021-01-02"))
    site.page("/shared", article("The bridge that all speak of", day="2020-01-02"))


class Engine(Listed):
    """A search engine that names pages by the number in a query."""

    def request(self, query: str, page: int, before: date | None) -> Any:
        from core.search.types import GetRequest

        return GetRequest(f"{self.url}?q={query.replace(' ', '+')}")


class Dated(Engine):
    """A search engine that leaves out what is later than the claim."""

    can = replace(Listed.can, dated=True)

    def request(self, query: str, page: int, before: date | None) -> Any:
        asked = super().request(query, page, before)
        return replace(asked, url=f"{asked.url}&before={before}")


def engine(site: Site, claims: int) -> Engine:
    for n in range(claims):
        names = [f"/a{n}", "/shared", f"/late{n}", f"/check{n}", f"/none{n}"]
        site.pages[f"/find?q=Springfield{n}"] = reply(200, "\n".join(site.base + name for name in names))
        question = f"/find?q=What+is+bridge+{n}+made+of?"
        site.pages[question] = reply(200, f"{site.base}/a{n}\n{site.base}/b{n}\n{site.base}/gold{n}")
    return Engine(f"{site.base}/find", "engine")


def made(
    folder: Path,
    claims: list[StoreClaim],
    source: Any,
    *,
    plan: StorePlan = PLAN,
    worker: LocalPageWorker | None = None,
    workers: int = 1,
) -> dict[str, Any]:
    """Build a store from one source and return its manifest."""
    sender = Sender(ANYTHING, allowed=anywhere)
    options: dict[str, Any] = {"pause": 0.0, "workers": workers, "report": lambda done: None}
    return build_store(folder, claims, plan, [source], worker or LocalPageWorker(), sender, **options)


def build(folder: Path, site: Site, claims: int, *, workers: int = 1, plan: StorePlan = PLAN) -> dict[str, Any]:
    return made(folder, [claim(n, site) for n in range(claims)], engine(site, claims), workers=workers, plan=plan)


def rows(folder: Path, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / f"{name}.json").read_text(encoding="utf-8").splitlines()]


def test_a_store_has_the_official_form(site: Site, tmp_path: Path) -> None:
    filled(site, 1)
    manifest = build(tmp_path / "store", site, 1)
    found = {row["url"].removeprefix(site.base): row for row in rows(tmp_path / "store", "0")}
    assert set(found["/a0"]) == {"claim_id", "type", "query", "url", "url2text"}
    assert {path: (row["type"], row["query"], bool(row["url2text"])) for path, row in found.items()} == {
        "/gold0": ("gold", "", True),  # later than the claim, and evidence all the same
        "/a0": ("named_entity", "Springfield0", True),
        "/shared": ("named_entity", "Springfield0", True),
        "/none0": ("named_entity", "Springfield0", False),  # an empty row is kept
        "/b0": ("gold_question", "What is bridge 0 made of?", True),
    }
    assert manifest["left_out"] == {"gives it away": 1, "too late": 1}
    assert manifest["without_text"] == {"gone": 1}
    assert manifest["asked"] == {"found": 2}
    assert (manifest["rows"], manifest["with_text"], manifest["claims"]) == (5, 4, 1)
    assert json.loads((tmp_path / "store" / MANIFEST).read_text()) == manifest
    assert site.asked("/check0") == 0
    assert len(load_store(tmp_path / "store" / "0.json").documents) == 4


def test_two_workers_ask_each_query_and_read_each_page_once(site: Site, tmp_path: Path) -> None:
    filled(site, 6)
    build(tmp_path / "store", site, 6, workers=2)
    once = [path for path in site.requests if path != "/robots.txt"]
    assert len(once) == len(set(once))
    assert site.asked("/shared") == 1


def test_a_store_that_is_built_again_asks_for_nothing(site: Site, tmp_path: Path) -> None:
    filled(site, 2)
    first = build(tmp_path / "store", site, 2)
    asked = len(site.requests)
    (tmp_path / "store" / "1.json").unlink()
    assert build(tmp_path / "store", site, 2) == first
    assert len(site.requests) == asked


def test_the_order_depends_on_the_seed_alone(site: Site, tmp_path: Path) -> None:
    filled(site, 1)
    build(tmp_path / "a", site, 1)
    build(tmp_path / "b", site, 1)
    build(tmp_path / "c", site, 1, plan=StorePlan(PLAN.kinds, seed=8))
    texts = [(tmp_path / name / "0.json").read_text(encoding="utf-8") for name in "abc"]
    assert texts[0] == texts[1]
    assert sorted(texts[0].splitlines()) == sorted(texts[2].splitlines())


def test_what_failed_for_the_moment_is_asked_again_when_a_build_goes_on(site: Site, tmp_path: Path) -> None:
    filled(site, 1)
    source = engine(site, 1)
    busy = reply(500)
    working = site.pages["/find?q=Springfield0"]
    site.pages["/find?q=Springfield0"] = busy

    failed = made(tmp_path / "store", [claim(0, site)], source)
    assert (failed["asked"], failed["failures"]) == ({"found": 1, "no answer": 1}, {"Listed answered 500.": 1})
    site.pages["/find?q=Springfield0"] = working
    whole = made(tmp_path / "store", [claim(0, site)], source)
    assert (whole["asked"], whole["failures"]) == ({"found": 2}, {})
    assert site.asked("/find?q=What+is+bridge+0+made+of?") == 1
    assert site.asked("/find?q=Springfield0") == 2


def test_a_query_that_claims_share_is_sent_once_for_each_day(site: Site, tmp_path: Path) -> None:
    site.pages["/find?q=Springfield"] = reply(200, site.page("/a", article("The bridge", day="2020-01-02")))
    texts = ("The bridge of Springfield is wooden.", "The mayor of Springfield is rich.", "We met in Springfield.")
    days = (date(2020, 10, 31), date(2020, 10, 31), date(2020, 11, 1))
    claims = [
        StoreClaim(Material(Claim(text, date=day, id=str(n))))
        for n, (text, day) in enumerate(zip(texts, days, strict=True))
    ]
    for day in days:
        site.pages[f"/find?q=Springfield&before={shifted(day, 1)}"] = site.pages["/find?q=Springfield"]
    for folder, source, sent in (("a", Engine(f"{site.base}/find"), 1), ("b", Dated(f"{site.base}/find"), 2)):
        site.requests.clear()
        told = made(tmp_path / folder, claims, source, plan=StorePlan((KINDS["claim named entities"],)), workers=3)
        assert told["asked"] == {"found": 3}
        assert len([path for path in site.requests if path.startswith("/find")]) == sent


def test_a_paragraph_of_the_gold_evidence_becomes_a_query(site: Site, tmp_path: Path) -> None:
    filled(site, 1)
    plan = StorePlan((KINDS["most similar gold evidence"], KINDS["generated questions"]))
    worker = LocalPageWorker(QueryWriter(ScriptedModel([json.dumps({"questions": ["Is it wood?"]})])))
    made(tmp_path / "store", [claim(0, site)], engine(site, 1), plan=plan, worker=worker)
    asked = [path for path in site.requests if path.startswith("/find")]
    assert any("steel+bridge+number+0" in path for path in asked)
    assert "/find?q=Is+it+wood?" in asked


@pytest.mark.parametrize(
    ("record", "said"),
    [
        ({"claim_id": "../x", "claim": "It is wood."}, "cannot name a file"),
        ({"claim_id": "manifest", "claim": "It is wood."}, "cannot name a file"),
        ({"claim_id": "a" * 300, "claim": "It is wood."}, "has 300 characters; the limit is 200"),
        ({"claim_id": 1}, "claim 1 has no words"),
    ],
)
def test_claims_that_no_store_can_be_built_for(record: dict[str, Any], said: str) -> None:
    with pytest.raises(BadInput, match=said):
        parse_store_claims("claims.json", json.dumps([record]).encode(), claim_only=True)


def test_gold_that_queries_found_is_counted_by_kind_though_it_has_a_row_of_its_own(site: Site, tmp_path: Path) -> None:
    filled(site, 1)
    folder = tmp_path / "store"
    manifest = build(folder, site, 1)  # its gold question finds /gold0, its entity does not
    gold = GoldClaim(
        Claim("It is wood.", id="0"),
        Label.REFUTED,
        (GoldQuestion("Of what?", (GoldAnswer("Steel.", url=f"{site.base}/gold0"),)),),
    )
    found = store_stats(folder, [gold])
    assert found.gold_found == {"gold": 1, "gold_question": 1}
    # a recount from the files alone
    [key] = [one.removeprefix("//") for one in manifest["gold_found"]["0"]["gold_question"]]
    texts = {row["url"]: row["url2text"] for row in rows(folder, "0")}
    assert texts[f"http://{key}"]
    assert "gold question" in [row[0] for row in kinds_table(found).rows]


def test_a_store_does_not_depend_on_the_order_of_its_claims(site: Site, tmp_path: Path) -> None:
    filled(site, 3)
    shared = f"{site.base}/shared"  # gives the first claim away, and serves the others
    claims = [replace(claim(n, site), fact_check=shared if n == 0 else f"{site.base}/check{n}") for n in range(3)]
    found = []
    for name, order in (("a", claims), ("b", claims[::-1])):
        made(tmp_path / name, order, engine(site, 3))
        found.append([sorted(map(str, rows(tmp_path / name, str(n)))) for n in range(3)])
    assert found[0] == found[1]
    assert [any(shared in row for row in of_claim) for of_claim in found[0]] == [False, True, True]


def test_gold_that_cannot_be_fetched_is_taken_from_the_source_that_has_it(site: Site, tmp_path: Path) -> None:
    wanted = f"{site.base}/gone"
    material = Material(Claim("The bridge of Springfield0 is wooden.", id="0"), urls=(wanted,))

    class Local:
        name, title, place, can = "warc", "WARC", "file", Listed.can

        def search(self, query: str, page: int, before: date | None) -> ResultPage:
            kept = Page(wanted, article("The steel bridge").encode())
            return ResultPage((SearchResult(wanted, page=kept),))

    made(tmp_path / "store", [StoreClaim(material)], Local(), plan=StorePlan((KINDS["claim named entities"],)))
    [row] = rows(tmp_path / "store", "0")
    assert (row["type"], row["url"], bool(row["url2text"])) == ("gold", wanted, True)


@pytest.mark.parametrize(
    "other",
    [
        "https://en.wikipedia.org/wiki/Lee_Bridge#Steel",
        "https://en.m.wikipedia.org/wiki/lee_Bridge",
        "http://en.wikipedia.org/w/index.php?title=Lee%20Bridge&oldid=5",
        "https://en.wikipedia.org/w/index.php/Lee_Bridge",
        "https://web.archive.org/web/20200101000000/https://en.wikipedia.org/wiki/Lee_Bridge",
    ],
)
def test_all_addresses_of_a_wikis_page_are_one(other: str) -> None:
    assert page_key(other) == page_key("https://en.wikipedia.org/wiki/Lee_Bridge")
    assert page_key(other) != page_key("https://en.wikipedia.org/wiki/Lee_bridge")
    assert page_key(other) != page_key("https://de.wikipedia.org/wiki/Lee_Bridge")


def test_a_file_of_a_store_that_is_no_text_is_named(tmp_path: Path) -> None:
    (tmp_path / "1.json").write_bytes(b"\xff\xfe")
    with pytest.raises(BadRecord, match=r"1\.json:1"):
        store_stats(tmp_path)


def test_two_builds_in_one_folder_at_once_are_refused(site: Site, tmp_path: Path) -> None:
    from core.search.stores.journal import opened

    with opened(tmp_path), pytest.raises(BadInput, match="another build"):
        build(tmp_path, site, 1)


def test_annotations_are_needed_for_kinds_made_from_them(tmp_path: Path) -> None:
    bare = tmp_path / "claims.json"
    bare.write_text(json.dumps([{"claim_id": 1, "claim": "It is wood.", "label": "Refuted", "questions": []}]))
    with pytest.raises(BadInput, match="--claim-only"):
        read_store_claims(bare, list(KINDS.values()), claim_only=False)
    assert [one.id for one in read_store_claims(bare, [], claim_only=True)] == ["1"]


def gold_claim(site: Site) -> GoldClaim:
    answer = GoldAnswer("Steel.", url=f"https://web.archive.org/web/20200101000000/{site.base}/gold0")
    other = GoldAnswer("Wood.", url=f"{site.base}/b0")
    missing = GoldAnswer("No answer could be found.", kind="Unanswerable")
    questions = (GoldQuestion("Of what?", (answer, other)), GoldQuestion("By whom?", (missing,)))
    return GoldClaim(Claim("It is wood.", id="0"), Label.REFUTED, questions, fact_check="https://desk.example/x")


def test_what_annotations_allow_to_ask(site: Site) -> None:
    taken = from_gold(gold_claim(site))
    assert taken.material.questions == ("Of what?", "By whom?")
    assert taken.material.answers == ("Steel.", "Wood.")
    assert len(taken.material.urls) == 2
    assert taken.fact_check == "https://desk.example/x"


def write_rows(folder: Path, site: Site, rows_of: list[tuple[str, str, list[str]]]) -> None:
    """Write the store of one claim: the kind, the path and the text of each row."""
    lines = [{"type": kind, "url": f"{site.base}{path}", "url2text": text} for kind, path, text in rows_of]
    (folder / "0.json").write_text("\n".join(json.dumps(line) for line in lines))


def test_the_figures_of_a_store(site: Site, tmp_path: Path) -> None:
    write_rows(
        tmp_path,
        site,
        [("gold", "/gold0", ["It is steel.", "Yes!"]), ("question", "/b0", ["One two."]), ("question", "/c0", [])],
    )
    found = store_stats(tmp_path, [gold_claim(site)])
    assert [(c.addresses, c.with_text, c.sentences, c.tokens) for c in found.claims] == [(3, 2, 3, 9)]
    assert (found.gold, found.gold_found, found.rows) == (2, {"gold": 1, "question": 1}, {"gold": 1, "question": 2})
    with pytest.raises(BadInput, match="no store here"):
        store_stats(tmp_path / "none")


def test_the_figures_of_a_store_as_tables(site: Site, tmp_path: Path) -> None:
    folder, gold = tmp_path / "store", tmp_path / "gold.json"
    folder.mkdir()
    write_rows(
        folder, site, [("gold", "/gold0", ["It is steel."]), ("question", "/b0", ["One."]), ("question", "/c0", [])]
    )
    answers = [{"answer": "Steel.", "answer_type": "Extractive", "source_url": f"{site.base}/{name}0",
                "source_medium": "Web text"} for name in ("gold", "x")]  # fmt: skip
    questions = [{"question": "Of what?", "answers": answers}]
    gold.write_text(json.dumps([{"claim": "It is wood.", "label": "Refuted", "questions": questions}]))
    assert main(["store", "stats", str(folder), "--gold", str(gold), "--tables", str(tmp_path / "tables")]) == 0
    written = (tmp_path / "tables" / "store-kinds.csv").read_text(encoding="utf-8").splitlines()
    assert [line.split(",")[:3] for line in written[1:3]] == [["question", "2", "0"], ["gold", "1", "1"]]
    assert sorted({file.suffix for file in (tmp_path / "tables").iterdir()}) == [".csv", ".json", ".tex", ".xlsx"]


KILLED = """
import sys
from pathlib import Path
from tests.search.test_knowledge_stores import Engine, claim, made

class There:
    base = sys.argv[1]

claims = [claim(n, There) for n in range(int(sys.argv[3]))]
made(Path(sys.argv[2]), claims, Engine(f"{There.base}/find", "engine"), workers=2)
"""


@pytest.mark.slow
def test_a_build_that_is_killed_twice_equals_one_that_is_not(tmp_path: Path) -> None:
    claims, chance = 12, random.Random(0)
    with running(Site(delay=0.03)) as (site,):
        filled(site, claims)
        engine(site, claims)
        command = [sys.executable, "-c", KILLED, site.base]
        subprocess.run([*command, str(tmp_path / "whole"), str(claims)], check=True)
        for _ in range(2):
            wanted = len(site.requests) + chance.randint(3, 12)
            process = subprocess.Popen([*command, str(tmp_path / "killed"), str(claims)], start_new_session=True)
            until(lambda wanted=wanted: len(site.requests) >= wanted)
            os.killpg(process.pid, signal.SIGKILL)
            assert process.wait() == -signal.SIGKILL
        subprocess.run([*command, str(tmp_path / "killed"), str(claims)], check=True)
    whole, killed = (_contents(tmp_path / name) for name in ("whole", "killed"))
    assert len(whole) == claims + 1
    assert whole == killed


def _contents(folder: Path) -> dict[str, str]:
    return {file.name: file.read_text(encoding="utf-8") for file in folder.glob("*.json")}
