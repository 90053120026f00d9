"""Recipes: tuples of steps with a name and a source."""
