"""The processor of this machine, and the installed build of llama.cpp, which is not loaded for that."""

from __future__ import annotations

import hashlib
import importlib.util
import platform
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from core.errors import ModelError
from core.files import ROOT

PACKAGE = "llama-cpp-python"
INSTALL = "pip install -r requirements.txt"
REBUILD = f"pip uninstall -y {PACKAGE} && pip install --no-cache-dir -r requirements.txt"
"""Compiles llama.cpp anew for this processor, with the options of requirements.txt, and nothing else."""


@dataclass(frozen=True)
class Build:
    """A build of llama.cpp on a processor. `digest` changes with each build, `features` with what the processor can."""

    version: str
    digest: str
    processor: str
    features: str

    @property
    def name(self) -> str:
        return f"{PACKAGE} {self.version} on {self.processor}"


def installed_build() -> Build:
    """Return the build that is installed here now. Raises ModelError where there is none."""
    facts = _processor_facts()
    processor = facts.get("model name") or platform.processor() or platform.machine()
    features = facts.get("flags") or facts.get("Features", "")
    try:
        return Build(version(PACKAGE), _libraries_digest(), processor, _short(features))
    except PackageNotFoundError as error:
        raise ModelError(f"{PACKAGE} is not installed: {INSTALL}") from error


def _processor_facts() -> dict[str, str]:
    """Return the kernel's facts about the first core; none where there is no Linux."""
    facts = {}
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as lines:
            for line in lines:
                if not line.strip():
                    break
                name, _, value = line.partition(":")
                facts[name.strip()] = value.strip()
    except OSError:
        return {}
    return facts


def _libraries_digest() -> str:
    """Return a digest over the sizes and times of llama.cpp's libraries: a new build has other ones."""
    package = importlib.util.find_spec("llama_cpp")
    folder = Path(package.origin).parent / "lib" if package and package.origin else ROOT
    stats = [(file.name, file.stat()) for file in sorted(folder.glob("lib*"))]
    return _short(str([(name, stat.st_size, stat.st_mtime_ns) for name, stat in stats]))


def _short(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
