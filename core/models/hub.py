"""Which GGUF models, or which cross-encoder, a repository of the Hugging Face hub holds, asked live.

Source: the hub's API, GET /api/models/REPOSITORY/tree/main: a list of {type, path, size, lfs: {oid, size}},
where lfs.oid is the SHA-256 of the file; small files have none.
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
from core.models.http import error_words, get
from core.models.names import FOLDER_FILES, WEIGHTS, checked_name, model_name, part_names, quantisation_of

MAX_SECONDS = 30.0
"""For a listing in all, whatever the hub sends."""

MAX_BYTES = 16 * 1024 * 1024
MAX_PAGES = 5
"""The hub lists 1,000 files a page; no GGUF repository is known to have more than a few hundred."""

_REPOSITORY = re.compile(r"[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}", re.ASCII)
_SHA256 = re.compile(r"[0-9a-f]{64}")
# Files of a GGUF repository that are no language models: picture encoders and quantisation statistics.
_NO_MODEL = re.compile(r"mmproj|imatrix", re.IGNORECASE)


@dataclass(frozen=True)
class HubFile:
    """One file of a repository. `sha256` is what the hub says of it, in hex, empty if nothing; `size` is in bytes."""

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
        """The folder of its own that a cross-encoder lies in; empty for a GGUF, which has none."""
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
    """Ask the hub which models a repository holds; smallest first.

    Left out are files whose name is not safe, whose SHA-256 the hub does not state, or that miss some of
    their parts. Raises BadInput if there is no such repository, it wants a sign-in or holds no such file, and
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
    """Ask the hub for the cross-encoder in a repository, in safetensors with a tokenizer that is read as it stands.

    Raises as `list_models`.
    """
    repository = checked_repository(repository)
    listed = {entry.get("path"): entry for entry in _tree(repository, hub) if isinstance(entry, dict)}
    files = [file for name in FOLDER_FILES if (file := _folder_file(name, listed.get(name)))]
    if tuple(file.path for file in files[:3]) != FOLDER_FILES[:3]:
        raise BadInput(f"{repository} holds no cross-encoder that can be used: it needs {', '.join(FOLDER_FILES[:3])}.")
    return HubModel(repository, tuple(files))


def _folder_file(name: str, entry: Any) -> HubFile | None:
    """Return a listed file; None where it is not listed, has no size, or is weights without their SHA-256."""
    if entry is None:
        return None
    size, lfs = entry.get("size"), entry.get("lfs")
    digest = str(lfs.get("oid")) if isinstance(lfs, dict) else ""
    checkable = _SHA256.fullmatch(digest) or (not digest and name != WEIGHTS)
    return HubFile(name, size, digest) if isinstance(size, int) and size > 0 and checkable else None


def _gguf_files(entries: list[Any]) -> dict[str, HubFile]:
    """Return the usable GGUF files by local name; of two with one name the first, in the outermost folder."""
    found: dict[str, HubFile] = {}
    for entry in entries:
        file = _hub_file(entry)
        if file is not None:
            found.setdefault(file.name, file)
    return found


def _hub_file(entry: Any) -> HubFile | None:
    if not isinstance(entry, dict) or not isinstance(entry.get("lfs"), dict):
        return None
    path, size, digest = entry.get("path"), entry["lfs"].get("size"), entry["lfs"].get("oid")
    if not isinstance(path, str) or _NO_MODEL.search(path):
        return None
    if not isinstance(size, int) or size <= 0 or not isinstance(digest, str) or not _SHA256.fullmatch(digest):
        return None
    try:
        part_names(checked_name(path))
    except BadInput:
        return None
    return HubFile(path=path, size=size, sha256=digest)


def _tree(repository: str, hub: str) -> list[Any]:
    entries: list[Any] = []
    address: str | None = f"{hub}/api/models/{repository}/tree/main?recursive=true"
    deadline = time.monotonic() + MAX_SECONDS
    for _ in range(MAX_PAGES):
        if address is None:
            break
        response = _answer(address, repository, hub, deadline - time.monotonic())
        try:
            page = response.json()
        except (ValueError, RecursionError):
            page = None
        if not isinstance(page, list):
            raise ServerError(f"{hub} did not answer with a list of files. Is it a model hub?")
        entries += page
        following = response.links.get("next", {}).get("url")
        address = urljoin(address, following) if following else None
    return entries


def _answer(address: str, repository: str, hub: str, seconds: float) -> httpx.Response:
    try:
        response = get(address, seconds=seconds, max_bytes=MAX_BYTES, redirects=True)
    except httpx.HTTPError as error:
        raise ServerError(f"The model hub {hub} cannot be reached: {error_words(error)}.") from error
    check_status(response, repository, hub)
    return response


def check_status(response: httpx.Response, repository: str, hub: str) -> None:
    """Raise what an answer's status means: BadInput if asking again is of no use, ServerError otherwise."""
    status = response.status_code
    if status in (401, 403):
        raise BadInput(
            f"{hub} does not give {repository} without signing in, or it does not exist. "
            "Download it with your account and name the file here, or choose another repository."
        )
    if status == 404:
        raise BadInput(f"{hub} has no {repository}, or not that file. Check the name on the hub's web page.")
    if not response.is_success:
        raise ServerError(f"{hub} answered with status {status}. Try again later.")
