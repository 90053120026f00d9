"""Ratings and whole studies as files: what goes out, and what comes in."""
