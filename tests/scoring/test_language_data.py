"""What METEOR needs of NLTK's data, fetched when the user asks."""

from pathlib import Path

import pytest

from core.scoring.metrics import words


@pytest.mark.parametrize(
    ("seconds", "does"),
    [(0.3, "import time; time.sleep(20)"), (30.0, "import sys; sys.exit(1)")],
    ids=["hangs", "refused"],
)
def test_what_was_not_fetched_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seconds: float, does: str
) -> None:
    monkeypatch.setenv("VERIDESK_HOME", str(tmp_path))
    monkeypatch.setattr(words, "FETCH_SECONDS", seconds)
    monkeypatch.setattr(words, "_FETCH", does)
    assert words.fetch_language_data() == ["punkt_tab", "wordnet"]
