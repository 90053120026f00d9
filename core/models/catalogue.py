"""Recommended models. Only the hub knows their files and sizes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from core.dataclass_json import from_json
from core.files import ASSETS
from core.models.hub import HubModel

_FILE = ASSETS / "models.json"
_CROSS_ENCODERS = ASSETS / "cross_encoders.json"


@dataclass(frozen=True)
class Recommendation:
    """A model of the catalogue.

    `quantisations` are the recommended ones, best first; the hub decides which of them exist. `licence` is the maker's
    name for it. `used_by` names the teams of the FEVER 8 shared task that used the model, from table 3 of its report.
    They usually used it in another format.
    """

    name: str
    repository: str
    parameters: str
    quantisations: tuple[str, ...]
    licence: str
    size_class: Literal["laptop", "workstation"]
    used_by: str
    note: str


@cache
def catalogue() -> tuple[Recommendation, ...]:
    """Return the recommended models, smallest first. Source: assets/models.json."""
    return from_json(json.loads(_FILE.read_text(encoding="utf-8")), tuple[Recommendation, ...])


@dataclass(frozen=True)
class CrossEncoderRecommendation:
    """A three-way cross-encoder of the catalogue; `licence` and `trained_on` as its maker names them."""

    repository: str
    parameters: str
    licence: str
    trained_on: str


@cache
def cross_encoder_catalogue() -> tuple[CrossEncoderRecommendation, ...]:
    """Return the recommended cross-encoders, smallest download first. Source: assets/cross_encoders.json."""
    return from_json(json.loads(_CROSS_ENCODERS.read_text(encoding="utf-8")), tuple[CrossEncoderRecommendation, ...])


def recommended(listing: Sequence[HubModel], quantisations: Sequence[str]) -> HubModel | None:
    """Return the model of a hub's listing that has the first of `quantisations` the hub offers."""
    for wanted in quantisations:
        for model in listing:
            if model.quantisation == wanted:
                return model
    return None
