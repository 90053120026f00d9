"""The report of a case: its content, its blocks in the order of reading, and one renderer per format."""
