"""Shared tasks: phases with dates, teams by link, submissions within limits, a leaderboard that opens."""
