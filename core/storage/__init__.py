"""The database and its tables, the store of cases, and backups."""
