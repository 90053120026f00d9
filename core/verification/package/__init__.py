"""Evidence packages: one file with a case, its receipt, its report and all that it read (WACZ 1.1.1)."""
