"""The panel's modules as the page joins them, as far as a machine without a browser can tell."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from pages.rate.panel import FOLDER, MODULES, script


def test_every_module_is_joined_once_and_after_those_that_it_imports() -> None:
    assert sorted(f"{name}.js" for name in MODULES) == sorted(path.name for path in FOLDER.glob("*.js"))
    for place, name in enumerate(MODULES):
        imported = re.findall(r'from "\./(\w+)\.js"', (FOLDER / f"{name}.js").read_text(encoding="utf-8"))
        assert set(imported) <= set(MODULES[:place])


def test_nothing_is_imported_at_run_time_and_no_name_is_taken_twice(tmp_path: Path) -> None:
    text = script()
    assert "import " not in text
    names = re.findall(r"^(?:function|class|const) (\w+)", text, flags=re.MULTILINE)
    assert len(names) == len(set(names))
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no Node here to read the script")
    (tmp_path / "panel.mjs").write_text(text, encoding="utf-8")
    subprocess.run([node, "--check", str(tmp_path / "panel.mjs")], check=True)
