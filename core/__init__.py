"""Veridesk: verify claims with open-weights models on one's own machine."""
