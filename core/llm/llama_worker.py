"""The process that owns a model: reads requests from standard input, one JSON object a line, and answers them.

    {"id": 1, "method": "load", "path": …}        →  {"id": 1, "result": …} or {"id": 1, "error": sentence, "kind": …}
    {"stop": 1}                                   →  request 1 ends with kind "stopped", at the next token

Requests are answered in order. The end of standard input ends the process, so it never outlives the app.
Started by llama.py as `python -m core.llm.llama_worker`.
"""

from __future__ import annotations

import codecs
import json
import os
import queue
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import llama_cpp.llama_cpp as c
import numpy as np
from numpy.typing import NDArray

from core.errors import ModelError
from core.llm.llama_loading import Loading
from core.llm.llama_model import Grammar, Interrupted, Model
from core.terms import strange_words

SHORTLIST = 40  # the usual top-k; the grammar almost always allows one of them
MIN_P = 0.05  # sampling leaves out tokens below this share of the highest probability

TRIAL = "The statistics office said on Tuesday that jobs were created in the north. " * 2
TRIAL_TOKENS = 16  # the rows of a tile in AMX, and a multiple of the block of other matrix products


@dataclass
class WrittenDraft:
    """A short answer while it is written. Its names and numbers must be in the `known` texts."""

    prompt: list[int]
    known: str
    random: np.random.Generator
    written: list[int] = field(default_factory=list)
    text: bytes = b""
    finish: str = ""
    reused: int = 0
    seconds: float = 0.0

    def take(self, token: int, piece: bytes, end: str, max_tokens: int) -> None:
        """Add a token; if the draft is over, set the reason in `finish`."""
        if not piece:
            self.finish = "stop"
            return
        self.written.append(token)
        self.text += piece
        if end in _text(piece):
            self.finish = "stop"
        elif piece[:1].isspace() and self.known and strange_words(_text(self.text[: -len(piece)]), self.known):
            self.finish = "strange"
        elif len(self.written) >= max_tokens:
            self.finish = "length"

    def answer(self) -> dict[str, Any]:
        return {
            "text": _text(self.text),
            "finish": self.finish,
            "prompt_tokens": len(self.prompt),
            "reused_tokens": self.reused,
            "completion_tokens": len(self.written),
            "seconds": self.seconds,
        }


