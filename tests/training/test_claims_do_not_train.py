"""A claim never passes through core/training: neither the app nor the commands that verify import it."""

import subprocess
import sys
from pathlib import Path

import pytest

from core.files import ROOT

TRAINS = ("core/training/", "core/cli/stress")
"""The room, and the commands that use it."""

IMPORTS = """
import ast, sys
for path in sys.stdin.read().splitlines():
    tree = ast.parse(open(path, encoding="utf-8").read())
    tree.body = [node for node in tree.body if isinstance(node, (ast.Import, ast.ImportFrom))]
    exec(compile(tree, path, "exec"), {"__name__": path})
print([name for name in sys.modules if name.startswith("core.training")], len(sys.modules))
"""
"""Does the imports of each file, without the rest: Streamlit's scripts want a visitor."""


@pytest.mark.slow
def test_neither_the_app_nor_a_command_that_verifies_imports_training(tmp_path: Path) -> None:
    paths = [
        path.relative_to(ROOT).as_posix() for folder in ("core", "pages") for path in (ROOT / folder).rglob("*.py")
    ]
    names = ["app.py", *(path for path in paths if not path.startswith(TRAINS))]
    assert {"core/cli/verifying.py", "core/verification/runner.py", "pages/verify/page.py"} <= set(names)
    done = subprocess.run(
        [sys.executable, "-c", IMPORTS],
        input="\n".join(names),
        env={"PYTHONPATH": str(ROOT), "VERIDESK_HOME": str(tmp_path)},
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.stdout.startswith("[] "), done.stdout + done.stderr
