"""ServerModel against a small server of our own that fails in many ways, and against llama-cpp-python's server."""

import importlib.util
import json
import math
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from core.errors import Cancelled, JudgeChanged, ModelError, ServerError, ServerFailed
from core.http import retries
from core.interfaces import UnusableAnswer
from core.llm.server import ServerModel
from core.models.choice import bundled_path
from core.types import Message
from tests.llm.local_server import Answer, Asked, LocalServer, events, local_server
from tests.search.servers import free_port

PROMPT = (Message("system", "Be brief."), Message("user", "What fell in Spain?"))
SCHEMA = {
    "type": "object",
    "properties": {"question": {"type": "string", "maxLength": 40}},
    "required": ["question"],
    "additionalProperties": False,
}


@pytest.fixture
def server() -> Iterator[LocalServer]:
    with local_server() as local:
        yield local


def answering(server: LocalServer, answer: Answer) -> ServerModel:
    server.answers["/v1/chat/completions"] = answer
    return ServerModel(server.url, "small", timeout_seconds=300)


def test_an_answer_is_put_together_and_its_cost_kept(server: LocalServer) -> None:
    usage = {"prompt_tokens": 21, "completion_tokens": 4, "prompt_tokens_details": {"cached_tokens": 16}}
    llm = answering(server, events("Unem", "ployment — é", usage=usage))
    completion = llm.generate(PROMPT, max_tokens=9, temperature=0.5, seed=3)
    assert completion.text == "Unemployment — é"
    assert (completion.prompt_tokens, completion.reused_tokens, completion.completion_tokens) == (21, 16, 4)
    assert (completion.finish, completion.seed, completion.prompt) == ("stop", 3, PROMPT)
    path, body = server.bodies[-1]
    assert path == "/v1/chat/completions"
    assert body["messages"] == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "What fell in Spain?"},
    ]
    assert (body["model"], body["max_tokens"], body["temperature"], body["seed"]) == ("small", 9, 0.5, 3)
    assert "response_format" not in body


def test_the_key_is_sent_and_the_context_is_the_server_s(server: LocalServer) -> None:
    llm = ServerModel(server.url + "/", "small", api_key="secret")
    assert server.authorization == "Bearer secret"
    assert llm.identity.context_tokens == 2000
    assert llm.identity.digest == ""
    assert ServerModel(server.url, "other").identity.context_tokens == 4096  # assumed: nothing tells
    server.answers["/props"] = lambda asked, _: asked.json({"default_generation_settings": {"n_ctx": 8192}})
    assert ServerModel(server.url, "other").identity.context_tokens == 8192


def test_a_server_is_known_by_what_it_says_of_its_model(server: LocalServer) -> None:
    first = ServerModel(server.url, "small").identity.server
    again = {"data": [{"id": "small", "max_model_len": 2000, "created": 9}]}
    server.answers["/v1/models"] = lambda asked, _: asked.json(again)
    assert ServerModel(server.url, "small").identity.server == first  # the time of the request is no other model
    server.answers["/props"] = lambda asked, _: asked.json({"model_path": "/models/larger.gguf"})
    assert ServerModel(server.url, "small").identity.server != first


def test_a_prompt_that_does_not_fit_is_refused_and_not_sent(server: LocalServer) -> None:
    llm = ServerModel(server.url, "small")
    with pytest.raises(ModelError, match="2000 that small can"):
        llm.generate((Message("user", "word " * 1800),), max_tokens=400)
    assert not any(path.endswith("/chat/completions") for path, _ in server.bodies)


def test_json_is_asked_for_and_validated(server: LocalServer) -> None:
    llm = answering(server, events('{"question": ', '"What fell?"}'))
    assert json.loads(llm.generate(PROMPT, schema=SCHEMA, max_tokens=30).text) == {"question": "What fell?"}
    assert server.bodies[-1][1]["response_format"]["json_schema"]["schema"] == SCHEMA


TOO_LONG = json.dumps({"question": "x" * 41})


@pytest.mark.parametrize("text", ['{"question": 5}', '{"answer": "x"}', "```json\n{}\n```", "", TOO_LONG])
def test_what_is_not_valid_under_the_schema_is_an_error(server: LocalServer, text: str) -> None:
    llm = answering(server, events(text))
    with pytest.raises(UnusableAnswer, match="the form"):
        llm.generate(PROMPT, schema=SCHEMA, max_tokens=30)


