"""The installed build of llama.cpp."""

from __future__ import annotations

from core import builds
from core.builds import PackageBuild, rebuild_command

PACKAGE = "llama-cpp-python"
REBUILD = rebuild_command(PACKAGE)


def installed_build() -> PackageBuild:
    """Return the build of llama.cpp that is installed here now. Raises ModelError where there is none."""
    return builds.installed_build(PACKAGE, "llama_cpp")
