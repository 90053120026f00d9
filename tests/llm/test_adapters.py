"""LoRA adapters over the bundled model: a file made by hand, laid over the weights and taken away again."""

import struct
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from core.errors import ModelError
from core.interfaces import AdaptableModel, Models, RunContext
from core.llm.llama import LlamaModel
from core.retrieval.chunking import passages
from core.retrieval.index import Index
from core.types import Case, Hit, Message
from core.verification.steps.asking import AskOfPassages
from core.verification.steps.control import WithAdapter
from tests.fakes import DOCUMENTS, TOWER, WordEncoder
from tests.verification.test_steps import SettledJudge

PROMPT = (Message("user", "Which town is the capital of France? Answer in one word."),)
WIDTH = 576  # of SmolLM2-135M
TEXT, FLOAT = 8, 6


def text(value: str) -> bytes:
    return struct.pack("<Q", len(value)) + value.encode()


def adapter(path: Path, *, strength: float, width: int = WIDTH) -> Path:
    """Write a LoRA adapter of rank 1 for the queries and outputs of the first layers' attention."""
    entries = {"general.architecture": "llama", "general.type": "adapter", "adapter.type": "lora"}
    metadata = [text(key) + struct.pack("<I", TEXT) + text(value) for key, value in entries.items()]
    metadata.append(text("adapter.lora.alpha") + struct.pack("<If", FLOAT, 1.0))
    random = np.random.default_rng(0)
    tensors: list[tuple[str, tuple[int, int]]] = []
    for layer in range(8):
        for part in ("attn_q", "attn_output"):
            name = f"blk.{layer}.{part}.weight"
            tensors += [(f"{name}.lora_a", (width, 1)), (f"{name}.lora_b", (1, width))]
    described, data = b"", b""
    for name, shape in tensors:
        described += text(name) + struct.pack("<IQQIQ", 2, *shape, 0, len(data))
        data += (random.normal(size=width) * strength).astype("<f4").tobytes()
        data += bytes(-len(data) % 32)
    head = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(metadata)) + b"".join(metadata) + described
    path.write_bytes(head + bytes(-len(head) % 32) + data)
    return path


def likelihoods(llm: object) -> list[float]:
    return llm.log_likelihoods(PROMPT, ("Paris", "Rome"))[0].tolist()  # type: ignore[attr-defined, no-any-return]


@pytest.mark.slow
def test_an_adapter_changes_what_is_written_and_leaves_the_model_as_it_was(llm: LlamaModel, tmp_path: Path) -> None:
    before, text_before = likelihoods(llm), llm.generate(PROMPT, max_tokens=8).text
    strong = llm.with_adapter(adapter(tmp_path / "strong.gguf", strength=0.5))
    assert np.abs(np.array(likelihoods(strong)) - before).max() > 0.5
    assert strong.generate(PROMPT, max_tokens=8).text != text_before
    assert likelihoods(llm) == before
    assert llm.generate(PROMPT, max_tokens=8).text == text_before
    assert strong.identity.name.endswith("+ strong")
    assert strong.identity.digest != llm.identity.digest


def test_what_is_no_adapter_for_this_model_is_said_and_costs_nothing(llm: LlamaModel, tmp_path: Path) -> None:
    before = likelihoods(llm)
    other = llm.with_adapter(adapter(tmp_path / "other.gguf", strength=0.5, width=64))
    with pytest.raises(ModelError, match=r"other\.gguf"):
        likelihoods(other)
    assert likelihoods(llm) == before
    (tmp_path / "letter.gguf").write_text("Dear reader")
    with pytest.raises(ModelError, match=r"letter\.gguf"):
        llm.with_adapter(tmp_path / "letter.gguf")
    with pytest.raises(ModelError, match=r"missing\.gguf cannot be read"):
        llm.with_adapter(tmp_path / "missing.gguf")


@pytest.mark.slow
def test_a_step_with_an_adapter_says_which_one_it_was(llm: LlamaModel, tmp_path: Path) -> None:
    assert isinstance(llm, AdaptableModel)
    encoder = WordEncoder()
    found = [passage for document in DOCUMENTS[:1] for passage in passages(document)]
    context = RunContext(Models(encoder, llm, SettledJudge()), Index(found, encoder))
    case = Case(TOWER, hits=(Hit(found[0], 1),))
    step = AskOfPassages(longest=8)
    file = adapter(tmp_path / "ask.gguf", strength=0.5)
    adapted = WithAdapter(step, str(file))(case, context)
    assert adapted.notes[-1].startswith(f"“{step.title}” was done")
    assert adapted.evidence != step(case, context).evidence
    assert replace(adapted, notes=()).completions[0].step == step.title
