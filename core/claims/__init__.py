"""From a speech, an article or a transcript to the claims that are worth checking."""
