"""A study of human ratings and automatic scores: reading both, their analysis, its tables and its report."""
