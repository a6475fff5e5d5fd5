"""Every kernel on nasty data, to be run with NUMBA_BOUNDSCHECK=1 and an empty cache directory."""

import warnings

import numpy as np

import nasty
from pypmeans import DPMeans, PYPMeans, _kernels, radius_profile


def writes_outside_are_noticed():
    """Whether the checks are on at all."""
    rows, labels = np.empty(1, dtype=np.int32), np.zeros(3, dtype=np.int32)
    try:
        _kernels.sort_rows(labels, np.zeros(1, dtype=np.int64), rows)
    except IndexError:
        return True
    return False


def main():
    warnings.simplefilter("ignore")
    assert writes_outside_are_noticed()
    for number, kind in enumerate(nasty.KINDS):
        for p in (2, 30):
            X = kind(np.random.default_rng(number), 70, p)
            for model in (
                PYPMeans(nasty.price(X, number % 4)),
                DPMeans(nasty.price(X, number % 4), algorithm="paper"),
            ):
                model.fit(X, sample_weight=np.linspace(0.3, 2, 70))
                assert np.array_equal(model.predict(X[:1]), model.labels_[:1])
                model.transform(X)
                model.is_novel(X)
            radius_profile(X, 30)
    print("checked")


if __name__ == "__main__":
    main()
