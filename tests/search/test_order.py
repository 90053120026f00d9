"""A search as part of a case: consent, receipt, and replay from snapshots with every server stopped."""

import io
import json
import socket
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from core.__main__ import main
from core.dataclass_json import from_json, to_json
from core.errors import BadInput
from core.interfaces import Models, Stop
from core.jobs.jobs import Jobs
from core.jobs.queue import JobQueue
from core.jobs.store import JobStore
from core.jobs.types import Json, State
from core.search import search_request
from core.search.finding import Tools
from core.search.search_plan import SOURCE_NAMES, SearchOrder, SearchPlan
from core.search.search_request import digests_in, documents_again, own_snapshots
from core.search.sources import SOURCES
from core.search.types import Page
from core.search_report import Origin, Reason, SearchReport, When, outcome
from core.settings import settings
from core.storage.store import Store
from core.types import Case, Claim, Failure, Label, Outcome
from core.verification.progress import OnProgress
from core.verification.reading import consent_for
from core.verification.request import Request
from core.verification.runner import investigate
from core.verification.verdict.classifier_judge import ClassifierJudge
from core.verification.verdict.documents_say import SILENT
from core.verification.verify_job import verify_kind
from tests.fakes import ScriptedModel, WordEncoder
from tests.pages.desks import hand_made, result_of
from tests.search.site import Site, article
from tests.search.test_crawl import CLAIM, Listed, find, listed
from tests.waiting import until


def test_an_order_and_a_report_are_written_and_read(site: Site, tools: Tools) -> None:
    order = SearchOrder(("wikipedia", "searxng=http://x"), SearchPlan(("a", "b"), 7, same_day=False))
    assert from_json(json.loads(json.dumps(to_json(order))), SearchOrder) == order
    urls = [site.page("/x", article("The bridge", day="2020-10-01")), f"{site.base}/gone"]
    _, report = find(tools, listed(site, *urls))
    assert from_json(json.loads(json.dumps(to_json(report))), SearchReport) == report
    assert digests_in([json.dumps(to_json(report))]) == {report.origins[0].snapshot}


def test_a_search_is_repeated_from_its_snapshots_alone(site: Site, tools: Tools) -> None:
    documents, report = find(tools, listed(site, site.page("/x", article("The bridge", day="2020-10-01"))))
    site.close()
    assert documents_again(report, tools.snapshots) == documents
    tools.snapshots.prune(0)
    with pytest.raises(BadInput, match="not kept"):
        documents_again(report, tools.snapshots)


def test_what_brought_nothing_says_why(site: Site, tools: Tools) -> None:
    _, report = find(tools, listed(site, f"{site.base}/a", f"{site.base}/b"))
    assert outcome(report).endswith("found: 2 gone.")
    _, report = find(tools, listed(site))
    assert [(one.status, one.found) for one in report.searches] == [(Reason.EMPTY, 0)]
    assert outcome(report).endswith("listed: empty")


