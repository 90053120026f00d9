"""Language models: which there are, which may be had, how they come here and what they are worth."""
