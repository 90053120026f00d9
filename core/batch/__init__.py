"""Verify many claims: workers process them, a journal stores each result, and a submission is written."""
