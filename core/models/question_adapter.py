"""Find the question adapters: the bundled one, and one trained on this machine."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from core.dataclass_json import from_json
from core.errors import BadRecord
from core.files import ASSETS, write_whole
from core.interfaces import ModelIdentity
from core.settings import settings


@dataclass(frozen=True)
class QuestionAdapter:
    """The figures of an adapter on `claims` claims: `without` it and with it (`adapted`).

    The figures are those of core.training.question_figures, by name; `better` says whether to offer it.
    """

    better: bool
    claims: int
    without: dict[str, Any]
    adapted: dict[str, Any]
    licence: str
    date: str
    command: str


BUNDLED = ASSETS / "questions" / "adapter.gguf"
"""The adapter that comes with the program; its card (.json) lies beside it."""


@dataclass(frozen=True)
class AdapterCard:
    """The origin of the adapter that comes with the program. `model` is the digest of the weights that it is for."""

    model: str
    licence: str
    sources: tuple[str, ...]
    examples: int
    seed: int
    command: str


def bundled_adapter(identity: ModelIdentity) -> Path | None:
    """Return the adapter that comes with the program; None if it is made for another model."""
    card = bundled_card()
    return BUNDLED if card and card.model == identity.digest else None


@cache
def bundled_card() -> AdapterCard | None:
    """Return the card of the adapter that comes with the program, None without one."""
    path = BUNDLED.with_suffix(".json")
    return from_json(json.loads(path.read_text(encoding="utf-8")), AdapterCard) if path.is_file() else None


def adapter_path() -> Path:
    """Return the path of this machine's adapter; its figures (.json) and its recipe (.toml) lie beside it."""
    return settings().home / "adapters" / "questions.gguf"


def save_figures(adapter: Path, figures: QuestionAdapter) -> None:
    """Write the figures beside an adapter. Raises BadInput if they cannot be written."""
    write_whole(adapter.with_suffix(".json"), json.dumps(asdict(figures), indent=2) + "\n")


def load_figures(adapter: Path) -> QuestionAdapter | None:
    """Return the figures of an adapter, or None. Raises BadRecord if they cannot be read."""
    path = adapter.with_suffix(".json")
    try:
        return from_json(json.loads(path.read_text(encoding="utf-8")), QuestionAdapter)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadRecord(f"{path} does not hold an adapter's figures. Measure it again, or delete it.") from error
