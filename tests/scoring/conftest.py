"""A judge's answers kept in a file."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.llm.caching import CallCache


@pytest.fixture
def kept(tmp_path: Path) -> Iterator[CallCache]:
    cache = CallCache(tmp_path / "judgements.db")
    yield cache
    cache.close()
