"""Veridesk: verify claims with open-weights models on your own machine."""
