"""Keep the ratings and scores of one session, from files or a campaign, in that session only."""

from __future__ import annotations

from dataclasses import dataclass, field

import streamlit as st

from core.agreement.agreement_tables import CorrelationRow
from core.agreement.analysis import Analysis
from core.agreement.raters import ControlAccuracy
from core.agreement.ratings import RatingImport
from core.agreement.recipes import AgreementRecipe
from core.agreement.scored_items import ScoredItems
from core.statistics.correlation import Coefficient
from core.types import Label

STATE = "agreement-files"


@dataclass
class Loaded:
    """The files of this session, and the results computed from them.

    `campaign` is the id of their campaign, "" for files. For a campaign, `controls_answered` has the raters' results on
    its control items. `with_excluded` also has the ratings that `ratings` excludes. `correlations` are by recipe,
    scale, coefficient and level, `analyses` by all choices.
    """

    ratings: RatingImport
    scored: ScoredItems
    controls: dict[str, Label | None]
    name: str
    campaign: str = ""
    controls_answered: tuple[ControlAccuracy, ...] | None = None
    with_excluded: RatingImport | None = None
    correlations: dict[tuple[AgreementRecipe, str, Coefficient, str], tuple[CorrelationRow, ...]] = field(
        default_factory=dict
    )
    analyses: dict[object, Analysis] = field(default_factory=dict)


def loaded() -> Loaded | None:
    """Return the files of this session, or None without any."""
    found = st.session_state.get(STATE)
    return found if isinstance(found, Loaded) else None


def forget() -> None:
    """Forget the files of this session."""
    st.session_state.pop(STATE, None)


def keep(files: Loaded) -> None:
    """Keep the files for this session."""
    st.session_state[STATE] = files
