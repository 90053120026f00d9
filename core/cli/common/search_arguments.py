"""The options of commands that may search. Sources, crawl and snapshots are imported only once there is one."""

from __future__ import annotations

import argparse

from core.cli.common.numbers import whole
from core.cli.common.paths import input_name
from core.search.search_plan import MAX_PAGES, MAX_QUERIES, QUERIES, SOURCE_NAMES


def add_search_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of a command that may search."""
    parser.add_argument(
        "--search",
        type=input_name,
        action="append",
        default=[],
        metavar="NAME[=ADDRESS]",
        help=f"search for documents in {SOURCE_NAMES}; shows its queries first; may repeat",
    )
    parser.add_argument(
        "--queries",
        type=whole(1, MAX_QUERIES),
        default=QUERIES,
        metavar="N",
        help=f"queries to a source at most; the first three are shown before they are sent (default: {QUERIES})",
    )
    parser.add_argument("--ask-each", action="store_true", help="ask before each later query")
    parser.add_argument(
        "--model-queries",
        type=whole(1, MAX_QUERIES),
        default=0,
        metavar="N",
        help="add up to N queries that the model writes of the claim's words (default: none)",
    )
    parser.add_argument(
        "--pages", type=whole(1, MAX_PAGES), default=10, metavar="N", help="pages to read (default: 10)"
    )
    add_same_day(parser)
    parser.add_argument(
        "--reviews", action="store_true", help="also ask Google's Fact Check Tools who has checked the claim already"
    )
    parser.add_argument("--yes", action="store_true", help="search without asking first")
    parser.add_argument("--review-language", default="", metavar="CODE", help="fact-checks in this language only")
    parser.add_argument("--review-publisher", default="", metavar="NAME", help="fact-checks of this publisher only")
    parser.add_argument(
        "--review-days", type=whole(1, 100_000), default=0, metavar="N", help="fact-checks of the last N days only"
    )


def add_same_day(parser: argparse.ArgumentParser) -> None:
    """Add the setting for pages of the claim's own day."""
    parser.add_argument(
        "--no-same-day",
        dest="same_day",
        action="store_false",
        help="leave out pages of the claim's own day: dates have no hour, and some pages are later than the claim",
    )


def addresses_for(args: argparse.Namespace) -> tuple[str, ...]:
    """Return the addresses to look up in an archive, instead of fetching their pages of today."""
    return tuple(args.url) if "wayback" in args.search else ()
