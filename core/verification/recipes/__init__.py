"""Recipes: tuples of steps with a name and a source."""

DEFAULT = "quoted_passages"
"""The name of the recipe that is used if nobody chooses one."""
