"""Download one file over HTTP, resume it after a break, and check it before use.

Resuming follows RFC 9110: Range with If-Range, so that a file that changed in between starts over. The
SHA-256 is computed while the bytes arrive; bytes that an earlier run left are read once before going on.
The package huggingface_hub drops a stopped download and computes no SHA-256: tests/models/test_libraries.py.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import time
from pathlib import Path
from typing import BinaryIO

import httpx

from core.errors import BadInput, Cancelled, ModelError, ServerError
from core.files import write_whole
from core.http.client import error_words
from core.models.download_progress import DownloadProgress
from core.models.gguf import MAGIC
from core.models.hub import HubFile
from core.wording import size_words

BLOCK = 1024 * 1024
TIMEOUT = httpx.Timeout(15.0)
PAUSES = (1.0, 2.0, 4.0, 8.0, 16.0)
"""Seconds before each new try after a break; arriving bytes restore all five tries."""

SLOW_SECONDS, SLOW_BYTES = 60.0, 60_000
"""The fewest bytes that must arrive in this time. Fewer are a break, and do not restore the tries."""


class _Break(Exception):
    """The connection broke or the server is busy; a retry may help."""


class _Slow(_Break):
    """The server sends too slowly to finish."""


def etag_path(part: Path) -> Path:
    """Return the path of the ETag of a part."""
    return part.with_name(part.name + ".etag")


def discard(part: Path) -> None:
    """Remove the files of a broken-off transfer."""
    part.unlink(missing_ok=True)
    etag_path(part).unlink(missing_ok=True)


def fetch(wanted: HubFile, url: str, part: Path, progress: DownloadProgress) -> None:
    """Download the file at `url` to `part`, resuming an earlier call; return after checking its SHA-256.

    Raises Cancelled if stopped, ServerError if the connection keeps breaking and ModelError if the disk is full. Then
    the part is kept, and another call goes on. Raises BadInput if the server does not give the file. Raises ModelError,
    without a part, if the server gives another file than the hub states.
    """
    try:
        _Transfer(wanted, url, part, progress).run()
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise ModelError(
                f"The disk is full: {wanted.name} could not be written. The part that has arrived is kept: "
                "free some space and resume."
            ) from error
        reason = error.strerror or type(error).__name__
        raise ModelError(f"{wanted.name} could not be written to {part.parent} ({reason}).") from error
    finally:
        if part.exists() and not part.stat().st_size:
            discard(part)


class _Transfer:
    def __init__(self, wanted: HubFile, url: str, part: Path, progress: DownloadProgress) -> None:
        self._wanted = wanted
        self._url = url
        self._part = part
        self._progress = progress
        self._sha256 = hashlib.sha256()
        self._have = 0
        self._start = b""
        self._magic = MAGIC if wanted.name.endswith(".gguf") else b""

    def run(self) -> None:
        with self._part.open("ab") as file:
            self._read_part()
            if self._have > self._wanted.size:
                self._start_over(file, "The part here is longer than the file, so the download starts over.")
            self._receive(file)
            file.flush()
            os.fsync(file.fileno())  # a finished part must survive a power cut
        if self._wanted.sha256 and self._sha256.hexdigest() != self._wanted.sha256:
            discard(self._part)
            raise ModelError(
                f"{self._wanted.name} arrived damaged: its SHA-256 is not the one the hub states. "
                "It was removed; download it again."
            )
        etag_path(self._part).unlink(missing_ok=True)

    def _read_part(self) -> None:
        with self._part.open("rb") as file:
            while block := file.read(BLOCK):
                self._take(block)
                self._progress.checked()

    def _take(self, block: bytes) -> None:
        if self._progress.stopped():
            raise Cancelled(f"The download of {self._wanted.name} was stopped; the part that has arrived is kept.")
        self._sha256.update(block)
        self._have += len(block)
        self._start += block[: len(self._magic) - len(self._start)]
        if self._start != self._magic[: len(self._start)]:
            discard(self._part)
            raise ModelError(f"The server sends no GGUF file for {self._wanted.name}; the file was removed.")

    def _start_over(self, file: BinaryIO, sentence: str) -> None:
        self._progress.says(sentence)
        file.truncate(0)
        etag_path(self._part).unlink(missing_ok=True)
        self._sha256 = hashlib.sha256()
        self._have = 0
        self._start = b""

    def _receive(self, file: BinaryIO) -> None:
        """Request the rest until it is complete, waiting longer after each fruitless try."""
        tries = 0
        with httpx.Client(timeout=TIMEOUT, follow_redirects=True) as client:
            while self._have < self._wanted.size:
                before = self._have
                try:
                    self._ask(client, file)
                except (_Break, httpx.TransportError) as error:
                    tries = 0 if self._have > before and not isinstance(error, _Slow) else tries + 1
                    self._wait(tries, error)
                except httpx.HTTPError as error:
                    reason = error_words(error)
                    raise ServerError(f"{self._wanted.name} cannot be downloaded: {reason}.") from error

    def _wait(self, tries: int, error: _Break | httpx.HTTPError) -> None:
        reason = str(error) if isinstance(error, _Break) else error_words(error)
        if tries >= len(PAUSES):
            raise ServerError(
                f"The download of {self._wanted.name} keeps breaking off ({reason}). "
                "The part that has arrived is kept: resume when the connection is better."
            ) from error
        self._progress.says(f"The connection broke ({reason}); trying again.")
        if self._progress.pause(PAUSES[tries]):
            raise Cancelled(f"The download of {self._wanted.name} was stopped; the part that has arrived is kept.")

    def _ask(self, client: httpx.Client, file: BinaryIO) -> None:
        with client.stream("GET", self._url, headers=self._headers()) as response:
            if response.status_code == 416 and self._have:
                self._start_over(file, "The server's file is shorter than the part here, so the download starts over.")
                return
            self._check_status(response.status_code)
            self._check_place(response, file)
            _keep_etag(response, self._part)
            since, had = time.monotonic(), self._have
            for block in response.iter_raw():
                self._check_room(len(block))
                file.write(block)
                file.flush()  # pages show the file's size as progress
                self._take(block)
                self._progress.arrived(self._have)
                if time.monotonic() - since > SLOW_SECONDS:
                    if self._have - had < SLOW_BYTES:
                        raise _Slow("the server sends less than a kilobyte a second")
                    since, had = time.monotonic(), self._have
        if self._have < self._wanted.size:
            raise _Break("the server ended early")

    def _headers(self) -> dict[str, str]:
        headers = {"Accept-Encoding": "identity"}
        if self._have:
            headers["Range"] = f"bytes={self._have}-"
            etag = _kept_etag(self._part)
            if etag:  # without one the SHA-256 at the end shows whether the pieces belong together
                headers["If-Range"] = etag
        return headers

    def _check_status(self, status: int) -> None:
        if status in (408, 425, 429) or status >= 500:
            raise _Break(f"the server answered {status}")
        if status in (401, 403):
            raise BadInput(f"The server does not give {self._wanted.name} without signing in.")
        if status not in (200, 206):
            raise BadInput(f"The server does not give {self._wanted.name}: it answered {status}.")

    def _check_place(self, response: httpx.Response, file: BinaryIO) -> None:
        """Check that the answer continues the part, and has the expected length."""
        if response.status_code == 200:
            whole = int(response.headers.get("Content-Length", self._wanted.size))
            if self._have:
                changed = _kept_etag(self._part) not in ("", response.headers.get("ETag", ""))
                reason = "The server's file has changed" if changed else "The server cannot resume this file"
                self._start_over(file, f"{reason}, so the download starts over.")
        else:
            first, whole = _content_range(response, self._wanted.size)
            if first != self._have:
                raise ModelError(f"The server sends another piece of {self._wanted.name} than asked for.")
        if whole != self._wanted.size:
            discard(self._part)
            raise ModelError(
                f"The hub states {size_words(self._wanted.size)} ({self._wanted.size} bytes) for "
                f"{self._wanted.name}, the server has {whole} bytes. List the files again and retry."
            )

    def _check_room(self, count: int) -> None:
        if self._have + count > self._wanted.size:
            discard(self._part)
            raise ModelError(f"The server sends more than all of {self._wanted.name}. It was removed.")


def _keep_etag(response: httpx.Response, part: Path) -> None:
    etag = response.headers.get("ETag", "")
    if etag.startswith('"') and len(etag) < 1000:  # a weak one (W/…) may not be used with If-Range
        write_whole(etag_path(part), etag)


def _kept_etag(part: Path) -> str:
    path = etag_path(part)
    return path.read_text(encoding="utf-8") if path.exists() else ""


def _content_range(response: httpx.Response, size: int) -> tuple[int, int]:
    """Return where a partial answer begins and how long the whole is: -1 where it does not begin anywhere."""
    header = response.headers.get("Content-Range", "")
    found = re.fullmatch(r"bytes (\d{1,18})-\d{1,18}/(\d{1,18}|\*)", header.strip())
    if not found:
        return -1, size
    return int(found[1]), size if found[2] == "*" else int(found[2])