class ModelServer:
    """One model and the requests for it."""

    def __init__(self) -> None:
        self._model: Model | None = None
        self._requests: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        self._current = 0
        self._stop = 0

    def read(self, lines: IO[bytes]) -> None:
        """Read requests and stops in a separate thread; end the process when its input ends."""
        for line in lines:
            message = json.loads(line)
            if "stop" in message:
                self._stop = max(self._stop, message["stop"])
            else:
                self._requests.put(message)
        os._exit(0)  # the app is gone, and the main thread may be inside llama.cpp

    def serve(self, answers: IO[bytes]) -> None:
        """Answer requests until the process ends."""
        methods: dict[str, Callable[..., Any]] = {
            "load": self._load,
            "try": self._try,
            "count": self._count,
            "write": self._write,
            "draft": self._draft,
            "score": self._score,
        }
        while True:
            request = self._requests.get()
            self._current = request.pop("id")
            answer: dict[str, Any] = {"id": self._current}
            try:
                answer["result"] = methods[request.pop("method")](**request)
            except Interrupted:
                answer |= {"error": "stopped", "kind": "stopped"}
            except ModelError as error:
                answer |= {"error": str(error), "kind": "model"}
            except Exception:  # our bug fails this request and keeps the model loaded
                answer |= {"error": traceback.format_exc(), "kind": "unforeseen"}
            answers.write(json.dumps(answer).encode() + b"\n")
            answers.flush()

    def _load(self, *, path: str, name: str, context_tokens: int, **settings: Any) -> dict[str, Any]:
        c.llama_backend_init()
        self._model = Model(Path(path), name=name, context_tokens=context_tokens, loading=Loading(**settings))
        return {"context_tokens": self._model.context_tokens}

    def _try(self) -> None:
        """Compute a few tokens together, then one by one: llama.cpp has separate code for each."""
        model = self._loaded
        tokens = model.tokenize(TRIAL)[: max(min(TRIAL_TOKENS, model.context_tokens - 2), 1)]
        model.evaluate(tokens, self._stopped)
        for _ in range(2):
            model.decode([int(model.logits().argmax())])
        model.truncate(0)

    def _count(self, *, text: str) -> int:
        return len(self._loaded.tokenize(text))

    def _write(
        self,
        *,
        turns: list[tuple[str, str]],
        grammar: str | None,
        opening: str,
        max_tokens: int,
        temperature: float,
        seed: int,
        adapter: str,
    ) -> dict[str, Any]:
        started, model = time.perf_counter(), self._loaded
        model.adapt(adapter)
        prompt = self._prompt(turns, max_tokens)
        first = model.tokenize(opening)[:max_tokens]
        state = model.grammar(grammar) if grammar else None
        try:
            if state:
                state.accept(first)
            reused = model.evaluate(prompt + first, self._stopped)
            written, finish = self._continue(first, state, max_tokens, temperature, seed)
        finally:
            model.truncate(len(prompt))
            if state:
                state.close()
        text = _text(b"".join(model.piece(token) for token in written))
        return {
            "text": text,
            "finish": finish,
            "prompt_tokens": len(prompt),
            "reused_tokens": reused,
            "completion_tokens": len(written),
            "seconds": time.perf_counter() - started,
        }

    def _continue(
        self, written: list[int], grammar: Grammar | None, max_tokens: int, temperature: float, seed: int
    ) -> tuple[list[int], str]:
        model, random = self._loaded, np.random.default_rng(seed)
        text = b"".join(model.piece(token) for token in written)
        logits = model.logits()
        while len(written) < max_tokens:
            if self._stopped():
                raise Interrupted
            token = _choose(logits, grammar, temperature, random)
            if model.is_end(token):
                return written, "stop"
            written, text = [*written, token], text + model.piece(token)
            if grammar:
                grammar.accept([token])
                if _is_complete(text):
                    return written, "stop"
            logits = model.decode([token])[0]
        return written, "length"

    def _draft(
        self,
        *,
        prompts: list[list[tuple[str, str]]],
        known: list[str],
        end: str,
        max_tokens: int,
        temperature: float,
        seed: int,
        adapter: str,
    ) -> list[dict[str, Any]]:
        model = self._loaded
        model.adapt(adapter)
        drafts = [
            WrittenDraft(self._prompt(turns, max_tokens), words, np.random.default_rng((seed, place)))
            for place, (turns, words) in enumerate(zip(prompts, known, strict=True))
        ]
        for group in _groups(drafts, max_tokens, most=model.branches, room=model.context_tokens):
            started = time.perf_counter()
            try:
                self._write_beside(group, end, max_tokens, temperature)
            finally:
                model.drop_branches()
            for draft in group:
                draft.seconds = (time.perf_counter() - started) / len(group)
        return [draft.answer() for draft in drafts]

    def _write_beside(self, group: Sequence[WrittenDraft], end: str, max_tokens: int, temperature: float) -> None:
        """Write drafts in parallel, one token of each at a time, until each ends or fails a check."""
        model = self._loaded
        kept, scores = model.branch([draft.prompt for draft in group], self._stopped)
        for draft in group:
            draft.reused = kept
        rows = list(enumerate(group, start=1))
        while rows:
            if self._stopped():
                raise Interrupted
            for (_, draft), logits in zip(rows, scores, strict=True):
                token = _choose(logits, None, temperature, draft.random)
                draft.take(token, b"" if model.is_end(token) else model.piece(token), end, max_tokens)
            rows = [(number, draft) for number, draft in rows if not draft.finish]
            last = [(draft.written[-1], len(draft.prompt) + len(draft.written) - 1, number) for number, draft in rows]
            scores = model.decode_branches(last) if rows else scores

    def _score(self, *, turns: list[tuple[str, str]], choices: list[str], adapter: str) -> dict[str, Any]:
        started, model = time.perf_counter(), self._loaded
        model.adapt(adapter)
        answers = [model.tokenize(choice) for choice in choices]
        prompt = self._prompt(turns, max(len(answer) for answer in answers))
        reused = model.evaluate(prompt, self._stopped)
        first = _log_softmax(model.logits())
        likelihoods = [self._likelihood(prompt, answer, first) for answer in answers]
        return {
            "likelihoods": likelihoods,
            "prompt_tokens": len(prompt),
            "reused_tokens": reused,
            "completion_tokens": sum(len(answer) for answer in answers),
            "seconds": time.perf_counter() - started,
        }

    def _likelihood(self, prompt: list[int], answer: Sequence[int], first: NDArray[np.float64]) -> float:
        model, total = self._loaded, float(first[answer[0]])
        if len(answer) == 1:
            return total
        if self._stopped():
            raise Interrupted
        logits = model.decode(answer)  # including the last token: a batch of one gives other digits
        total += sum(float(_log_softmax(row)[token]) for row, token in zip(logits, answer[1:], strict=False))
        if model.truncate(len(prompt)) < len(prompt):
            model.evaluate(prompt, self._stopped)
        return total

    def _prompt(self, turns: list[tuple[str, str]], answer_tokens: int) -> list[int]:
        model = self._loaded
        tokens = model.prompt_tokens(turns)
        if len(tokens) + answer_tokens > model.context_tokens:
            raise ModelError(
                f"The prompt has {len(tokens)} tokens and the answer may take {answer_tokens}: more than the "
                f"{model.context_tokens} that {model.name} can read. "
                "Use fewer or shorter passages, or a longer context."
            )
        return tokens

    def _stopped(self) -> bool:
        return self._stop >= self._current

    @property
    def _loaded(self) -> Model:
        if self._model is None:
            raise ModelError("No model is loaded.")
        return self._model


