"""Models on a processor that ends llama.cpp with a signal: real processes, and a fault made by a preloaded library."""

import os
import shutil
import signal
import subprocess
import sys
from dataclasses import replace
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from pathlib import Path

import pytest

from core import compiled_packages
from core.errors import ModelError
from core.llm import llama_attempts
from core.llm.llama import LlamaModel, load_llama
from core.llm.llama_attempts import ATTEMPTS, REBUILD, installed_build, kept_attempt
from core.types import Message
from tests.llm.tiny_model import write_tiny_model

ROOT = Path(__file__).resolve().parents[2]
PROMPT = (Message("user", "Say hello."),)

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="LD_PRELOAD is Linux's")


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library that makes the fault, compiled here."""
    compiler = shutil.which("cc")
    assert compiler, "a C compiler is needed, as for llama.cpp itself"
    file = tmp_path_factory.mktemp("fault") / "fault.so"
    source = Path(__file__).with_name("processor_fault.c")
    subprocess.run([compiler, "-shared", "-fPIC", "-o", file, source, "-ldl"], check=True)
    return file


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_model(tmp_path_factory.mktemp("tiny") / "tiny.gguf")


class Faults:
    """The fault of a test, and the sentences that were said to the user."""

    def __init__(self, library: Path, patch: pytest.MonkeyPatch) -> None:
        self.library, self.patch = library, patch
        self.said: list[str] = []
        patch.setattr(llama_attempts, "say", self.said.append)

    def begin(self, number: signal.Signals, *, unless: str, after: int = 0) -> None:
        package = find_spec("llama_cpp")
        assert package.origin is not None
        for name, value in {
            "LD_PRELOAD": self.library,
            "FAULT_BASE": Path(package.origin).parent / "lib" / "libggml-base.so",
            "FAULT_SIGNAL": number.value,
            "FAULT_UNLESS": unless,
            "FAULT_AFTER": after,
        }.items():
            self.patch.setenv(name, str(value))


@pytest.fixture
def faults(library: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Faults:
    monkeypatch.setenv("VERIDESK_HOME", str(tmp_path / "home"))
    return Faults(library, monkeypatch)


def loaded(weights: Path) -> LlamaModel:
    return load_llama(weights, context_tokens=256, threads=1)


def written(weights: Path) -> str:
    llm = loaded(weights)
    try:
        return llm.generate(PROMPT, max_tokens=4).text
    finally:
        llm.close()


def started_processes(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Return a list that grows with each process of a model."""
    processes: list[object] = []
    start = subprocess.Popen

    def counted(*arguments: object, **named: object) -> object:
        processes.append(arguments)
        return start(*arguments, **named)  # type: ignore[call-overload]

    monkeypatch.setattr("core.llm.llama_process.subprocess.Popen", counted)
    return processes


def test_a_signal_in_the_fast_path_leads_to_the_plain_one_which_is_said_once(
    faults: Faults, weights: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    undisturbed = written(weights)
    faults.begin(signal.SIGSEGV, unless="plain")
    processes = started_processes(monkeypatch)
    assert written(weights) == undisturbed
    assert len(processes) == 2
    assert [REBUILD in said for said in faults.said] == [True]
    assert written(weights) == undisturbed  # a second start goes straight to the plain path, without a word
    assert len(processes) == 3
    assert len(faults.said) == 1


def test_where_only_the_plainest_settings_work_they_are_used(faults: Faults, weights: Path) -> None:
    faults.begin(signal.SIGILL, unless="plainest")
    llm = loaded(weights)
    assert llm.generate(PROMPT, max_tokens=4).completion_tokens == 4
    assert kept_attempt(llm.identity.digest) == ATTEMPTS[-1]
    assert "the plainest one" in faults.said[0]
    llm.close()


def test_where_nothing_works_the_sentence_names_the_build_and_the_doctor(faults: Faults, weights: Path) -> None:
    faults.begin(signal.SIGILL, unless="never")
    with pytest.raises(ModelError) as caught:
        loaded(weights)
    sentence = str(caught.value)
    assert "signal 4, SIGILL" in sentence
    assert f"llama.cpp ({installed_build().name})" in sentence
    assert sentence.endswith("python -m core doctor")
    assert "smaller" not in sentence
    assert faults.said == []


def test_another_build_or_processor_tries_the_fast_path_again(
    faults: Faults, weights: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    faults.begin(signal.SIGSEGV, unless="plain")
    llm = loaded(weights)
    llm.close()
    digest = llm.identity.digest
    assert kept_attempt(digest) == ATTEMPTS[1]
    here = installed_build()
    for other in (
        replace(here, digest="another digest"),
        replace(here, version="0.0.1"),
        replace(here, processor="another processor"),
        replace(here, features="fewer features"),
    ):
        monkeypatch.setattr(llama_attempts, "installed_build", lambda other=other: other)
        assert kept_attempt(digest) is None
    assert kept_attempt("another model") is None
    monkeypatch.delenv("LD_PRELOAD")
    processes = started_processes(monkeypatch)
    assert written(weights)
    assert len(processes) == 1  # the fast path, and no other after it
    assert len(faults.said) == 1


def test_a_new_build_of_the_libraries_has_another_digest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    library = tmp_path / "lib" / "libggml-cpu.so"
    library.parent.mkdir()
    library.write_bytes(b"one")
    (tmp_path / "__init__.py").touch()
    package = ModuleSpec("llama_cpp", None, origin=str(tmp_path / "__init__.py"))
    monkeypatch.setattr(compiled_packages.importlib.util, "find_spec", lambda name: package)
    first = installed_build().digest
    os.utime(library, (1, 1))
    second = installed_build().digest
    library.write_bytes(b"another")
    assert len({first, second, installed_build().digest}) == 3


def test_a_signal_after_the_trial_points_to_the_doctor_and_blames_no_size(faults: Faults, weights: Path) -> None:
    faults.begin(signal.SIGSEGV, unless="never", after=4)
    llm = loaded(weights)
    with pytest.raises(ModelError) as caught:
        llm.generate(PROMPT, max_tokens=40)
    llm.close()
    sentence = str(caught.value)
    assert "tiny" in sentence
    assert "SIGSEGV" in sentence
    assert sentence.endswith("core doctor")
    assert "smaller" not in sentence


def test_a_process_killed_from_outside_is_short_of_memory(faults: Faults, weights: Path) -> None:
    faults.begin(signal.SIGKILL, unless="never", after=4)
    llm = loaded(weights)
    with pytest.raises(ModelError, match=r"SIGKILL\)\. .* smaller model"):
        llm.generate(PROMPT, max_tokens=40)
    llm.close()


@pytest.mark.slow
def test_the_command_line_verifies_on_the_plain_path_and_says_so_once(faults: Faults) -> None:
    faults.begin(signal.SIGSEGV, unless="plain")
    runs = [
        subprocess.run(
            [sys.executable, "-m", "core", "verify", "", "--example", "everest", "--json"],
            cwd=ROOT, capture_output=True, text=True, timeout=300,
        )
        for _ in range(2)
    ]  # fmt: skip
    assert [run.returncode for run in runs] == [0, 0], runs[0].stderr
    assert "the plain one" in runs[0].stderr
    assert "fast code" not in runs[1].stderr
