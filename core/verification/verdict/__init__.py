"""Deciding on a verdict: the fitted head, or a model measured to be good enough; and how both are fitted."""
