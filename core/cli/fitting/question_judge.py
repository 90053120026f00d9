"""`python -m core fit question-judge`: fit the judge of questions, and measure it on held-out ones."""

from __future__ import annotations

import argparse

from core.cli.common.terminal import tell
from core.cli.fitting import this_command
from core.files import write_whole
from core.retrieval.dense import load_encoder
from core.training.fit_question_judge import HEADS, fit_question_judge
from core.verification.question_judge import JUDGE, judge_json


def run(args: argparse.Namespace) -> int:
    """Fit the judge to the sets in --data, keep it in assets/questions, and print its figures."""
    judge = fit_question_judge(args.data, load_encoder(), seed=args.seed, command=this_command(), report=tell)
    path = args.out or JUDGE
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, judge_json(judge))
    for name, least in zip(HEADS, judge.least, strict=True):
        print(f"{name}, least probability {least}:")
        for figure, value in judge.measured[name].items():
            print(f"  {figure}: {value}")
    print(path)
    return 0
