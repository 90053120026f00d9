"""Laws take the time they take: on a busy machine a deadline would fail them for nothing."""

from hypothesis import settings

settings.register_profile("patient", deadline=None)
settings.load_profile("patient")
