"""A PostgreSQL cluster of the tests' own, from Debian's package: in a temporary folder, reached by a socket there."""

from __future__ import annotations

import os
import pwd
import secrets
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg

ACCOUNT = "postgres"


def programs() -> Path | None:
    """Return the folder of the newest installed server's programs."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: float(path.parts[-3]))
    return found[-1].parent if found else None


@dataclass(frozen=True)
class Cluster:
    """A running server; `folder` holds its data and its socket."""

    folder: Path

    def new_database(self) -> str:
        """Return the URL of an empty database: a schema of its own, which takes milliseconds, not a second."""
        name = f"veridesk_{secrets.token_hex(6)}"
        with psycopg.connect(f"host={self.folder} user={ACCOUNT} dbname=postgres", autocommit=True) as connection:
            connection.execute(f"CREATE SCHEMA {name}")
        return f"postgresql://{ACCOUNT}@/postgres?host={self.folder}&options=-csearch_path%3D{name}"


@contextmanager
def cluster(bin_folder: Path, *, durable: bool) -> Iterator[Cluster]:
    """Start a server and stop it in the end. Without `durable` it does not wait for the disk: for tests of a second."""
    folder = Path(tempfile.mkdtemp(prefix="veridesk-pg-"))
    account = pwd.getpwnam(ACCOUNT)
    if os.geteuid() == 0:  # the server refuses to run as root
        os.chown(folder, account.pw_uid, account.pw_gid)
    settings = {
        "listen_addresses": "''",
        "unix_socket_directories": str(folder),
        "max_connections": "200",
        "fsync": "on" if durable else "off",
    }
    options = " ".join(f"-c {name}={value}" for name, value in settings.items())
    data, log = str(folder / "data"), str(folder / "log")
    start = ["pg_ctl", "start", "-w", "-s", "-D", data, "-l", log, "-o", options]
    try:
        _run(bin_folder, folder, ["initdb", "-D", data, "-U", ACCOUNT, "-A", "trust", "-E", "UTF8", "--no-sync"])
        _run(bin_folder, folder, start)
        try:
            yield Cluster(folder)
        finally:
            _run(bin_folder, folder, ["pg_ctl", "stop", "-w", "-s", "-m", "immediate", "-D", data])
    finally:
        shutil.rmtree(folder)


def _run(bin_folder: Path, folder: Path, command: list[str]) -> None:
    become = ["runuser", "-u", ACCOUNT, "--"] if os.geteuid() == 0 else []
    subprocess.run(
        [*become, str(bin_folder / command[0]), *command[1:]], cwd=folder, check=True, stdout=subprocess.DEVNULL
    )
