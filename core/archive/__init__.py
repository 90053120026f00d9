"""Keep a growing set of documents with their former versions, and search it by words and by meaning."""
