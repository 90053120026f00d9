"""One claim: the loop, its steps, recipes, verdicts and receipts."""
