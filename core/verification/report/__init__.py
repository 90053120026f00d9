"""A case as something to hand over: what it says on paper, and one exporter a kind of file."""
