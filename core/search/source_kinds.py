"""The kind of source of a document: by a list of domains, else by the page's own account. It decides nothing."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path

from core.errors import BadInput
from core.files import ASSETS
from core.search.leakage import is_fact_checker
from core.settings import settings
from core.types import Document

LIST = ASSETS / "source_kinds.toml"

MAX_BYTES = 1_000_000


class SourceKind(StrEnum):
    """The kinds of sources, in words."""

    OFFICIAL = "official"
    NEWS = "news"
    RESEARCH = "research"
    ENCYCLOPAEDIA = "encyclopaedia"
    FACT_CHECKER = "fact-checker"
    BLOG = "blog or post"
    UNKNOWN = "unknown kind"


@dataclass(frozen=True)
class KnownSource:
    """The kind of a source, and how it is known, as the end of a sentence."""

    kind: SourceKind
    how: str


UNKNOWN = KnownSource(SourceKind.UNKNOWN, "neither the list of domains nor the page names it")

_TYPES = {
    "claimreview": SourceKind.FACT_CHECKER,
    "governmentorganization": SourceKind.OFFICIAL,
    "legislation": SourceKind.OFFICIAL,
    "scholarlyarticle": SourceKind.RESEARCH,
    "medicalscholarlyarticle": SourceKind.RESEARCH,
    "blogposting": SourceKind.BLOG,
    "liveblogposting": SourceKind.NEWS,
    "socialmediaposting": SourceKind.BLOG,
    "discussionforumposting": SourceKind.BLOG,
    "blog": SourceKind.BLOG,
    "newsarticle": SourceKind.NEWS,
    "reportagenewsarticle": SourceKind.NEWS,
    "analysisnewsarticle": SourceKind.NEWS,
    "opinionnewsarticle": SourceKind.NEWS,
    "newsmediaorganization": SourceKind.NEWS,
}
"""Types of schema.org and Open Graph that name a kind; the first in this order counts."""


def kind_of(document: Document) -> KnownSource:
    """Return the kind of source that a document is from. Raises BadInput if the newsroom's list cannot be read."""
    if not document.on_web:
        return UNKNOWN
    if kind := _listed(document.site, own_kinds()):
        return KnownSource(kind, "by this newsroom’s list of domains")
    if is_fact_checker(document.url):
        return KnownSource(SourceKind.FACT_CHECKER, "by the list of fact-checkers")
    if kind := _listed(document.site, _read(LIST, LIST.stat().st_mtime)):
        return KnownSource(kind, "by the list of domains")
    types = frozenset(document.page_type.lower().split())
    named = next((kind for name, kind in _TYPES.items() if name in types), None)
    return KnownSource(named, "by the page’s own account") if named else UNKNOWN


def own_kinds() -> Mapping[str, SourceKind]:
    """Return the kinds of the newsroom's own list by domain; empty without one. Raises BadInput if it is broken."""
    path = settings().source_kinds
    try:
        return _read(path, path.stat().st_mtime)
    except FileNotFoundError:
        return {}


@cache
def _read(path: Path, changed: float) -> Mapping[str, SourceKind]:
    """Return the kinds of a list by domain. `changed` is when it was written, so that a new list is read."""
    try:
        content = path.read_bytes()[:MAX_BYTES].decode("utf-8")
        named = {str(SourceKind(kind)): domains for kind, domains in tomllib.loads(content).items()}
        if not all(isinstance(domains, list) for domains in named.values()):
            raise ValueError("a kind has no list of domains")
        pairs = [(domain, kind) for kind, domains in named.items() for domain in domains]
        return {domain.lower().strip("."): SourceKind(kind) for domain, kind in pairs}
    except (OSError, ValueError, TypeError, AttributeError) as error:
        kinds = ", ".join(f'"{kind}"' for kind in SourceKind)
        raise BadInput(
            f'{path} is no list of sources: it needs lines such as news = ["a.example"]. Kinds: {kinds}.'
        ) from error


def _listed(site: str, kinds: Mapping[str, SourceKind]) -> SourceKind | None:
    """Return the kind of a host by its longest listed end; None where none is listed."""
    labels = site.lower().split(".")
    return next((kind for at in range(len(labels)) if (kind := kinds.get(".".join(labels[at:])))), None)
