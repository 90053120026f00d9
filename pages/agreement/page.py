"""Agreement: compare human ratings with scores, in the paper's tables, with uncertainty."""

from __future__ import annotations

import streamlit as st

from core.actions.fields import InputFile
from core.agreement.compare import AgreementRequest
from core.agreement.ratings import read_ratings
from core.campaigns.access import Role
from core.errors import VerideskError
from core.files import ASSETS
from core.wording import counted
from pages.agreement.agreement_files import Loaded, forget, keep, loaded
from pages.agreement.agreement_view import show_raters, show_report
from pages.agreement.campaign import campaign_form
from pages.ui.action_form import ActionForm
from pages.ui.app_state import app_state
from pages.ui.entry import through_app
from pages.ui.notices import notice, quiet
from pages.ui.owner import visitor
from pages.ui.roles import roles

EXAMPLE = ASSETS / "agreement"
FILES, CAMPAIGN = "From files", "From a campaign"


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


def show_start() -> None:
    """Ask for the study: files, or for organisers a campaign of this server."""
    st.caption("How well do scores agree with people, and people with each other?")
    if Role.ORGANISER not in roles():
        agreement_form()
        return
    first = CAMPAIGN if "campaign" in st.query_params else FILES
    source = st.segmented_control(
        "What is compared",
        [FILES, CAMPAIGN],
        default=first,
        required=True,
        key="agreement-source",
        label_visibility="collapsed",
    )
    if source == CAMPAIGN:
        campaign_form(app_state().store, visitor())
    else:
        agreement_form()


def show_loaded(files: Loaded) -> None:
    head = st.container(horizontal=True, vertical_alignment="center")
    with head:
        quiet(f"{files.name}: {counted(len(files.ratings.responses), 'response')}")
        words = "Other ratings" if files.campaign else "Other files"
        st.button(words, icon=":material/arrow_back:", on_click=forget, key="agreement-other")
    if files.scored.metrics and files.ratings.scales:
        show_report(files)
    else:
        show_raters(files)


through_app()
st.title("Agreement")
try:
    present = loaded()
    if present and present.campaign and Role.ORGANISER not in roles():
        forget()  # the role was withdrawn meanwhile
        present = None
    if present is None:
        show_start()
    else:
        show_loaded(present)
except VerideskError as error:
    notice(str(error))
