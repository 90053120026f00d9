"""A measured model reads again the passages of a case that matter, within limits; every case says who read it."""

from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path

import numpy as np
import pytest

from core.errors import Cancelled, ServerFailed
from core.interfaces import Models, RunContext, Stop, UnusableAnswer, never
from core.llm.server import ServerModel
from core.retrieval.index import Index
from core.statistics.bootstrap import Interval
from core.statistics.logistic import Logistic
from core.types import Case, Claim, Completion, Document, Label, Passage, PassageStance, Stance, Verdict
from core.verification.progress import Update
from core.verification.receipt import receipt_from_json, receipt_to_json
from core.verification.request import Request
from core.verification.runner import investigate
from core.verification.stance.chosen_reader import (
    AGAINST,
    FOR,
    PassageReading,
    ReaderIdentity,
    built_in_digest,
    model_reader,
    reading,
)
from core.verification.stance.measured_words import read_by
from core.verification.stance.measurement import Figures, Measurement, Way, keep_measurement
from core.verification.stance.second_reading import MOST_PASSAGES, MOST_SECONDS, CaseReader
from core.verification.stance.stance_words import SAME_WORDS
from core.verification.verdict.classifier_judge import ClassifierJudge
from core.verification.verdict.verdict_words import shown_label
from tests.fakes import Clock, ScriptedModel, WordEncoder
from tests.verification.stance.reading_server import Answers, reading_server

CLAIM = "The town has trains."
SHARE = Interval(0.5, 0.7, 0.95, 2000, 0, 0)
FIGURES = Figures(0.6, 0.1, 0.3, SHARE, SHARE, 1.0)
BETTER = Measurement(
    ReaderIdentity("model", "d" * 64, "p"),
    "b",
    date(2026, 1, 1),
    40,
    0,
    dict.fromkeys(Way, FIGURES),
    Way.CHOSEN,
    Interval(0.1, 0.3, 0.95, 2000, 0, 0),
    Logistic(("for", "against"), (0.0, 0.0), (1.0, 1.0), ((1.0, 0.0), (0.0, 1.0), (0.0, 0.0)), (0.0, 0.0, 0.0)),
)
EQUAL = replace(BETTER, gain=Interval(-0.1, 0.1, 0.95, 2000, 0, 0), anyway=True)


@dataclass
class Sure:
    """Reads each passage for one side, in some seconds of a clock; or fails."""

    side: int = AGAINST
    clock: Clock = field(default_factory=Clock)
    takes: float = 1.0
    error: Exception | None = None
    asked: list[str] = field(default_factory=list)
    identity: ReaderIdentity = BETTER.reader

    def read(self, claim: str, passage: Passage, *, stop: Stop = never) -> PassageReading:
        self.asked.append(passage.text)
        self.clock.now += self.takes
        if self.error:
            raise self.error
        if stop():
            raise Cancelled("Stopped.")
        scores = np.log([0.9 if place == self.side else 0.05 for place in range(3)])
        return reading(scores, (passage.start + 4, passage.start + 9), 0.0)


def context(stop: Stop = never) -> RunContext:
    encoder = WordEncoder()
    return RunContext(
        Models(encoder, ScriptedModel(), ClassifierJudge("quoted_passages")), Index([], encoder), stop=stop
    )


def told(text: str, stance: Stance = Stance.ABOUT, kind: str = "") -> PassageStance:
    return PassageStance(Passage(Document(text, text), 0, len(text)), stance, 0.6, "is near", kind)


def rows(count: int, sided: float = 0.2) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    return np.array([[sided, sided, 0.9 - 2 * sided, 0.1]] * count)


def test_the_chosen_reader_turns_a_passage_and_names_its_sentence() -> None:
    reader = CaseReader(Sure(), BETTER)
    (found,) = reader.read_again(CLAIM, [told("The trains stopped.")], rows(1), context())
    assert (found.stance, found.kind, found.spans) == (Stance.AGAINST, "reading", ((4, 9),))
    assert found.probability > 0.8
    assert (reader.account.passages, reader.account.of, reader.account.anyway) == (1, 1, False)


def test_where_both_agree_the_built_in_reason_stays() -> None:
    one = told("The town has no trains.", Stance.AGAINST, "negation")
    (found,) = CaseReader(Sure(), BETTER).read_again(CLAIM, [one], rows(1), context())
    assert found == replace(one, probability=found.probability)


def test_a_side_can_be_taken_back() -> None:
    one = told("The town has trams.", Stance.FOR, "reading")
    (found,) = CaseReader(Sure(side=2), BETTER).read_again(CLAIM, [one], rows(1), context())
    assert (found.stance, found.kind) == (Stance.ABOUT, "")


def test_only_passages_that_matter_are_read_the_likeliest_first_and_at_most_eight() -> None:
    reader = Sure()
    sure = [told("same", Stance.FOR, SAME_WORDS), told("order", kind="order"), told("off", Stance.UNRELATED)]
    every = [*sure, *(told(f"passage {number}") for number in range(MOST_PASSAGES + 4))]
    likely = rows(len(every))
    likely[-1, 0] = 0.6
    case = CaseReader(reader, BETTER)
    found = case.read_again(CLAIM, every, likely, context())
    assert len(reader.asked) == MOST_PASSAGES
    assert reader.asked[0] == every[-1].passage.text
    assert found[:3] == tuple(sure)
    case.read_again("A part of it.", every, likely, context())
    assert len(set(reader.asked)) == MOST_PASSAGES  # the same ones for another part of the claim
    case.read_again(CLAIM, every, likely, context())
    assert len(reader.asked) == 2 * MOST_PASSAGES  # each question once


