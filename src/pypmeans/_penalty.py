"""The price of clusters: every formula of the paper that does not look at the data."""

from dataclasses import dataclass
from functools import cached_property
from math import log, log1p

# Labels are int32, so no more clusters than this can be named.
MOST_CLUSTERS = 2**31 - 1


@dataclass(frozen=True)
class PitmanYorPenalty:
    """What `c` clusters cost: ``P(c) = c * (lam - theta * ln c)``. With ``theta=0``, DP-means.

    The objective is the weighted sum of squared distances to the centers plus ``P(c)`` (Eq. 15).
    """

    lam: float
    theta: float = 0.0

    def value(self, c):
        """Total charge for `c` clusters, P(c) of Eq. 15."""
        return c * (self.lam - self.theta * log(c))

    def opening(self, c):
        """Squared distance past which a point founds cluster ``c + 1``, t(c) of Eq. 14.

        Algorithms 1 and 2 of the paper write ``d2 - theta > lam - theta ln c`` and its derivation
        ``d2 + theta``; Eq. 14 is taken. They differ only by adding theta to lam or taking it away.
        """
        return max(self.line(c), 0.0)

    def line(self, c):
        """``lam - theta ln c``, below zero too: what eigenvalue `c` must exceed (Sec. V-C)."""
        return self.lam - self.theta * log(c)

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
