"""Blocks on threads: fixed blocks, answers in order, nothing left behind."""

import threading
from itertools import pairwise

import pytest
from joblib import cpu_count

from pypmeans._threads import BLOCK_ROWS, Threads, available_threads, blocks_of


def test_blocks_cover_all_rows_in_order():
    n_rows = 5 * BLOCK_ROWS + 17
    blocks = blocks_of(n_rows)
    assert blocks[0].start == 0
    assert blocks[-1].stop == n_rows
    assert all(left.stop == right.start for left, right in pairwise(blocks))


@pytest.mark.parametrize("n_threads", [1, 2, 7])
def test_answers_come_in_the_order_of_the_pieces(n_threads):
    with Threads(n_threads) as threads:
        assert threads.run(lambda piece: piece**2, range(50)) == [k**2 for k in range(50)]


def test_threads_end_with_the_statement_even_after_an_error():
    before = threading.active_count()
    with pytest.raises(ZeroDivisionError), Threads(3) as threads:
        threads.run(lambda piece: 1 // piece, range(4))
    assert threading.active_count() == before


def test_one_piece_needs_no_thread():
    before = threading.active_count()
    with Threads(4) as threads:
        current = threading.current_thread()
        assert threads.run(lambda _: threading.current_thread(), [0]) == [current]
        assert threading.active_count() == before


@pytest.mark.parametrize(
    ("value", "expected"), [("1", 1), ("1,4", 1), ("99999", None), ("", None), ("many", None)]
)
def test_the_default_heeds_omp_num_threads(monkeypatch, value, expected):
    monkeypatch.setenv("OMP_NUM_THREADS", value)
    assert available_threads() == (expected or cpu_count())
    assert available_threads(3) == 3
