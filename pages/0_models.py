"""The address /models, for a server that was just started: see pages/ui/entry.py."""

from pages.ui.entry import to_app

to_app()
