from __future__ import annotations

from collections.abc import Iterator

import pytest

from core import workbench
from core.engines import dense
from core.models.choice import ModelChoice
from core.models.keys import keep_key
from core.ports import ModelIdentity
from pages.shared.engines import Engines

SERVER = "http://127.0.0.1:9/v1#small"


class Loaded:
    """Stands for a language model that takes memory until it is closed."""

    open_now: list[str]
    most: int

    def __init__(self, choice: ModelChoice) -> None:
        self.identity = ModelIdentity(choice.name, "0" * 64)
        self.key = choice.api_key
        Loaded.open_now.append(choice.id)
        Loaded.most = max(Loaded.most, len(Loaded.open_now))

    def close(self) -> None:
        Loaded.open_now.pop(0)


@pytest.fixture
def engines(monkeypatch: pytest.MonkeyPatch) -> Iterator[Engines]:
    Loaded.open_now, Loaded.most = [], 0
    monkeypatch.setattr(workbench, "open_writer", Loaded)
    monkeypatch.setattr(dense, "load_encoder", lambda: object())
    yield Engines()
    keep_key("http://127.0.0.1:9/v1", "")


def test_a_model_stays_loaded_for_the_next_case(engines: Engines) -> None:
    first = engines.bench("bundled")
    assert engines.bench("bundled").writer is first.writer
    assert engines.bench("bundled").encoder is first.encoder


def test_a_model_is_let_go_before_the_next_takes_its_memory(engines: Engines) -> None:
    engines.bench("bundled")
    engines.bench(SERVER)
    assert (Loaded.open_now, Loaded.most) == ([SERVER], 1)
    engines.release()
    assert Loaded.open_now == []


def test_a_key_that_was_given_since_is_used(engines: Engines) -> None:
    assert engines.bench(SERVER).writer.key == ""  # type: ignore[attr-defined]
    keep_key("http://127.0.0.1:9/v1", "secret")
    assert engines.bench(SERVER).writer.key == "secret"  # type: ignore[attr-defined]
