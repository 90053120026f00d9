"""Ask the Hugging Face hub for the GGUF models, or the cross-encoder, in a repository.

Source: the hub's API, GET /api/models/REPOSITORY/tree/main: a list of {type, path, size, lfs: {oid, size}},
where lfs.oid is the SHA-256 of the file; small files have none. The package huggingface_hub would read an answer of
any length: tests/models/test_libraries.py.
"""

from __future__ import annotations

import re
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urljoin, urlsplit

import httpx

from core.errors import BadInput, ServerError
from core.files import json_of
from core.http.client import HttpRequest, error_words
from core.models.file_names import FOLDER_FILES, WEIGHTS, checked_name, model_name, part_names, quantisation_of

MAX_SECONDS = 30.0
"""The most that a whole listing may take."""

MAX_BYTES = 16 * 1024 * 1024
MAX_PAGES = 5
"""The hub lists 1,000 files per page; no GGUF repository is known to have more than a few hundred."""

MAX_SIZE = 2**53
"""Bytes; no disk holds more, and a number of 400 digits is no size."""

_REPOSITORY = re.compile(r"[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}", re.ASCII)
_SHA256 = re.compile(r"[0-9a-f]{64}")
# Files of a GGUF repository that are no language models: picture encoders and quantisation statistics.
_NO_MODEL = re.compile(r"mmproj|imatrix", re.IGNORECASE)


@dataclass(frozen=True)
class HubFile:
    """One file of a repository. `sha256` is in hex, empty where the hub states none; `size` is in bytes."""

    path: str
    size: int
    sha256: str

    @property
    def name(self) -> str:
        """The name the file gets on this machine: checked, without any folder."""
        return checked_name(self.path)


@dataclass(frozen=True)
class HubModel:
    """One model: one file, several parts that llama.cpp loads as one, or a cross-encoder, its weights first."""

    repository: str
    files: tuple[HubFile, ...]

    @property
    def folder(self) -> str:
        """The folder of a cross-encoder; empty for a GGUF file."""
        return self.repository.replace("/", "--") if self.files[0].path == WEIGHTS else ""

    @property
    def name(self) -> str:
        """Names the model on this machine: its folder, or the first file without ending and part number."""
        return self.folder or model_name(self.files[0].name)

    @property
    def quantisation(self) -> str:
        return quantisation_of(self.files[0].name)

    @property
    def size(self) -> int:
        return sum(file.size for file in self.files)


def checked_repository(text: str) -> str:
    """Return a repository's name as the hub writes it, "owner/name"; also takes its web address.

    Raises BadInput for anything else.
    """
    name = text.strip()
    if name.startswith(("http://", "https://")):
        with suppress(ValueError):  # a broken address is no repository either
            name = "/".join(urlsplit(name).path.strip("/").split("/")[:2])
    if not _REPOSITORY.fullmatch(name):
        raise BadInput(f"{name[:100]!r} is not a repository. Write owner/name, as in Qwen/Qwen3-8B-GGUF.")
    return name


def file_url(hub: str, repository: str, path: str) -> str:
    """Return the address a file is downloaded from."""
    return f"{hub}/{checked_repository(repository)}/resolve/main/{quote(path)}"


def list_models(repository: str, *, hub: str) -> tuple[HubModel, ...]:
    """Ask the hub for the models in a repository; smallest first.

    Files with an unsafe name or without a SHA-256 are left out, as are models that miss a part.
    Raises BadInput if the repository does not exist, wants a sign-in or holds no such file. Raises
    ServerError if the hub cannot be reached or answers something else.
    """
    repository = checked_repository(repository)
    files = _gguf_files(_tree(repository, hub))
    groups: dict[tuple[str, ...], list[HubFile]] = {}
    for file in files.values():
        groups.setdefault(part_names(file.name), []).append(file)
    whole = [group for names, group in groups.items() if len(group) == len(names)]
    models = [HubModel(repository, tuple(sorted(group, key=lambda file: file.name))) for group in whole]
    if not models:
        raise BadInput(f"{repository} holds no GGUF model. Repositories with GGUFs usually end in -GGUF.")
    return tuple(sorted(models, key=lambda model: (model.size, model.name)))


def find_cross_encoder(repository: str, *, hub: str) -> HubModel:
    """Ask the hub for the cross-encoder in a repository: safetensors, with a tokenizer that needs no conversion.

    Raises as `list_models`.
    """
    repository = checked_repository(repository)
    listed = {file.path: file for file in map(_listed, _tree(repository, hub)) if file}
    files = [listed[name] for name in FOLDER_FILES if name in listed]
    if tuple(file.path for file in files[:3]) != FOLDER_FILES[:3] or not files[0].sha256:
        raise BadInput(f"{repository} holds no cross-encoder that can be used: it needs {', '.join(FOLDER_FILES[:3])}.")
    return HubModel(repository, tuple(files))


def _gguf_files(entries: list[Any]) -> dict[str, HubFile]:
    """Return the usable GGUF files by local name; if two have one name, the one in the outermost folder."""
    found: dict[str, HubFile] = {}
    for file in map(_listed, entries):
        if file and file.sha256 and not _NO_MODEL.search(file.path):
            with suppress(BadInput):  # its name is not safe
                part_names(file.name)
                found.setdefault(file.name, file)
    return found


def _listed(entry: Any) -> HubFile | None:
    """Return a listed file; None for a folder, and for a file without a size or with a broken SHA-256."""
    try:
        lfs = entry.get("lfs") or {}
        file = HubFile(entry["path"], lfs.get("size", entry.get("size")), lfs.get("oid", ""))
        usable = isinstance(file.path, str) and isinstance(file.size, int) and 0 < file.size < MAX_SIZE
        return file if usable and (not lfs or _SHA256.fullmatch(file.sha256)) else None
    except (AttributeError, KeyError, TypeError):  # the hub answered with something else
        return None


def _tree(repository: str, hub: str) -> list[Any]:
    entries: list[Any] = []
    address: str | None = f"{hub}/api/models/{repository}/tree/main?recursive=true"
    deadline = time.monotonic() + MAX_SECONDS
    for _ in range(MAX_PAGES):
        if address is None:
            break
        response = _answer(address, repository, hub, deadline - time.monotonic())
        try:
            page = json_of(response.content)
        except ValueError:
            page = None
        if not isinstance(page, list):
            raise ServerError(f"{hub} did not answer with a list of files. Is it a model hub?")
        entries += page
        following = response.links.get("next", {}).get("url")
        address = _joined(address, following, hub) if following else None
    return entries


def _joined(address: str, link: str, hub: str) -> str:
    try:
        return urljoin(address, link)
    except ValueError as error:
        raise ServerError(f"{hub} names no address for the rest of its list. Is it a model hub?") from error


def _answer(address: str, repository: str, hub: str, seconds: float) -> httpx.Response:
    """Return an answer. Raises BadInput if asking again is of no use, ServerError otherwise."""
    try:
        response = HttpRequest(address, seconds, MAX_BYTES, redirects=True).send()
    except httpx.HTTPError as error:
        raise ServerError(f"The model hub {hub} cannot be reached: {error_words(error)}.") from error
    if response.status_code in (401, 403):
        raise BadInput(
            f"{hub} does not give {repository} without signing in, or it does not exist. "
            "Download it with your account and name the file here, or choose another repository."
        )
    if response.status_code == 404:
        raise BadInput(f"{hub} has no {repository}, or not that file. Check the name on the hub's web page.")
    if not response.is_success:
        raise ServerError(f"{hub} answered with status {response.status_code}. Try again later.")
    return response