@pytest.mark.parametrize(("takes", "read"), [(MOST_SECONDS / 2, 2), (MOST_SECONDS * 2, 0)])
def test_the_time_limit_leaves_the_other_passages_to_the_built_in_reader(takes: float, read: int) -> None:
    reader = Sure(takes=takes)
    case = CaseReader(reader, BETTER, clock=reader.clock)
    every = [told(f"passage {number}") for number in range(5)]
    found = case.read_again(CLAIM, every, rows(5), context())
    assert [one.stance for one in found].count(Stance.AGAINST) == case.account.passages == read
    assert case.account.problem


def test_a_server_that_fails_leaves_the_case_to_the_built_in_reader_and_is_named() -> None:
    reader = Sure(error=ServerFailed("The server is on fire."))
    case = CaseReader(reader, BETTER)
    every = [told("one"), told("two")]
    assert case.read_again(CLAIM, every, rows(2), context()) == tuple(every)
    assert (len(reader.asked), case.account.problem) == (1, "The server is on fire.")
    assert "on fire" in read_by(case.account)


def test_an_answer_that_is_none_leaves_its_passage_to_the_built_in_reader() -> None:
    reader = Sure(error=UnusableAnswer("No letter.", Completion((), "", 0, 0, 0, 0.0, 0)))
    case = CaseReader(reader, BETTER)
    every = [told("one"), told("two")]
    assert case.read_again(CLAIM, every, rows(2), context()) == tuple(every)
    assert (len(reader.asked), case.account.passages, case.account.problem) == (2, 0, "")


def test_a_person_s_stop_ends_the_case() -> None:
    with pytest.raises(Cancelled):
        CaseReader(Sure(), BETTER).read_again(CLAIM, [told("one")], rows(1), context(lambda: True))


def test_a_case_says_who_read_it_and_that_a_person_chose_it() -> None:
    assert CaseReader(Sure(side=FOR), EQUAL).account.anyway
    words = {read_by(None), *(read_by(CaseReader(Sure(), one).account) for one in (BETTER, EQUAL))}
    assert len(words) == 3


def test_a_case_is_read_by_both_and_its_receipt_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VERIDESK_HOME", str(tmp_path))
    claim = "Trains still stop in Veldersruh."
    document = Document("u", "Veldersruh is a town on a river. Trains have not run to Veldersruh since 1979.")
    answers, updates = Answers(right=1.0, truth={claim: AGAINST}), list[Update]()
    with reading_server(answers) as server:
        llm, encoder = ServerModel(server.url, "small"), WordEncoder()
        keep_measurement(replace(BETTER, reader=model_reader(llm).identity, built_in=built_in_digest()))
        models = Models(encoder, llm, ClassifierJudge("quoted_passages"))
        request = Request(Claim(claim), documents=(document,), questions=False)
        case = investigate(request, models, on_progress=updates.append)
        assert isinstance(case, Case)
        answers.system = "second"  # another model behind the same name: nobody measured it
        alone = investigate(request, models)
    assert isinstance(alone, Case)
    assert case.verdict
    assert case.verdict.second
    assert (case.verdict.second.passages, case.verdict.second.of) == (1, 1)
    assert case.verdict.stances[0].stance is Stance.AGAINST
    assert alone.verdict
    assert alone.verdict.second is None
    early = next(one.case.verdict for one in updates if one.case.verdict)
    assert early.second is None  # the built-in reader's answer, shown meanwhile
    kept = receipt_from_json(receipt_to_json(request, case, llm.identity, encoder.identity))[1]
    assert kept == case


def test_a_claim_in_german_is_read_by_a_model_measured_in_german_and_by_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VERIDESK_HOME", str(tmp_path))
    claim = "In die Stadt an der Oder fahren heute noch Züge."
    document = Document("u", "Züge fahren schon lange nicht mehr in die Stadt an der Oder.")
    request = Request(Claim(claim), documents=(document,), questions=False)
    with reading_server(Answers(right=1.0, truth={claim: AGAINST})) as server:
        llm = ServerModel(server.url, "small")
        models = Models(WordEncoder(), llm, ClassifierJudge("quoted_passages"))
        english = replace(BETTER, reader=model_reader(llm).identity, built_in=built_in_digest())
        keep_measurement(english)
        unread = investigate(request, models)
        keep_measurement(replace(english, language="de"))
        read = investigate(request, models)
    assert isinstance(unread, Case)
    assert isinstance(read, Case)
    assert unread.verdict
    assert read.verdict
    assert (shown_label(unread.verdict), unread.verdict.second) == (None, None)
    assert read.verdict.second
    assert (shown_label(read.verdict), read.verdict.second.passages) == (Label.REFUTED, 1)
    assert "German" in unread.verdict.caveat
    assert "German" in read.verdict.caveat


def test_a_deciding_passage_that_was_read_gets_the_model_s_reason() -> None:
    read, unread = told("The trains stopped.", Stance.AGAINST), told("No trains.", Stance.AGAINST)
    verdict = Verdict({Label.REFUTED: 1.0}, "judge", 0.0, stances=(read, unread), decisive=(0, 1))
    with reading_server(Answers(reason="The trains stopped.", truth={CLAIM: AGAINST})) as server:
        case = CaseReader(model_reader(ServerModel(server.url, "small")), BETTER)
        case.read_again(CLAIM, [read], rows(1), context())
        found = case.explained(CLAIM, verdict, context())
    assert found.stances[0].reason.startswith(read.reason)
    assert "“The trains stopped.”" in found.stances[0].reason
    assert found.stances[1] == unread
