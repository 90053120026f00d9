from dataclasses import replace

from core.types import Case, Claim, Label, PassageStance, Stance, Verdict
from core.verification.request import Request
from core.verification.review import Conclusion, Review
from pages.ui.app_state import AppState
from pages.ui.page_script import copy_button
from pages.ui.passage_tools import quotation
from pages.verify.hand_over import claim_and_verdict
from tests.pages.desks import (
    HOSTILE,
    by_role,
    hand_made,
    html_of,
    keys,
    press,
    result_of,
    settled,
    told,
    visit,
    work_by,
)
from tests.verification.report.conftest import CASE, FIRST


def finished(at: AppState, text: str = "The wall is long.") -> str:
    work_by(at, lambda request, *_: result_of(request, hand_made(request.claim, text=text)))
    case_id = at.cases.start("a" * 64, Request(Claim(f"A claim. {text}"), example="everest"))
    settled(at, case_id)
    return case_id


def test_a_quotation_comes_with_its_citation() -> None:
    passage = CASE.hits[0].passage
    cited = "— “How the tower is painted”, example.org, 2 January 2019, https://www.example.org/paint"
    assert quotation(passage, (45, 62)) == f"“every seven years”\n{cited}"
    assert quotation(passage) == f"“It is painted every seven years.”\n{cited}"


def test_the_claim_is_copied_with_its_verdict_and_who_gave_it() -> None:
    assert CASE.verdict is not None
    read = replace(CASE.verdict, stances=(PassageStance(FIRST, Stance.FOR, 0.9, "says the same"),))
    assert claim_and_verdict(replace(CASE, verdict=read), Review()) == (
        "“The tower is painted every seven years.” (Jane Doe, 1 May 2020, Radio 4)\n"
        "Supported (by a program, not yet by a person). "
        "The one source on this agrees with the claim: example.org (2 January 2019)."
    )
    doubtful = Verdict(dict.fromkeys(Label, 0.25), "fitted head", 0.5)
    assert claim_and_verdict(Case(Claim("Bare."), verdict=doubtful), Review()).startswith("“Bare.”\nCannot tell. ")


def test_a_persons_verdict_is_copied_in_place_of_the_programs() -> None:
    signed = claim_and_verdict(CASE, Review(Conclusion(Label.REFUTED, name="Ada")))
    assert "\nRefuted (Ada). " in signed
    assert "by a person" in claim_and_verdict(CASE, Review(Conclusion(Label.REFUTED)))
    assert "program" not in signed


def test_what_is_copied_is_an_attribute_and_nothing_else() -> None:
    assert copy_button('"><script>', "Copy") == (
        '<button class="vd-button vd-copy" type="button" data-copy="&quot;&gt;&lt;script&gt;">Copy</button>'
    )


def test_the_report_has_a_page_of_its_own_with_its_files(at_desk: AppState) -> None:
    app = visit(case=finished(at_desk))
    press(app, "report")
    assert len(by_role(app, "article")) == 1
    assert len(by_role(app, "button")) == 1  # to print it
    files = [one.key for one in app.download_button]
    assert files == ["report-html", "report-docx", "report-md", "claimreview-draft"]
    app.text_input(key="claimreview-url").set_value("javascript:alert(1)").run()
    assert "no web address" in told(app)
    press(app, "back")
    assert "vd-report-files" not in keys(app)


def test_a_hostile_case_is_reported_as_text(at_desk: AppState) -> None:
    page = html_of(visit(case=finished(at_desk, HOSTILE), view="report"))
    report = page[page.index('<article class="report">') :]
    assert "<script" not in report
    assert "<img" not in report
    assert "&lt;script&gt;alert(1)" in report


def test_a_strangers_report_is_not_shown(at_desk: AppState) -> None:
    assert "vd-report-files" not in keys(visit("b" * 64, case=finished(at_desk), view="report"))
