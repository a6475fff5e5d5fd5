"""Blocks of rows on threads, with results that do not depend on the number of threads."""

import os
from concurrent.futures import ThreadPoolExecutor
from threading import Lock

from joblib import cpu_count
from threadpoolctl import ThreadpoolController

BLOCK_ROWS = 16384


class Threads:
    """Runs a function on many pieces of work and returns the answers in order.

    The pieces are the same for any number of threads; only who works on them differs. The threads
    live as long as the ``with`` statement, so nothing is shared with a forked process or left
    behind.
    """

    def __init__(self, n_threads=None):
        self.n_threads = available_threads(n_threads)
        self._pool = None

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
            self._pool = None

    def run(self, function, pieces):
        """The list of ``function(piece)`` for each piece."""
        if self.n_threads == 1 or len(pieces) == 1:
            return [function(piece) for piece in pieces]
        if self._pool is None:
            self._pool = ThreadPoolExecutor(self.n_threads)
        return list(self._pool.map(function, pieces))


class OneBlasThread:
    """Within a ``with`` statement, matrix products use one thread, since blocks have their own.

    Statements may overlap in several threads; the last one to end restores what was.
    """

    def __init__(self):
        self._lock = Lock()
        self._n_inside = 0
        self._controller = None

    def __enter__(self):
        with self._lock:
            self._n_inside += 1
            if self._n_inside == 1:
                self._controller = self._controller or ThreadpoolController()
                self._limit = self._controller.limit(limits=1, user_api="blas")

    def __exit__(self, *exception):
        with self._lock:
            self._n_inside -= 1
            if self._n_inside == 0:
                self._limit.restore_original_limits()


one_blas_thread = OneBlasThread()


def blocks_of(n_rows, size=BLOCK_ROWS):
    """Slices that cut `n_rows` rows in blocks of fixed size."""
    return [slice(start, min(start + size, n_rows)) for start in range(0, n_rows, size)]


def available_threads(n_threads=None):
    """`n_threads`, or as many as this process may use: its CPUs, limited by OMP_NUM_THREADS."""
    if n_threads is not None:
        return n_threads
    # "4,2" sets nested levels; joblib and Dask set a plain number in their workers.
    limit = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    allowed = int(limit) if limit.isdigit() and int(limit) > 0 else cpu_count()
    return min(allowed, cpu_count())
