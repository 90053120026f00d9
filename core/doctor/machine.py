"""Check the machine around the program: its folder, database, port, memory and packages."""

from __future__ import annotations

import http.client
import os
import re
import socket
import tempfile
import tomllib
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version

from core.compiled_packages import INSTALL
from core.doctor.finding import Finding, Health
from core.files import ROOT
from core.models.download_plan import free_space
from core.models.memory import memory_available
from core.settings import settings
from core.storage.migrating import newest
from core.storage.store import Store
from core.wording import size_words

ROOM = 1_000_000_000
"""Bytes that the home should have free: indexes, kept pages and cases fill it."""

MEMORY = 1_500_000_000
"""Bytes for a server with both bundled models and one claim at work."""

KINDS = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}
OTHER_HOME = "export VERIDESK_HOME=/a/folder/with/room"


def home() -> Finding:
    """Write a file into the home, and check the free space."""
    folder = settings().home
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"Veridesk")
            file.flush()
        free = free_space(folder)
    except OSError as error:
        return Finding("Home", Health.WRONG, f"{folder} cannot be written: {error.strerror or error}", OTHER_HOME)
    if free < ROOM:
        words = f"The disk of {folder} has {size_words(free)} free, less than {size_words(ROOM)}"
        return Finding("Home", Health.WRONG, f"{words}: free some, or use another folder", OTHER_HOME)
    return Finding("Home", Health.GOOD, f"{folder} can be written, {size_words(free)} free")


def database() -> Finding:
    """Open the database, which brings its tables up to date, and take the right to write it."""
    store = Store(settings().database_url)
    try:
        with store.transaction(writing=True):
            kind = store.engine.dialect.name
    finally:
        store.engine.dispose()
    return Finding("Database", Health.GOOD, f"{KINDS[kind]}, its tables are up to date ({newest()})")


def port(number: int | None = None) -> Finding:
    """Check whether the app's port is free, or has a Streamlit server."""
    number = number or configured_port()
    if _is_free(number):
        return Finding("Port", Health.GOOD, f"{number} is free")
    if _streamlit_answers(number):
        return Finding("Port", Health.GOOD, f"A Streamlit server answers on {number}: this app may be running already")
    mend = f"streamlit run app.py --server.port {number + 1}"
    return Finding("Port", Health.WRONG, f"Another program uses {number}", mend)


def configured_port() -> int:
    """Return the port that `streamlit run` uses here: from the environment, from .streamlit/config.toml, or 8501."""
    server = tomllib.loads((ROOT / ".streamlit/config.toml").read_text(encoding="utf-8")).get("server", {})
    written = os.environ.get("STREAMLIT_SERVER_PORT", "")
    return int(written) if written.isdecimal() else int(server.get("port", 8501))


def _is_free(number: int) -> bool:
    with socket.socket() as tried:
        tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            tried.bind(("127.0.0.1", number))
        except OSError:
            return False
    return True


def _streamlit_answers(number: int) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", number, timeout=2)
    try:
        connection.request("GET", "/_stcore/health")
        return connection.getresponse().read(10) == b"ok"
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def memory() -> Finding:
    """Check the memory for the bundled models."""
    available = memory_available()
    if available is None:
        return Finding("Memory", Health.GOOD, "This system does not say how much is free")
    if available < MEMORY:
        words = f"{size_words(available)} free, and the app needs about {size_words(MEMORY)}"
        return Finding("Memory", Health.WRONG, words, "Close other programs, or give the container more memory.")
    return Finding("Memory", Health.GOOD, f"{size_words(available)} free")


def packages() -> Finding:
    """Compare the versions that are installed with those of requirements.txt."""
    pins = list(_pins())
    other = [f"{name} {_version(name) or 'missing'} for {wanted}" for name, wanted in pins if _version(name) != wanted]
    if other:
        words = f"Not as in requirements.txt: {', '.join(other)}"
        return Finding("Packages", Health.WRONG, words, INSTALL)
    return Finding("Packages", Health.GOOD, f"All {len(pins)} as in requirements.txt")


def _pins() -> Iterator[tuple[str, str]]:
    for line in (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines():
        if found := re.match(r"([\w.-]+)(?:\[[^\]]*\])?==([^\s;]+)", line):
            yield found[1], found[2]


def _version(package: str) -> str:
    """Return the installed version without a builder's own suffix (torch 2.13.0+cpu); empty if there is none."""
    try:
        return version(package).partition("+")[0]
    except PackageNotFoundError:
        return ""
