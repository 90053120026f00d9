from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from core.interfaces import ModelIdentity, Stop
from core.llm import backends
from core.models.choice import BUNDLED_CHOICE, ModelChoice, keep_key, parse_choice
from core.retrieval import dense
from pages.ui.app_state import Engines

SERVER = "http://127.0.0.1:9/v1#small"


class Loaded:
    """Stands for a language model that takes memory until it is closed."""

    open_now: list[str]
    most: int

    def __init__(self, choice: ModelChoice, *, stop: Stop) -> None:
        self.identity = ModelIdentity(choice.name, "0" * 64)
        self.key = choice.api_key
        Loaded.open_now.append(choice.id)
        Loaded.most = max(Loaded.most, len(Loaded.open_now))

    def close(self) -> None:
        Loaded.open_now.pop(0)


@pytest.fixture
def engines(monkeypatch: pytest.MonkeyPatch) -> Iterator[Engines]:
    Loaded.open_now, Loaded.most = [], 0
    monkeypatch.setattr(backends, "open_model", Loaded)
    monkeypatch.setattr(dense, "load_encoder", lambda: object())
    yield Engines()
    keep_key("http://127.0.0.1:9/v1", "")


def test_a_model_stays_loaded_for_the_next_case(engines: Engines) -> None:
    first = engines.bench("bundled")
    assert engines.bench("bundled").llm is first.llm
    assert engines.bench("bundled").encoder is first.encoder


def test_a_model_is_let_go_before_the_next_takes_its_memory(engines: Engines) -> None:
    engines.bench("bundled")
    engines.bench(SERVER)
    assert (Loaded.open_now, Loaded.most) == ([SERVER], 1)
    engines.release()
    assert Loaded.open_now == []


def test_only_the_model_that_is_meant_is_let_go(engines: Engines) -> None:
    engines.bench("bundled")
    engines.let_go(parse_choice(SERVER))
    assert Loaded.open_now == ["bundled"]
    engines.let_go(BUNDLED_CHOICE)
    assert (Loaded.open_now, engines.opened) == ([], None)


def test_a_model_that_is_being_loaded_is_let_go_when_it_is(engines: Engines, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def slowly(choice: ModelChoice, *, stop: Stop) -> Loaded:
        begun.set()
        assert go_on.wait(10)
        return Loaded(choice, stop=stop)

    monkeypatch.setattr(backends, "open_model", slowly)
    loading = threading.Thread(target=engines.bench, args=("bundled",))
    loading.start()
    assert begun.wait(10)
    letting = threading.Thread(target=engines.let_go, args=(BUNDLED_CHOICE,))
    letting.start()
    letting.join(0.1)
    assert letting.is_alive()
    go_on.set()
    loading.join(10)
    letting.join(10)
    assert (Loaded.open_now, Loaded.most, engines.opened) == ([], 1, None)


def test_a_key_that_was_given_since_is_used(engines: Engines) -> None:
    assert engines.bench(SERVER).llm.key == ""  # type: ignore[attr-defined]
    keep_key("http://127.0.0.1:9/v1", "secret")
    assert engines.bench(SERVER).llm.key == "secret"  # type: ignore[attr-defined]
