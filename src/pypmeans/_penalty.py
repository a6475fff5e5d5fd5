"""The price of clusters: every formula of the paper that does not look at the data."""

from dataclasses import dataclass
from functools import cached_property
from math import ceil, exp, inf, lgamma, log, log1p

import numpy as np

# Labels are int32, so no more clusters than this can be named.
MOST_CLUSTERS = 2**31 - 1


@dataclass(frozen=True)
class _Line:
    """λ and θ, and the line that both penalties share."""

    lam: float
    theta: float = 0.0

    def line(self, c):
        """``lam - theta ln c``, t(c) of Eq. 14, below zero too."""
        return self.lam - self.theta * log(c)


@dataclass(frozen=True)
class PitmanYorPenalty(_Line):
    """What `c` clusters cost: ``P(c) = c * (lam - theta * ln c)``. With ``theta=0``, DP-means.

    The objective is the weighted sum of squared distances to the centers plus ``P(c)`` (Eq. 15).
    """

    pull = 0.0  # sizes do not count

    def charge(self, sizes):
        """All that clusters of these sizes cost beside the sum of squares: only their number."""
        return self.value(len(sizes))

    def offsets(self, sizes):
        """What joining each cluster costs a row beside its squared distance: nothing."""
        return np.zeros(len(sizes))

    def value(self, c):
        """Total charge for `c` clusters, P(c) of Eq. 15."""
        return c * (self.lam - self.theta * log(c))

    def opening(self, c):
        """Squared distance past which a point founds cluster ``c + 1``, t(c) of Eq. 14.

        Algorithms 1 and 2 of the paper write ``d2 - theta > lam - theta ln c`` and its derivation
        ``d2 + theta``; Eq. 14 is taken. They differ only by adding theta to lam or taking it away.
        """
        return max(self.line(c), 0.0)

    def marginal(self, c):
        """Charge for cluster ``c + 1``: ``P(c + 1) - P(c)``, the bracket of Proposition 3.

        Never more than `opening`, so whatever founds a cluster with weight 1 or more pays for it.
        """
        if c == 0:
            return self.lam
        # (c + 1) ln(c + 1) - c ln c, without subtracting two large numbers
        return self.lam - self.theta * (log(c + 1) + c * log1p(1 / c))

    @cached_property
    def limit(self):
        """The largest number of clusters whose last one still had a positive charge.

        Beyond it P falls again and the optimum of the objective would be "every point alone". The
        paper asks for ``c < exp(lam / theta)``, where P itself turns negative; that is too late.
        """
        if self.marginal(MOST_CLUSTERS - 1) > 0:
            return MOST_CLUSTERS
        low, high = 1, MOST_CLUSTERS  # marginal(low - 1) > 0 >= marginal(high - 1)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.marginal(middle - 1) > 0 else (low, middle)
        return low


@dataclass(frozen=True)
class SizedPenalty(_Line):
    """What clusters of certain sizes cost: the sizes that the paper's limit drops are kept.

    The objective is the weighted sum of squares plus, with W for the sum of the sizes W_k,
    ``theta Σ W_k ln(W / W_k) + lam c - theta ln (c - 1)!``: what the derivation of Eq. 14 gives if
    2ε stays θ, twice the variance within clusters per feature, instead of vanishing. One more
    cluster costs ``lam - theta ln c``, exactly Eq. 14. Large clusters attract: to cut a round
    group in two costs more than it saves, whatever its size. With ``theta=0``, DP-means.
    """

    @property
    def pull(self):
        """How strongly sizes count: what `offsets` and mergers multiply logarithms with."""
        return self.theta

    def charge(self, sizes):
        """All that clusters of these sizes cost beside the sum of squares; empty ones nothing."""
        return self.apart(sizes) + self.count_charge(np.count_nonzero(sizes > 0))

    def apart(self, sizes):
        """What it costs that these are several clusters, not one: ``theta Σ W_k ln(W / W_k)``.

        Whatever other clusters there are: where some of all clusters become others of the same
        weight in all, what they cost changes by the difference.
        """
        sizes = sizes[sizes > 0]
        return self.theta * float(np.sum(sizes * np.log(sizes.sum() / sizes)))

    def count_charge(self, c):
        """What `c` clusters cost whatever their sizes: ``lam c - theta ln (c - 1)!``."""
        return self.lam * c - self.theta * lgamma(c)

    def offsets(self, sizes):
        """What joining each cluster costs a row of weight 1 more than joining the largest.

        Beside its squared distance. The part that all clusters share would only cost digits.
        """
        return self.theta * np.log(sizes.max() / sizes)

    def marginal(self, c):
        """Charge for cluster ``c + 1``: t(c) of Eq. 14."""
        return self.line(c)

    @cached_property
    def limit(self):
        """The largest number of clusters whose last one still had a positive charge (Eq. 14)."""
        ratio = self.lam / self.theta if self.theta > 0 else inf
        return min(MOST_CLUSTERS, ceil(exp(ratio))) if ratio < log(MOST_CLUSTERS) else MOST_CLUSTERS
