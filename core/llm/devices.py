"""List the devices of llama.cpp's build with their free memory. `python -m core.llm.devices` prints them as JSON.

Only processes that may end in a crash import this, because a driver can end them.
"""

from __future__ import annotations

import ctypes
import json
from dataclasses import asdict

import llama_cpp.llama_cpp as c
from llama_cpp._ggml import libggml

from core.models.placement import Device


def devices() -> list[Device]:
    """Return the devices that this build of llama.cpp finds, the processor among them."""
    c.llama_backend_init()
    libggml.ggml_backend_dev_count.restype = ctypes.c_size_t
    libggml.ggml_backend_dev_get.restype = ctypes.c_void_p
    return [
        _device(libggml.ggml_backend_dev_get(ctypes.c_size_t(at))) for at in range(libggml.ggml_backend_dev_count())
    ]


def _device(pointer: int) -> Device:
    device, free, total = ctypes.c_void_p(pointer), ctypes.c_size_t(), ctypes.c_size_t()
    libggml.ggml_backend_dev_description.restype = ctypes.c_char_p
    libggml.ggml_backend_dev_memory(device, ctypes.byref(free), ctypes.byref(total))
    name = libggml.ggml_backend_dev_description(device).decode("utf-8", "replace")
    return Device(name, int(libggml.ggml_backend_dev_type(device)), free.value, total.value)


if __name__ == "__main__":
    print(json.dumps([asdict(one) for one in devices()]))
