"""What the users of this server settled about models: the default, and the files and servers they named."""

from __future__ import annotations

import json
import threading
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from core.errors import BadRecord
from core.files import write_whole
from core.models.choice import BUNDLED, ModelChoice
from core.settings import settings

_WRITING = threading.Lock()


@dataclass(frozen=True)
class Preferences:
    """`default` and `added` hold ids of choices, as `parse_choice` reads them; never a server's key."""

    default: str = BUNDLED
    added: tuple[str, ...] = ()


def preferences_path() -> Path:
    return settings().home / "models.json"


def preferences() -> Preferences:
    """Read the preferences; the defaults where nothing was settled. Raises BadRecord if they are broken."""
    path = preferences_path()
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return Preferences()
    except (OSError, ValueError) as error:
        raise BadRecord(f"{path} cannot be read: {error}. Delete it to begin anew.") from error
    default, added = (record.get(key) if isinstance(record, dict) else None for key in ("default", "added"))
    if not isinstance(default, str) or not isinstance(added, list):
        raise BadRecord(f"{path} needs 'default', a text, and 'added', a list. Delete it to begin anew.")
    return Preferences(default=default, added=tuple(str(id) for id in added))


def set_default(choice: ModelChoice) -> None:
    """Make a model the one that every page and command starts with. Raises BadInput if that cannot be kept."""
    with _WRITING:
        _save(replace(preferences(), default=choice.id))


def add_choice(choice: ModelChoice) -> None:
    """Add a file or a server to the models on offer; its key is not kept. Raises BadInput if that cannot be."""
    with _WRITING:
        now = preferences()
        if choice.id not in now.added:
            _save(replace(now, added=(*now.added, choice.id)))


def drop_choice(choice: ModelChoice) -> None:
    """Take a model off the list; where it was the default, the bundled model becomes it.

    Raises BadInput if that cannot be kept.
    """
    with _WRITING:
        now = preferences()
        default = BUNDLED if now.default == choice.id else now.default
        new = Preferences(default=default, added=tuple(id for id in now.added if id != choice.id))
        if new != now:
            _save(new)


def _save(new: Preferences) -> None:
    write_whole(preferences_path(), json.dumps(asdict(new), indent=2) + "\n", parents=True)
