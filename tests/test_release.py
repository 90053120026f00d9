"""What a release is made of."""

import re
import shlex
import shutil
import subprocess
from importlib.util import find_spec
from pathlib import Path

import pytest

from core.files import ROOT

PIN = re.compile(r"^([A-Za-z0-9_.-]+)(?:\[[^\]]*\])?==([^\s;]+)", re.MULTILINE)


def pins(path: str) -> dict[str, str]:
    found = PIN.findall((ROOT / path).read_text(encoding="utf-8"))
    return {re.sub(r"[-_.]+", "-", name).lower(): version for name, version in found}


def test_the_lock_file_holds_what_is_required_with_a_hash_for_each() -> None:
    """If this fails, make the lock file anew: CONTRIBUTING.md names the command."""
    required, locked = pins("requirements.txt"), pins(".ci/requirements.lock")
    assert required.items() <= locked.items()
    entries = re.split(r"\n(?=\S)", (ROOT / ".ci/requirements.lock").read_text(encoding="utf-8").strip())
    assert len(entries) >= len(locked)  # more where a platform wants another version
    assert all("--hash=sha256:" in entry for entry in entries)


def test_llama_cpp_is_built_without_amx_on_every_compiler() -> None:
    """GCC 12 compiles it wrongly. `-U` means nothing to a compiler for another processor, so no marker is needed."""
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").replace("\\\n", " ").splitlines()
    command = shlex.split(next(line for line in lines if line.startswith("llama-cpp-python")))
    for language in ("C", "CXX"):
        assert f"--config-settings=cmake.define.CMAKE_{language}_FLAGS_INIT=-U__AMX_INT8__" in command
    assert "--config-settings=cmake.define.CMAKE_INSTALL_RPATH=$ORIGIN;@loader_path" in command


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("objdump"), reason="objdump is not installed here: apt-get install binutils")
def test_the_installed_llama_cpp_holds_no_amx_instruction() -> None:
    package = find_spec("llama_cpp")
    assert package.origin is not None
    for library in (Path(package.origin).parent / "lib").glob("libggml-cpu.so*"):
        code = subprocess.run(["objdump", "-d", str(library)], capture_output=True, text=True, check=True).stdout
        assert "<ggml_compute_forward" in code
        assert not re.search(r"\b(ldtilecfg|tileloadd|tdpb\w+)\b", code)
