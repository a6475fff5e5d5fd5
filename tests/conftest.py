import os

import pytest
from hypothesis import HealthCheck, settings
from threadpoolctl import threadpool_limits

collect_ignore = ["mutants.py"]  # run by hand; it turns compilation off

JIT_OFF = os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")

# The same cases every time: a failure on one machine can be repeated on another.
settings.register_profile(
    "repeatable",
    derandomize=True,
    deadline=None,
    max_examples=25 if JIT_OFF else 100,
    suppress_health_check=[HealthCheck.too_slow],
)
# Other cases each time, and many, for a machine with time. Failures say how to repeat them.
settings.register_profile(
    "wide",
    deadline=None,
    max_examples=2000,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))


@pytest.fixture(autouse=True, scope="session")
def _one_blas_thread():
    """Tests run in several processes: threads of matrix products would get in each other's way."""
    with threadpool_limits(1):
        yield


def pytest_collection_modifyitems(items):
    if JIT_OFF:
        skip = pytest.mark.skip(reason="too slow with NUMBA_DISABLE_JIT=1")
        for item in items:
            if "large" in item.keywords:
                item.add_marker(skip)
