"""Fits whose results are kept in tests/golden, so that no release changes an answer by accident.

Renew the files with ``python tests/golden_cases.py`` only when answers are meant to change: a
better search, another default, another formula. Look at the difference, and say in CHANGELOG.md
which answers changed and why. A failure after an upgrade of numpy or numba alone is a finding, not
a reason to renew.
"""

import hashlib
import json
import warnings
from pathlib import Path

import numpy as np

from pypmeans import (
    DPMeans,
    PYPMeans,
    PYPSpectralClustering,
    estimate_lambda,
    radius_profile,
    scale_path,
)
from pypmeans.datasets import load_demo, make_paper_blobs, make_power_law_blobs
from pypmeans.process import fit_pitman_yor, log_eppf, sample_partition
from shapes import two_moons

FOLDER = Path(__file__).parent / "golden"


def demo():
    return load_demo(return_X_y=True)[0]


def described(model):
    """A fit in a few numbers."""
    facts = {
        "n_clusters": model.n_clusters_,
        "cluster_sizes": np.round(model.cluster_sizes_, 9).tolist(),
        "labels": digest(model.labels_),
        "lam": float(model.lam_),
        "theta": float(model.theta_),
    }
    for name in ("objective_", "inertia_", "n_iter_"):
        if hasattr(model, name):
            facts[name.rstrip("_")] = float(getattr(model, name))
    if hasattr(model, "cluster_centers_"):
        facts["first_centers"] = model.cluster_centers_[:3].tolist()
    return facts


def digest(labels):
    """A few letters that differ when any label does."""
    return hashlib.sha256(np.ascontiguousarray(labels, dtype="<i4")).hexdigest()[:16]


def paper():
    return described(PYPMeans(0.04, 0.004, algorithm="paper").fit(demo()))


def paper_auto():
    return described(PYPMeans(algorithm="paper").fit(demo()))


def search():
    return described(PYPMeans(0.1, 0.002).fit(demo()))


def weighted_search():
    weight = 1.0 + np.arange(1500) % 3
    return described(PYPMeans(0.1, 0.002).fit(demo().astype(np.float32), sample_weight=weight))


def many_features():
    X, _ = make_power_law_blobs(900, n_features=40, n_clusters=9, random_state=5)
    return described(PYPMeans(200.0).fit(X))


def auto():
    return described(PYPMeans().fit(demo()))


def dp_means():
    return described(DPMeans(0.05).fit(demo()))


def spectral():
    return described(PYPSpectralClustering().fit(two_moons(0, 300)[0]))


def path():
    return [
        {"n_clusters": entry.n_clusters, "scale": entry.scale, "score": entry.score}
        for entry in scale_path(demo()[::3])
    ]


def profile():
    X = demo()
    return {"radii": radius_profile(X, 12).tolist(), "lam": estimate_lambda(X, 9)}


def process():
    sizes = np.bincount(sample_partition(2000, 5.0, 0.4, random_state=1))
    fit = fit_pitman_yor(sizes)
    return {
        "largest": np.sort(sizes)[::-1][:8].tolist(),
        "log_eppf": float(log_eppf(sizes, 5.0, 0.4)),
        "fit": [float(value) for value in list(fit)[:2]],
    }


def paper_blobs():
    X, y = make_paper_blobs(random_state=2)
    return {"labels": digest(y), "first_row": X[0].tolist()}


CASES = {
    case.__name__: case
    for case in (
        paper, paper_auto, search, weighted_search, many_features, auto, dp_means, spectral, path,
        profile, process, paper_blobs,
    )
}  # fmt: skip


def main():
    warnings.simplefilter("ignore")
    for name, case in CASES.items():
        (FOLDER / f"{name}.json").write_text(json.dumps(case(), indent=1) + "\n")


if __name__ == "__main__":
    main()
