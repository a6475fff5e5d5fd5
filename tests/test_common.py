"""The contract: what scikit-learn asks of every estimator, with no exceptions listed."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from pypmeans import DPMeans, PYPMeans, PYPSpectralClustering

# The checks use data in which one cluster, or every row alone, is the answer.
pytestmark = pytest.mark.filterwarnings("ignore:(Only one cluster|Each of the)")


@parametrize_with_checks(
    [
        PYPMeans(),
        PYPMeans(lam=1.0, theta=0.1),
        DPMeans(),
        DPMeans(lam=2.0, init="random"),
        PYPSpectralClustering(),
        PYPSpectralClustering(lam=0.9, theta=0.01, affinity="rbf", normalize_rows=False),
        PYPSpectralClustering(affinity="rbf", normalize=False),
    ]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
