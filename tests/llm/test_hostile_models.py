"""Model files made to break llama.cpp end in one sentence, and nothing of its own reaches the terminal."""

from pathlib import Path

import pytest

from core.errors import ModelError
from core.llm.llama import load_llama
from core.types import Message
from tests.llm.hostile_models import DAMAGES, write_hostile_model

QUICK = ("no blocks", "epsilon nan", "tokenizer spm", "the same token always")
"""Those that end the process: by checks of llama.cpp, and by an exception that it does not catch."""


def ending(file: Path) -> tuple[bool, str]:
    """Return whether a model file was refused, and the sentence or the text."""
    try:
        llm = load_llama(file, context_tokens=256, threads=1)
        try:
            return False, llm.generate((Message("user", "Say hello."),), max_tokens=4).text
        finally:
            llm.close()
    except ModelError as error:
        return True, str(error)


@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in DAMAGES]
)
def test_a_hostile_model_is_text_or_one_sentence(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("VERIDESK_HOME", str(tmp_path / "home"))
    refused, words = ending(write_hostile_model(tmp_path / "hostile.gguf", name))
    assert capfd.readouterr() == ("", "")
    if refused:
        assert "hostile" in words or "chat template" in words
        assert len(words) < 600
        assert "\n" not in words
        assert "smaller model" not in words
    if name in QUICK:
        assert "damaged or too new" in words
        assert "GGML_ASSERT(" in words or "what():" in words  # a debugger's trace would end in another line


def test_the_reason_is_the_one_that_llama_cpp_gives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VERIDESK_HOME", str(tmp_path / "home"))
    file = write_hostile_model(tmp_path / "hostile.gguf", "no query weights")
    with pytest.raises(ModelError, match=r"'blk\.0\.attn_q\.weight'"):
        load_llama(file)
