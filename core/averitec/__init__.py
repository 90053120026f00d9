"""Read and write the shared task's files: gold claims, submissions, and the leaderboard's CSV."""
