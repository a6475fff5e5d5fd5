"""Blocks on threads: fixed blocks, answers in order, nothing left behind."""

import threading
from itertools import pairwise

import pytest
from joblib import cpu_count

from pypmeans._threads import BLOCK_ROWS, BlockRunner, available_threads


@pytest.mark.parametrize("n_threads", [1, 2, 7])
def test_blocks_cover_all_rows_in_order(n_threads):
    n_rows = 5 * BLOCK_ROWS + 17
    with BlockRunner(n_rows, n_threads) as on_blocks:
        ranges = on_blocks(lambda rows: (rows.start, rows.stop))
    assert ranges[0][0] == 0
    assert ranges[-1][1] == n_rows
    assert all(left[1] == right[0] for left, right in pairwise(ranges))


def test_threads_end_with_the_runner_even_after_an_error():
    before = threading.active_count()
    with pytest.raises(ZeroDivisionError), BlockRunner(4 * BLOCK_ROWS, 3) as on_blocks:
        on_blocks(lambda rows: 1 // rows.start)
    assert threading.active_count() == before


def test_one_block_needs_no_thread():
    before = threading.active_count()
    with BlockRunner(10, 4) as on_blocks:
        assert on_blocks(lambda _: threading.current_thread()) == [threading.current_thread()]
        assert threading.active_count() == before


@pytest.mark.parametrize(
    ("value", "expected"), [("1", 1), ("1,4", 1), ("99999", None), ("", None), ("many", None)]
)
def test_the_default_heeds_omp_num_threads(monkeypatch, value, expected):
    monkeypatch.setenv("OMP_NUM_THREADS", value)
    assert available_threads() == (expected or cpu_count())
    assert available_threads(3) == 3
