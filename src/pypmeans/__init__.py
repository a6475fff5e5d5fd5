"""Clustering for data whose groups differ wildly in size, without being told how many there are."""

from pypmeans._estimators import DPMeans, PYPMeans
from pypmeans._path import scale_path
from pypmeans._tuning import estimate_lambda, radius_profile

__version__ = "0.1.0.dev0"

__all__ = [
    "DPMeans",
    "PYPMeans",
    "PYPSpectralClustering",
    "estimate_lambda",
    "radius_profile",
    "scale_path",
]


def __getattr__(name):
    # Needs packages that the others do not, so it is imported when somebody asks for it.
    if name == "PYPSpectralClustering":
        from pypmeans._spectral import PYPSpectralClustering

        return PYPSpectralClustering
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return [*globals(), "PYPSpectralClustering"]
