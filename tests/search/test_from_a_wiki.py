"""From a wiki to its sources, to its changes since, and a copy of a page at the Wayback Machine."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from core.cli.case_output import cited_lines, cited_sources
from core.errors import BadInput
from core.search.consent import NotAgreed
from core.search.footnotes import footnotes_of
from core.search.search_request import own_snapshots
from core.search.sender import anywhere
from core.search.sources import wayback
from core.search.sources.wayback import consent_to_save, save
from core.search.types import Page
from core.search.wiki_changes import TextChange, changes, consent_to_today, todays_text, wiki_page
from core.search_report import Origin, SearchReport, When
from core.types import Case, Claim, Document, Label, Passage, PassageStance, Stance, Verdict
from tests.search.site import Site, reply

WIKI = "https://w.example/index.php?title=Bridge&oldid=7"
HTML = """<html><body><article>
<p>The <b>bridge</b> over the Lee is made of <a href="/steel">steel</a>.
<sup class="reference"><a href="#cite_note-1">[1]</a>
</sup> It was opened in 1932 by the mayor.<sup id="cite_ref-smith"
 class="reference"><a href="#cite_note-smith-2">[2]</a></sup></p>
<p>Sheep graze below the bridge in the summer months.<sup class="reference"><a href="#cite_note-3">[3]</a></sup></p>
<p><sup class="reference"><a href="#cite_note-3">[3]</a></sup></p>
<ol><li id="cite_note-1">^ <a class="external" href="https://steel.example/report?a=1">Report on steel</a>, 2019,
 <a href="https://w.example/index.php?title=Report">Report</a> <a href="javascript:alert(1)">x</a></li>
<li id="cite_note-smith-2">^ <a href="#CITEREFSmith">Smith 2001</a>, p. 4</li>
<li id="cite_note-3"><a href="//sheep.example/"> Sheep</a></li></ol>
<cite id="CITEREFSmith">Smith: <a href="http://books.example/smith">Bridges</a></cite>
</article></body></html>"""
PASSAGE = "The bridge over the Lee is made of steel. [1] It was opened in 1932 by the mayor.[2]"


def test_the_footnotes_of_a_passage_lead_to_the_sources_that_it_cites() -> None:
    page = Page(WIKI, HTML.encode(), charset="utf-8")
    assert [(one.url, one.words) for one in footnotes_of(page, PASSAGE)] == [
        ("https://steel.example/report?a=1", "Report on steel, 2019, Report x"),
        ("http://books.example/smith", "Smith 2001, p. 4"),
    ]
    assert [one.url for one in footnotes_of(page, "Sheep graze below the bridge in the summer months.")] == [
        "https://sheep.example/"
    ]
    assert footnotes_of(page, "Nobody said so.") == ()
    assert footnotes_of(Page(WIKI, b""), PASSAGE) == ()


def test_verify_names_the_sources_of_the_deciding_passages(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("VERIDESK_HOME", str(tmp_path))
    page = Page(WIKI, HTML.encode(), charset="utf-8")
    origin = Origin(WIKI, "", "mediawiki", "bridge", 1, own_snapshots().keep(page), When.UNKNOWN)
    passage = Passage(Document(WIKI, PASSAGE), 0, len(PASSAGE))
    against, silent = (PassageStance(passage, stance, 0.9, "") for stance in (Stance.AGAINST, Stance.ABOUT))
    for stance, named in ((against, 2), (silent, 0)):
        verdict = Verdict({Label.REFUTED: 1.0}, "", 0.5, stances=(stance,))
        case = Case(Claim("The bridge is made of wood."), verdict=verdict, search=SearchReport((), (origin,)))
        cited = cited_sources(case)
        assert len(cited) == named
        lines = cited_lines(cited)
        assert ("(https://steel.example/report?a=1)" in "".join(lines)) is bool(named)
    own_snapshots().prune(0)
    assert cited_sources(replace(case, verdict=replace(verdict, stances=(against,)))) == []


def test_two_revisions_differ_sentence_by_sentence() -> None:
    before = "The bridge is made of steel. It is 300 metres long.\nThe mayor opened it."
    after = "The bridge is made of wood. It is 300 metres long.\nThe mayor opened it. Nobody came."
    assert changes(before, after) == [
        TextChange(("The bridge is made of steel.",), ("The bridge is made of wood.",)),
        TextChange((), ("Nobody came.",)),
    ]
    assert changes(before, before) == []
    with pytest.raises(BadInput, match="sentences"):
        changes("One. " * 4000, after)


def test_today_s_revision_is_read_after_consent_and_from_a_private_address_only_where_it_was_configured(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"{site.base}/index.php?title=Bridge&oldid=7"
    wiki, address = wiki_page(url) or (None, "")
    assert wiki
    revision = {"query": {"pages": [{"revisions": [{"revid": 9, "timestamp": "2026-01-02T00:00:00Z"}]}]}}
    text = {"parse": {"title": "Bridge", "text": "<p>The bridge is made of wood, as everybody in town knows.</p>"}}
    asked = wiki.version_request(address, None).url
    version = wiki.parse_version(address, 200, {}, json.dumps(revision).encode())
    site.pages[asked.removeprefix(site.base)] = reply(200, json.dumps(revision))
    site.pages[version.request.url.removeprefix(site.base)] = reply(200, json.dumps(text))  # type: ignore[union-attr]
    consent = consent_to_today(url).digest
    with pytest.raises(NotAgreed):
        todays_text(url, "")
    with pytest.raises(BadInput, match="the public internet"):
        todays_text(url, consent)
    assert site.requests == []
    monkeypatch.setenv("VERIDESK_SEARCH", f"mediawiki={site.base}")
    assert "made of wood" in todays_text(url, consent).text
    assert len(site.requests) == 2
    with pytest.raises(BadInput, match="not the revision"):
        consent_to_today("https://a.example/page")


def test_a_copy_is_asked_for_only_after_consent(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wayback, "SAVE", f"{site.base}/save")
    page = "https://news.example/a?b=1"
    copy = f"/web/20261123220000/{page}"
    site.pages[f"/save/{page}"] = reply(302, b"", {"Location": f"https://web.archive.org{copy}"})
    with pytest.raises(NotAgreed):
        save(page, "", "desk@example.org", allowed=anywhere)
    with pytest.raises(NotAgreed):
        save(page, consent_to_save("https://news.example/other").digest, "", allowed=anywhere)
    assert site.requests == []
    given = consent_to_save(page).digest
    assert save(page, given, "desk@example.org", allowed=anywhere) == f"https://web.archive.org{copy}"
    assert site.requests == [f"/save/{page}"]
    assert consent_to_save(f"https://web.archive.org/web/20200101000000/{page}").digest == given
    for answer, said in ((reply(200, b"saved"), "did not say where"), (reply(500), "500")):
        site.pages[f"/save/{page}"] = answer
        with pytest.raises(BadInput, match=said):
            save(page, given, "", allowed=anywhere)
    with pytest.raises(BadInput, match="the web only"):
        consent_to_save("zim://a/b")
