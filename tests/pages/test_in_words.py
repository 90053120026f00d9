"""What nobody foresaw is a sentence in fragments and callbacks too, which run without the page around them."""

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.desks import html_of


def with_a_fragment() -> None:
    import streamlit as st

    from core.errors import StoreError
    from pages.ui.notices import in_words

    @st.fragment
    @in_words
    def part() -> None:
        if st.button("Again"):
            {}["secret"]
        raise StoreError("The disk is full.")

    part()


def with_a_callback() -> None:
    import streamlit as st

    from pages.ui.notices import attempt, troubles

    troubles()
    st.button("Do it", on_click=attempt, args=({}.__getitem__, "secret"))


def test_in_a_fragment(caplog: pytest.LogCaptureFixture) -> None:
    app = AppTest.from_function(with_a_fragment).run()
    assert "The disk is full." in html_of(app)
    app.button[0].click().run()
    assert not app.exception
    assert "unexpected error" in html_of(app)
    assert "secret" not in html_of(app)
    assert "KeyError: 'secret'" in caplog.text
    caplog.clear()  # or it would count as an error of the test


def test_in_a_callback(caplog: pytest.LogCaptureFixture) -> None:
    app = AppTest.from_function(with_a_callback).run()
    app.button[0].click().run()
    assert not app.exception
    assert "unexpected error" in html_of(app)
    assert "KeyError: 'secret'" in caplog.text
    caplog.clear()
