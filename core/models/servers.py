"""Whether an OpenAI-compatible server answers, and which models it has."""

from __future__ import annotations

import httpx

from core.errors import ServerError
from core.models.choice import server_address
from core.models.connection import connection_words

TIMEOUT = httpx.Timeout(5.0)
MAX_BYTES = 4 * 1024 * 1024


def list_server_models(url: str, *, api_key: str = "") -> tuple[str, ...]:
    """Return the names of a server's models, as it lists them at URL/models.

    llama-server, vLLM and Ollama do. Raises BadInput if `url` is no server's address and ServerError if the
    server does not answer, refuses the key or answers something else; no message holds the key.
    """
    address = server_address(url)
    headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
    try:
        with (
            httpx.Client(timeout=TIMEOUT, headers=headers) as client,
            client.stream("GET", f"{address}/models") as response,
        ):
            if response.status_code in (401, 403):
                raise ServerError(f"{address} refuses the key. Check it with whoever runs the server.")
            if response.status_code != 200:
                raise ServerError(
                    f"{address}/models answered with status {response.status_code}. Is this an OpenAI-compatible "
                    "server? Its address usually ends in /v1."
                )
            body = _bounded(response, address)
    except httpx.HTTPError as error:
        raise ServerError(
            f"{address} does not answer: {connection_words(error)}. Is the server running, and its port right?"
        ) from error
    return _names(body, address)


def _bounded(response: httpx.Response, address: str) -> httpx.Response:
    body = b""
    for block in response.iter_bytes():
        body += block
        if len(body) > MAX_BYTES:
            raise ServerError(f"{address}/models answered with more than a list of models.")
    return httpx.Response(200, content=body)


def _names(body: httpx.Response, address: str) -> tuple[str, ...]:
    try:
        answer = body.json()
    except ValueError as error:
        raise ServerError(f"{address}/models did not answer with JSON. Its address usually ends in /v1.") from error
    models = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(models, list):
        raise ServerError(f"{address}/models did not answer with a list of models.")
    names = [model.get("id") for model in models if isinstance(model, dict)]
    return tuple(sorted(name for name in names if isinstance(name, str) and name))
