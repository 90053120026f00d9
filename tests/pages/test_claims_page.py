"""Claims of a speech: ranked, chosen, edited and checked as one batch; verdicts in the text, and nothing lost."""

import json
from collections.abc import Iterator
from types import SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest

from core.batch.batch_job import Batches, batch_kind
from core.claims.speech import MAX_WORDS
from core.models.cards import ModelCard, Rewriting, save_card
from core.models.installed import default_choice, installed_models
from core.verification.reading import consent_for
from pages.ui.app_state import AppState
from tests.batch.executors import SlowExecutors
from tests.claims.odd_texts import ODD
from tests.fakes import ScriptedModel, SilentEncoder
from tests.pages.desks import ANNA, BERT, HOSTILE, by_role, html_of, keys, press, told, visit
from tests.waiting import until

STATED = ("Unemployment rose by 6.1 percent in 2022.", "The Kelmouth bridge opened in 2006.")
SPEECH = f"Thank you, my friends. {STATED[0]} {STATED[1]} It cost 340 million pounds. I hope for more."
ALONE = "The Kelmouth bridge cost 340 million pounds."
"""The third of its claims, without what it refers to."""


@pytest.fixture
def batches(at_desk: AppState) -> Iterator[Batches]:
    """The batches of a server whose encoder and workers need no model."""
    at_desk.pool.encoder = SilentEncoder()
    at_desk.queue.register(batch_kind(at_desk.batches.kind.folders, at_desk.jobs, SlowExecutors("evidence_first")))  # type: ignore[arg-type]
    yield at_desk.batches
    for batch in at_desk.batches.of(ANNA):
        at_desk.batches.delete(batch.job)


def ranked(text: str = SPEECH) -> AppTest:
    app = visit(page="claims")
    app.text_area(key="claims-text").set_value(text).run()
    return press(app, "claims-find")


def chosen(app: AppTest, *positions: int) -> AppTest:
    for position in positions:
        app.checkbox(key=f"claims-pick-{position}").check().run()
        assert not app.exception
    return press(app, "claims-on")


def test_the_best_sentences_are_marked_in_place_with_rank_and_reason(batches: Batches) -> None:
    app = ranked()
    assert "claims-pick-1" in keys(app)
    assert "claims-pick-0" not in keys(app)
    assert "Rank 1 of 5" in html_of(app)
    assert "states an amount" in html_of(app)
    assert ALONE in html_of(app)


def test_chosen_claims_are_edited_merged_and_kept_over_a_refresh(batches: Batches) -> None:
    app = chosen(ranked(), 1, 3)
    app.text_area(key="claims-edit-1").set_value("Unemployment rose in 2022.").run()
    press(app, "claims-merge-1")
    again = visit(page="claims")
    press(again, "claims-on")
    assert again.text_area(key="claims-edit-3").value == f"Unemployment rose in 2022. {ALONE}"
    press(again, "claims-remove-3")
    assert "claims-check" not in keys(again)


def test_all_chosen_are_one_batch_and_the_text_shows_their_verdicts(batches: Batches) -> None:
    app = chosen(ranked(), 1, 2)
    app.radio(key="claims-door").set_value("Use those of the examples").run()
    press(app, "claims-check")
    [batch] = batches.of(ANNA)
    assert tuple(claim.text for claim in batch.claims.values()) == STATED
    until(lambda: not batch.running)
    again = visit(page="claims")
    assert {"claims-speech.html", "claims-speech.csv", "claims-open-1-1"} <= keys(again)
    assert html_of(again).count("vd-label vd-refuted") == 2


def test_one_consent_covers_the_searches_of_all_claims(batches: Batches) -> None:
    app = chosen(ranked(), 1, 2)
    app.radio(key="claims-door").set_value("Search for them").run()
    [shown] = by_role(app, "region", "Requests that leave this machine")
    queries = {one.text_content() for one in shown.iter("li")}
    assert str(len(queries)) in app.button(key="claims-check").label
    press(app, "claims-check")
    [batch] = batches.of(ANNA)
    plan = batch.plan
    requests = [plan.request_for(claim) for claim in batch.claims.values()]
    assert {query for one in requests if one.search for query in one.search.plan.queries} == queries
    assert all(one.consent == consent_for(one).digest and not one.stores for one in requests)


def test_requests_that_were_not_on_the_screen_are_not_sent(batches: Batches) -> None:
    app = chosen(ranked(), 1)
    app.radio(key="claims-door").set_value("Search for them").run()
    app.text_input(key="on-screen").set_value("0" * 64)
    press(app, "claims-check")
    assert not batches.of(ANNA)
    assert told(app)


def test_another_person_sees_nothing_of_it(batches: Batches) -> None:
    ranked()
    app = visit(BERT, page="claims")
    assert app.text_area(key="claims-text").value == ""
    assert "claims-example" in keys(app)


@pytest.mark.parametrize("text", ["word " * (MAX_WORDS + 1), "... !!!"])
def test_a_text_without_a_speech_is_refused_in_a_sentence(batches: Batches, text: str) -> None:
    app = ranked(text)
    assert told(app)
    assert "claims-text" in keys(app)


def test_markup_in_a_speech_is_text(batches: Batches) -> None:
    app = ranked(f"EVE: We built 400 homes in 2022. {HOSTILE}\nEVE <b>: It fell by 6 percent.")
    assert "<script>" not in html_of(app)
    assert "<img" not in html_of(app)


@pytest.mark.parametrize("name", ["broken.srt", "names.txt"])
def test_an_odd_text_is_shown_as_text_with_a_remark(name: str, batches: Batches) -> None:
    text, words = ODD[name]
    app = visit(page="claims")
    app.file_uploader(key="claims-file").set_value((name, text.encode(), "text/plain")).run()
    press(app, "claims-find")
    assert words in told(app, "note")
    assert "claims-best" in keys(app)
    assert not any(sign in html_of(app) for sign in ("<script>", "\u202e"))


def test_where_its_card_allows_the_model_writes_a_version_and_the_person_chooses(
    batches: Batches, at_desk: AppState, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "claims-rewrite" not in keys(chosen(ranked(), 3))
    [bundled] = [one for one in installed_models() if one.choice == default_choice()]
    save_card(ModelCard("m", bundled.digest, Rewriting(30, 0.9, 0.0, 0.0, 0.1)))
    written = "The Kelmouth bridge, opened in 2006, cost 340 million pounds."
    model = ScriptedModel([json.dumps({"sentence": [written]})])
    monkeypatch.setattr(at_desk.pool, "models", lambda choice: SimpleNamespace(llm=model))
    app = visit(page="claims")
    press(app, "claims-on")
    press(app, "claims-rewrite")
    assert written in html_of(app)
    assert app.text_area(key="claims-edit-1").value == ALONE
    press(app, "claims-model-1")
    assert app.text_area(key="claims-edit-1").value == written
    press(app, "claims-rules-1")
    assert app.text_area(key="claims-edit-1").value == ALONE
