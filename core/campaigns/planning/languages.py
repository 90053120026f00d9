"""The texts of the rater's page in each language: a TOML file of key and text, one file per language."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache

from core.errors import BadInput
from core.files import ASSETS

FOLDER = ASSETS / "rating" / "languages"


def languages() -> tuple[str, ...]:
    """Return the codes of the languages that there are, English first."""
    return tuple(sorted((path.stem for path in FOLDER.glob("*.toml")), key=lambda code: (code != "en", code)))


def counted_in(words: Mapping[str, str], key: str, number: int) -> str:
    """Return a number with its noun, such as "3 items" for the key "item"."""
    return words[f"{key}_one" if number == 1 else f"{key}_many"].format(n=f"{number:,}")


@cache
def words_of(language: str) -> Mapping[str, str]:
    """Return the texts of a language by key. Raises BadInput for a language that has no file."""
    if language not in languages():
        raise BadInput(f"There is no language {language[:20]!r} for raters. Choose one of: {', '.join(languages())}.")
    texts: dict[str, str] = tomllib.loads((FOLDER / f"{language}.toml").read_text(encoding="utf-8"))
    return texts
