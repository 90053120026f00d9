"""Run a GGUF model in this process through llama.cpp's C interface: tokens, evaluation with a kept prefix, sampling.

Only the worker process (llama_worker.py) imports this, because a bad file or a library bug can end the process.
Everything here runs on one thread.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import llama_cpp.llama_cpp as c
import numpy as np
from numpy.typing import NDArray

from core.errors import ModelError
from core.llm.llama_chat import ChatTemplate
from core.llm.llama_loading import Loading, branches, keep_log, last_said, load_weights, open_context, place

Stopped = Callable[[], bool]

BLOCK = 8  # see Model.evaluate


class Interrupted(Exception):
    """The work was stopped between two tokens or inside a batch."""


class Model:
    """Loaded weights, their context, and the tokens that the context has evaluated."""

    def __init__(self, path: Path, *, name: str, context_tokens: int, loading: Loading) -> None:
        """Raises ModelError if the file cannot be loaded or used."""
        keep_log()
        self.name = name
        placed = place(path, loading, context_tokens=context_tokens)
        self.batch = placed.batch
        self._model = load_weights(path, loading, placed)
        self._vocab = c.llama_model_get_vocab(self._model)
        self._size = int(c.llama_vocab_n_tokens(self._vocab))
        most = placed.context_tokens
        self.context_tokens = min(most, int(c.llama_model_n_ctx_train(self._model)) or most)
        if self.context_tokens < 1:
            raise ModelError(f"{path.name}: the file says that the model can read no text at all. Choose another GGUF.")
        self._context = open_context(
            self._model, name=name, tokens=self.context_tokens, batch=self.batch, threads=loading.threads
        )
        self.branches = branches(self._model)
        self._memory = c.llama_get_memory(self._context)
        if self._memory is None or not c.llama_model_has_decoder(self._model):
            raise ModelError(f"{self.name} is not a model that writes text; choose an instruction-tuned one.")
        self._chat = self._template()
        self._evaluated: list[int] = []
        self._adapters = Adapters(self._model, self._context, name=name)

    def adapt(self, path: str) -> None:
        """Apply the LoRA adapter at `path`, or none if it is empty. Raises ModelError if the file is no adapter."""
        if self._adapters.use(path):
            self.truncate(0)  # keys and values of other weights

    def tokenize(self, text: str, special: bool = False) -> list[int]:
        """Return the tokens of `text`; special tokens are recognised only in our own text."""
        encoded = text.encode("utf-8", errors="replace")  # a lone surrogate has no UTF-8
        room = len(encoded) + 8
        tokens = (c.llama_token * room)()
        count = c.llama_tokenize(self._vocab, encoded, len(encoded), tokens, room, False, special)
        if count < 0:
            raise ModelError(f"{self.name} could not split a text of {len(text)} characters into tokens.")
        return list(tokens[:count])

    def piece(self, token: int) -> bytes:
        """Return the bytes of a token; none for a special token."""
        buffer = ctypes.create_string_buffer(256)
        size = c.llama_token_to_piece(self._vocab, token, buffer, len(buffer), 0, False)
        return buffer.raw[: max(size, 0)]

    def prompt_tokens(self, turns: Sequence[tuple[str, str]]) -> list[int]:
        """Return the tokens of a chat, in the model's own template, up to where its answer begins."""
        tokens = self._chat.tokens(turns, self.tokenize)
        bos = c.llama_vocab_bos(self._vocab)
        if c.llama_vocab_get_add_bos(self._vocab) and tokens[:1] != [bos]:
            tokens.insert(0, bos)
        return tokens

    def is_end(self, token: int) -> bool:
        """Return whether this token ends an answer."""
        return bool(c.llama_vocab_is_eog(self._vocab, token))

    def evaluate(self, tokens: Sequence[int], stopped: Stopped) -> int:
        """Evaluate `tokens` and return how many of them the context already held.

        Matrix products work on blocks, so the last digits of a row depend on the rows beside it. Results must not
        depend on earlier requests. So the kept prefix ends on a block of 8 tokens, and no batch has a single token.
        Tokens decoded one by one are not kept.
        """
        kept = min(_common_prefix(self._evaluated, tokens), len(tokens) - 2) // BLOCK * BLOCK
        kept = self.truncate(max(kept, 0))
        position = kept
        while position < len(tokens):
            left = len(tokens) - position
            size = left if left <= self.batch else self.batch - BLOCK
            self._decode(tokens[position : position + size], stopped)
            position += size
            self._evaluated = list(tokens[:position])
        return kept

    def decode(self, tokens: Sequence[int]) -> NDArray[np.float32]:
        """Evaluate an answer's tokens after the prompt's; `truncate` removes them again.

        Returns the scores of the token after each, shape (len(tokens), vocabulary).
        """
        self._decode(tokens, None, all_logits=True)
        return np.stack([self._logits(position) for position in range(len(tokens))])

    def branch(self, prompts: Sequence[Sequence[int]], stopped: Stopped) -> tuple[int, NDArray[np.float32]]:
        """Evaluate several prompts at once, as branches 1, 2, … after their shared beginning.

        Returns the number of tokens already held, and the scores of each branch's next token, shape (len(prompts),
        vocabulary). Takes at most `branches` prompts; `drop_branches` removes them again.
        """
        longest = min(len(prompt) for prompt in prompts) - 1
        shared = min([_common_prefix(prompts[0], prompt) for prompt in prompts] + [longest]) // BLOCK * BLOCK
        kept = self.evaluate(prompts[0][:shared], stopped) if shared else self.truncate(0)
        for number in range(1, len(prompts) + 1):
            c.llama_memory_seq_cp(self._memory, 0, number, 0, shared)
        rows = [
            (token, place, number, place == len(prompt) - 1)
            for number, prompt in enumerate(prompts, start=1)
            for place, token in enumerate(prompt[shared:], start=shared)
        ]
        scores = [
            self._decode_rows(rows[start : start + self.batch], stopped) for start in range(0, len(rows), self.batch)
        ]
        return kept, np.concatenate(scores)

    def decode_branches(self, tokens: Sequence[tuple[int, int, int]]) -> NDArray[np.float32]:
        """Evaluate one token of each given branch at its place; return the next scores, one row per branch."""
        return self._decode_rows([(*one, True) for one in tokens], None)

    def drop_branches(self) -> None:
        """Remove all branches and keep their shared beginning."""
        for number in range(1, self.branches + 1):
            c.llama_memory_seq_rm(self._memory, number, -1, -1)

    def _decode_rows(self, rows: Sequence[tuple[int, int, int, bool]], stopped: Stopped | None) -> NDArray[np.float32]:
        """Evaluate tokens at their places in their branches; return the scores after each token that requests them."""
        batch = c.llama_batch_init(len(rows), 0, 1)
        try:
            batch.n_tokens = len(rows)
            for at, (token, place, number, wanted) in enumerate(rows):
                batch.token[at], batch.pos[at], batch.logits[at] = token, place, wanted
                batch.n_seq_id[at], batch.seq_id[at][0] = 1, number
            self._run(batch, len(rows), stopped)
        finally:
            c.llama_batch_free(batch)
        wanted_at = [at for at, row in enumerate(rows) if row[3]]
        return np.stack([self._logits(at) for at in wanted_at]) if wanted_at else np.empty((0, self._size), np.float32)

    def truncate(self, count: int) -> int:
        """Keep the first `count` tokens of the context and return how many are left.

        A recurrent model's memory cannot be cut: it then starts over with fewer tokens.
        """
        if not c.llama_memory_seq_rm(self._memory, 0, count, -1):
            c.llama_memory_clear(self._memory, True)
            count = 0
        del self._evaluated[count:]
        return count

    def logits(self) -> NDArray[np.float32]:
        """Return the scores of the next token after the last one evaluated, shape (vocabulary,)."""
        return self._logits(-1)

    def grammar(self, text: str) -> Grammar:
        """Return the initial state of a grammar. Raises ModelError if llama.cpp cannot read it."""
        return Grammar(self._vocab, text)

    def _template(self) -> ChatTemplate:
        template = c.llama_model_chat_template(self._model, None)
        if not template:
            raise ModelError(f"{self.name} carries no chat template; choose an instruction-tuned model.")
        bos, eos = c.llama_vocab_bos(self._vocab), c.llama_vocab_eos(self._vocab)
        return ChatTemplate(template.decode(), bos=self._token_text(bos), eos=self._token_text(eos))

    def _token_text(self, token: int) -> str:
        return "" if token < 0 else c.llama_vocab_get_text(self._vocab, token).decode()

    def _decode(self, tokens: Sequence[int], stopped: Stopped | None, *, all_logits: bool = False) -> None:
        array = (c.llama_token * len(tokens))(*tokens)
        batch = c.llama_batch_get_one(array, len(tokens))
        if all_logits:
            batch.logits = (ctypes.c_int8 * len(tokens))(*[1] * len(tokens))
        self._run(batch, len(tokens), stopped)

    def _run(self, batch: Any, count: int, stopped: Stopped | None) -> None:
        """Evaluate `count` tokens. Raises Interrupted if `stopped` is true, ModelError if evaluation fails."""
        # llama.cpp calls this before each node of its graph, some hundred times a batch. That costs too much for one
        # token.
        abort = c.ggml_abort_callback(lambda _: stopped()) if stopped else c.ggml_abort_callback(0)
        c.llama_set_abort_callback(self._context, abort, None)
        status = c.llama_decode(self._context, batch)
        if status == 0:
            return
        self.truncate(len(self._evaluated))
        if status == 2:
            raise Interrupted
        raise ModelError(
            f"{self.name} could not evaluate {count} tokens (llama_decode: {status}); choose another model."
        )

    def _logits(self, position: int) -> NDArray[np.float32]:
        pointer = c.llama_get_logits_ith(self._context, position)
        if not pointer:
            raise ModelError(f"{self.name} gave no scores for the next word; choose an instruction-tuned model.")
        logits = np.ctypeslib.as_array(pointer, shape=(self._size,)).copy()
        if np.isnan(logits).any():
            raise ModelError(f"{self.name} computes no numbers: its weights are damaged. Get the file again.")
        return logits


