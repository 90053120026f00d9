"""Parse the names of model files: safety, model, part and quantisation."""

from __future__ import annotations

import re
from pathlib import Path

from core.errors import BadInput
from core.settings import settings

WEIGHTS = "model.safetensors"
FOLDER_FILES = (
    WEIGHTS,
    "config.json",
    "tokenizer.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "added_tokens.json",
)
"""The files of a cross-encoder, in a folder of its own; the first three are required."""

_FILE_NAME = re.compile(r"[A-Za-z0-9][\w.+-]{0,199}\.gguf", re.ASCII)
_PART = re.compile(r"(?P<stem>.+)-(?P<part>\d{5})-of-(?P<parts>\d{5})")
_QUANTISATION = re.compile(
    r"(?:^|[-._])(?P<kind>I?Q\d(?:_[0-9A-Z]+)*|TQ\d_\d|BF16|F16|F32|FP16|FP32|MXFP4(?:_MOE)?)(?=$|[-._])"
)


def checked_name(path: str) -> str:
    """Return the file name of a path of the hub.

    It must be one of FOLDER_FILES, or a plain name (letters, digits and ._+-) that ends in .gguf. Raises BadInput for
    other names, and if a folder is "..".
    """
    if path in FOLDER_FILES:
        return path
    folders, _, name = path.rpartition("/")
    if not _FILE_NAME.fullmatch(name) or ".." in folders.split("/"):
        raise BadInput(f"The hub names a file {path!r}: only plain names that end in .gguf are accepted.")
    return name


def model_name(file_name: str) -> str:
    """Return a GGUF's name without its ending and, for one of several parts, without the part's number."""
    stem = re.sub(r"\.gguf$", "", file_name, flags=re.IGNORECASE)
    part = _PART.fullmatch(stem)
    return part["stem"] if part else stem


def part_names(file_name: str) -> tuple[str, ...]:
    """Return the names of all parts of a file's model, in order; one name if it has no parts.

    Raises BadInput for impossible numbers (part 0, part 3 of 2, more than 999 parts).
    """
    part = _PART.fullmatch(file_name.removesuffix(".gguf"))
    if part is None:
        return (file_name,)
    count = int(part["parts"])
    if not 1 <= int(part["part"]) <= count < 1000:
        raise BadInput(f"{file_name}: says it is part {int(part['part'])} of {count}, which cannot be.")
    return tuple(f"{part['stem']}-{number:05}-of-{count:05}.gguf" for number in range(1, count + 1))


def quantisation_of(file_name: str) -> str:
    """Return the quantisation a file name ends in ("Q4_K_M"), in capitals, or "" if it names none."""
    found = list(_QUANTISATION.finditer(model_name(file_name).upper()))
    return found[-1]["kind"] if found else ""


def expanded_folder() -> Path:
    """Return the folder of expanded copies of weights (`core.llm.llama_loading`)."""
    return settings().home / "expanded"


def unfinished_copy(pid: int) -> Path:
    """Return the file into which the process with this number writes an expanded copy."""
    return expanded_folder() / f".{pid}.new"


def size_of(path: Path) -> int:
    """Return the bytes of all parts of a file's model that are there."""
    parts = (path.with_name(name) for name in part_names(path.name))
    return sum(part.stat().st_size for part in parts if part.is_file())
