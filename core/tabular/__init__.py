"""Tables as people take them away."""
