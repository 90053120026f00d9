"""The form of Agreement: ratings and scores from files or the example, kept for this session."""

from __future__ import annotations

import streamlit as st

from core.actions.fields import InputFile
from core.agreement.compare import AgreementRequest
from core.agreement.ratings import read_ratings
from core.files import ASSETS
from pages.agreement.agreement_files import Loaded, keep
from pages.ui.action_form import ActionForm
from pages.ui.notices import quiet

EXAMPLE = ASSETS / "agreement"


def agreement_form() -> None:
    """Ask for ratings and scores; the files read are kept in the session."""
    form = ActionForm(AgreementRequest, "agreement")
    for name in ("ratings", "scores", "controls"):
        form.draw(name)
    request = form.request()
    row = st.container(horizontal=True)
    # A distinct label, because a visitor may press it early and must see which study it shows.
    raters = request and not request.scores
    compare, key = ("Compare raters", "agreement-raters") if raters else ("Compare", "agreement-compare")
    if row.button(compare, type="primary", disabled=not request, key=key) and request:
        _load(request)
    if row.button("Look at an example", key="agreement-example"):
        ratings, scores = (InputFile(name, (EXAMPLE / name).read_bytes()) for name in ("ratings.csv", "scores.csv"))
        _load(AgreementRequest(ratings=read_ratings(*ratings), scores=(scores,)))
    quiet("The example is invented: four raters, twelve claims, three systems, two metrics.")


def _load(request: AgreementRequest) -> None:
    keep(Loaded(request.ratings, request.scored, dict(request.controls), request.ratings.report.file))
    st.rerun()