def test_an_answer_that_was_cut_off_is_said_to_be(server: LocalServer) -> None:
    llm = answering(server, events('{"question": "Wh', finish="length"))
    with pytest.raises(ModelError, match="in 7 tokens"):
        llm.generate(PROMPT, schema=SCHEMA, max_tokens=7)
    assert llm.generate(PROMPT, max_tokens=7).finish == "length"
    with pytest.raises(ServerError, match="in the middle"):
        answering(server, events("Wh", finish=None)).generate(PROMPT, max_tokens=7)


def failing(status: int, text: str, kind: str = "application/json") -> Answer:
    return lambda asked, _: asked.text(text, status=status, kind=kind)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (failing(400, '{"error": {"message": "context\\n too long"}}'), r"status 400: “context too long”"),
        (failing(401, '{"detail": "no"}'), "status 401.*Check the key"),
        (failing(404, "<html>Not here</html>", "text/html"), "status 404.*Check the address"),
        (failing(503, "[1]"), "status 503.*loading"),
        (failing(200, "<html>Welcome</html>\n", "text/html"), "not JSON: “<html>Welcome"),
        (failing(200, 'data: {"error": {"message": "out of memory"}}\n\n'), "reports an error: “out of memory”"),
        (failing(200, "data: {broken\n\n"), "not JSON"),
        (failing(200, 'data: "text"\n\n'), "not JSON"),
        (failing(200, 'data: {"choices": 5}\n\n'), "in the middle"),
        (failing(302, ""), "status 302"),
    ],
)
def test_a_server_s_faults_become_sentences(
    server: LocalServer, answer: Answer, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retries, "PAUSES", (0.0, 0.0))
    llm = answering(server, answer)
    with pytest.raises(ServerError, match=said) as caught:
        llm.generate(PROMPT, max_tokens=5)
    assert server.url in str(caught.value)


def test_a_server_that_is_busy_once_gives_its_answer(server: LocalServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retries, "PAUSES", (0.0, 0.0))
    answers = [failing(503, "{}"), events("Rain."), failing(429, "{}"), top(("A", -0.5))]
    llm = answering(server, lambda asked, body: answers.pop(0)(asked, body))
    assert llm.generate(PROMPT, max_tokens=5).text == "Rain."
    assert llm.log_likelihoods(PROMPT, ["A"])[0] == [-0.5]
    assert answers == []


def test_silence_ends_after_the_time_allowed(server: LocalServer) -> None:
    released = threading.Event()
    llm = answering(server, lambda asked, _: released.wait(300) and None)
    llm._api = replace(llm._api, timeout_seconds=0.2)
    with pytest.raises(ServerError, match=r"0\.2 seconds"):
        llm.generate(PROMPT, max_tokens=5)
    released.set()


@pytest.mark.parametrize("charset", ["hex", "utf-7", "idna", "nonsense"])
def test_json_is_utf_8_whatever_a_server_says_of_it(server: LocalServer, charset: str) -> None:
    def answer(asked: Asked, _: dict[str, Any]) -> None:
        asked.send_response(200)
        asked.send_header("Content-Type", f"application/json; charset={charset}")
        asked.end_headers()
        asked.wfile.write('{"data": [{"id": "klein-ä"}]}'.encode())

    server.answers["/v1/models"] = answer
    assert ServerModel(server.url, "klein-ä").identity.name == "klein-ä"


@pytest.mark.parametrize("count", [math.nan, math.inf, -1, "many", None, [3], {"a": 1}, 10**400])
def test_counts_that_are_none_count_nothing(server: LocalServer, count: object) -> None:
    usage = {"prompt_tokens": count, "completion_tokens": count, "prompt_tokens_details": count}
    answering(server, events("Rain.", usage=usage))
    server.answers["/props"] = lambda asked, _: asked.json({"total_slots": count, "default_generation_settings": count})
    llm = ServerModel(server.url, "small")
    completion = llm.generate(PROMPT, max_tokens=5)
    assert (completion.text, completion.prompt_tokens, completion.completion_tokens) == ("Rain.", 0, 0)
    assert (llm.identity.context_tokens, llm.parallel) == (2000, 1)


def test_a_key_that_is_none_is_said(server: LocalServer) -> None:
    with pytest.raises(ServerError, match="cannot have"):
        ServerModel(server.url, "small", api_key="gehe\u00efm\u2026")


