"""Read the metadata in the header of a GGUF file.

The package gguf also reads the vocabulary and believes every length: it takes 2.8 s for the bundled model, this reader
0.1 ms (tests/models/test_libraries.py). Source: the GGUF specification of the ggml project (docs/gguf.md), versions 2
and 3, little-endian.
"""

from __future__ import annotations

import os
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from core.errors import BadInput
from core.files import check_regular

MAGIC = b"GGUF"
MAX_BYTES = 8 * 1024 * 1024
"""The most bytes to read. Our metadata precedes the vocabulary, which may take 6 MB."""

MAX_TEXT = 4096
"""The longest text to keep; longer ones (chat templates) are skipped."""

MAX_ITEMS = 1024
"""The longest list to keep: one number per layer. Longer ones (vocabularies) are skipped."""

Value = int | float | bool | str | tuple[int | float | bool, ...]

_NUMBERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
"""Letters of struct for the types of numbers."""

_TEXT, _LIST = 8, 9

# llama.h, enum llama_ftype: the type of most tensors in a file.
_FILE_TYPES = {
    0: "F32", 1: "F16", 2: "Q4_0", 3: "Q4_1", 7: "Q8_0", 8: "Q5_0", 9: "Q5_1", 10: "Q2_K", 11: "Q3_K_S",
    12: "Q3_K_M", 13: "Q3_K_L", 14: "Q4_K_S", 15: "Q4_K_M", 16: "Q5_K_S", 17: "Q5_K_M", 18: "Q6_K",
    19: "IQ2_XXS", 20: "IQ2_XS", 21: "Q2_K_S", 22: "IQ3_XS", 23: "IQ3_XXS", 24: "IQ1_S", 25: "IQ4_NL",
    26: "IQ3_S", 27: "IQ3_M", 28: "IQ2_S", 29: "IQ2_M", 30: "IQ4_XS", 31: "IQ1_M", 32: "BF16",
}  # fmt: skip

# Architectures that turn text or pictures into vectors: llama.cpp loads them, but they cannot write.
_CANNOT_WRITE = frozenset({"bert", "nomic-bert", "jina-bert-v2", "clip", "t5encoder", "whisper"})


@dataclass(frozen=True)
class GgufHeader:
    """The metadata of a GGUF file. Missing properties are empty or 0."""

    metadata: dict[str, Value]

    @property
    def architecture(self) -> str:
        return self._text("general.architecture")

    @property
    def license(self) -> str:
        return self._text("general.license")

    @property
    def quantisation(self) -> str:
        return _FILE_TYPES.get(self._number("general.file_type", missing=-1), "")

    @property
    def context_tokens(self) -> int:
        """The longest context the model was trained for, in tokens."""
        return self._number(f"{self.architecture}.context_length")

    @property
    def layers(self) -> int:
        return self._number(f"{self.architecture}.block_count")

    @property
    def key_heads(self) -> int:
        """The number of key-value heads of all layers together."""
        heads = self.metadata.get(f"{self.architecture}.attention.head_count_kv")
        if isinstance(heads, tuple):  # one number a layer
            return sum(_count(number) or 0 for number in heads)
        one = _count(heads)
        return self.layers * (self._query_heads if one is None else one)

    @property
    def head_width(self) -> int:
        """Keys and values of one head together, in numbers per token."""
        usual = self._number(f"{self.architecture}.embedding_length") // max(self._query_heads, 1)
        key = self._number(f"{self.architecture}.attention.key_length", missing=usual)
        return key + self._number(f"{self.architecture}.attention.value_length", missing=usual)

    @property
    def _query_heads(self) -> int:
        heads = self.metadata.get(f"{self.architecture}.attention.head_count")
        several = heads if isinstance(heads, tuple) else (heads,)
        return max((_count(number) or 0 for number in several), default=0)

    def _text(self, key: str) -> str:
        value = self.metadata.get(key)
        return value if isinstance(value, str) else ""

    def _number(self, key: str, *, missing: int = 0) -> int:
        value = _count(self.metadata.get(key))
        return missing if value is None else value


def _count(value: object) -> int | None:
    """Return a valid count; None for any other value in a broken file."""
    return value if type(value) is int and 0 <= value < 2**31 else None


