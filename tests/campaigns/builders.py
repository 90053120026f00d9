"""A small campaign with something secret in every field that no rater may see."""

from dataclasses import dataclass

from core.agreement.ratings import MajorError
from core.campaigns import access
from core.campaigns.inviting import invite_rater
from core.campaigns.organising import create_campaign
from core.campaigns.planning.plans import CampaignItem, CampaignPlan, ControlKey, EvidencePair
from core.campaigns.planning.rating_form import STANDARD, Form
from core.campaigns.planning.scales import RELEVANCE
from core.campaigns.rating import open_item, save_answer, submit_item
from core.campaigns.redeeming import redeem
from core.campaigns.types import RatingItem
from core.storage.store import Store
from core.types import Label

ORGANISER, ANNA, BERT = "0" * 64, "a" * 64, "b" * 64
SECRETS = ("Secret System", "Secret Team", "secret stratum", "secret metric", "Conflicting Evidence/Cherrypicking")
"""The last is the gold label of every item of `plan`, which none of them predicts."""


def item(number: int, *, system: str = "Secret System", control: bool = False) -> CampaignItem:
    """Return an item of the campaign; controls want the verdict Supported and a relevance of 4 or 5."""
    key = ControlKey(MajorError.NONE, Label.SUPPORTED, {RELEVANCE.name: (4, 5)})
    return CampaignItem(
        item=f"{'control' if control else 'claim'}-{number}",
        claim=f"Claim {number} is true.",
        evidence=(EvidencePair("Is it?", f"Answer {number}.", "https://a.example/", "Scraped text."),),
        system=system,
        team="Secret Team",
        about={"speaker": "Jane Doe", "date": "2020-08-27", "source": "a speech"},
        predicted=Label.REFUTED,
        gold=Label.CONFLICTING,
        reference=(EvidencePair("Is it not?", f"Reference {number}."),),
        control=control,
        control_key=key if control else None,
        stratum="secret stratum",
        scores={"secret metric": 0.5},
    )


def plan(items: int = 4, *, controls: int = 0, each: int = 1, form: Form = STANDARD) -> CampaignPlan:
    """Return a plan of `items` items and as many controls per rater as there are; `each` ratings an item."""
    rated = tuple(item(number) for number in range(items))
    checks = tuple(item(number, control=True) for number in range(controls))
    return CampaignPlan("Spring campaign", (*rated, *checks), form, 7, each, items + controls, controls)


@dataclass(frozen=True)
class Desk:
    """A campaign whose organiser is ORGANISER."""

    store: Store
    campaign: str

    def join(self, owner: str, *, team: str = "", address: str = "") -> None:
        """Invite somebody, and let them open their link."""
        token = invite_rater(self.store, self.campaign, ORGANISER, "A Name", address, team, days=7)
        redeem(self.store, token, owner)

    def open(self, owner: str, item: str | None = None) -> RatingItem:
        found = open_item(self.store, self.campaign, owner, item)
        assert found is not None
        return found

    def save(self, item: str, owner: str, **answers: object) -> float:
        return max(save_answer(self.store, self.campaign, item, owner, *pair) for pair in answers.items())

    def rate(self, owner: str, *, verdict: Label = Label.SUPPORTED, rating: int = 4, seconds: float = 0.0) -> str:
        """Answer everything that is asked of the owner's next item, submit it and return its id."""
        opened = self.open(owner)
        scales = {scale.name: rating for scale in opened.form.scales}
        self.save(opened.id, owner, error=MajorError.NONE, verdict=verdict, **scales)
        submit_item(self.store, self.campaign, opened.id, owner, seconds)
        return opened.id


def desk(store: Store, campaign_plan: CampaignPlan | None = None) -> Desk:
    """Create a campaign whose organiser is ORGANISER."""
    access.roles_of(store, ORGANISER, local=True)
    return Desk(store, create_campaign(store, ORGANISER, campaign_plan or plan()))
