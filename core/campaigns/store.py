"""The ratings of a database, for the pages and the command line: what raters may do, and what organisers may."""

from __future__ import annotations

from core.campaigns.inviting import Inviting
from core.campaigns.organising import Organising
from core.campaigns.rating import Rating
from core.campaigns.results import Results
from core.storage.store import Store


class Ratings(Rating, Organising, Inviting, Results):
    """All that can be done with rating campaigns.

    Every method names the owner on whose behalf it is done and checks what that owner may do. It raises Denied
    if they may not, BadInput for a value that cannot be used, and StoreError if the database cannot be used.
    """

    def __init__(self, store: Store) -> None:
        self.store = store
