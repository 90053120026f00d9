"""The estimated cost of judging a submission, beside the cost that was counted, with unusable answers.

    python -m tests.benchmarks.judge_estimate --judge bundled --recall-only --price 1
    python -m tests.benchmarks.judge_estimate --gold ../shared/data/averitec/dev_public.json \\
      --submission ../shared/data/averitec/submissions/ctu_aic.csv --first 5 --judge bundled --price 1

Without files it takes the example of the page Score. Everything is asked again: no answer is from the cache.
"""

from dataclasses import replace
from pathlib import Path

from core.averitec.averitec import parse_gold, parse_submission
from core.cli.common.action_command import add_fields, request_of
from core.files import ASSETS
from core.scoring.judge_cost import estimated_cost
from core.scoring.judge_settings import JudgeSettings
from core.scoring.open_metrics import Opening
from core.scoring.usage import Usage
from tests.benchmarks.measuring import parser_of, timed

EXAMPLE = ASSETS / "scoring"


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--gold", type=Path, default=EXAMPLE / "gold.json", metavar="FILE")
    parser.add_argument("--submission", type=Path, default=EXAMPLE / "careful.json", metavar="FILE")
    parser.add_argument("--first", type=int, metavar="N")
    add_fields(parser, JudgeSettings)
    chosen = parser.parse_args()
    settings = request_of(chosen, JudgeSettings)
    judging = replace(settings.judging, no_cache=True)
    gold = parse_gold(chosen.gold.name, chosen.gold.read_bytes())[: chosen.first]
    given = parse_submission(chosen.submission.name, chosen.submission.read_bytes()).by_id
    opening = Opening(("ev2r",), judging)
    _, seconds = timed(lambda: [metric.measure(gold, given) for metric in opening.metrics()])
    opening.close()
    for name, usage in (
        ("ten pairs a claim", estimated_cost(gold, ("ev2r",), judging)),
        ("this file", estimated_cost(gold, ("ev2r",), judging, given)),
        ("counted", opening.spent),
    ):
        print(f"{name}: {_words(usage, settings.price)}")
    print(f"{len(gold)} claims, {seconds:.0f} s")


def _words(usage: Usage, price: float | None) -> str:
    cost = "" if price is None else f", cost {usage.cost_words(price)}"
    tokens = f"{usage.prompt_tokens} tokens read, {usage.completion_tokens} written"
    return f"{usage.asked} asked, {usage.failed} unusable, {tokens}{cost}"


if __name__ == "__main__":
    main()
