import threading

import pytest

from core.jobs.store import JobStore
from core.jobs.types import Listed
from core.storage.shares import Shares
from core.storage.store import Store
from core.types import Label
from core.verification.review import Conclusion, Mark, Overtaken, Review, Reviews

ANNA, BERT = "a" * 64, "b" * 64
FIRST, SECOND = Conclusion(Label.REFUTED, "First."), Conclusion(Label.SUPPORTED, "Second.", "note", "Bert")


@pytest.fixture
def store(made_database_url: str) -> Store:
    return Store(made_database_url, clock=lambda: 1000.0)


@pytest.fixture
def case_id(store: Store) -> str:
    return JobStore(store).add("verify", ANNA, Listed("A claim."), {}, tries=1)


def test_nothing_was_saved_of_a_new_case(store: Store, case_id: str) -> None:
    assert Reviews(store).load(case_id) == Review()
    assert Reviews(store).history(case_id) == ()


def test_a_conclusion_is_kept_with_every_version_before_it(store: Store, case_id: str) -> None:
    reviews = Reviews(store)
    reviews.conclude(case_id, ANNA, FIRST, seen=0)
    reviews.conclude(case_id, ANNA, SECOND, seen=1)
    assert reviews.load(case_id) == Review(SECOND, {}, 1000.0, 2)
    assert [(one.number, one.conclusion) for one in reviews.history(case_id)] == [(2, SECOND), (1, FIRST)]
    assert reviews.conclusions([case_id, "other"]) == {case_id: SECOND}


def test_who_wrote_on_an_older_version_is_told_and_overwrites_nothing(store: Store, case_id: str) -> None:
    reviews = Reviews(store)
    reviews.conclude(case_id, ANNA, FIRST, seen=0)
    with pytest.raises(Overtaken, match="Somebody saved another conclusion"):
        reviews.conclude(case_id, ANNA, SECOND, seen=0)
    assert reviews.load(case_id).conclusion == FIRST
    reviews.conclude(case_id, ANNA, SECOND, seen=1)
    assert reviews.load(case_id).conclusion == SECOND


def test_of_ten_who_save_at_once_one_wins_and_nine_are_told(store: Store, case_id: str) -> None:
    reviews, told, start = Reviews(store), [], threading.Barrier(10)

    def save(number: int) -> None:
        start.wait()
        try:
            reviews.conclude(case_id, ANNA, Conclusion(reason=str(number)), seen=0)
        except Overtaken:
            told.append(number)

    threads = [threading.Thread(target=save, args=(number,)) for number in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(told) == 9
    assert int(reviews.load(case_id).conclusion.reason) not in told
    assert len(reviews.history(case_id)) == 1


def test_a_mark_can_be_changed_and_taken_away(store: Store, case_id: str) -> None:
    reviews = Reviews(store)
    reviews.mark(case_id, ANNA, "p", Mark.USEFUL)
    reviews.mark(case_id, ANNA, "q", Mark.WRONG)
    assert reviews.load(case_id).marks == {"p": Mark.USEFUL, "q": Mark.WRONG}
    reviews.mark(case_id, ANNA, "p", Mark.UNRELATED)
    reviews.mark(case_id, ANNA, "q", None)
    assert reviews.load(case_id) == Review(marks={"p": Mark.UNRELATED}, saved=1000.0)


def test_a_shared_case_is_found_by_its_link_until_that_is_withdrawn(store: Store, case_id: str) -> None:
    shares = Shares(store)
    token = shares.make(case_id, ANNA)
    assert token is not None
    assert len(token) == 43
    found = shares.find(token)
    assert (found.job_id, found.owner) == (case_id, ANNA)
    assert shares.count(case_id, ANNA) == 1
    shares.withdraw(case_id, ANNA)
    assert shares.find(token) is None
    assert shares.count(case_id, ANNA) == 0


def test_a_link_cannot_be_guessed_nor_made_or_withdrawn_by_others(store: Store, case_id: str) -> None:
    shares = Shares(store)
    assert shares.make(case_id, BERT) is None
    assert shares.make("no case", ANNA) is None
    token = shares.make(case_id, ANNA)
    assert token is not None
    shares.withdraw(case_id, BERT)
    assert shares.find(token) is not None
    for guess in ("", case_id, token[:-1], token.lower(), "%", "\ud800", "x" * 10_000):
        assert shares.find(guess) is None


def test_with_a_case_go_its_review_and_its_links(store: Store, case_id: str) -> None:
    token = Shares(store).make(case_id, ANNA)
    Reviews(store).conclude(case_id, ANNA, FIRST, seen=0)
    assert not JobStore(store).delete(case_id, BERT)
    assert Reviews(store).load(case_id).version == 1
    assert JobStore(store).delete(case_id, ANNA)
    assert Reviews(store).load(case_id) == Review()
    assert token is not None
    assert Shares(store).find(token) is None
