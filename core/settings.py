"""Where Veridesk keeps things. Everything comes from the environment, read when asked for."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from core.errors import BadInput
from core.files import expanded


@dataclass(frozen=True)
class Settings:
    """`home` holds models, indexes and the database; `database_url` is any SQLAlchemy URL.

    `hub` is the address of the Hugging Face hub or of a mirror, without a slash at the end. `stance_model` is the
    folder of a three-way cross-encoder. Once measured as better, it reads passages again, in place of the one that is
    chosen on the Models page.
    """

    home: Path
    database_url: str
    hub: str = "https://huggingface.co"
    stance_model: Path | None = None

    @property
    def models(self) -> Path:
        return self.home / "models"

    @property
    def indexes(self) -> Path:
        return self.home / "indexes"

    @property
    def collections(self) -> Path:
        return self.home / "collections"

    @property
    def archives(self) -> Path:
        return self.home / "archives"

    @property
    def archive_url(self) -> str:
        """The database of archives: VERIDESK_ARCHIVE (postgresql://…), else an SQLite file in the home."""
        return os.environ.get("VERIDESK_ARCHIVE") or _sqlite_url(self.archives / "archives.db")

    @property
    def index_limit(self) -> int:
        """The most bytes for kept indexes. VERIDESK_INDEX_LIMIT sets it in gigabytes. Raises BadInput."""
        return _bytes_of("VERIDESK_INDEX_LIMIT", "10")

    @property
    def snapshot_limit(self) -> int:
        """The most bytes for snapshots of pages. VERIDESK_SNAPSHOT_LIMIT sets it in gigabytes. Raises BadInput."""
        return _bytes_of("VERIDESK_SNAPSHOT_LIMIT", "5")

    @property
    def contact(self) -> str:
        """The address of this program's operator, from VERIDESK_CONTACT: sent to every site that search asks."""
        written = " ".join((os.environ.get("VERIDESK_CONTACT") or "").split())
        if not (written.isascii() and written.isprintable()):
            raise BadInput("VERIDESK_CONTACT must be an e-mail address or a web address in plain letters.")
        return written

    @property
    def search_sources(self) -> tuple[str, ...]:
        """The sources that pages offer, from VERIDESK_SEARCH: NAME or NAME=ADDRESS, with commas between."""
        written = os.environ.get("VERIDESK_SEARCH") or "wikipedia"
        return tuple(named for part in written.split(",") if (named := part.strip()))

    @property
    def parallel(self) -> int | None:
        """How many claims a server is asked about at once, from VERIDESK_PARALLEL; None where nobody says.

        Raises BadInput.
        """
        written = os.environ.get("VERIDESK_PARALLEL", "")
        if written and not (written.isdecimal() and int(written)):
            raise BadInput(f"VERIDESK_PARALLEL must be a number of claims such as 4, not {written!r}.")
        return int(written) if written else None

    @property
    def scheduler(self) -> str:
        """The address of a Dask scheduler for verifying claims, from VERIDESK_SCHEDULER; empty for none."""
        return os.environ.get("VERIDESK_SCHEDULER", "")

    @property
    def review_feed(self) -> Path | None:
        """The file of published fact-checks (ClaimReview) named by VERIDESK_REVIEWS, if there is one."""
        written = os.environ.get("VERIDESK_REVIEWS")
        return expanded(Path(written)) if written else None

    @property
    def source_kinds(self) -> Path:
        """The newsroom's own list of domains by kind of source: VERIDESK_SOURCE_KINDS, else a file in the home."""
        written = os.environ.get("VERIDESK_SOURCE_KINDS")
        return expanded(Path(written)) if written else self.home / "source_kinds.toml"

    @property
    def open_to_strangers(self) -> bool:
        """Whether a server that anybody can reach may serve them without sign-in or an organiser (VERIDESK_OPEN)."""
        return os.environ.get("VERIDESK_OPEN", "") == "yes"

    def may_read(self, path: Path, *, local: bool, folder: Path | None = None) -> bool:
        """Tell whether a path that somebody wrote on a page may be read.

        If only this machine can reach the server (`local`), every path may be read. Otherwise only paths in `folder`
        may be, by default `stores` of the home. A visitor from elsewhere must not read the server's other files.
        """
        return local or expanded(path).resolve().is_relative_to((folder or self.home / "stores").resolve())


def _bytes_of(variable: str, default: str) -> int:
    """Return the bytes that a variable gives in gigabytes. Raises BadInput."""
    written = os.environ.get(variable) or default
    try:
        gigabytes = float(written)
    except ValueError:
        gigabytes = math.nan
    if not 0 <= gigabytes < math.inf:
        raise BadInput(f"{variable} must be a number of gigabytes such as {default}, not {written!r}.")
    return int(gigabytes * 1e9)


def _home() -> Path:
    if named := os.environ.get("VERIDESK_HOME"):
        home = expanded(Path(named)).absolute()
        if home.exists() and not home.is_dir():
            raise BadInput(f"VERIDESK_HOME names {home}, which is a file: set it to a folder.")
        return home
    try:
        return Path.home() / ".veridesk"
    except RuntimeError as error:  # HOME is not set, and the user has no entry among the accounts
        raise BadInput("This user has no home folder here: set VERIDESK_HOME to a folder to keep things in.") from error


def _sqlite_url(path: Path) -> str:
    """Return the address of an SQLite file, in which "?" would begin options and "%" a code. Raises BadInput."""
    try:
        return f"sqlite:///{quote(str(path))}"
    except UnicodeEncodeError as error:
        raise BadInput("VERIDESK_HOME is no path in UTF-8: set it to a folder with another name.") from error


def settings() -> Settings:
    """Return the settings named by VERIDESK_HOME, _DATABASE, _HUB and _STANCE_MODEL, or their defaults."""
    home = _home()
    database_url = os.environ.get("VERIDESK_DATABASE") or _sqlite_url(home / "veridesk.db")
    hub = (os.environ.get("VERIDESK_HUB") or Settings.hub).rstrip("/")
    stance_model = os.environ.get("VERIDESK_STANCE_MODEL")
    return Settings(home, database_url, hub, expanded(Path(stance_model)) if stance_model else None)
