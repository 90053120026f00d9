"""What a campaign asks of which items: the form, the items and where they come from, the draw, its texts."""
