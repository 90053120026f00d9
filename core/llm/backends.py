"""List the backends for language models. A new backend needs one file and one line here."""

from __future__ import annotations

from collections.abc import Callable

from core.interfaces import LanguageModel, Stop, never
from core.llm.llama import LlamaModel, load_llama
from core.models.choice import BUNDLED_CHOICE, ModelChoice, bundled_path


def open_model(choice: ModelChoice, *, stop: Stop = never) -> LanguageModel:
    """Load the chosen language model. Raises ModelError if it cannot be loaded or reached, Cancelled by `stop`."""
    return BACKENDS[choice.kind](choice, stop)


def bundled_model(*, context_tokens: int = 4096, stop: Stop = never) -> LlamaModel:
    """Return a language model on the bundled SmolLM2, after checking that its file is unchanged."""
    from core.models.installed import BUNDLED_SHA256  # imports an HTTP client

    return load_llama(
        bundled_path(),
        context_tokens=context_tokens,
        expected_digest=BUNDLED_SHA256,
        name=BUNDLED_CHOICE.name,
        expand=True,
        stop=stop,
    )


def _file(choice: ModelChoice, stop: Stop) -> LanguageModel:
    assert choice.path is not None  # as ModelChoice says
    return load_llama(choice.path, name=choice.name, stop=stop)


def _server(choice: ModelChoice, stop: Stop) -> LanguageModel:
    from core.llm.server import ServerModel  # imports an HTTP client

    return ServerModel(choice.url, choice.model, api_key=choice.api_key or None)


BACKENDS: dict[str, Callable[[ModelChoice, Stop], LanguageModel]] = {
    "bundled": lambda _, stop: bundled_model(stop=stop),
    "file": _file,
    "server": _server,
}
