"""Choose where a GGUF model's layers go, its context and its batch, by the memory that is free. Sizes are bytes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.models.gguf import GgufHeader
from core.models.memory import OVERHEAD, memory_need

BATCH, SMALL_BATCH, CARD_BATCH = 512, 256, 2048
"""Tokens that are evaluated at once: usually, where memory is short, and where a card has all layers."""

LEAST_CONTEXT = 2048
"""Tokens. The recipes' prompts need nearly this, so a context is not halved below it."""


GPU, SHARED_GPU = 1, 2
"""ggml-backend.h, enum ggml_backend_dev_type: a card, and one that shares the machine's memory."""


@dataclass(frozen=True)
class Device:
    """A device, its type in ggml's numbers, and its memory in bytes."""

    name: str
    kind: int
    free: int
    total: int


@dataclass(frozen=True)
class Placement:
    """`gpu_layers` of `layers` go to the card, the output counting as one more; context and batch are in tokens."""

    gpu_layers: int
    layers: int
    context_tokens: int
    batch: int


def free_on_card(found: Sequence[Device]) -> int:
    """Return the free bytes of the cards, which llama.cpp fills together; of a shared one without others."""
    own = [one.free for one in found if one.kind == GPU]
    return sum(own) or max((one.free for one in found if one.kind == SHARED_GPU), default=0)


def placement(size: int, header: GgufHeader | None, *, card: int, memory: int | None, context_tokens: int) -> Placement:
    """Return the placement of weights of `size` bytes.

    `card` is the free memory of the graphics card, 0 without one; `memory` that of the machine, None if unknown. The
    card gets the layers that fit beside its buffers, each with its own keys and values. If the machine's memory is too
    small for the rest, the batch is halved, then the context. Prompts depend on the context, which a receipt names.
    """
    layers = (header.layers if header else 0) + 1
    context = min(context_tokens, header.context_tokens or context_tokens) if header else context_tokens
    halved = context // 2 if context // 2 >= LEAST_CONTEXT else context
    plans = [_placed(size, header, card, layers, *each) for each in ((context, BATCH), (context, SMALL_BATCH))]
    plans.append(_placed(size, header, card, layers, halved, SMALL_BATCH))
    return next((one for one, rest in plans if memory is None or rest <= memory), plans[-1][0])


def _placed(
    size: int, header: GgufHeader | None, card: int, layers: int, context: int, batch: int
) -> tuple[Placement, int]:
    """Return a placement, and the bytes of the machine's memory that it takes."""
    need = memory_need(size, header, context_tokens=context)
    of_layer = (need.weights + need.cache) / layers
    on_card = max(0, min(layers, int((card - OVERHEAD) / of_layer)))
    roomy = on_card == layers and card >= on_card * of_layer + OVERHEAD * CARD_BATCH / BATCH
    rest = int((layers - on_card) * of_layer) + OVERHEAD * batch // BATCH
    return Placement(on_card, layers, context, min(CARD_BATCH if roomy else batch, context)), rest
