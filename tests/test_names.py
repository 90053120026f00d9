"""One name, one class: a newcomer who finds a class by its name finds the right one."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def test_no_class_name_is_defined_twice() -> None:
    sources = [ROOT / "app.py", *(ROOT / "core").rglob("*.py"), *(ROOT / "pages").rglob("*.py")]
    trees = [ast.parse(source.read_text(encoding="utf-8")) for source in sources]
    names = Counter(node.name for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef))
    assert len(names) > 300
    assert {name: count for name, count in names.items() if count > 1} == {}
