"""Load and run each part of an installation, and say how to mend those that do not work."""
