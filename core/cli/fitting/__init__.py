"""What `python -m core fit` fits, one module each."""
