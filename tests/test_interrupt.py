"""Ctrl-C in the middle of a fit: the caller gets it soon, and no thread is left."""

import os
import signal
import subprocess
import sys

import pytest

# The child says when fits begin, and how many threads there are when Ctrl-C has arrived.
CHILD = """
import signal, threading, warnings
import numpy as np
from pypmeans import DPMeans, PYPMeans, PYPSpectralClustering, scale_path
warnings.simplefilter("ignore")
X = np.random.default_rng(0).uniform(size=({n}, 4))
fit = {fit}
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where a shell says so
print("begin", flush=True)
try:
    while True:
        fit(X)
except KeyboardInterrupt:
    print("interrupted", threading.active_count(), flush=True)
"""
FITS = {
    "search": (1_000_000, "PYPMeans(2000.0, 0.05, n_threads=4).fit"),
    "search, one thread": (1_000_000, "PYPMeans(2000.0, 0.05, n_threads=1).fit"),
    "paper": (1_000_000, "DPMeans(0.05, algorithm='paper', n_threads=4).fit"),
    "path": (10_000, "lambda X: scale_path(X, n_threads=4)"),
    "every row alone": (20_000, "DPMeans(1e-14, n_threads=4).fit"),
}


@pytest.mark.large
@pytest.mark.skipif(os.name == "nt", reason="no SIGINT for a child there")
@pytest.mark.parametrize("name", FITS)
def test_ctrl_c_ends_a_fit_and_its_threads(name):
    n, fit = FITS[name]
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD.format(n=n, fit=fit)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert child.stdout.readline() == "begin\n"
        with pytest.raises(subprocess.TimeoutExpired):
            child.wait(timeout=2)  # well into the fit
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=60)
    finally:
        child.kill()
    assert out == "interrupted 1\n", err
    assert child.returncode == 0, err