@pytest.mark.parametrize("speaks", [False, True], ids=["before the first word", "between words"])
def test_stop_closes_the_connection_at_once(server: LocalServer, speaks: bool) -> None:
    reached, gone = threading.Event(), threading.Event()

    def trickle(asked: Asked, _: dict[str, Any]) -> None:
        if speaks:
            asked.text('data: {"choices": [{"delta": {"content": "a"}}]}\n\n')
        reached.set()
        asked.connection.settimeout(300)
        try:
            closed = asked.connection.recv(1) == b""
        except ConnectionResetError:
            closed = True
        if closed:
            gone.set()

    llm = answering(server, trickle)
    with pytest.raises(Cancelled):
        llm.generate(PROMPT, max_tokens=5, stop=reached.is_set)
    assert gone.wait(300)


def test_a_server_that_is_not_there_is_named() -> None:
    url = f"http://127.0.0.1:{free_port()}/v1"
    with pytest.raises(ServerError, match=f"{url} cannot be reached"):
        ServerModel(url, "small")


def test_a_model_that_the_server_lacks_is_refused(server: LocalServer) -> None:
    with pytest.raises(ServerError, match="'large'; it has other"):
        ServerModel(server.url, "large")


def test_tokens_are_counted_by_the_server_or_overestimated(server: LocalServer) -> None:
    llm = ServerModel(server.url, "small")
    assert llm.count_tokens("four words of English") == 7  # 21 bytes
    assert llm.count_tokens("统计局") == 3
    server.answers["/tokenize"] = lambda asked, body: asked.json({"tokens": body["content"].split()})
    assert ServerModel(server.url, "small").count_tokens("four words of English") == 4


def top(*pairs: tuple[str, float]) -> Answer:
    told = [{"token": token, "logprob": value, "bytes": None} for token, value in pairs]
    content = [{"token": told[0]["token"], "logprob": told[0]["logprob"], "top_logprobs": told}] if told else []
    answer = {"choices": [{"message": {"content": "A"}, "logprobs": {"content": content}}]}
    return lambda asked, _: asked.json(answer)


def test_likelihoods_are_those_of_the_first_token(server: LocalServer) -> None:
    llm = answering(server, top(("B", math.log(0.5)), ("A", math.log(0.25)), (" A", math.log(0.1)), ("x", -6.0)))
    likelihoods, completion = llm.log_likelihoods(PROMPT, ["A", "B", "C"])
    np.testing.assert_allclose(likelihoods, [math.log(0.35), math.log(0.5), -6.0])
    assert completion.text == "B"
    assert server.bodies[-1][1]["top_logprobs"] == 20
    assert server.bodies[-1][1]["max_tokens"] == 1


def test_a_server_without_probabilities_is_said_to_have_none(server: LocalServer) -> None:
    with pytest.raises(ServerError, match="gives no probabilities"):
        answering(server, top()).log_likelihoods(PROMPT, ["A", "B"])
    without = {"choices": [{"message": {"content": "A"}}]}
    with pytest.raises(ServerError, match="gives no probabilities"):
        answering(server, lambda asked, _: asked.json(without)).log_likelihoods(PROMPT, ["A"])
    with pytest.raises(UnusableAnswer, match="A, B"):
        answering(server, top(("The", -0.1))).log_likelihoods(PROMPT, ["A", "B"])


NEEDED = ("fastapi", "sse_starlette", "pydantic_settings", "starlette_context", "uvicorn")


