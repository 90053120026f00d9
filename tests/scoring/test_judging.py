"""What a judge costs, what it said before, and prompts that are not ours."""

import copy
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from core.errors import BadInput, JudgeChanged, ServerFailed
from core.interfaces import ModelIdentity, Stop, UnusableAnswer, never
from core.llm.caching import CallCache, call_key
from core.llm.prompts import TEMPLATES
from core.scoring.items import ItemStatus
from core.scoring.judge_cost import estimated_cost
from core.scoring.judging import Judging
from core.scoring.leaderboard import SystemReport, leaderboard, nothing_judged, ranked_by, report_system
from core.scoring.metrics.ev2r_metric import Ev2r
from core.scoring.metrics.judgements import JudgementFailed, JudgeModel, judge_fields
from core.scoring.metrics.prompts import prompt_file
from core.scoring.score_job import board_json
from core.scoring.usage import Usage
from core.types import Completion, Label, Prompt
from tests.fakes import Reader
from tests.scoring.test_ev2r import gold, predicted

CLAIMS, PREDICTIONS = [gold("0", ("q?", "In May. It rained"))], {"0": predicted("0", "in may")}


def test_what_was_asked_and_what_was_known_is_counted(kept: CallCache) -> None:
    first = Ev2r(Reader(), kept, precision=False).measure(CLAIMS, PREDICTIONS).usage
    second = Ev2r(Reader(), kept, precision=False).measure(CLAIMS, PREDICTIONS).usage
    assert (first.asked, first.known) == (4, 0)  # the list of facts, each of two facts, the question
    assert (second.asked, second.known) == (0, 4)


def completion(text: str, tokens: int) -> Completion:
    return Completion((), text, tokens, 0, 10, 1.0, 0)


def test_answers_that_cannot_be_used_cost_their_tokens(kept: CallCache) -> None:
    answers: list[Exception | Completion] = [
        UnusableAnswer("cut off", completion("{", 100)),
        ServerFailed("status 500"),
        completion("{}", 200),
        completion("no JSON", 300),
    ]

    class Judge(Reader):
        def generate(self, prompt: object, **_: object) -> Completion:
            answer = answers.pop(0)
            if isinstance(answer, Exception):
                raise answer
            return answer

    judge = JudgeModel(Judge(), kept)
    with pytest.raises(UnusableAnswer):
        judge.json((), {}, lambda said: said, max_tokens=9)
    assert judge.json((), {}, lambda said: said, max_tokens=8) == {}
    with pytest.raises(JudgementFailed):
        judge.json((), {}, lambda said: said, max_tokens=7)
    assert (judge.usage.asked, judge.usage.known, judge.usage.prompt_tokens) == (4, 0, 600)


def test_an_unusable_answer_keeps_its_cost_in_a_copy() -> None:
    error = copy.copy(UnusableAnswer("cut off", completion("{", 100)))
    assert (str(error), error.completion.prompt_tokens) == ("cut off", 100)


def test_tokens_cost_what_they_cost() -> None:
    usage = Usage(asked=2, known=1, prompt_tokens=1_500_000, completion_tokens=500_000, seconds=3.4)
    assert usage.cost(0.5) == 1.0
    assert usage + usage == Usage(4, 2, 3_000_000, 1_000_000, 6.8)
    assert [usage.words.count(figure) for figure in ("2 times", "1 answer ", "1,500,000")] == [1, 1, 1]


def test_anew_asks_once_more_what_was_known_and_keeps_the_new_answer(tmp_path: Path) -> None:
    for no_cache, said, expected in ((False, "a", "a"), (False, "b", "a"), (True, "c", "c"), (False, "d", "c")):
        cache = CallCache(tmp_path / "calls.db", no_cache=no_cache)
        assert cache.answer("key", lambda said=said: said) == expected
        assert cache.answer("key", lambda: "not asked") == expected
        cache.close()


def test_another_server_under_the_same_name_is_asked_again() -> None:
    prompt: Prompt = ()
    one = ModelIdentity("llama", "", 4096, "aaaa")
    assert call_key(one, prompt) != call_key(replace(one, server="bbbb"), prompt)
    assert one == replace(one, server="bbbb")  # the same name still counts as the same model in a receipt


def test_a_server_that_fails_once_is_asked_once_more(kept: CallCache) -> None:
    failures = [ServerFailed("busy"), None, ServerFailed("busy"), ServerFailed("still busy")]

    def reply(prompt: Prompt) -> str:
        if error := failures.pop(0):
            raise error
        return '{"facts": ["It rained."]}'

    judge = JudgeModel(Reader(reply=reply), kept)
    ask = {"question": "q", "answer": "It rained."}
    assert judge.json(judge.render("ev2r_facts", ask), {}, lambda answer: answer, max_tokens=9) == {
        "facts": ["It rained."]
    }
    with pytest.raises(ServerFailed, match="still busy"):
        judge.json(judge.render("ev2r_facts", {**ask, "answer": "x"}), {}, lambda answer: answer, max_tokens=9)


def test_prompts_of_others_are_used_and_named_in_the_signature(kept: CallCache) -> None:
    ours = (TEMPLATES / "ev2r_facts.txt").read_text(encoding="utf-8")
    given = prompt_file("ev2r_facts.txt", ours.replace("You split", "Please split").encode())
    reader = Reader()
    metric = Ev2r(reader, kept, prompts={given.name: given.text})
    metric.measure(CLAIMS, PREDICTIONS)
    assert any(prompt[0].text.startswith("Please split") for prompt in reader.asked)
    assert "|prompts:" in metric.signature
    assert "prompts:" not in Ev2r(reader, kept).signature


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("other.txt", b"=== user\n$question $answer"),
        ("ev2r_facts.txt", b"=== user\nSplit $text"),
        ("ev2r_facts.txt", b"Split $question"),
        ("ev2r_facts.txt", b"=== user\n$question costs 5 $"),
        ("ev2r_facts.txt", b"\xff"),
    ],
)
def test_prompts_that_cannot_be_filled_are_refused(name: str, content: bytes) -> None:
    with pytest.raises(BadInput):
        prompt_file(name, content)


