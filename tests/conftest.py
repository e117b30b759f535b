"""Settings shared by every test."""

from hypothesis import HealthCheck, settings

# Correctness never fails on time: a busy machine is not a fault of the code under test.
settings.register_profile(
    "capfuzz", deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.load_profile("capfuzz")
