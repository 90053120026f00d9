"""Parts that several commands share: their arguments, and their words on a terminal."""
