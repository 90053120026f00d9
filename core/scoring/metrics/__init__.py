"""Define the metrics, one file each, their parts, and the judge that some need."""
