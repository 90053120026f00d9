"""Which downloads were begun: kept beside their parts, so that another server process can go on with them."""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.errors import BadInput
from core.files import write_whole
from core.models.hub import HubFile, HubModel, checked_repository

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class Plan:
    """A model that is to be downloaded, and its licence as its maker states it."""

    model: HubModel
    licence: str

    @property
    def name(self) -> str:
        return self.model.name

    def part(self, folder: Path, file: HubFile) -> Path:
        return folder / f"{file.name}.part"

    def received(self, folder: Path) -> int:
        """Return how many bytes are here, as an earlier run left them."""
        return sum(self._here(folder, file) for file in self.model.files)

    def missing(self, folder: Path) -> int:
        """Return how many bytes are still to come."""
        return self.model.size - self.received(folder)

    def _here(self, folder: Path, file: HubFile) -> int:
        for path in (folder / file.name, self.part(folder, file)):
            if path.exists():
                return min(path.stat().st_size, file.size)
        return 0


def plan_path(folder: Path, name: str) -> Path:
    """Return where the plan of a download that is not whole is kept."""
    return folder / f"{name}.download.json"


def saved_plans(folder: Path) -> tuple[Plan, ...]:
    """Return the plans that are kept in `folder`, by name; one that cannot be read is left out and logged."""
    plans = []
    for path in sorted(folder.glob("*.download.json")):
        try:
            record = json.loads(path.read_text(encoding="utf-8"))
            plans.append(_plan(record))
        except (BadInput, OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            _LOG.warning("%s is no plan of a download (%s)", path, error)
    return tuple(plans)


def save_plan(plan: Plan, folder: Path) -> None:
    """Keep a plan in `folder` until the model is whole. Raises BadInput if the disk does not take it."""
    files = [{"path": file.path, "size": file.size, "sha256": file.sha256} for file in plan.model.files]
    record = {"repository": plan.model.repository, "licence": plan.licence, "files": files}
    write_whole(plan_path(folder, plan.name), json.dumps(record, indent=2))


def _plan(record: dict[str, Any]) -> Plan:
    files = tuple(HubFile(**file) for file in record["files"])
    names = {file.name for file in files}  # raises BadInput for a name that is not safe
    if not files or len(names) < len(files) or min(file.size for file in files) <= 0:
        raise ValueError("a plan needs files with different names and a size")
    return Plan(HubModel(checked_repository(record["repository"]), files), str(record["licence"]))