def test_a_search_that_finds_nothing_is_an_answer_and_one_that_nobody_answers_is_not(
    site: Site, tools: Tools, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VERIDESK_HOME", str(tmp_path))
    sources = {"silent": listed(site, name="silent"), "broken": Listed(f"{site.base}/none", "broken")}
    monkeypatch.setattr(search_request, "open_source", sources.__getitem__)
    models = Models(WordEncoder(), ScriptedModel(), ClassifierJudge("quoted_passages"))

    def outcome_of(name: str) -> Outcome:
        request = Request(CLAIM, search=SearchOrder((name,), SearchPlan(("bridge",))))
        return investigate(replace(request, consent=consent_for(request).digest), models)

    case = outcome_of("silent")
    assert isinstance(case, Case), case
    assert case.verdict
    assert (case.verdict.label, case.verdict.justification) == (Label.NOT_ENOUGH_EVIDENCE, SILENT)
    assert [note.split()[-2:] for note in case.notes] == [["silent:", "empty"]]
    failure = outcome_of("broken")
    assert isinstance(failure, Failure)
    assert failure.error.endswith("Listed answered 404.")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--search", "wikipedia"], "en.wikipedia.org"),
        (["--search", "nowhere"], "There is no source 'nowhere'"),
        (["--reviews"], "goes with --search"),
        (["--search", "brave", "--yes"], "BRAVE_API_KEY"),
    ],
)
def test_nothing_is_sent_where_nobody_agreed(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("BRAVE_API_KEY", raising=False)
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    assert main(["verify", CLAIM.text, *arguments]) == 2
    assert said in capsys.readouterr().err


def test_a_claim_that_searches_nothing_imports_no_sources() -> None:
    heavy = [f"core.search.{name}" for name in ("sources", "asking", "finding", "snapshots")]
    heavy += ["tld", "protego", "warcio"]
    code = f"import sys, core.cli.verifying; print([name for name in {heavy} if name in sys.modules])"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "[]"


def test_the_help_names_every_source() -> None:
    assert ", ".join(SOURCES) == SOURCE_NAMES


def test_settings_of_searching(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VERIDESK_SEARCH", "wikipedia=de, searxng=http://localhost:8080 ,")
    assert settings().search_sources == ("wikipedia=de", "searxng=http://localhost:8080")
    monkeypatch.setenv("VERIDESK_SNAPSHOT_LIMIT", "0.5")
    assert settings().snapshot_limit == 500_000_000
    monkeypatch.setenv("VERIDESK_CONTACT", "desk@example.org\nX-Evil: 1")
    assert settings().contact == "desk@example.org X-Evil: 1"
    monkeypatch.setenv("VERIDESK_CONTACT", "redaktion@büro.example")
    with pytest.raises(BadInput, match="VERIDESK_CONTACT"):
        _ = settings().contact


@pytest.mark.slow
def test_a_claim_alone_is_verified_and_its_receipt_replayed_without_a_connection(
    wiki: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_network(*_: object) -> None:
        raise AssertionError("something was sent")

    monkeypatch.setenv("VERIDESK_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    receipt = tmp_path / "receipt.json"
    claim = "The Springfield Bridge over the Lee is made of wood."
    command = ["verify", claim, "--date", "2020-10-31", "--search", f"mediawiki={wiki}", "--queries", "2"]
    assert main([*command, "--yes", "--json", "--receipt", str(receipt)]) == 0
    told = capsys.readouterr()
    assert "MediaWiki" in told.err
    case = json.loads(told.out)
    assert {item["status"] for item in case["searches"]} <= {"found", "empty"}
    bridge = next(item for item in case["documents"] if "Springfield_Bridge" in item["url"])
    assert bridge["url"].endswith("oldid=2")  # not the revision of 2021, which says the opposite
    assert (bridge["date"], bridge["date_source"], bridge["source"]) == ("2019-03-01", "revision", "mediawiki")
    assert any("steel" in pair["answer"] for pair in case["evidence"])
    monkeypatch.setattr(socket.socket, "connect", no_network)
    assert main(["replay", str(receipt)]) == 0
    assert "came out the same" in capsys.readouterr().out


def test_old_snapshots_go_when_a_search_ends_and_those_of_cases_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VERIDESK_HOME", str(tmp_path))
    monkeypatch.setenv("VERIDESK_SNAPSHOT_LIMIT", "0")
    old = own_snapshots().keep(Page("https://a.example/old", b"old"))
    kept: list[str] = []
    jobs = JobStore(Store(f"sqlite:///{tmp_path / 'v.db'}"))
    queue = JobQueue(jobs)

    def work(request: Request, on_progress: OnProgress, stop: Stop) -> Json:
        kept.append(own_snapshots().keep(Page("https://a.example", request.claim.text.encode())))
        origin = Origin("https://a.example", "d", "wikipedia", "q", 1, kept[-1], When.BEFORE)
        return result_of(request, replace(hand_made(request.claim), search=SearchReport(origins=(origin,))))

    cases = Jobs(queue, verify_kind(work, jobs))
    for text in ("first", "second"):
        case_id = cases.start("a" * 64, Request(Claim(text), search=SearchOrder(("wikipedia",), SearchPlan(("q",)))))
        until(lambda case_id=case_id: not ((now := jobs.status(case_id, "a" * 64)) and now.state.live))
        status = jobs.status(case_id, "a" * 64)
        assert status.state is State.DONE
    queue.close()
    assert [own_snapshots().path(digest).exists() for digest in (old, *kept)] == [False, True, True]
