"""One name, one class: a newcomer who finds a class by its name finds the right one."""

import re
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CLASS = re.compile(r"^ *class (\w+)[:(]", re.MULTILINE)


def test_no_class_name_is_defined_twice() -> None:
    sources = [ROOT / "app.py", *(ROOT / "core").rglob("*.py"), *(ROOT / "pages").rglob("*.py")]
    names = Counter(name for source in sources for name in CLASS.findall(source.read_text(encoding="utf-8")))
    assert len(names) > 300
    assert {name: count for name, count in names.items() if count > 1} == {}
