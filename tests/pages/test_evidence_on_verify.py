"""The evidence of a case on Verify: its package, the sources that a wiki cites, its changes since, public copies."""

import hashlib
import json
from dataclasses import replace
from pathlib import Path

import pytest

from core.__main__ import main
from core.jobs.types import State
from core.search.extraction import Extracted, read_page
from core.search.search_plan import SearchOrder, SearchPlan
from core.search.search_request import own_snapshots
from core.search.sources import wayback
from core.search.types import Page
from core.search.wiki_changes import wiki_page
from core.search_report import AskedQuery, Origin, SearchReport, When
from core.types import Case, Claim, Passage, PassageStance, Stance
from core.verification.request import Request
from pages.ui.app_state import AppState
from pages.ui.claim_form.claim_draft import ADDRESSES, field
from pages.verify.hand_over import MADE
from tests.pages.desks import ANNA, hand_made, html_of, keys, press, result_of, settled, told, visit, work_by
from tests.search.site import Site, reply, running
from tests.search.test_from_a_wiki import HTML

CLAIM = Claim("The bridge over the Lee is made of wood.")


def wiki_case(url: str) -> Case:
    """Return a case that one page of a wiki decides, with its snapshot on this machine."""
    page = Page(url, HTML.encode(), charset="utf-8")
    read = read_page(page)
    assert isinstance(read, Extracted)
    document = read.document
    snapshot = own_snapshots().keep(page)
    origin = Origin(url, document.digest, "mediawiki", "bridge", 1, snapshot, When.UNKNOWN)
    case = hand_made(CLAIM)
    passage = Passage(document, 0, len(document.text))
    assert case.verdict
    stance = PassageStance(passage, Stance.AGAINST, 0.9, "says steel; the claim says wood")
    digest = hashlib.sha256(document.digest.encode()).hexdigest()
    return replace(
        case,
        corpus=replace(case.corpus, digest=digest),
        verdict=replace(case.verdict, stances=(stance,), decisive=(0,)),
        search=SearchReport((AskedQuery("mediawiki", "bridge", "found", 1),), (origin,)),
    )


def opened_case(at: AppState, case: Case) -> str:
    work_by(at, lambda request, *_: result_of(request, case))
    order = SearchOrder(("wikipedia",), SearchPlan(("bridge",)))
    case_id = at.cases.start(ANNA, Request(CLAIM, search=order))
    assert settled(at, case_id) is State.DONE
    return case_id


def test_a_case_of_a_wiki_leads_to_its_package_its_sources_its_changes_and_a_copy(
    at_desk: AppState, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with running(Site()) as (site,):
        url = f"{site.base}/index.php?title=Bridge&oldid=7"
        app = visit(case=opened_case(at_desk, wiki_case(url)))
        assert site.requests == []
        press(app, "package-make")
        package = tmp_path / "case.wacz"
        package.write_bytes(app.session_state[MADE][1])
        assert "package" in keys(app)
        assert main(["check", str(package)]) == 0

        monkeypatch.setenv("VERIDESK_SEARCH", f"mediawiki={site.base}")
        wiki, address = wiki_page(url) or (None, "")
        assert wiki
        revision = {"query": {"pages": [{"revisions": [{"revid": 9, "timestamp": "2026-01-02T00:00:00Z"}]}]}}
        text = {"parse": {"title": "B", "text": "<p>The bridge over the Lee is made of wood, they say.</p>"}}
        asked = wiki.version_request(address, None).url
        version = wiki.parse_version(address, 200, {}, json.dumps(revision).encode())
        site.pages[asked.removeprefix(site.base)] = reply(200, json.dumps(revision))
        site.pages[version.request.url.removeprefix(site.base)] = reply(200, json.dumps(text))  # type: ignore[union-attr]
        press(app, "wiki-today-read")
        assert "<ins>The bridge over the Lee is made of wood, they say.</ins>" in html_of(app)
        assert "<del>The bridge over the Lee is made of steel." in html_of(app)
        assert len(site.requests) == 2

        monkeypatch.setattr(wayback, "SAVE", "http://127.0.0.1:9999/save")
        app.run()
        press(app, "wayback-save")  # where nobody answers, and no private address may be asked
        assert "public internet" in told(app)

        app.checkbox(key=f"footnote-{app.query_params['case']}-0").set_value(True).run()
        press(app, "footnotes-use")
    assert app.text_area(key=field("urls")).value == "https://steel.example/report?a=1"
    assert app.button_group(key=field("where")).value == ADDRESSES
    assert app.text_area(key=field("text")).value == CLAIM.text
    assert len(site.requests) == 2


def test_a_package_that_cannot_be_made_says_why(at_desk: AppState) -> None:
    case = wiki_case("https://w.example/index.php?title=Bridge&oldid=7")
    assert case.search
    app = visit(case=opened_case(at_desk, case))
    own_snapshots().path(case.search.origins[0].snapshot).unlink()
    press(app, "package-make")
    assert "not kept" in told(app)
    assert "package" not in keys(app)
