"""Search: from a claim to the pages that may bear on it: sources, queries, crawl, snapshots, stores."""
