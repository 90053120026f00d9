"""Name the sources that this server offers for a search."""

from __future__ import annotations

from functools import cache

from core.errors import BadInput
from core.search.sources import open_source
from core.search.types import described
from core.settings import settings


def offered() -> tuple[str, ...]:
    """Return the sources that this server offers: only its administrator may name addresses of its own network."""
    return settings().search_sources


@cache
def title_of(named: str) -> str:
    """Return a source's name and place, as a person chooses it; its bare name if it cannot be opened."""
    try:
        return described(open_source(named))
    except BadInput:
        return named
