"""Deciding on a verdict: the verdict classifier, or a model measured to be good enough; and how both are fitted."""
