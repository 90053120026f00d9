"""The claims between two components: what each has come to lies on disk, so that a kill costs one step of one claim."""

from __future__ import annotations

import base64
import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.batch.journal import settings_of
from core.batch.types import Plan, key_of
from core.errors import BadInput, BadRecord
from core.types import Case, Claim
from core.verification.receipt import VERSION, case_from_json, case_to_json
from core.verification.recipes.files import recipe_toml
from core.verification.runner import recipe_of

Json = dict[str, Any]
Vectors = Mapping[str, NDArray[np.float32]]
SETTINGS, AT_WORK, INDEXES = "settings.json", "at_work.json", "indexes"


@dataclass(frozen=True)
class Checkpoint:
    """A claim of which the first `components` are done, and the seconds they took.

    `vectors` are the unit vectors of the texts that were encoded for it. The last digits of a vector depend on the
    texts that were encoded beside it, so none may be made a second time.
    """

    case: Case
    components: int = 0
    seconds: float = 0.0
    vectors: Vectors = field(default_factory=dict)


@dataclass(frozen=True)
class AtWork:
    """The component at work: number `position` of `components` (from 1), and for how many of `claims` it is done."""

    component: str
    position: int
    components: int
    done: int
    claims: int


def underway_path(out: Path) -> Path:
    """Return the folder of a submission's claims that are underway."""
    return out.with_name(out.name + ".underway")


def at_work(folder: Path) -> AtWork | None:
    """Return what was at work last in a folder of claims underway; None before anything was."""
    try:
        return AtWork(**json.loads((folder / AT_WORK).read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None


@dataclass(frozen=True)
class CheckpointFolder:
    """A file for each claim that is underway, and the indexes of their documents."""

    path: Path

    @property
    def indexes(self) -> Path:
        return self.path / INDEXES

    def begin(self, plan: Plan) -> None:
        """Make the folder; what another plan or version left there goes, since nobody can go on with it."""
        steps = recipe_toml(recipe_of(plan.request))
        wanted = {"settings": settings_of(plan), "steps": steps, "version": VERSION}
        written = json.dumps(wanted, ensure_ascii=False)
        file = self.path / SETTINGS
        if file.exists() and file.read_text(encoding="utf-8") == written:
            return
        if self.path.exists():
            shutil.rmtree(self.path)
        self.path.mkdir()
        put(file, written.encode())

    def components_of(self, claim: Claim) -> int:
        """Return how many components are done for a claim."""
        file = self._file(claim)
        if not file.exists():
            return 0
        with file.open("rb") as lines:
            return int(self._json(file, lines.readline())["components"])

    def read(self, claim: Claim) -> Checkpoint:
        """Return what a claim has come to. Raises BadRecord naming a file that is damaged."""
        file = self._file(claim)
        if not file.exists():
            return Checkpoint(Case(claim))
        head, _, body = file.read_bytes().partition(b"\n")
        about, kept = self._json(file, head), self._json(file, body)
        vectors = vectors_from_json(kept["vectors"])
        return Checkpoint(case_from_json(kept["case"]), about["components"], about["seconds"], vectors)

    def write(self, claim: Claim, underway: Checkpoint) -> None:
        """Keep what a claim has come to: all of it, or after a kill what was there before."""
        head = {"components": underway.components, "seconds": underway.seconds}
        body = {"case": case_to_json(underway.case), "vectors": vectors_to_json(underway.vectors)}
        put(self._file(claim), b"\n".join(json.dumps(part).encode() for part in (head, body)))

    def forget(self, claim: Claim) -> None:
        self._file(claim).unlink(missing_ok=True)

    def tell(self, standing: AtWork) -> None:
        """Note the component at work, for `at_work`."""
        put(self.path / AT_WORK, json.dumps(asdict(standing), ensure_ascii=False).encode())

    def _file(self, claim: Claim) -> Path:
        return self.path / f"{key_of(claim)}.json"

    def _json(self, file: Path, line: bytes) -> Json:
        try:
            return dict(json.loads(line))
        except ValueError as error:
            raise BadRecord(f"{file} is damaged ({error}): delete it, and its claim is begun anew.") from error


def vectors_to_json(vectors: Vectors) -> Json:
    """Return the texts, and their vectors one after the other in base64: as they are, and a third of the length."""
    rows = np.stack(list(vectors.values())) if vectors else np.zeros((0, 0), dtype=np.float32)
    return {"texts": list(vectors), "dimensions": rows.shape[1], "float32": base64.b64encode(rows.tobytes()).decode()}


def vectors_from_json(record: Json) -> dict[str, NDArray[np.float32]]:
    """Return what `vectors_to_json` wrote."""
    rows = np.frombuffer(base64.b64decode(record["float32"]), dtype=np.float32)
    return dict(zip(record["texts"], rows.reshape(-1, record["dimensions"] or 1), strict=True))


def put(file: Path, content: bytes) -> None:
    """Write a file beside its place, wait until it is on disk, and move it there. Raises BadInput if it cannot be."""
    new = file.with_name(f".{file.name}.new")
    try:
        with new.open("wb") as written:
            written.write(content)
            written.flush()
            os.fsync(written.fileno())
        os.replace(new, file)
    except OSError as error:
        raise BadInput(
            f"{file} cannot be written ({error.strerror}): free some space and start again, what is done is kept."
        ) from error
