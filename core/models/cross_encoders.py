"""List the cross-encoders for passages on this machine, and return the chosen one."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from core.errors import BadInput
from core.models.choice import choose_cross_encoder, preferences
from core.models.digests import weights_digest
from core.models.file_names import WEIGHTS
from core.models.installed import download_record, record_path
from core.settings import settings


@dataclass(frozen=True)
class InstalledCrossEncoder:
    """A downloaded cross-encoder: its folder, its size in bytes, and its maker's description."""

    folder: Path
    size: int
    licence: str
    repository: str

    @property
    def digest(self) -> str:
        """The SHA-256 of its weights in hex."""
        return weights_digest(self.folder / WEIGHTS)


def installed_cross_encoders() -> tuple[InstalledCrossEncoder, ...]:
    """Return the cross-encoders in the models folder by name, without unfinished downloads."""
    return tuple(_described(path.parent) for path in sorted(settings().models.absolute().glob(f"*/{WEIGHTS}")))


def _described(folder: Path) -> InstalledCrossEncoder:
    record = download_record(folder)
    size = sum(path.stat().st_size for path in folder.iterdir() if path.is_file())
    return InstalledCrossEncoder(folder, size, record.get("licence", ""), record.get("repository", folder.name))


def chosen_cross_encoder() -> Path | None:
    """Return the folder that VERIDESK_STANCE_MODEL names, else the one chosen on the Models page, None for none.

    Raises BadInput if it holds no weights.
    """
    kept = preferences().cross_encoder
    folder = settings().stance_model or (Path(kept) if kept else None)
    if folder and not (folder / WEIGHTS).is_file():
        raise BadInput(f"{folder} has no {WEIGHTS}, so it cannot read passages. Choose another reader under Models.")
    return folder


def remove_cross_encoder(folder: Path) -> None:
    """Delete a downloaded cross-encoder; if it was chosen, none is chosen now.

    Raises BadInput if it cannot be deleted.
    """
    if preferences().cross_encoder == str(folder):
        choose_cross_encoder(None)
    try:
        shutil.rmtree(folder)
        record_path(folder.parent, folder.name).unlink(missing_ok=True)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise BadInput(f"{folder} cannot be deleted ({reason}). Let this program write in it.") from error
