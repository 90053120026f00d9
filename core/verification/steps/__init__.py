"""Steps: each turns a case into a case with its findings added."""
