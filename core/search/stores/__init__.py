"""Build knowledge stores as AVeriTeC's: queries of thirteen kinds, pages, rows, a manifest."""
