"""Knowledge stores of one's own, as AVeriTeC builds them: queries of thirteen kinds, pages, rows, a manifest."""
