"""The installed build of llama.cpp."""

from __future__ import annotations

from core import compiled_packages
from core.compiled_packages import PackageBuild, rebuild_command

PACKAGE = "llama-cpp-python"
REBUILD = rebuild_command(PACKAGE)


def installed_build() -> PackageBuild:
    """Return the installed build of llama.cpp. Raises ModelError if none is installed."""
    return compiled_packages.installed_build(PACKAGE, "llama_cpp")
