"""Run background jobs: their kinds, their store and their queue."""
