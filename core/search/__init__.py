"""Searching passages: documents cut into passages, indexes of their words and vectors, and rankings of both."""
