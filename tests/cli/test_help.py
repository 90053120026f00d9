"""`--help` of each command imports no large library: its declaration is light, and its work is imported later."""

from __future__ import annotations

import subprocess
import sys

import pytest

from core.__main__ import COMMANDS
from core.files import ROOT

HEAVY = {
    *("torch", "transformers", "pandas", "scipy", "sklearn", "streamlit", "sqlalchemy", "alembic", "httpx", "httpcore"),
    *("cattrs", "filelock", "numpy", "onnxruntime", "llama_cpp", "pygments"),
}
HELP = f"""
import sys
from core.__main__ import main
try:
    main([*sys.argv[1:], "--help"])
except SystemExit:
    print("imported", sorted({HEAVY} & set(sys.modules)))
"""


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_of_a_command_imports_no_large_library(command: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", HELP, command], cwd=ROOT, capture_output=True, text=True, timeout=300, check=True
    )
    assert done.stdout.startswith("usage: ")
    assert done.stdout.splitlines()[-1] == "imported []"
