"""Run language models on an OpenAI-compatible server: llama-server, vLLM, Ollama and others."""

from __future__ import annotations

import hashlib
import json
import math
import time
from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.errors import JudgeChanged, ModelError, ServerError, ServerFailed, without_middle
from core.files import json_of
from core.interfaces import ModelIdentity, Schema, Stop, UnusableAnswer, never
from core.llm.server_api import TELL_SECONDS, Json, ServerApi
from core.types import Completion, Message, Prompt

ASSUMED_CONTEXT = 4096
LARGEST = 1e9
"""The lowest log-probability accepted."""

LIKELIEST = 20
"""Number of likeliest tokens requested; most servers give no more."""


class ServerModel:
    """A `LanguageModel` on a server. Threads may share it: the server orders its requests."""

    def __init__(self, base_url: str, model: str, *, api_key: str | None = None, timeout_seconds: float = 60) -> None:
        """Ask the server for its models and remember how long a prompt may be.

        `base_url` usually ends in /v1. Without a reported context length (Ollama), 4,096 tokens are assumed. Raises
        ServerError if it cannot be reached or does not have the model.
        """
        headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        self._model = model
        self._api = ServerApi(base_url.rstrip("/"), headers, timeout_seconds)
        self._root = ServerApi(self._api.url.removesuffix("/v1"), headers, timeout_seconds)
        self.parallel = 1
        """Number of prompts that the server answers at once; 1 if not reported."""
        self._identity = self._ask_identity()
        self._counts = True
        self._held: dict[str, str] | None = None

    def as_it_is(self, stop: Stop = never) -> ServerModel:
        """Return the model as the server describes it now, held to that. Raises ServerError if it is gone."""
        now = copy(self)
        now._identity = now._ask_identity()
        now.hold_to_one(stop)
        return now

    @property
    def identity(self) -> ModelIdentity:
        return self._identity

    def hold_to_one(self, stop: Stop = never) -> None:
        """Ask one short question and add the answer's model and system fingerprint to the identity.

        Later answers with others raise JudgeChanged. Without an answer, or with neither named, the identity stays.
        """
        try:
            body = self._body((Message("user", "Answer with: yes"),), max_tokens=1, temperature=0.0, seed=0)
            events = self._api.stream("/chat/completions", body | {"stream": True}, stop)
        except ServerError:
            events = []
        self._held = _named(events)
        if self._held:
            answered = " ".join(self._held.values())
            server = _fingerprint([self._identity.server, self._held])
            self._identity = replace(self._identity, server=server, answered=answered)

    def _check_same(self, events: Sequence[Json]) -> None:
        """Raise JudgeChanged if the events name another model or fingerprint than the first answer."""
        if self._held is None:
            return
        for field, value in _named(events).items():
            before = self._held.setdefault(field, value)
            if before != value:
                shown = [without_middle(one, 80) for one in (value, before)]
                raise JudgeChanged(
                    f"{self._api.url} answered as {field} “{shown[0]}”, and before as “{shown[1]}”: the judge changed "
                    "within this run. Its earlier answers are kept for the first judge alone. Start again to have one "
                    "judge for everything."
                )

    def count_tokens(self, text: str) -> int:
        """Return the number of tokens of `text`, or a high estimate.

        llama-server and vLLM count them (/tokenize). For other servers each three bytes of UTF-8 count as one token.
        Models need about one token for four bytes in English and for three in Chinese.
        """
        return self._count_tokens(text, never)

    def _count_tokens(self, text: str, stop: Stop) -> int:
        if self._counts:
            body = {"model": self._model, "content": text, "prompt": text, "add_special_tokens": False}
            try:
                return len(self._root.post("/tokenize", body, stop, seconds=TELL_SECONDS)["tokens"])
            except ServerFailed:  # an estimate in its place would change prompts by chance
                raise
            except (ServerError, KeyError, TypeError):
                self._counts = False
        return math.ceil(len(text.encode("utf-8", errors="replace")) / 3)

    def generate(
        self,
        prompt: Prompt,
        *,
        schema: Schema | None = None,
        max_tokens: int,
        temperature: float = 0.0,
        seed: int = 0,
        stop: Stop = never,
    ) -> Completion:
        """See `core.interfaces.LanguageModel`. Missing counts are 0.

        The request includes the schema. Raises UnusableAnswer if the answer does not follow it.
        """
        started = time.perf_counter()
        self._check_room(prompt, max_tokens, stop)
        body = self._body(prompt, max_tokens=max_tokens, temperature=temperature, seed=seed)
        body |= {"stream": True, "stream_options": {"include_usage": True}}
        if schema is not None:
            named = {"name": "answer", "schema": schema, "strict": True}
            body["response_format"] = {"type": "json_schema", "json_schema": named}
        events = self._api.stream("/chat/completions", body, stop)
        self._check_same(events)
        choices = [choice for event in events for choice in _objects(event.get("choices"))]
        finishes = [str(choice["finish_reason"]) for choice in choices if choice.get("finish_reason")]
        if not finishes:
            raise ServerError(f"{self._api.url} ended its answer in the middle. Try again; its log may say why.")
        text = "".join(_delta(choice) for choice in choices)
        finish = "length" if finishes[-1] == "length" else "stop"
        usages = _objects([event.get("usage") for event in reversed(events)])
        completion = self._completion(prompt, text, next(iter(usages), {}), started, seed, finish)
        if schema is not None:
            self._check(completion, schema, max_tokens)
        return completion

    def log_likelihoods(
        self, prompt: Prompt, choices: Sequence[str], *, stop: Stop = never
    ) -> tuple[NDArray[np.float64], Completion]:
        """See `core.interfaces.LanguageModel`. Each choice must be one token for the model: letters or digits.

        A server reports its likeliest 20 tokens. Other choices get the likelihood of the 20th, which is too high.
        Raises ServerError if the server gives no probabilities, UnusableAnswer if it gives none of the choices.
        """
        started = time.perf_counter()
        body = self._body(prompt, max_tokens=1, temperature=0.0, seed=0)
        body |= {"logprobs": True, "top_logprobs": LIKELIEST}
        answer = self._api.post("/chat/completions", body, stop)
        self._check_same([answer])
        told = _top_logprobs(answer)
        if not told:
            raise ServerError(
                f"{self._api.url} gives no probabilities, so {self._model} cannot weigh verdicts there. "
                "Use llama-server or vLLM, or another model."
            )
        found = [[value for token, value in told if token.strip(" ▁Ġ") == choice] for choice in choices]
        usage = next(iter(_objects([answer.get("usage")])), {})
        if not any(found):
            raise UnusableAnswer(
                f"{self._model} at {self._api.url} gave none of the answers {', '.join(choices)} a probability. "
                "Its first words were: " + ", ".join(without_middle(token, 40) for token, _ in told[:5]) + ".",
                self._completion(prompt, "", usage, started, 0, "stop"),
            )
        least = min(value for _, value in told)
        likelihoods = np.array([np.logaddexp.reduce(values) if values else least for values in found])
        text = choices[int(likelihoods.argmax())]
        return np.minimum(likelihoods, 0.0), self._completion(prompt, text, usage, started, 0, "stop")

    def close(self) -> None:
        """Do nothing, because the server keeps the model."""

    def _body(self, prompt: Prompt, **sampling: Any) -> Json:
        messages = [{"role": message.role, "content": message.text} for message in prompt]
        # Models that "think" first are asked not to: our answers are short and have no room for it.
        quick = {"chat_template_kwargs": {"enable_thinking": False}}
        return {"model": self._model, "messages": messages, **quick, **sampling}

    def _check_room(self, prompt: Prompt, max_tokens: int, stop: Stop) -> None:
        """Raise ModelError for a prompt that is too long; some servers cut such prompts silently."""
        tokens = sum(self._count_tokens(message.text, stop) for message in prompt)
        if tokens + max_tokens > self._identity.context_tokens:
            raise ModelError(
                f"The prompt has {tokens} tokens and its answer may have {max_tokens}: more than the "
                f"{self._identity.context_tokens} that {self._model} can read at {self._api.url}. "
                "Use fewer or shorter passages, or give the server a longer context."
            )

    def _check(self, completion: Completion, schema: Schema, max_tokens: int) -> None:
        import jsonschema  # type: ignore[import-untyped]  # takes a tenth of a second

        text = completion.text
        if completion.finish == "length":
            raise UnusableAnswer(
                f"{self._model} did not finish its answer in {max_tokens} tokens; it ends: “…{text[-60:]}”. "
                "Allow more tokens or choose another model.",
                completion,
            )
        try:
            jsonschema.validate(json_of(text), schema)
        except (ValueError, jsonschema.ValidationError) as error:
            reason = error.message if isinstance(error, jsonschema.ValidationError) else "no JSON"
            raise UnusableAnswer(
                f"{self._api.url} did not keep to the form asked for ({reason[:100]}): “{text[:100]}”. Use a server "
                "that supports response_format with json_schema: llama-server, vLLM, Ollama.",
                completion,
            ) from error

    def _completion(self, prompt: Prompt, text: str, usage: Json, started: float, seed: int, finish: str) -> Completion:
        details = usage.get("prompt_tokens_details")
        return Completion(
            prompt=prompt, text=text, prompt_tokens=_count(usage.get("prompt_tokens")),
            reused_tokens=_count(details.get("cached_tokens") if isinstance(details, dict) else 0),
            completion_tokens=_count(usage.get("completion_tokens")),
            seconds=time.perf_counter() - started, seed=seed, finish=finish,
        )  # fmt: skip

    def _ask_identity(self) -> ModelIdentity:
        models = _objects(self._api.get("/models", never).get("data"))
        listed = {str(model.get("id")): model for model in models}
        if self._model not in listed:
            names = ", ".join(without_middle(name, 80) for name in sorted(listed)[:10]) or "none"
            raise ServerError(f"{self._api.url} has no model {self._model!r}; it has {names}.")
        entry, props = listed[self._model], self._told("/props")  # llama-server
        self.parallel = max(1, _count(props.get("total_slots")))
        tags = [] if props else _objects(self._told("/api/tags").get("models"))  # Ollama
        settings = props.get("default_generation_settings")
        context = settings.get("n_ctx") if isinstance(settings, dict) else None
        tokens = _count(entry.get("max_model_len")) or _count(context) or ASSUMED_CONTEXT  # vLLM reports the first
        digests = [tag.get("digest") for tag in tags if str(tag.get("name")).startswith(self._model)]
        about = [self._api.url, entry, props.get("model_path"), props.get("build_info"), digests]
        return ModelIdentity(self._model, "", tokens, _fingerprint(about))

    def _told(self, path: str) -> Json:
        """Return the server's answer at an optional path; empty if the server has no such path.

        Raises ServerFailed if it fails: without its answer the same model would seem to be another one.
        """
        try:
            return self._root.get(path, never)
        except ServerFailed:
            raise
        except ServerError:
            return {}


