"""Fit the models and numbers that the program ships. A claim never passes through here."""
