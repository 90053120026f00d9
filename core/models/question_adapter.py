"""The adapter with which a model asks, where one was trained on this machine: its figures and its recipe."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from core.dataclass_json import from_json
from core.errors import BadRecord
from core.files import write_whole
from core.settings import settings


@dataclass(frozen=True)
class QuestionAdapter:
    """The figures of an adapter on `claims` claims: `without` it and with it (`adapted`).

    The figures are those of core.training.question_figures, by name; `better` says whether it is to be offered.
    """

    better: bool
    claims: int
    without: dict[str, Any]
    adapted: dict[str, Any]
    licence: str
    date: str
    command: str


def adapter_path() -> Path:
    """Return the path of this machine's adapter; its figures (.json) and its recipe (.toml) lie beside it."""
    return settings().home / "adapters" / "questions.gguf"


def save_figures(adapter: Path, figures: QuestionAdapter) -> None:
    """Write the figures beside an adapter. Raises BadInput if the disk does not take them."""
    write_whole(adapter.with_suffix(".json"), json.dumps(asdict(figures), indent=2) + "\n")


def load_figures(adapter: Path) -> QuestionAdapter | None:
    """Return the figures of an adapter, None where there is none. Raises BadRecord if they cannot be read."""
    path = adapter.with_suffix(".json")
    try:
        return from_json(json.loads(path.read_text(encoding="utf-8")), QuestionAdapter)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadRecord(f"{path} does not hold an adapter's figures. Measure it again, or delete it.") from error
