"""List optional packages, each with the command to install it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class OptionalPackage:
    """A package by its import name, the pinned requirement that installs it, and its use."""

    name: str
    requirement: str
    use: str

    @property
    def command(self) -> str:
        return f"pip install {self.requirement}"


PSYCOPG = OptionalPackage("psycopg", "'psycopg[binary]==3.3.9'", "data in PostgreSQL")
LIBZIM = OptionalPackage("libzim", "libzim==3.13.1", "search in ZIM files, such as a copy of Wikipedia")
DISTRIBUTED = OptionalPackage("distributed", "distributed==2026.8.0", "batches on several machines")
PEFT = OptionalPackage("peft", "peft==0.21.2", "training an adapter for questions")
GGUF = OptionalPackage("gguf", "gguf==0.19.0", "training an adapter for questions")
OPTIONAL_PACKAGES = (PSYCOPG, LIBZIM, DISTRIBUTED, PEFT, GGUF)
