"""Ask an OpenAI-compatible server for its models."""

from __future__ import annotations

import httpx

from core.errors import ServerError
from core.files import json_of
from core.http.client import HttpRequest, error_words
from core.models.choice import server_address

MAX_SECONDS = 10.0
MAX_BYTES = 4 * 1024 * 1024
MAX_NAME = 200
"""The most characters of a model's name; longer ones are left out."""


def list_server_models(url: str, *, api_key: str = "") -> tuple[str, ...]:
    """Return the names of a server's models, as it lists them at URL/models.

    llama-server, vLLM and Ollama do. Raises BadInput if `url` is no server's address. Raises ServerError if the
    server does not answer, refuses the key or answers something else; no message holds the key.
    """
    address = server_address(url)
    headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
    try:
        response = HttpRequest(f"{address}/models", MAX_SECONDS, MAX_BYTES, headers).send()
    except httpx.HTTPError as error:
        raise ServerError(
            f"{address} does not answer: {error_words(error)}. Is the server running, and its port right?"
        ) from error
    if response.status_code in (401, 403):
        raise ServerError(f"{address} refuses the key. Check it with the server's administrator.")
    if response.status_code != 200:
        raise ServerError(
            f"{address}/models answered with status {response.status_code}. Is this an OpenAI-compatible server? "
            "Its address usually ends in /v1."
        )
    return _names(response, address)


def _names(body: httpx.Response, address: str) -> tuple[str, ...]:
    try:
        answer = json_of(body.content)
    except ValueError as error:
        raise ServerError(f"{address}/models did not answer with JSON. Its address usually ends in /v1.") from error
    models = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(models, list):
        raise ServerError(f"{address}/models did not answer with a list of models.")
    names = [model.get("id") for model in models if isinstance(model, dict)]
    return tuple(sorted(name for name in names if isinstance(name, str) and 0 < len(name) <= MAX_NAME))
