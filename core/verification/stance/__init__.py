"""What a passage does with a claim: for it, against it, about it, or not about it; with a reason to check."""
