"""Verify many claims: workers process them, a journal stores each result, and a submission is written."""

SUFFIXES = (".json", ".jsonl", ".csv")
"""The endings of a submission."""
JOURNAL, FAILURES = ".journal", ".failures.json"
"""The endings of the files beside a submission."""