def _groups(
    drafts: Sequence[WrittenDraft], max_tokens: int, *, most: int, room: int
) -> Iterator[Sequence[WrittenDraft]]:
    """Yield groups of at most `most` drafts; prompts and answers of a group fit into the context."""
    group: list[WrittenDraft] = []
    for draft in drafts:
        if group and (len(group) == most or sum(len(one.prompt) + max_tokens for one in [*group, draft]) > room):
            yield group
            group = []
        group.append(draft)
    if group:
        yield group


def _choose(
    logits: NDArray[np.float32], grammar: Grammar | None, temperature: float, random: np.random.Generator
) -> int:
    """Return the next token: the most likely at temperature 0, else a random one of the most likely few."""
    if not grammar and temperature == 0:
        return int(np.argmax(logits))
    for count in (SHORTLIST, len(logits)):
        tokens = np.sort(np.argpartition(logits, -min(count, len(logits)))[-count:]).astype(np.int32)
        if grammar:
            tokens = tokens[grammar.allowed(tokens)]
        if len(tokens):
            return int(_draw(tokens, logits[tokens], temperature, random))
    raise ModelError("The grammar for the answer leaves no way to go on; this is a fault of Veridesk's schema.")


def _draw(
    tokens: NDArray[np.int32], logits: NDArray[np.float32], temperature: float, random: np.random.Generator
) -> int:
    if temperature == 0:
        return int(tokens[np.argmax(logits)])
    relative = logits.astype(np.float64) - logits.max()
    weights = np.where(relative >= np.log(MIN_P), np.exp(relative / temperature), 0.0)
    return int(random.choice(tokens, p=weights / weights.sum()))


def _text(written: bytes) -> str:
    """Return the written text without an incomplete last character."""
    return codecs.getincrementaldecoder("utf-8")(errors="replace").decode(written)


def _is_complete(text: bytes) -> bool:
    """Return whether a JSON value is complete, so that only an end can follow."""
    if text[-1:] not in (b"}", b"]", b'"', b"e"):
        return False
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def _log_softmax(logits: NDArray[np.float32]) -> NDArray[np.float64]:
    shifted = logits.astype(np.float64) - float(logits.max())
    return shifted - float(np.log(np.exp(shifted).sum()))


def main() -> None:
    """Serve on standard input and output until the input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the app, which then closes our input
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # libraries print to standard error, never between the answers
    worker = ModelServer()
    threading.Thread(target=worker.read, args=(sys.stdin.buffer,), daemon=True).start()
    worker.serve(answers)


if __name__ == "__main__":
    main()