class Grammar:
    """The state of an answer in a grammar."""

    def __init__(self, vocab: Any, text: str) -> None:
        self._sampler = c.llama_sampler_init_grammar(vocab, text.encode(), b"root")
        if not self._sampler:
            raise ModelError("The grammar for the answer cannot be read; this is a fault of Veridesk's schema.")

    def accept(self, tokens: Sequence[int]) -> None:
        for token in tokens:
            c.llama_sampler_accept(self._sampler, token)

    def allowed(self, tokens: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Return which of `tokens` may come next, same shape."""
        entries = (c.llama_token_data * len(tokens))()
        view = np.ctypeslib.as_array(entries)
        view["id"], view["logit"] = tokens, 0.0
        array = c.llama_token_data_array(
            data=ctypes.cast(entries, c.llama_token_data_p), size=len(tokens), selected=-1, sorted=False
        )
        c.llama_sampler_apply(self._sampler, ctypes.byref(array))
        finite: NDArray[np.bool_] = np.isfinite(view["logit"])
        return finite

    def close(self) -> None:
        c.llama_sampler_free(self._sampler)


class Adapters:
    """The LoRA adapters that a context has used, and the one that lies over its weights now.

    Source: Hu et al., ICLR 2022; llama.cpp's llama_adapter_lora_* functions.
    """

    def __init__(self, model: Any, context: Any, *, name: str) -> None:
        self._model, self._context = model, context
        self._name = name
        self._loaded: dict[str, Any] = {}
        self._current = ""

    def use(self, path: str) -> bool:
        """Lay the adapter at `path` over the weights, none if it is empty; return whether that changed anything.

        The context's earlier evaluations then no longer hold. Raises ModelError if the file is no adapter for
        this model; the one before then stays.
        """
        if path == self._current:
            return False
        adapter = self._adapter(path) if path else None
        array = (c.llama_adapter_lora_p_ctypes * 1)(adapter) if path else None
        scales = (ctypes.c_float * 1)(1.0) if path else None
        if c.llama_set_adapters_lora(self._context, array, 1 if path else 0, scales) != 0:
            raise ModelError(f"The adapter {Path(path).name} could not be laid over {self._name}.")
        self._current = path
        return True

    def _adapter(self, path: str) -> Any:
        if path not in self._loaded:
            adapter = c.llama_adapter_lora_init(self._model, path.encode())
            if not adapter:
                raise ModelError(
                    f"{path} is no LoRA adapter for {self._name} ({last_said()}). Give a GGUF file made for "
                    "this very model by llama.cpp's convert_lora_to_gguf.py."
                )
            self._loaded[path] = adapter
        return self._loaded[path]


def _common_prefix(left: Sequence[int], right: Sequence[int]) -> int:
    size = min(len(left), len(right))
    different = np.flatnonzero(np.array(left[:size]) != np.array(right[:size]))
    return int(different[0]) if len(different) else size
