"""Where Veridesk keeps things. Everything comes from the environment, read when asked for."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Settings:
    """`home` holds models, indexes and the database; `database_url` is any SQLAlchemy URL."""

    home: Path
    database_url: str

    @property
    def models(self) -> Path:
        return self.home / "models"

    @property
    def indexes(self) -> Path:
        return self.home / "indexes"


def settings() -> Settings:
    """Return the settings named by VERIDESK_HOME and VERIDESK_DATABASE, or their defaults under ~/.veridesk."""
    home = Path(os.environ.get("VERIDESK_HOME") or Path.home() / ".veridesk").expanduser()
    database_url = os.environ.get("VERIDESK_DATABASE") or f"sqlite:///{home / 'veridesk.db'}"
    return Settings(home=home, database_url=database_url)
