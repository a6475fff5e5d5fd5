"""Nothing the library does needs a network: sockets are blocked while all of it runs."""

import socket

import numpy as np
import pytest

from pypmeans import (
    DPMeans,
    PYPMeans,
    PYPSpectralClustering,
    datasets,
    estimate_lambda,
    metrics,
    process,
    radius_profile,
    scale_path,
)

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
X = datasets.load_demo().data[:300]

USES = {
    "fit and predict": lambda: PYPMeans(0.1, n_threads=2).fit(X).predict(X),
    "auto": lambda: PYPMeans().fit(X).path_.best,
    "paper": lambda: DPMeans(0.1, algorithm="paper").fit(X).transform(X),
    "spectral": lambda: PYPSpectralClustering().fit(X).predict(X),
    "path": lambda: scale_path(X),
    "profile": lambda: (radius_profile(X, 5), estimate_lambda(X, 3)),
    "process": lambda: process.fit_pitman_yor(np.array([50, 20, 9, 4, 1])),
    "metrics": lambda: metrics.clustering_accuracy([0, 0, 1], [1, 1, 0]),
    "power-law blobs": lambda: datasets.make_power_law_blobs(500, random_state=0),
    "demo": lambda: datasets.load_demo(return_X_y=True),
}


@pytest.fixture
def _no_sockets(monkeypatch):
    def refuse(*args, **options):
        raise AssertionError("a socket was opened")

    for name in ("socket", "create_connection", "getaddrinfo", "socketpair"):
        monkeypatch.setattr(socket, name, refuse)


@pytest.mark.usefixtures("_no_sockets")
def test_the_block_works():
    with pytest.raises(AssertionError, match="a socket was opened"):
        socket.create_connection(("localhost", 9))


@pytest.mark.usefixtures("_no_sockets")
@pytest.mark.parametrize("use", USES)
def test_no_socket_is_opened(use):
    assert USES[use]() is not None
