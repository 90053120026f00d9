"""Load and run each part of an installation, and report how to repair broken parts."""
