"""Asking an OpenAI-compatible server for its models, against one on this machine."""

from collections.abc import Iterator

import pytest

from core.errors import BadInput, ServerError
from core.models import servers
from core.models.servers import list_server_models
from tests.models.local_hub import LocalHub, local_hub


@pytest.fixture
def server() -> Iterator[LocalHub]:
    with local_hub(listing={"object": "list", "data": [{"id": "qwen3:8b"}, {"id": "phi4"}, {"id": 3}, "x"]}) as running:
        yield running


def test_the_models_are_listed_and_the_key_is_sent(server: LocalHub) -> None:
    assert list_server_models(server.url, api_key="s3cret") == ("phi4", "qwen3:8b")
    path, headers = server.requests[0]
    assert (path, headers["Authorization"]) == ("/v1/models", "Bearer s3cret")


def test_without_a_key_none_is_sent(server: LocalHub) -> None:
    list_server_models(server.url + "/v1/")
    assert "Authorization" not in server.requests[0][1]


@pytest.mark.parametrize(("status", "words"), [(401, "refuses the key"), (404, "ends in /v1"), (500, "status 500")])
def test_a_refusal_is_said_without_the_key(server: LocalHub, status: int, words: str) -> None:
    server.status = status
    with pytest.raises(ServerError, match=words) as caught:
        list_server_models(server.url, api_key="s3cret")
    assert "s3cret" not in str(caught.value)


@pytest.mark.parametrize("answer", [b"<html>", [], {"data": "none"}])
def test_another_answer_is_refused(server: LocalHub, answer: object) -> None:
    server.listing = answer
    with pytest.raises(ServerError, match="did not answer with"):
        list_server_models(server.url)


def test_an_endless_answer_is_cut(server: LocalHub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(servers, "MAX_BYTES", 10)
    with pytest.raises(ServerError, match="too long"):
        list_server_models(server.url)


def test_a_server_that_is_not_there_is_said() -> None:
    with pytest.raises(ServerError, match="server running"):
        list_server_models("http://127.0.0.1:9")


def test_an_address_that_is_none_is_refused() -> None:
    with pytest.raises(BadInput, match="a server's address"):
        list_server_models("localhost:8080")
