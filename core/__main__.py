"""The command line: `python -m core COMMAND …`. Each command is a module of core/cli."""

from __future__ import annotations

import argparse
import importlib
import os
import sys

from core.errors import Cancelled, VerideskError

COMMANDS = {
    "verify": "verify one claim",
    "replay": "run a receipt again and say whether it comes out the same",
    "report": "write a case as a report: HTML, Word, Markdown or a ClaimReview draft",
    "batch": "verify a file of claims and write a submission",
    "score": "score submissions against gold data",
    "stress": "show how far metrics move when evidence is changed in known ways",
    "check": "say whether a submission would be accepted",
    "convert": "convert gold files and submissions between JSON, JSON lines and CSV",
    "agreement": "compare human ratings with scores, and raters with each other",
    "recipes": "list the recipes, or print one as a file or a picture",
    "campaign": "plan, watch, export and import rating campaigns",
    "invite": "make a personal link for an organiser or a rater, list the links, withdraw one",
    "backup": "write the whole database to one file",
    "restore": "fill the database from a backup",
    "store": "build knowledge stores of one's own, and say what is in one",
    "index": "keep the indexes of knowledge stores, list them, delete them",
    "fit": "fit the verdict head, or measure whether a model may judge",
}


def main(arguments: list[str] | None = None) -> int:
    """Run one command and return its exit status: 0 done, 2 bad input or failure, 130 interrupted."""
    words = sys.argv[1:] if arguments is None else arguments
    parser = argparse.ArgumentParser(prog="python -m core", description="Veridesk on the command line.")
    chosen = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, summary in COMMANDS.items():
        sub = chosen.add_parser(name, help=summary, description=summary[0].upper() + summary[1:] + ".")
        if words[:1] == [name]:  # only the command that runs is imported: the help must not load models
            module = importlib.import_module(f"core.cli.{name}")
            module.add_arguments(sub)
            sub.set_defaults(run=module.run)
    parsed = parser.parse_args(words)
    try:
        status = int(parsed.run(parsed))
        sys.stdout.flush()
        return status
    except BrokenPipeError:  # whoever read the output, such as head, has enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # else Python complains again when it ends
        return 0
    except (KeyboardInterrupt, Cancelled):
        print("Stopped.", file=sys.stderr)
        return 130
    except VerideskError as error:
        print(f"{parsed.command}: {error}", file=sys.stderr)
        return 2
    except OSError as error:  # no such folder, no right to write, a full disk
        what = f"{error.filename}: {error.strerror}" if error.filename else error.strerror or error
        print(f"{parsed.command}: {what}. Free some space, or name another place.", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
