"""Where a model goes by the memory that is free, with the headers of real GGUF files."""

import json
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from core.doctor.engines import graphics_card
from core.doctor.finding import Health
from core.files import ROOT
from core.models.choice import bundled_path
from core.models.file_names import size_of
from core.models.gguf import GgufHeader, read_header
from core.models.memory import OVERHEAD, memory_need
from core.models.placement import (
    BATCH,
    CARD_BATCH,
    GPU,
    SHARED_GPU,
    SMALL_BATCH,
    Device,
    Placement,
    free_on_card,
    placement,
)
from tests.llm.tiny_model import LAYERS, write_tiny_model

PHI = {
    "general.architecture": "phi3", "phi3.context_length": 16384, "phi3.block_count": 40, "phi3.embedding_length": 5120,
    "phi3.attention.head_count": 40, "phi3.attention.head_count_kv": 10,
}  # fmt: skip
WEIGHTS = 9_050_000_000
NEED = memory_need(WEIGHTS, GgufHeader(dict(PHI)))
"""A model of 14 billion parameters, by the header of its file."""


def placed(card: int = 0, memory: int | None = 64_000_000_000, context_tokens: int = 4096) -> Placement:
    header = GgufHeader(dict(PHI))
    return placement(WEIGHTS, header, card=card, memory=memory, context_tokens=context_tokens)


def test_without_a_card_all_layers_stay_on_the_processor() -> None:
    path = bundled_path()
    found = placement(size_of(path), read_header(path), card=0, memory=None, context_tokens=4096)
    assert found == Placement(0, 31, 4096, BATCH)


def test_a_file_of_a_test_is_placed_whole_on_a_card_and_its_context_is_that_of_its_training(tmp_path: Path) -> None:
    path = write_tiny_model(tmp_path / "tiny.gguf")
    found = placement(size_of(path), read_header(path), card=8_000_000_000, memory=0, context_tokens=4096)
    assert found == Placement(LAYERS + 1, LAYERS + 1, 512, 512)


def test_a_card_with_room_takes_all_layers_and_large_batches() -> None:
    assert placed(card=24_000_000_000) == Placement(41, 41, 4096, CARD_BATCH)
    tight = NEED.total + 1_000_000
    assert placed(card=tight) == Placement(41, 41, 4096, BATCH)


def test_a_smaller_card_takes_the_layers_that_fit_each_with_its_keys_and_values() -> None:
    of_layer = (WEIGHTS + NEED.cache) / 41
    for layers in (0, 1, 20, 40):
        card = int(OVERHEAD + (layers + 0.5) * of_layer)
        assert placed(card=card) == Placement(layers, 41, 4096, BATCH)
    assert placed(card=OVERHEAD // 2).gpu_layers == 0


def test_more_free_memory_never_places_less() -> None:
    steps = [placed(card=card, memory=6_000_000_000) for card in range(0, 20_000_000_000, 250_000_000)]
    for less, more in pairwise(steps):
        assert less.gpu_layers <= more.gpu_layers
        assert less.context_tokens <= more.context_tokens
        assert less.batch <= more.batch


def test_where_memory_is_short_the_batch_is_halved_then_the_context() -> None:
    assert placed(memory=NEED.total).batch == BATCH
    assert placed(memory=NEED.total - 1) == Placement(0, 41, 4096, SMALL_BATCH)
    assert placed(memory=NEED.total - OVERHEAD // 2 - 1) == Placement(0, 41, 2048, SMALL_BATCH)
    assert placed(memory=0, context_tokens=3000).context_tokens == 3000  # prompts need about 2,048
    assert placed(memory=None).context_tokens == 4096


def test_cards_are_filled_together_and_a_shared_one_only_without_others() -> None:
    processor, shared = Device("CPU", 0, 9, 9), Device("Iris", SHARED_GPU, 5, 9)
    assert free_on_card([processor]) == 0
    assert free_on_card([processor, shared]) == 5
    assert free_on_card([processor, shared, Device("A", GPU, 3, 4), Device("B", GPU, 4, 4)]) == 7


def test_llama_cpp_lists_the_devices_of_this_machine_and_the_doctor_says_so() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "core.llm.devices"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    found = [Device(**one) for one in json.loads(done.stdout)]
    assert any(one.name and 0 < one.free <= one.total for one in found)
    said = graphics_card()
    assert said.state in (Health.GOOD, Health.REMARK)
    assert all(one.name in said.words for one in found if one.kind in (GPU, SHARED_GPU))


@pytest.mark.parametrize("broken", [{}, {"general.architecture": "x"}])
def test_a_header_that_says_nothing_places_all_or_nothing(broken: dict[str, str]) -> None:
    header = GgufHeader(dict(broken))
    assert placement(10**9, header, card=0, memory=None, context_tokens=4096).gpu_layers == 0
    assert placement(10**9, None, card=24 * 10**9, memory=None, context_tokens=4096).gpu_layers == 1