@pytest.fixture(scope="module")
def real_url() -> Iterator[str]:
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        pytest.skip(f"llama_cpp.server needs {', '.join(missing)}: pip install 'llama-cpp-python[server]'")
    port = free_port()
    words = ["--model", str(bundled_path()), "--model_alias", "smollm2", "--port", str(port), "--n_ctx", "256"]
    words += ["--n_threads", "1", "--n_threads_batch", "1", "--logits_all", "True", "--verbose", "False"]
    process = subprocess.Popen(
        [sys.executable, "-m", "llama_cpp.server", *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        yield _once_ready(f"http://127.0.0.1:{port}/v1", process)
    finally:
        process.kill()
        process.wait()


def _once_ready(url: str, process: subprocess.Popen[bytes]) -> str:
    deadline = time.monotonic() + 300
    while time.monotonic() < deadline and process.poll() is None:
        try:
            ServerModel(url, "smollm2")
        except ServerError:
            time.sleep(0.2)
        else:
            return url
    pytest.fail("llama_cpp.server did not start")


def test_a_real_server_writes_and_weighs(real_url: str) -> None:
    llm = ServerModel(real_url, "smollm2")
    completion = llm.generate((Message("user", "Say hello."),), max_tokens=8)
    assert completion.text
    assert completion.text == llm.generate((Message("user", "Say hello."),), max_tokens=8).text
    likelihoods, _ = llm.log_likelihoods((Message("user", "Say hello."),), ["Hello", "Nothing"])
    assert likelihoods[0] > likelihoods[1]
    # this server knows only the older json_object: it must be an error, not free text
    with pytest.raises(ServerError, match="json_object"):
        llm.generate((Message("user", "Say hello."),), schema=SCHEMA, max_tokens=8)


def named(server: LocalServer, model: str, fingerprint: str, text: str = "yes", *, whole: bool = False) -> None:
    """Let the server answer as a model of this name, as events or, ignoring "stream", whole."""
    about = {"model": model, "system_fingerprint": fingerprint}
    logprobs = {"content": [{"top_logprobs": [{"token": "yes", "logprob": -0.1}, {"token": "no", "logprob": -3.0}]}]}
    choice = {"message": {"content": text}, "finish_reason": "stop", "logprobs": logprobs}
    once = {**about, "choices": [choice], "usage": {"prompt_tokens": 7, "completion_tokens": 2}}
    chunks = [{**about, "choices": [{"delta": {"content": text}, "finish_reason": "stop"}]}]
    lines = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks)

    def answer(asked: Asked, body: dict[str, Any]) -> None:
        if body.get("stream") and not whole:
            asked.text(f"{lines}data: [DONE]\n\n")
        else:
            asked.json(once)

    server.answers["/v1/chat/completions"] = answer


def test_the_model_that_answers_is_a_part_of_the_identity(server: LocalServer) -> None:
    identities = []
    for model, fingerprint in (("a", "fp1"), ("b", "fp1"), ("a", "fp2"), ("a", "fp1")):
        named(server, model, fingerprint)
        llm = ServerModel(server.url, "small")
        llm.hold_to_one()
        identities.append((llm.identity.server, llm.identity.answered))
    assert len(set(identities)) == 3
    assert identities[0] == identities[3]
    assert identities[0][1] == "a fp1"


@pytest.mark.parametrize(("model", "fingerprint"), [("b", "fp1"), ("a", "fp2")])
def test_another_model_within_a_run_is_an_error(server: LocalServer, model: str, fingerprint: str) -> None:
    named(server, "a", "fp1")
    llm = ServerModel(server.url, "small")
    llm.hold_to_one()
    assert llm.generate(PROMPT, max_tokens=5).text == "yes"
    named(server, model, fingerprint)
    with pytest.raises(JudgeChanged) as raised:
        llm.generate(PROMPT, max_tokens=5)
    assert told(raised.value, model if model == "b" else fingerprint)
    with pytest.raises(JudgeChanged):
        llm.log_likelihoods(PROMPT, ("yes", "no"))


def told(error: Exception, *words: str) -> bool:
    return all(word in str(error) for word in words)


def test_a_server_that_is_not_held_may_change(server: LocalServer) -> None:
    llm = ServerModel(server.url, "small")
    for model in ("a", "b"):
        named(server, model, "fp1")
        assert llm.generate(PROMPT, max_tokens=5).text == "yes"


def test_a_server_that_does_not_answer_the_first_question_keeps_its_identity(server: LocalServer) -> None:
    llm = ServerModel(server.url, "small")
    before = llm.identity
    llm.hold_to_one()
    assert (llm.identity.server, llm.identity.answered) == (before.server, "")
    named(server, "a", "fp1")
    assert llm.generate(PROMPT, max_tokens=5).text == "yes"
    named(server, "b", "fp1")
    with pytest.raises(JudgeChanged):
        llm.generate(PROMPT, max_tokens=5)


def test_a_server_that_ignores_stream_is_read(server: LocalServer) -> None:
    named(server, "a", "fp1", '{"question": "Where?"}', whole=True)
    found = ServerModel(server.url, "small").generate(PROMPT, schema=SCHEMA, max_tokens=50)
    assert json.loads(found.text) == {"question": "Where?"}
    assert (found.prompt_tokens, found.completion_tokens, found.finish) == (7, 2, "stop")


def test_a_server_that_fails_for_a_moment_is_not_taken_for_another_model(
    server: LocalServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retries, "PAUSES", (0.0, 0.0))

    def fail(asked: Asked, _: dict[str, Any]) -> None:
        asked.send_error(500)

    server.answers["/props"] = fail
    with pytest.raises(ServerFailed):
        ServerModel(server.url, "small")
