"""The GGUF header reader, on the real bundled model, on files made by hand and on broken ones."""

import struct
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.errors import BadInput
from core.models import gguf as reader
from core.models.choice import bundled_path
from core.models.gguf import read_header, read_model_header
from tests.models.local_hub import gguf, model_gguf


def written(folder: Path, content: bytes) -> Path:
    path = folder / "model.gguf"
    path.write_bytes(content)
    return path


def test_the_bundled_model_tells_what_its_maker_published() -> None:
    header = read_header(bundled_path())
    assert (header.architecture, header.quantisation, header.license) == ("llama", "Q4_1", "apache-2.0")
    assert (header.layers, header.context_tokens) == (30, 8192)
    assert header.key_heads == 90  # 3 in each of 30 layers
    assert header.head_width == 128  # 576 / 9 for keys, as much for values


def test_the_header_of_a_real_model_is_read_without_its_vocabulary() -> None:
    header = read_header(bundled_path())
    assert not any(key.startswith("tokenizer.") for key in header.metadata)


def test_head_sizes_that_are_stated_win_over_computed_ones(tmp_path: Path) -> None:
    # Qwen3 has heads of 128 although 2560 / 32 is 80.
    header = read_header(written(tmp_path, gguf({
        "general.architecture": "qwen3", "qwen3.block_count": 36, "qwen3.embedding_length": 2560,
        "qwen3.attention.head_count": 32, "qwen3.attention.head_count_kv": 8,
        "qwen3.attention.key_length": 128, "qwen3.attention.value_length": 128,
    })))  # fmt: skip
    assert (header.key_heads, header.head_width) == (288, 256)


def test_heads_may_differ_between_layers(tmp_path: Path) -> None:
    header = read_header(written(tmp_path, gguf({
        "general.architecture": "x", "x.block_count": 3, "x.embedding_length": 64, "x.attention.head_count": [4, 4, 8],
        "x.attention.head_count_kv": [0, 4, 2],
    })))  # fmt: skip
    assert (header.key_heads, header.head_width) == (6, 16)


def test_long_texts_and_lists_are_stepped_over(tmp_path: Path) -> None:
    header = read_header(written(tmp_path, gguf({
        "template": "x" * 5000, "words": ["a", "b"], "numbers": list(range(2000)), "general.architecture": "llama",
    })))  # fmt: skip
    assert header.metadata == {"general.architecture": "llama"}


@pytest.mark.parametrize(("content", "message"), [
    (b"", "not a GGUF file"),
    (b"GGU", "not a GGUF file"),
    (b"<html>Sign in</html>", "not a GGUF file"),
    (b"GGUF", "cut off or broken"),
    (b"GGUF" + struct.pack("<IQQ", 1, 0, 0), "version 1"),
    (b"GGUF" + struct.pack("<IQQ", 3, 0, 5), "cut off or broken"),
    (b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + struct.pack("<Q", 2**63), "cut off or broken"),
    (b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + struct.pack("<Q", 1) + b"k" + struct.pack("<I", 99), "broken"),
    (b"GGUF" + struct.pack("<IQQ", 3, 0, 2**64 - 1), "cut off or broken"),
    (b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + struct.pack("<Q", 1) + b"k" + struct.pack("<IIQ", 9, 8, 2**60), "broken"),
    (b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + struct.pack("<Q", 1) + b"k" + struct.pack("<IIQ", 9, 9, 1), "broken"),
])  # fmt: skip
def test_what_is_no_gguf_is_refused_with_a_sentence(tmp_path: Path, content: bytes, message: str) -> None:
    with pytest.raises(BadInput, match=message) as caught:
        read_header(written(tmp_path, content))
    assert "model.gguf" in str(caught.value)


def test_a_missing_file_and_a_folder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="cannot be read"):
        read_header(tmp_path / "none.gguf")
    with pytest.raises(BadInput, match="is a folder"):
        read_header(tmp_path)


def test_an_embedding_model_cannot_be_a_writer(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="'bert' makes vectors"):
        read_model_header(written(tmp_path, gguf({"general.architecture": "bert"})))
    with pytest.raises(BadInput, match="which architecture"):
        read_model_header(written(tmp_path, gguf({"general.name": "x"})))


def test_a_header_that_is_cut_off_is_refused(tmp_path: Path) -> None:
    whole = model_gguf()
    assert read_header(written(tmp_path, whole)).layers == 2
    for length in [*range(0, len(whole), 5), len(whole) - 1]:
        with pytest.raises(BadInput):
            read_header(written(tmp_path, whole[:length]))


def test_no_more_than_the_limit_is_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = gguf({"a": [1] * 1000, "general.architecture": "llama"})
    assert read_header(written(tmp_path, content)).architecture == "llama"
    monkeypatch.setattr(reader, "MAX_BYTES", 4000)
    with pytest.raises(BadInput, match="over 8 MB"):
        read_header(written(tmp_path, content))


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(noise=st.binary(max_size=300), place=st.integers(0, 400), pairs=st.integers(0, 2**64 - 1))
def test_garbage_ends_in_a_header_or_a_sentence(tmp_path: Path, noise: bytes, place: int, pairs: int) -> None:
    whole = model_gguf(500)
    whole = whole[:16] + struct.pack("<Q", pairs) + whole[24:] if pairs % 2 else whole
    path = written(tmp_path, whole[:place] + noise + whole[place + len(noise) :])
    try:
        header = read_header(path)
    except BadInput:
        return
    assert min(header.key_heads, header.head_width, header.context_tokens, header.layers) >= 0
