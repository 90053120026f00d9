"""Ratings and whole studies as files: export and import."""
