"""Language models: which are installed, which can be downloaded, and how well they judge."""
