"""`python -m core doctor`: does each part of this installation work?"""

from __future__ import annotations

import argparse
import json
import os
import sys
from dataclasses import asdict

from core.doctor.examination import examine, works
from core.doctor.finding import Finding


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print the findings as JSON")


def run(args: argparse.Namespace) -> int:
    findings = examine()
    good = works(findings)
    if args.json:
        print(json.dumps({"good": good, "parts": [asdict(finding) for finding in findings]}, indent=2))
    else:
        print("\n".join(finding_line(finding) for finding in findings))
        print("All needed parts work." if good else "Some needed parts do not work: mend those marked wrong.")
    status = 0 if good else 1
    if any(finding.late for finding in findings):  # its thread still runs, and torch aborts a Python that ends under it
        sys.stdout.flush()
        os._exit(status)
    return status


def finding_line(finding: Finding) -> str:
    """Return a finding on one line: its state, its part, the words, and the step that mends it."""
    mend = f" → {finding.mend}" if finding.mend else ""
    return f"{finding.state:13}  {finding.part:16}  {finding.words}{mend}"
