"""The plan of a campaign: the form, the items and their sources, the draw, its texts."""
