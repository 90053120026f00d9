"""Describe this machine's processor and the packages compiled for it, without loading them."""

from __future__ import annotations

import hashlib
import importlib.util
import platform
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from core.errors import ModelError
from core.files import ROOT

INSTALL = "pip install -r requirements.txt"


@dataclass(frozen=True)
class PackageBuild:
    """A build of a package on a processor. `digest` changes with each build, `features` with the processor."""

    package: str
    version: str
    digest: str
    processor: str
    features: str

    @property
    def name(self) -> str:
        return f"{self.package} {self.version} on {self.processor}"


def installed_build(package: str, module: str) -> PackageBuild:
    """Return the installed build of a package. Raises ModelError if none is installed."""
    facts = processor_facts()
    processor = facts.get("model name") or platform.processor() or platform.machine()
    try:
        return PackageBuild(package, version(package), _libraries_digest(module), processor, _short(_features(facts)))
    except PackageNotFoundError as error:
        raise ModelError(f"{package} is not installed: {INSTALL}") from error


def rebuild_command(package: str) -> str:
    """Return the command that recompiles a package for this processor, with the options of requirements.txt."""
    return f"pip uninstall -y {package} && pip install --no-cache-dir -r requirements.txt"


def processor_features() -> frozenset[str]:
    """Return the kernel's names of the processor's features, such as avx2; none outside Linux."""
    return frozenset(_features(processor_facts()).split())


def processor_facts() -> dict[str, str]:
    """Return the kernel's facts about the first core; none outside Linux."""
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


def _features(facts: dict[str, str]) -> str:
    return facts.get("flags") or facts.get("Features", "")


def _libraries_digest(module: str) -> str:
    """Return a digest over the sizes and times of a module's libraries: a new build changes them."""
    found = importlib.util.find_spec(module)
    origin = Path(found.origin) if found and found.origin else ROOT
    files = sorted((origin.parent / "lib").glob("lib*")) if origin.name == "__init__.py" else [origin]
    stats = [(file.name, file.stat()) for file in files]
    return _short(str([(name, stat.st_size, stat.st_mtime_ns) for name, stat in stats]))


def _short(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