VOLATILE = ("created", "permission", "expires_at", "status")
"""Fields of a model's description that change between requests."""


def _fingerprint(about: list[Any]) -> str:
    lasting = [{k: v for k, v in one.items() if k not in VOLATILE} if isinstance(one, dict) else one for one in about]
    return hashlib.sha256(json.dumps(lasting, sort_keys=True, default=str).encode()).hexdigest()[:16]


def _count(value: Any) -> int:
    """Return a number of tokens; 0 for any other value, such as NaN."""
    return int(value) if isinstance(value, int | float) and 0 <= value < 2**31 else 0


def _objects(value: Any) -> list[Json]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _named(events: Sequence[Json]) -> dict[str, str]:
    """Return the model and the system fingerprint that the events of one answer name."""
    found: dict[str, str] = {}
    for event in events:
        for field in ("model", "system_fingerprint"):
            if isinstance(value := event.get(field), str) and value:
                found.setdefault(field, value)
    return found


def _delta(choice: Json) -> str:
    delta = choice.get("delta") or choice.get("message")  # a server that does not stream sends the whole message
    return str(delta.get("content") or "") if isinstance(delta, dict) else ""


def _top_logprobs(answer: Json) -> list[tuple[str, float]]:
    """Return the likeliest first tokens and their log-probabilities, likeliest first."""
    choice = next(iter(_objects(answer.get("choices"))), {})
    logprobs = choice.get("logprobs")
    content = _objects(logprobs.get("content")) if isinstance(logprobs, dict) else []
    told = _objects(content[0].get("top_logprobs")) if content else []
    pairs = [(str(entry.get("token")), entry.get("logprob")) for entry in told]
    # compare before any conversion to float: 400 digits overflow, and comparisons with NaN are false
    return [(token, float(value)) for token, value in pairs if isinstance(value, int | float) and abs(value) < LARGEST]
