"""A small campaign on bundled claims, to try the organiser's and the rater's pages."""

from __future__ import annotations

from core.annotations import GoldClaim
from core.averitec.averitec import parse_gold, parse_submission
from core.campaigns.inviting import invite_rater
from core.campaigns.organising import create_campaign
from core.campaigns.planning.plans import CampaignPlan
from core.campaigns.planning.sampling import gold_controls, in_drawing_order
from core.campaigns.planning.sources import Items, items_from_submissions
from core.campaigns.redeeming import redeem
from core.files import ASSETS
from core.storage.store import Store

FOLDER = ASSETS / "scoring"
TITLE = "Example: six made-up claims, two systems"
SEED = 2025


def example_items() -> tuple[Items, tuple[GoldClaim, ...]]:
    """Return the items of the bundled example, and its annotated claims: six made-up ones, of two made-up systems."""
    gold = parse_gold("gold.json", (FOLDER / "gold.json").read_bytes())
    files = [FOLDER / "careful.json", FOLDER / "hasty.json"]
    systems = [parse_submission(file.name, file.read_bytes()) for file in files]
    return items_from_submissions(systems, gold), tuple(gold)


def create_example(store: Store, who: str) -> str:
    """Create the example campaign and return its id: four claims of two systems, and two controls."""
    found, gold = example_items()
    controls = gold_controls(gold, n=2, seed=SEED)
    taken = {control.claim for control in controls}
    items = in_drawing_order([item for item in found.items if item.claim not in taken], SEED)
    plan = CampaignPlan(
        TITLE, (*items, *controls), seed=SEED, ratings_per_item=2, items_per_rater=10, controls_per_rater=2
    )
    return create_campaign(store, who, plan)


def join_example(store: Store, who: str) -> str:
    """Create the example campaign with its organiser as the first rater, and return its id."""
    campaign = create_example(store, who)
    redeem(store, invite_rater(store, campaign, who, "You", "", "", days=1), who)
    return campaign
