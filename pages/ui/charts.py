"""The one way in which a chart is shown and taken away."""

from __future__ import annotations

from functools import partial

import streamlit as st

from core.tabular.charts import FORMATS, Chart, picture
from pages.ui.file_button import file_button

MIMES = {"svg": "image/svg+xml", "pdf": "application/pdf", "png": "image/png"}


def show_chart(chart: Chart, name: str, alt: str) -> None:
    """Show a chart and offer it as a picture; `alt` describes it in words."""
    st.altair_chart(chart, alt=alt)
    with st.popover("Picture", icon=":material/image:", type="tertiary", key=f"picture-{name}"):
        for kind in FORMATS:
            file_button(
                kind.upper(),
                partial(picture, chart, kind),
                f"{name}.{kind}",
                mime=MIMES[kind],
                type="tertiary",
                key=f"{name}-{kind}",
            )
