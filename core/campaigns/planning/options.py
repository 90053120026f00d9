"""A campaign's texts for its raters, and its settings besides the form."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from functools import cache
from urllib.parse import urlsplit

from core.errors import BadInput, reason_of
from core.files import ASSETS, json_of

MAX_TEXT = 20_000
"""Characters that an introduction, guidelines or examples may have."""


@dataclass(frozen=True)
class CampaignOptions:
    """An organiser's choices. Texts have paragraphs between empty lines; an empty `introduction` is the shared task's.

    `label_first` shows the predicted label and the reference evidence from the start, as the shared task's form did.
    A rater must answer `pass_mark` of the practice items as their keys say. Raters who have rated everything see
    `completion_code`, and a link to `completion_url`.
    """

    introduction: str = ""
    guidelines: str = ""
    examples: str = ""
    label_first: bool = False
    pass_mark: int = 0
    completion_code: str = ""
    completion_url: str = ""

    def to_json(self) -> str:
        return json.dumps(asdict(self), ensure_ascii=False)

    @staticmethod
    def from_json(text: str) -> CampaignOptions:
        """Return the options that `to_json` wrote. Raises BadInput if there is something else."""
        try:
            row = json_of(text)
            kinds = {one.name: type(one.default) for one in fields(CampaignOptions)}
            for name, value in row.items():
                if type(value) is not kinds[name]:
                    raise ValueError(f"{name[:40]} is of the wrong kind")
            return CampaignOptions(**row)
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise BadInput(f"The campaign's options cannot be read ({reason_of(error)}).") from error


def offered_texts(language: str = "") -> tuple[str, str]:
    """Return the guidelines and worked examples that a new campaign is offered; examples are in English only.

    Source of the examples: the FEVER-8 shared task's overview, Tables 10 and 11, shortened.
    """
    there = ASSETS / "campaigns" / f"guidelines.{language}.txt"
    return _text(f"guidelines.{language}" if there.exists() else "guidelines"), _text("examples")


def checked_options(options: CampaignOptions, practice: int) -> CampaignOptions:
    """Return the options of a campaign. Raises BadInput if one is impossible, as a pass mark above `practice`."""
    for name in ("introduction", "guidelines", "examples"):
        if len(getattr(options, name)) > MAX_TEXT:
            raise BadInput(f"The {name} may have {MAX_TEXT:,} characters; shorten them.")
    if not 0 <= options.pass_mark <= practice:
        raise BadInput(f"{options.pass_mark} of {practice} practice items cannot be required to be right.")
    if options.completion_url and urlsplit(options.completion_url).scheme not in ("http", "https"):
        raise BadInput("The address after the last item must begin with https:// or http://.")
    return options


def _text(name: str) -> str:
    return (ASSETS / "campaigns" / f"{name}.txt").read_text(encoding="utf-8").strip()


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
