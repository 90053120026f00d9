"""What several commands share: their arguments, and how they speak on a terminal."""
