"""Check each part of this installation on request."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core.doctor.examination import SECONDS, examine, works
from core.doctor.finding import Finding, Health
from pages.ui.markup import Html, join, show, tag
from pages.ui.notices import quiet

KEPT = "installation findings"
LOOK = {Health.GOOD: "supported", Health.REMARK: "doubt", Health.ABSENT: "missing", Health.WRONG: "refuted"}


def show_installation() -> None:
    """Offer to load and run each part of this installation, and show the results."""
    st.subheader("This installation")
    quiet("Loads and runs each part: models, word lists, database, disk, port, memory. Nothing leaves this machine.")
    if st.button("Check this installation", icon=":material/health_and_safety:", key="check-installation"):
        with st.spinner(f"Running each part, {SECONDS:g} seconds at most …"):
            st.session_state[KEPT] = examine(port=st.get_option("server.port"))
    if findings := st.session_state.get(KEPT):
        good = works(findings)
        quiet("All needed parts work." if good else "Some needed parts do not work: repair those marked wrong.")
        show(parts_table(findings))


def parts_table(findings: Sequence[Finding]) -> Html:
    """Return the table of parts: an icon and a word, the part, and the next step."""
    head = tag("tr", *(tag("th", title, scope="col") for title in ("State", "Part", "Found")))
    body = join(_row(finding) for finding in findings)
    return tag("div", tag("table", tag("thead", head), tag("tbody", body), css="vd-scores vd-parts"), css="vd")


def _row(finding: Finding) -> Html:
    look = LOOK[finding.state]
    icon = tag("span", css=f"vd-icon vd-icon-{look}", aria_hidden="true")
    state = tag("span", icon, f" {finding.state.capitalize()}", css=f"vd-label vd-{look}")
    mend = tag("code", finding.mend, css="vd-mend") if finding.mend else ""
    return tag("tr", tag("td", state), tag("th", finding.part, scope="row"), tag("td", finding.words, mend))
