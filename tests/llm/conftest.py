"""The bundled model, open once for all these tests of a process."""

from collections.abc import Iterator

import pytest

from core.llm.backends import bundled_model
from core.llm.llama import LlamaModel


@pytest.fixture(scope="session")
def llm() -> Iterator[LlamaModel]:
    opened = bundled_model(context_tokens=2048)
    yield opened
    opened.close()
