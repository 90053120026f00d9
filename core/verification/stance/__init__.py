"""The stance of a passage towards a claim: for, against, about it, or unrelated, with a reason to check."""
