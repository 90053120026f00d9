"""Which language model is meant: the bundled one, a GGUF file, or a model of a server."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from core.errors import BadInput
from core.models.names import model_name

BUNDLED = "bundled"
FORMS = "Write 'bundled', the path of a .gguf file, or a server with its model: http://localhost:8080/v1#qwen3"


@dataclass(frozen=True)
class ModelChoice:
    """A language model by where it is found.

    `path` is set for "file" (of a model in parts: its first part), `url` and `model` for "server". The key of
    a server lives in memory only: it is in no comparison, no text of the object and no file.
    """

    kind: Literal["bundled", "file", "server"]
    name: str
    path: Path | None = None
    url: str = ""
    model: str = ""
    api_key: str = field(default="", repr=False, compare=False)

    @property
    def id(self) -> str:
        """What `parse_choice` reads as this choice; stable, and free of secrets."""
        if self.kind == "file":
            return str(self.path)
        return f"{self.url}#{self.model}" if self.kind == "server" else BUNDLED


BUNDLED_CHOICE = ModelChoice(kind="bundled", name="SmolLM2 135M Instruct (bundled)")


def parse_choice(text: str) -> ModelChoice:
    """Read what `--model` and settings say. Raises BadInput for what is none of the three forms.

    A path is made absolute; whether the file is there and is a model is `installed.check_file`'s to say.
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
    """Return the choice of a GGUF file, by its absolute path."""
    return ModelChoice(kind="file", name=model_name(path.name), path=path.expanduser().absolute())


def server_choice(url: str, model: str, *, api_key: str = "") -> ModelChoice:
    """Return the choice of a model on an OpenAI-compatible server.

    An address without a path gets "/v1", which llama-server, vLLM and Ollama use. Raises BadInput if the
    address is not http(s), has a password in it, or if there is no model name.
    """
    parts = urlsplit(url.strip())
    try:
        host, _ = parts.hostname, parts.port
    except ValueError as error:  # a port that is no number
        raise BadInput(f"{url.strip()[:100]!r} is not a server's address. {FORMS}.") from error
    if parts.scheme not in ("http", "https") or not host or parts.query:
        raise BadInput(f"{url.strip()[:100]!r} is not a server's address. {FORMS}.")
    if "@" in parts.netloc:
        raise BadInput("A server's address must hold no password: it would be kept. Give the key apart.")
    if not model.strip():
        raise BadInput(f"The server needs a model's name after '#'. {FORMS}.")
    address = f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/') or '/v1'}"
    name = f"{model.strip()} on {parts.netloc}"
    return ModelChoice(kind="server", name=name, url=address, model=model.strip(), api_key=api_key)
