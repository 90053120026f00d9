"""LoRA adapters of one model: loaded when first asked for, laid over its weights one at a time.

Only the worker process imports this. Source: Hu et al., ICLR 2022; llama.cpp's llama_adapter_lora_* functions.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from pathlib import Path
from typing import Any

import llama_cpp.llama_cpp as c

from core.errors import ModelError


class Adapters:
    """The adapters that a context has used, and the one that lies over its weights now."""

    def __init__(self, model: Any, context: Any, *, name: str, last_words: Callable[[], str]) -> None:
        self._model, self._context = model, context
        self._name, self._last_words = name, last_words
        self._loaded: dict[str, Any] = {}
        self._current = ""

    def use(self, path: str) -> bool:
        """Lay the adapter at `path` over the weights, none if it is empty; return whether that changed anything.

        What the context had evaluated before a change holds no longer. Raises ModelError if the file is no adapter for
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
                    f"{path} is no LoRA adapter for {self._name} ({self._last_words()}). Give a GGUF file made for "
                    "this very model by llama.cpp's convert_lora_to_gguf.py."
                )
            self._loaded[path] = adapter
        return self._loaded[path]
