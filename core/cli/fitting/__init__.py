"""The targets of `python -m core fit`, one module each."""
