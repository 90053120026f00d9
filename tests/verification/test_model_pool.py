"""Which language models are open, and how many claims work with them at once."""

import threading
from collections.abc import Iterator

import pytest

from core.errors import BadInput
from core.interfaces import ModelIdentity, Stop, never
from core.llm import backends
from core.models.choice import BUNDLED_CHOICE, ModelChoice, keep_key, parse_choice
from core.verification import opening
from core.verification.model_pool import ModelPool

SERVER, OTHER = "http://127.0.0.1:9/v1#small", "/models/other.gguf"


class Loaded:
    """Stands for a language model that takes memory until it is closed."""

    open_now: list[str]
    most: int

    def __init__(self, choice: ModelChoice, *, stop: Stop = never) -> None:
        self.identity = ModelIdentity(choice.name, "0" * 64)
        self.key = choice.api_key
        Loaded.open_now.append(choice.id)
        Loaded.most = max(Loaded.most, len(Loaded.open_now))

    def close(self) -> None:
        Loaded.open_now.pop(0)


@pytest.fixture
def pool(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelPool]:
    Loaded.open_now, Loaded.most = [], 0
    monkeypatch.setattr(backends, "open_model", Loaded)
    monkeypatch.setattr(opening, "open_readers", lambda: object())
    yield ModelPool()
    keep_key("http://127.0.0.1:9/v1", "")


def test_a_model_stays_loaded_for_the_next_case(pool: ModelPool) -> None:
    first = pool.models("bundled")
    assert pool.models("bundled").llm is first.llm
    assert pool.models("bundled").encoder is first.encoder


def test_a_model_is_let_go_before_the_next_takes_its_memory(pool: ModelPool) -> None:
    pool.models("bundled")
    pool.models(OTHER)
    assert (Loaded.open_now, Loaded.most) == ([OTHER], 1)
    pool.close()
    assert Loaded.open_now == []


def test_a_server_s_model_takes_no_memory_here_and_lets_none_go(pool: ModelPool) -> None:
    pool.models("bundled")
    assert pool.models(SERVER).llm is pool.models(SERVER).llm
    assert Loaded.open_now == ["bundled", SERVER]
    pool.let_go(BUNDLED_CHOICE)
    assert list(pool.servers) == [(SERVER, "")]


def test_claims_of_embedded_models_share_one_worker_and_those_of_a_server_its_own(
    pool: ModelPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert [pool.slot(model) for model in ("bundled", OTHER, SERVER)] == ["", "", SERVER]
    assert (pool.workers(""), pool.workers(SERVER)) == (1, 1)
    pool.models(SERVER).llm.parallel = 6  # type: ignore[attr-defined]
    assert (pool.workers(""), pool.workers(SERVER)) == (1, 6)
    monkeypatch.setenv("VERIDESK_PARALLEL", "3")
    assert (pool.workers(""), pool.workers(SERVER)) == (1, 3)
    monkeypatch.setenv("VERIDESK_PARALLEL", "many")
    with pytest.raises(BadInput, match="VERIDESK_PARALLEL"):
        pool.workers(SERVER)


def test_only_the_model_that_is_meant_is_let_go(pool: ModelPool) -> None:
    pool.models("bundled")
    pool.let_go(parse_choice(SERVER))
    assert Loaded.open_now == ["bundled"]
    pool.let_go(BUNDLED_CHOICE)
    assert (Loaded.open_now, pool.opened) == ([], None)


def test_a_model_that_is_being_loaded_is_let_go_when_it_is(pool: ModelPool, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def slowly(choice: ModelChoice, *, stop: Stop) -> Loaded:
        begun.set()
        assert go_on.wait(300)
        return Loaded(choice, stop=stop)

    monkeypatch.setattr(backends, "open_model", slowly)
    loading = threading.Thread(target=pool.models, args=("bundled",))
    loading.start()
    assert begun.wait(300)
    letting = threading.Thread(target=pool.let_go, args=(BUNDLED_CHOICE,))
    letting.start()
    letting.join(0.1)
    assert letting.is_alive()
    go_on.set()
    loading.join(300)
    letting.join(300)
    assert (Loaded.open_now, Loaded.most, pool.opened) == ([], 1, None)


def test_a_key_that_was_given_since_is_used(pool: ModelPool) -> None:
    assert pool.models(SERVER).llm.key == ""  # type: ignore[attr-defined]
    keep_key("http://127.0.0.1:9/v1", "secret")
    assert pool.models(SERVER).llm.key == "secret"  # type: ignore[attr-defined]
