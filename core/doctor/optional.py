"""Look for the packages that only some people need."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

from core.doctor.finding import Finding, Health
from core.optional_packages import OptionalPackage


def presence(package: OptionalPackage) -> Finding:
    """Return whether an optional package is installed. It is not imported: some take longer than all other checks."""
    try:
        return Finding(package.name, Health.GOOD, f"{version(package.name)}, for {package.use}")
    except PackageNotFoundError:
        return Finding(package.name, Health.ABSENT, f"Only needed for {package.use}", package.command)
