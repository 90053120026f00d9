"""Manage language models: list installed ones, download others, and record how well they judge."""