def read_header(path: Path) -> GgufHeader:
    """Read the header of a GGUF file: at most `MAX_BYTES`, trusting nothing in it.

    Raises BadInput if the file is missing, unreadable or not GGUF, or if its header is cut off or broken.
    The message names the file and the way out.
    """
    check_regular(path)
    try:
        with path.open("rb") as file:
            return _Reader(path, file).header()
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise BadInput(f"{path}: the model file cannot be read ({reason}). Check the path.") from error


def read_model_header(path: Path) -> GgufHeader:
    """Read the header of a language model. Raises BadInput as `read_header`, or if the model cannot write."""
    header = read_header(path)
    if header.architecture in _CANNOT_WRITE:
        raise BadInput(
            f"{path.name}: a model of the kind '{header.architecture}' makes vectors and cannot write. "
            "Choose the GGUF of a chat or instruction model."
        )
    if header.context_tokens == 0 and f"{header.architecture}.context_length" in header.metadata:
        raise BadInput(f"{path.name}: the file says that the model can read no text at all. Choose another GGUF.")
    if not header.architecture:
        raise BadInput(f"{path.name}: the file does not say which architecture it is. Choose another GGUF.")
    return header


class _Reader:
    """Reads one header from its beginning, checking every length before reading."""

    def __init__(self, path: Path, file: BinaryIO) -> None:
        self._path = path
        self._file = file
        self._size = file.seek(0, os.SEEK_END)
        self._end = min(self._size, MAX_BYTES)
        file.seek(0)

    def header(self) -> GgufHeader:
        if self._size < 4 or self._file.read(4) != MAGIC:
            raise BadInput(f"{self._path.name}: not a GGUF file: it does not begin with 'GGUF'.")
        version = self._integer("I")
        if version not in (2, 3):
            raise BadInput(f"{self._path.name}: GGUF version {version} cannot be read, only 2 and 3.")
        _tensors, pairs = self._integer("Q"), self._integer("Q")
        metadata: dict[str, Value] = {}
        for _ in range(pairs):
            key = self._text()
            if key is None:
                raise self._broken()
            if key.startswith("tokenizer.") and "general.architecture" in metadata:
                break  # the vocabulary: several MB of words, and converters write it last
            value = self._value(self._integer("I"))
            if value is not None:
                metadata[key] = value
        return GgufHeader(metadata)

    def _broken(self) -> BadInput:
        if self._size > MAX_BYTES:
            return BadInput(f"{self._path.name}: the GGUF header is broken or over 8 MB long. Get it again.")
        return BadInput(f"{self._path.name}: the GGUF file is cut off or broken in its header. Get it again.")

    def _check_left(self, count: int) -> None:
        if count > self._end - self._file.tell():
            raise self._broken()

    def _bytes(self, count: int) -> bytes:
        self._check_left(count)
        block = self._file.read(count)
        if len(block) < count:  # the file became shorter during reading
            raise self._broken()
        return block

    def _skip(self, count: int) -> None:
        self._check_left(count)
        self._file.seek(count, os.SEEK_CUR)

    def _numbers(self, letter: str, count: int) -> tuple[int | float | bool, ...]:
        form = f"<{count}{letter}"
        return struct.unpack(form, self._bytes(struct.calcsize(form)))

    def _integer(self, letter: str) -> int:
        return int(self._numbers(letter, 1)[0])

    def _text(self) -> str | None:
        """Return the next text, or None for one too long to be kept."""
        length = self._integer("Q")
        if length > MAX_TEXT:
            self._skip(length)
            return None
        return self._bytes(length).decode("utf-8", "replace")

    def _value(self, kind: int) -> Value | None:
        if kind == _TEXT:
            return self._text()
        if kind == _LIST:
            return self._list(self._integer("I"), self._integer("Q"))
        if kind not in _NUMBERS:
            raise self._broken()
        return self._numbers(_NUMBERS[kind], 1)[0]

    def _list(self, kind: int, count: int) -> Value | None:
        if kind == _TEXT:
            for _ in range(count):
                self._text()
            return None
        if kind not in _NUMBERS:  # also a list of lists, which the format allows and nobody writes
            raise self._broken()
        if count > MAX_ITEMS:
            self._skip(count * struct.calcsize(f"<{_NUMBERS[kind]}"))
            return None
        return self._numbers(_NUMBERS[kind], count)