def test_the_cost_is_estimated_by_the_questions_that_would_be_asked(kept: CallCache) -> None:
    claims = [gold(str(n), (f"When, {n}?", f"In May {n}. It rained")) for n in range(40)]
    predictions = {claim.id: predicted(claim.id, "in may") for claim in claims}
    asked = Ev2r(Reader(), kept, precision=False).measure(claims, predictions).usage
    estimate = estimated_cost(claims, ("verdict", "ev2r"), Judging(precision=False), predictions)
    assert estimate.asked == asked.asked + asked.known, "the reader lists two facts a pair, as the estimate does"
    assert estimate.prompt_tokens > 0
    assert estimated_cost(claims, ("ev2r",), Judging(precision=False)).prompt_tokens > estimate.prompt_tokens
    twice = estimated_cost(claims, ("ev2r",), Judging(precision=False, repeat=2), predictions)
    assert twice.asked > estimate.asked
    assert estimated_cost(claims, ("verdict",), Judging()) == Usage()


def judged(kept: CallCache, reader: Reader) -> SystemReport:
    from core.annotations import Submission

    submission = Submission("system", tuple(PREDICTIONS.values()))
    return report_system(submission, CLAIMS, [Ev2r(reader, kept)])


def test_a_run_in_which_nothing_was_judged_has_no_score_but_reasons(kept: CallCache) -> None:
    failed = judged(kept, Reader(reply=lambda _: "nonsense"))
    assert "JSON" in nothing_judged([failed])
    exported = board_json([leaderboard([failed], ranked_by(failed)[0])], [failed])
    assert all("JSON" in row["reason"] for row in exported["unscored"])
    assert exported["unscored"]
    assert exported["judging"]["system"]["answers_from_cache"] == 0
    assert nothing_judged([judged(kept, Reader())]) == ""


def test_a_wrong_verdict_that_was_not_judged_is_not_counted_as_0(kept: CallCache) -> None:
    wrong = {"0": replace(PREDICTIONS["0"], label=Label.CONFLICTING)}
    items = Ev2r(Reader(reply=lambda _: "nonsense"), kept).measure(CLAIMS, wrong).items
    assert {item.status for item in items if ":averitec" in item.metric} == {ItemStatus.UNSCORED}


def test_an_answer_asked_for_once_more_that_fails_leaves_none(tmp_path: Path) -> None:
    def fails() -> str:
        raise ServerFailed("gone")

    for no_cache in (False, True):
        cache = CallCache(tmp_path / "calls.db", no_cache=no_cache)
        if no_cache:
            with pytest.raises(ServerFailed):
                cache.answer("key", fails)
        else:
            assert cache.answer("key", lambda: "older") == "older"
        cache.close()
    cache = CallCache(tmp_path / "calls.db")
    assert cache.answer("key", lambda: "newer") == "newer"
    cache.close()


class Failing(Reader):
    """A judge that is gone when it is asked its second yes or no."""

    def log_likelihoods(self, prompt: Prompt, choices: Sequence[str], *, stop: Stop = never) -> Any:
        if len(self.asked) >= 2:
            raise ServerFailed("gone")
        return super().log_likelihoods(prompt, choices, stop=stop)


def test_an_item_that_fails_half_way_mixes_no_older_answers_in(tmp_path: Path) -> None:
    """The later questions on an item were not asked anew: their older answers must not complete it."""
    usages = []
    for judge, no_cache in ((Reader(), False), (Failing(), True), (Reader(), False)):
        cache = CallCache(tmp_path / "calls.db", no_cache=no_cache)
        measured = Ev2r(judge, cache, precision=False).measure(CLAIMS, PREDICTIONS)
        usages.append(measured.usage)
        cache.close()
    # The failing judge answered twice and failed twice on the second fact. That fact and the question are new at last.
    assert [(usage.asked, usage.known) for usage in usages if usage] == [(4, 0), (4, 0), (2, 2)]


def test_small_costs_have_digits() -> None:
    tokens = Usage(prompt_tokens=1_000, completion_tokens=202)
    assert tokens.cost_words(0.15) == "0.000180"
    assert [tokens.cost_words(price) for price in (0, 1, 1e3, 1e6)] == ["0.00", "0.00120", "1.20", "1202.00"]


@pytest.mark.parametrize("place", [1, 3])
def test_a_judge_that_changes_ends_the_run_at_once(kept: CallCache, place: int) -> None:
    asked: list[Prompt] = []

    def reply(prompt: Prompt) -> str:
        asked.append(prompt)
        if len(asked) == place:
            raise JudgeChanged("another judge")
        return '{"facts": ["In May"]}'

    judge = Reader(reply=reply)
    claims = [gold(str(n), (f"q{n}?", "In May.")) for n in range(3)]
    with pytest.raises(JudgeChanged):
        Ev2r(judge, kept).measure(claims, {str(n): predicted(str(n), f"in may {n}") for n in range(3)})
    assert len(asked) == place


def test_the_signature_names_who_answered() -> None:
    @dataclass
    class Server(Reader):
        @property
        def identity(self) -> ModelIdentity:
            return ModelIdentity("small", "", 4096, "abc", "gpt|x fp1")

    assert judge_fields(Server(), 0) == ("judge:small", "server:abc", "answered:gpt/x fp1")
