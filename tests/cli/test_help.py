"""`--help` of each command imports no large library: its declaration is light, and its work is imported later."""

import subprocess
import sys

from core.__main__ import COMMANDS
from core.files import ROOT

HEAVY = {
    *("torch", "transformers", "pandas", "scipy", "sklearn", "streamlit", "sqlalchemy", "alembic", "httpx", "httpcore"),
    *("cattrs", "filelock", "numpy", "onnxruntime", "llama_cpp", "pygments"),
}
HELP = f"""
import sys
from core.__main__ import COMMANDS, main
for command in COMMANDS:
    try:
        main([command, "--help"])
    except SystemExit:
        print("imported by", command, sorted({HEAVY} & set(sys.modules)))
"""


def test_the_help_of_no_command_imports_a_large_library() -> None:
    done = subprocess.run([sys.executable, "-c", HELP], cwd=ROOT, capture_output=True, text=True, check=True)
    said = [line for line in done.stdout.splitlines() if line.startswith("imported by ")]
    assert said == [f"imported by {command} []" for command in COMMANDS]
    assert done.stdout.count("usage: ") == len(COMMANDS)
