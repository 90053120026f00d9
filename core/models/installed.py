"""List the available models: the bundled one, downloads, and files and servers that the user added."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from core.errors import BadInput
from core.files import json_of, write_whole
from core.models.choice import (
    BUNDLED_CHOICE,
    ModelChoice,
    bundled_path,
    drop_choice,
    file_choice,
    parse_choice,
    preferences,
)
from core.models.digests import known_digest
from core.models.file_names import model_name, part_names, size_of
from core.models.gguf import GgufHeader, read_model_header
from core.settings import settings

if TYPE_CHECKING:  # it imports httpx, which takes longer than listing the models
    from core.models.hub import HubModel

BUNDLED_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
BUNDLED_LICENCE = "Apache-2.0"

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class Installed:
    """A model that can be chosen, and its details.

    `size` is that of all its files in bytes, 0 for a server. `digest` is the SHA-256 of its weights, empty if unknown.
    `problem` is a sentence on why the model cannot be used. `header` is None then, and for servers. `repository` and
    `downloaded` (ISO, UTC) are empty for a model that was not downloaded here.
    """

    choice: ModelChoice
    size: int = 0
    digest: str = ""
    licence: str = ""
    repository: str = ""
    downloaded: str = ""
    header: GgufHeader | None = None
    problem: str = ""

    @property
    def deletable(self) -> bool:
        """Whether deleting it removes files; only files in the models folder are removed."""
        return self.choice.path is not None and self.choice.path.parent == settings().models.absolute()


def installed_models() -> tuple[Installed, ...]:
    """Return the models on this machine and on servers the user named: bundled first, then by name."""
    found = {BUNDLED_CHOICE.id: _bundled()}
    folder = settings().models.absolute()
    for path in sorted(folder.glob("*.gguf")):
        if path.name == _first_part(path.name):
            choice = file_choice(path)
            found[choice.id] = _described(choice)
    for text in preferences().added:
        choice = parse_choice(text)
        found.setdefault(choice.id, _described(choice))
    bundled, *others = found.values()
    return (bundled, *sorted(others, key=lambda model: model.choice.name.lower()))


def available_models() -> list[ModelChoice]:
    """Return the usable models, the bundled one first, for select boxes."""
    return [model.choice for model in installed_models() if not model.problem]


def default_choice() -> ModelChoice:
    """Return the default model.

    Raises BadInput if the chosen default cannot be used any more; the message names the way out.
    """
    choice = parse_choice(preferences().default)
    if choice.kind == "file" and choice.path is not None:
        try:
            check_file(choice.path)
        except BadInput as error:
            raise BadInput(f"The default model cannot be used. {error} Choose another under Models.") from error
    return choice


def check_file(path: Path) -> GgufHeader:
    """Return the header of a model file after making sure that all parts of the model are there.

    Raises BadInput if the file is missing, cannot be read, or is no GGUF or no language model. Raises it also if the
    file is not the first of its parts, or if parts are missing.
    """
    if path.suffix.lower() != ".gguf":
        raise BadInput(f"{path.name}: the name of a model file ends in .gguf.")
    header = read_model_header(path)
    names = part_names(path.name)
    if path.name != names[0]:
        raise BadInput(f"{path.name} is a later part of a model. Name the first part: {names[0]}.")
    missing = [name for name in names if not path.with_name(name).is_file()]
    if missing:
        raise BadInput(f"{path.name}: {len(missing)} of {len(names)} parts are missing, first {missing[0]}.")
    return header


def record_download(model: HubModel, licence: str, *, folder: Path) -> None:
    """Write the origin, SHA-256 and licence of a downloaded model beside it.

    Raises BadInput if they cannot be written.
    """
    record = {
        "repository": model.repository,
        "files": [{"name": file.name, "size": file.size, "sha256": file.sha256} for file in model.files],
        "licence": licence,
        "downloaded": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    write_whole(record_path(folder, model.name), json.dumps(record, indent=2) + "\n")


def remove_model(
    choice: ModelChoice, *, in_use: Callable[[ModelChoice], str], let_go: Callable[[ModelChoice], None]
) -> None:
    """Delete a downloaded model's files, or remove a user's file or server from the list.

    `in_use` names the job that uses it, empty for none. `let_go` unloads a loaded model, which would otherwise keep its
    disk space. Raises BadInput for the bundled model, for a model in use, and if files cannot be deleted.
    """
    if choice.kind == "bundled":
        raise BadInput("The bundled model belongs to the program and cannot be deleted.")
    if work := in_use(choice):
        raise BadInput(f"{choice.name} is at work on {work}. Wait for it, or cancel it, and try again.")
    let_go(choice)
    if choice.path is not None and choice.path.parent == settings().models.absolute():
        _delete(choice.path, choice.name)
    drop_choice(choice)  # last, because on a full disk it needs the space


def _delete(first: Path, name: str) -> None:
    for path in (*(first.with_name(part) for part in part_names(first.name)), record_path(first.parent, name)):
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise BadInput(f"{path} cannot be deleted ({reason}). Let this program write in its folder.") from error


def _bundled() -> Installed:
    try:
        path = bundled_path()
        header = check_file(path)
    except BadInput as error:
        return Installed(BUNDLED_CHOICE, licence=BUNDLED_LICENCE, problem=str(error))
    size = path.stat().st_size
    return Installed(BUNDLED_CHOICE, size, BUNDLED_SHA256, licence=BUNDLED_LICENCE, header=header)


def _described(choice: ModelChoice) -> Installed:
    path = choice.path
    if path is None:
        return Installed(choice)
    try:
        header = check_file(path)
        size = size_of(path)
    except (BadInput, OSError) as error:
        return Installed(choice, problem=str(error))
    record = download_record(path)
    return Installed(
        choice,
        size=size,
        digest=known_digest(path),
        licence=record.get("licence") or header.license,
        repository=record.get("repository", ""),
        downloaded=record.get("downloaded", ""),
        header=header,
    )


def record_path(folder: Path, name: str) -> Path:
    """Return the path of the record of a download's origin."""
    return folder / f"{name}.json"


def download_record(path: Path) -> dict[str, str]:
    """Return the record of a model's file or folder; empty if it is missing or unreadable."""
    try:
        record = json_of(record_path(path.parent, model_name(path.name)).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        _LOG.warning("The record of %s cannot be read (%s)", path, error)
        return {}
    if not isinstance(record, dict):
        return {}
    return {key: value for key, value in record.items() if isinstance(value, str)}


def _first_part(name: str) -> str:
    try:
        return part_names(name)[0]
    except BadInput:  # impossible part numbers: listed with the problem
        return name
