"""What a release is made of."""

from __future__ import annotations

import re

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
