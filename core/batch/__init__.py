"""Many claims: worked on by one or more workers, each done one on disk at once, and a submission at the end."""
