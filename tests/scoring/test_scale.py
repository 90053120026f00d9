"""Eight large submissions load in time and memory: 500 claims, 10 pairs each with 4,000 characters of text."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LOAD = """
import re, sys, time
from pathlib import Path
from core.annotations import without_scraped_text
from core.averitec.averitec import read_submission
started = time.process_time()
kept = [without_scraped_text(read_submission(Path(name))) for name in sys.argv[1:]]
# VmHWM, and not ru_maxrss: that one remembers the process that started this one
peak = re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())
print(time.process_time() - started, int(peak[1]) // 1024,
      sum(len(p.evidence) for s in kept for p in s.predictions))
"""


@pytest.mark.slow
def test_eight_submissions_with_their_documents_load_in_20_seconds_and_2_gb(tmp_path: Path) -> None:
    paths = []
    for system in range(8):
        rows = [
            {
                "claim_id": claim,
                "claim": f"Claim {claim} of many",
                "pred_label": "Refuted",
                "evidence": [
                    {"question": f"Question {i}?", "answer": f"Answer {i}.", "scraped_text": f"t{claim}é " * 800}
                    for i in range(10)
                ],
            }
            for claim in range(500)
        ]
        path = tmp_path / f"system{system}.json"
        path.write_text(json.dumps(rows, ensure_ascii=False), encoding="utf-8")
        paths.append(str(path))
        assert path.stat().st_size > 20_000_000
    done = subprocess.run(
        [sys.executable, "-c", LOAD, *paths], cwd=ROOT, capture_output=True, text=True, check=True, timeout=200
    )
    seconds, megabytes, pairs = (float(word) for word in done.stdout.split())
    assert pairs == 8 * 500 * 10
    assert seconds < 20, f"{seconds} s CPU"
    assert megabytes < 2000, f"{megabytes} MB"
