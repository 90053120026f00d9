"""The Agreement page, driven as a user drives it, on the example and on files that are wrong."""

from dataclasses import replace
from html import unescape
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.agreement.recipes import RECIPES
from tests.pages.desks import by_role, keys, press, read, told

PAGE = str(Path(__file__).resolve().parents[2] / "pages" / "agreement" / "page.py")
SCORES = b"id,bleu\n1,0.5\n2,0.25\n3,0.125\n"


@pytest.fixture(autouse=True)
def few_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    """The page is what is tested here, not the statistics: 60 resamples take a moment, 2000 seconds."""
    for name, recipe in list(RECIPES.items()):
        monkeypatch.setitem(RECIPES, name, replace(recipe, resamples=60))


def words(page: AppTest) -> str:
    """Return everything the page shows as HTML or text, as a reader sees it."""
    shown = [element.proto.body for element in page.get("html")]
    return unescape(" ".join([*shown, *(m.value for m in page.markdown), *(c.value for c in page.caption)]))


@pytest.fixture
def example() -> AppTest:
    page = AppTest.from_file(PAGE, default_timeout=120).run()
    press(page, "agreement-example")
    return page


def choose(page: AppTest, key: str, value: str) -> AppTest:
    page.selectbox(key=key).set_value(value).run()
    assert not page.exception
    return page


def tab(page: AppTest, name: str) -> AppTest:
    page.session_state["agreement-tab"] = name
    page.run()
    assert not page.exception
    return page


def test_before_there_are_files_the_page_says_what_to_give() -> None:
    page = AppTest.from_file(PAGE, default_timeout=120).run()
    uploaders = [uploader.key for uploader in page.file_uploader]
    assert uploaders == ["agreement-ratings", "agreement-scores", "agreement-controls"]
    assert page.button(key="agreement-compare").disabled
    assert not page.button(key="agreement-example").disabled


def test_the_answer_comes_first_and_the_papers_tables_follow(example: AppTest) -> None:
    text = words(example)
    places = [text.index(part) for part in ("ρ = 0.771", "Table 5", "Table 6", "Table 7", "Table 8")]
    assert places == sorted(places)
    assert "2 missing" in text


def test_the_independent_unit_is_chosen_and_each_tab_has_its_tables(example: AppTest) -> None:
    assert "The claims and the systems are independent" in words(example)
    assert "simulated studies" in words(example)
    text = words(tab(example, "Uncertainty"))
    assert all(part in text for part in ("within rater", "by system", "two-way"))
    assert len(example.get("vega_lite_chart")) + len(example.get("arrow_vega_lite_chart")) == 2
    choose(example, "agreement-cluster", "claim")
    assert "The claims are independent" in words(example)
    assert "Metrics ranked" in words(tab(example, "Uncertainty"))
    assert [one for one in by_role(tab(example, "Raters"), "region") if "κ by pair" in one.get("aria-label", "")]
    assert by_role(tab(example, "Items"), "region", "Ratings of this item")
    assert "ratings.csv" in " ".join(read(tab(example, "Import"), "heading"))


def given(ratings: bytes, scores: bytes, name: str = "ratings.csv") -> AppTest:
    page = AppTest.from_file(PAGE, default_timeout=120).run()
    page.file_uploader(key="agreement-ratings").set_value((name, ratings, "text/csv"))
    page.file_uploader(key="agreement-scores").set_value([("scores.csv", scores, "text/csv")])
    return page.run()


def upload(ratings: bytes, scores: bytes, name: str = "ratings.csv") -> AppTest:
    return press(given(ratings, scores, name), "agreement-compare")


def test_raters_are_compared_without_any_score() -> None:
    page = AppTest.from_file(PAGE, default_timeout=120).run()
    ratings = "Rater,id,relevance\n" + "".join(
        f"A0{rater},{item},{1 + item % 5}\n" for rater in (1, 2) for item in range(9)
    )
    page.file_uploader(key="agreement-ratings").set_value(("ratings.csv", ratings.encode(), "text/csv"))
    press(page.run(), "agreement-raters")
    assert "agreement-metric" not in keys(page)
    assert any("κ by pair" in str(one.get("aria-label")) for one in by_role(page, "region"))


def test_a_wrong_file_is_named_with_the_way_out() -> None:
    page = given(b"a,b\n1,2\n", SCORES)
    assert "no column 'id'" in told(page)
    assert page.button(key="agreement-compare").disabled


def test_markup_in_a_file_is_shown_and_not_run() -> None:
    evil = "<img src=x onerror=alert(1)>"
    ratings = f"Rater,id,claim,relevance\n{evil},1,{evil},1\nA02,2,{evil},2\nA02,3,{evil},3\n".encode()
    page = tab(upload(ratings, SCORES), "Items")
    bodies = " ".join(element.proto.body for element in page.get("html"))
    assert "&lt;img" in bodies
    assert "<img" not in bodies
