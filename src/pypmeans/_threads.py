"""Blocks of rows on threads, with results that do not depend on the number of threads."""

import os
from concurrent.futures import ThreadPoolExecutor

from joblib import cpu_count

BLOCK_ROWS = 8192


class BlockRunner:
    """Runs a function on fixed blocks of rows and returns the answers in block order.

    The blocks depend on the number of rows alone; only who works on them depends on `n_threads`.
    The threads live as long as the runner, so nothing is shared with a forked process or left
    behind. Use it in a ``with`` statement.
    """

    def __init__(self, n_rows, n_threads=None):
        starts = range(0, n_rows, BLOCK_ROWS)
        self.blocks = [slice(start, min(start + BLOCK_ROWS, n_rows)) for start in starts]
        self.n_threads = min(available_threads(n_threads), len(self.blocks))
        self._pool = None

    def __enter__(self):
        if self.n_threads > 1:
            self._pool = ThreadPoolExecutor(self.n_threads)
        return self

    def __exit__(self, *exception):
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
            self._pool = None

    def __call__(self, function):
        """The list of ``function(block)`` for each block, a slice of rows."""
        run = map if self._pool is None else self._pool.map
        return list(run(function, self.blocks))


def available_threads(n_threads=None):
    """`n_threads`, or as many as this process may use: its CPUs, limited by OMP_NUM_THREADS."""
    if n_threads is not None:
        return n_threads
    # "4,2" sets nested levels; joblib and Dask set a plain number in their workers.
    limit = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    allowed = int(limit) if limit.isdigit() and int(limit) > 0 else cpu_count()
    return min(allowed, cpu_count())
