"""Many claims: workers do them, a journal keeps each result, and the end is a submission."""
