"""Declare an action once: its request, its work and its tables. Commands, forms and jobs are derived from that."""
