"""Where the program's own files are; files that are written whole or not at all; a disk that does not take them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from core.errors import BadInput

ROOT = Path(__file__).resolve().parents[1]
ASSETS = ROOT / "assets"


def write_whole(path: Path, text: str) -> None:
    """Write a text beside its place and move it there. Raises BadInput as `writing`."""
    temporary = path.with_name(f"{path.name}.tmp")
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_text(text, encoding="utf-8")
        temporary.replace(path)


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Raise BadInput, which says what to do, where the disk refuses what is done to `path`."""
    try:
        yield
    except OSError as error:
        raise BadInput(
            f"{path} cannot be written ({error.strerror or type(error).__name__}). "
            "Free some space on that disk, or let this program write there, and try again."
        ) from error
