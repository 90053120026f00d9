"""The ratings and scores of one session, as they were read or taken from a campaign. They never leave it."""

from __future__ import annotations

from dataclasses import dataclass, field

import streamlit as st

from core.agreement.agreement_tables import CorrelationRow
from core.agreement.analysis import Analysis
from core.agreement.raters import ControlAccuracy
from core.agreement.ratings import RatingImport
from core.agreement.scored_items import ScoredItems
from core.agreement.study import AgreementRecipe
from core.statistics.correlation import Coefficient
from core.types import Label

STATE = "agreement-files"


@dataclass
class Loaded:
    """The files of this session, and the results computed from them.

    `campaign` is the id of the campaign that they are from, "" for files. `controls_answered` then has the raters'
    results on its control items, with keys of more than a verdict. `with_excluded` has all ratings where `ratings` are
    without some. `correlations` are by recipe, scale, coefficient and level, `analyses` by everything that was chosen.
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
    """Return the files of this session, or None before there are any."""
    found = st.session_state.get(STATE)
    return found if isinstance(found, Loaded) else None


def forget() -> None:
    """Forget the files of this session."""
    st.session_state.pop(STATE, None)


def keep(files: Loaded) -> None:
    """Keep the files for this session."""
    st.session_state[STATE] = files
