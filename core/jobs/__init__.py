"""Background jobs: kinds, their store, and the queue that runs them."""
