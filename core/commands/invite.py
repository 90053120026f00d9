"""`python -m core invite`: a personal link for an organiser, or for a rater of one campaign."""

from __future__ import annotations

import argparse
import json
from urllib.parse import urlencode

ADDRESS = "http://localhost:8501"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    whom = parser.add_mutually_exclusive_group(required=True)
    whom.add_argument(
        "--organiser",
        action="store_true",
        help="who opens the link may plan campaigns and see all ratings; from then on nobody else may for having "
        "reached this machine",
    )
    whom.add_argument("--campaign", metavar="CAMPAIGN", help="id, its beginning or title: a link for one new rater")
    parser.add_argument(
        "--name", default="", help="the rater's name, kept in a table of its own that exports leave out"
    )
    parser.add_argument("--address", default="", help="the rater's address, kept likewise; nothing is sent")
    parser.add_argument("--team", default="", help="the rater's team, whose own systems they do not get")
    parser.add_argument("--days", type=float, default=30.0, help="how long the link is good (30)")
    parser.add_argument("--url", default=ADDRESS, help=f"where the app is reached ({ADDRESS})")
    parser.add_argument("--json", action="store_true", help="print the link as JSON")


def run(args: argparse.Namespace) -> int:
    from core.commands.campaigns import campaign_named, open_ratings
    from core.ratings.access import invite_organiser

    ratings, owner = open_ratings()
    if args.organiser:
        page, token = "campaigns", invite_organiser(ratings.store, days=args.days)
    else:
        campaign = campaign_named(ratings, owner, args.campaign)
        page = "rate"
        token = ratings.invite(campaign, owner, args.name, args.address, args.team, days=args.days)
    link = f"{args.url.rstrip('/')}/{page}?{urlencode({'invite': token})}"
    if args.json:
        print(json.dumps({"link": link, "days": args.days}))
    else:
        print(link)
        print(f"Good for {args.days:g} days, for one person on any of their devices. It is not shown again.")
    return 0
