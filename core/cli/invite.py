"""`python -m core invite`: a personal link for an organiser, or for a rater; which are open; withdrawing one."""

from __future__ import annotations

import argparse
import json
import sys
from datetime import UTC, datetime
from urllib.parse import urlencode, urlsplit

from core.campaigns.access import invite_organiser, is_loopback, local_mode_has_ended
from core.campaigns.inviting import invite_anyone, invite_rater, invite_raters, open_links, read_people, withdraw_link
from core.cli.common.campaigns import campaign_named, open_as_organiser
from core.cli.common.numbers import amount
from core.cli.common.paths import input_path
from core.records import read_text
from core.storage.store import Store
from core.tabular.exports import csv_text, to_text
from core.tabular.table import Column, Table
from core.wording import counted

ADDRESS = "http://localhost:8501"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    whom = parser.add_mutually_exclusive_group(required=True)
    whom.add_argument(
        "--organiser",
        action="store_true",
        help="its user may plan campaigns and see all ratings; local mode ends then",
    )
    whom.add_argument("--campaign", metavar="CAMPAIGN", help="id, its beginning or title: a link for one new rater")
    whom.add_argument("--links", action="store_true", help="list the links that are open or gave somebody a role")
    whom.add_argument(
        "--revoke",
        metavar="LINK",
        help="name of a link in that list, or its beginning: withdraw it, and the role it gave",
    )
    parser.add_argument(
        "--names",
        type=input_path,
        metavar="FILE",
        help="one link per line: a name, then an address and a team after commas",
    )
    parser.add_argument(
        "--anyone", action="store_true", help="one link that makes a rater of each who opens it (by PROLIFIC_PID)"
    )
    parser.add_argument(
        "--name", default="", help="the rater's name, kept in a table of its own that exports leave out"
    )
    parser.add_argument("--address", default="", help="the rater's address, kept likewise; nothing is sent")
    parser.add_argument("--team", default="", help="the rater's team; they do not get its systems")
    parser.add_argument("--days", type=amount(0, 3650), default=30.0, help="how long the link is good (30)")
    parser.add_argument("--url", default=ADDRESS, help=f"where the app is reached ({ADDRESS})")
    parser.add_argument("--json", action="store_true", help="print the link or the list as JSON")


def run(args: argparse.Namespace) -> int:
    store, owner = open_as_organiser()
    if args.links:
        return list_links(store, owner, as_json=args.json)
    if args.revoke is not None:
        return revoke(store, owner, args.revoke)
    if is_loopback(urlsplit(args.url).hostname or ""):
        print(f"{args.url} is this machine alone: say with --url where others reach the app.", file=sys.stderr)
    if args.names and args.campaign:
        return invite_many(store, owner, args)
    if args.organiser:
        page, token = "campaigns", invite_organiser(store, days=args.days)
    else:
        campaign = campaign_named(store, owner, args.campaign)
        page = "rate"
        token = invite_anyone(store, campaign, owner, days=args.days) if args.anyone else ""
        token = token or invite_rater(store, campaign, owner, args.name, args.address, args.team, days=args.days)
    link = link_to(args.url, page, token)
    if args.json:
        print(json.dumps({"link": link, "days": args.days}))
    else:
        print(link)
        whom = "everybody who opens it" if args.anyone else "one person on any of their devices"
        print(f"Good for {args.days:g} days, for {whom}. It is not shown again.")
    return 0


def invite_many(store: Store, owner: str, args: argparse.Namespace) -> int:
    """Print a CSV, or a JSON list, with a link for each of the file's people."""
    campaign = campaign_named(store, owner, args.campaign)
    made = invite_raters(store, campaign, owner, read_people(read_text(args.names)), days=args.days)
    rows = [[one.person.name, one.pseudonym, link_to(args.url, "rate", one.token)] for one in made]
    if args.json:
        people = [{"name": name, "rater": rater, "link": link, "days": args.days} for name, rater, link in rows]
        print(json.dumps(people, ensure_ascii=False, indent=1))
    else:
        print(csv_text(["Name", "Rater", "Link"], rows), end="")
    return 0


def link_to(url: str, page: str, token: str) -> str:
    return f"{url.rstrip('/')}/{page}?{urlencode({'invite': token})}"


def list_links(store: Store, owner: str, *, as_json: bool) -> int:
    links = open_links(store, owner)
    if as_json:
        print(json.dumps([vars(link) for link in links], ensure_ascii=False, indent=1))
    elif links:
        rows = [(one.name[:12], one.whom, _day(one.created), _day(one.expires), one.opened) for one in links]
        columns = (*(Column(title) for title in ("Link", "Of", "Made", "Ends")), Column("Opened by", 0))
        print(to_text(Table("links", "Open links", columns, tuple(rows))))
    else:
        print("No link is open: `python -m core invite --organiser` makes one.")
    return 0


def revoke(store: Store, owner: str, name: str) -> int:
    link = withdraw_link(store, owner, name)
    print(f"The link of {link.whom} is withdrawn; {counted(link.opened, 'browser')} lost the role that it gave.")
    if not link.campaign and not local_mode_has_ended(store):
        print("No organiser has a link now: on a single machine without sign-in, every visitor is one again.")
    return 0


def _day(seconds: float) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d}"
