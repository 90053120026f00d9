"""Build tables and charts, and read and write them as files."""
