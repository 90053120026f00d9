"""A reader is measured before it is trusted: a right one is used, one that guesses is not."""

from collections.abc import Iterator
from contextlib import nullcontext
from functools import partial
from pathlib import Path

import pytest

from core.errors import BadInput, Cancelled, JudgeChanged, ServerFailed
from core.interfaces import never
from core.llm.server import ServerModel
from core.verification.stance.chosen_reader import (
    NEITHER,
    LanguageModelReader,
    model_reader,
)
from core.verification.stance.measured_words import decision_words, figures_table
from core.verification.stance.measurement import (
    Measurement,
    Way,
    folder,
    kept_measurement,
    newest_of,
    use_anyway,
)
from core.verification.stance.measuring import measure
from core.verification.written_claims import FEW_CLAIMS, FOREIGN_CLAIMS
from tests.llm.local_server import LocalServer
from tests.verification.stance.reading_server import CLAIMS, Answers, Careful, reading_server


@pytest.fixture
def built_in() -> Careful:
    return Careful()


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VERIDESK_HOME", str(tmp_path))


@pytest.fixture
def answers() -> Answers:
    return Answers()


@pytest.fixture
def server(answers: Answers) -> Iterator[LocalServer]:
    with reading_server(answers) as local:
        yield local


def reader_at(server: LocalServer) -> LanguageModelReader:
    return model_reader(ServerModel(server.url, "small"))


def measured(
    server: LocalServer,
    built_in: Careful,
    *,
    stop_after: int = 1000,
    claims: int = FEW_CLAIMS,
    language: str = "en",
) -> Measurement:
    done: list[int] = []
    return measure(
        partial(nullcontext, reader_at(server)),
        built_in,
        lambda read, *_: done.append(read),
        lambda: len(done) > stop_after,
        claims=claims,
        language=language,
    )


@pytest.mark.parametrize("manner", ["weighs", "silent on weights"])
def test_a_reader_that_is_mostly_right_is_used_and_lifts_the_figures(
    server: LocalServer, answers: Answers, built_in: Careful, manner: str
) -> None:
    answers.manner = manner
    found = measured(server, built_in)
    own, best = found.figures[Way.BUILT_IN], found.figures[found.way]
    assert found.used
    assert found.better
    assert found.gain.low > 0
    assert best.right >= 0.75
    assert best.right > own.right + 0.2
    assert best.right_interval.low > own.right
    assert sum((best.right, best.wrong, best.open)) == pytest.approx(1)
    assert kept_measurement(found.reader) == found
    assert newest_of("small") == found


@pytest.mark.parametrize("right", [1 / 3, 0.0])
def test_a_reader_that_guesses_or_is_always_wrong_alone_is_not_used(
    server: LocalServer, answers: Answers, built_in: Careful, right: float
) -> None:
    answers.right = right
    found = measured(server, built_in, claims=FEW_CLAIMS)
    assert not found.better
    assert not found.used
    assert use_anyway(found.reader, True).used
    assert not use_anyway(found.reader, False).used


def test_a_reader_that_always_leaves_it_open_is_not_used(
    server: LocalServer, answers: Answers, built_in: Careful
) -> None:
    answers.right, answers.truth = 1.0, dict.fromkeys(CLAIMS, NEITHER)
    assert not measured(server, built_in, claims=FEW_CLAIMS).better


def test_answers_that_are_none_are_counted_as_open(server: LocalServer, answers: Answers, built_in: Careful) -> None:
    answers.manner = "strays"
    found = measured(server, built_in)
    assert found.unanswered == found.claims == FEW_CLAIMS
    assert not found.better


def test_a_cancelled_measurement_goes_on_and_a_finished_one_reads_anew(
    server: LocalServer, answers: Answers, built_in: Careful
) -> None:
    with pytest.raises(Cancelled):
        measured(server, built_in, stop_after=10)
    begun = answers.asked
    assert kept_measurement(reader_at(server).identity) is None
    first = measured(server, built_in)
    whole = answers.asked
    assert begun < whole
    again = measured(server, built_in)
    assert answers.asked == 2 * whole
    assert again.figures[Way.CHOSEN].right == first.figures[Way.CHOSEN].right
    measured(server, built_in, claims=FEW_CLAIMS + 6)  # more claims: only these are read
    assert answers.asked < 2 * whole + 20


def test_a_damaged_journal_is_read_from_the_beginning(server: LocalServer, answers: Answers, built_in: Careful) -> None:
    with pytest.raises(Cancelled):
        measured(server, built_in, stop_after=3)
    (journal,) = folder().glob("*.journal")
    journal.write_text('{"built_in": "x", "read": [{"docu', encoding="utf-8")
    assert measured(server, built_in).claims == FEW_CLAIMS


def test_a_server_with_another_model_behind_its_name_is_measured_again(
    server: LocalServer, answers: Answers, built_in: Careful
) -> None:
    first = measured(server, built_in)
    answers.system = "second"
    now = reader_at(server).identity
    assert now.name == first.reader.name
    assert kept_measurement(now) is None
    assert measured(server, built_in).reader == now


def test_a_server_that_changes_or_fails_in_the_middle_ends_the_measurement(
    server: LocalServer, answers: Answers, built_in: Careful
) -> None:
    reader = reader_at(server)

    def after_five(read: int, *_: object) -> None:
        answers.system = "second" if read == 5 else answers.system

    with pytest.raises(JudgeChanged):
        measure(partial(nullcontext, reader), built_in, after_five, never)
    answers.manner = "fails"
    with pytest.raises(ServerFailed):
        measured(server, built_in)
    assert newest_of("small") is None


def test_each_language_is_measured_by_itself_and_kept_in_one_file(
    server: LocalServer, answers: Answers, built_in: Careful
) -> None:
    found = measured(server, built_in, language="de")
    assert (found.better, found.language, found.claims) == (True, "de", FOREIGN_CLAIMS)
    assert kept_measurement(found.reader) is None
    answers.right = 0.2
    own = measured(server, built_in)
    assert (own.better, kept_measurement(found.reader, "de")) == (False, found)
    assert newest_of("small", "de") == found
    assert use_anyway(found.reader, True, "de").anyway
    assert kept_measurement(own.reader) == own
    assert len(list(folder().glob("*.json"))) == 1


def test_the_figures_of_an_older_built_in_reader_do_not_count(
    server: LocalServer, built_in: Careful, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = measured(server, built_in)
    monkeypatch.setattr("core.verification.stance.measurement.built_in_digest", lambda: "another")
    assert kept_measurement(found.reader) is None
    with pytest.raises(BadInput, match="small"):
        use_anyway(found.reader, True)


def test_a_broken_measurement_is_said(server: LocalServer, built_in: Careful) -> None:
    found = measured(server, built_in)
    (path,) = folder().glob("*.json")
    path.write_text('{"en": {}}', encoding="utf-8")
    with pytest.raises(BadInput, match=path.name):
        kept_measurement(found.reader)


def test_the_table_has_each_way_to_read_and_the_decision_its_interval(server: LocalServer, built_in: Careful) -> None:
    found = measured(server, built_in)
    table = figures_table(found)
    assert [row[1] for row in table.rows] == [found.figures[way].right for way in Way]
    assert len(table.below) == 2 * len(Way)
    assert f"{found.gain.low:+.2f}" in decision_words(found)
