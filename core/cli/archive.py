"""`python -m core archive`: add, sync, remove, stats and search, each derived from its action."""

from __future__ import annotations

import argparse
from functools import partial

from core.archive.actions import ACTIONS
from core.cli.common import action_command


def add_arguments(parser: argparse.ArgumentParser) -> None:
    chosen = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    for action in ACTIONS:
        words = (action.request.__doc__ or "").strip()
        sub = chosen.add_parser(action.name, help=words[0].lower() + words[1:].rstrip("."), description=words)
        action_command.add_arguments(sub, action)
        sub.set_defaults(work=partial(action_command.run, action))


def run(args: argparse.Namespace) -> int:
    return int(args.work(args))
