"""Pictures of fitted models. Needs matplotlib: ``pip install "pypmeans[plot]"``."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from pypmeans._penalty import PitmanYorPenalty
from pypmeans._validation import require

__all__ = ["plot_spectrum"]


def plot_spectrum(model, ax=None):
    """The leading eigenvalues and the line that decides how many clusters there are.

    Parameters
    ----------
    model : PYPSpectralClustering
        A fitted model.
    ax : matplotlib Axes, default=None
        Where to draw; None makes a new figure.

    Returns
    -------
    ax : matplotlib Axes
        Eigenvalues above the line ``lam - theta ln c`` up to the number of clusters are filled.

    Examples
    --------
    >>> from pypmeans import PYPSpectralClustering
    >>> from pypmeans.plotting import plot_spectrum
    >>> X = [[x + shift] for shift in (0, 100) for x in range(15)]
    >>> ax = plot_spectrum(PYPSpectralClustering().fit(X))
    >>> ax.get_title()
    '2 clusters'
    """
    plt = require("matplotlib.pyplot", extra="plot", caller="plot_spectrum")
    check_is_fitted(model, "eigenvalues_")
    spectrum = spectrum_points(model)
    count, eigenvalues, line = spectrum["count"], spectrum["eigenvalue"], spectrum["line"]
    if ax is None:
        _, ax = plt.subplots(layout="constrained")
    c = model.n_clusters_
    ax.plot(count[:c], eigenvalues[:c], "o", color="C0", label="eigenvalues of the clusters")
    ax.plot(count[c:], eigenvalues[c:], "o", color="C0", fillstyle="none", label="the rest")
    name = f"λ − θ ln c, λ = {model.lam_:.4g}, θ = {model.theta_:.2g}"
    ax.plot(count, line, "-", color="C1", label=name)
    ax.axvline(c + 0.5, color="0.7", linewidth=1, zorder=0)
    ax.set(xlabel="c", ylabel="eigenvalue", title=f"{c} cluster{'s' if c > 1 else ''}")
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.legend()
    return ax


def spectrum_points(model, at_least=12):
    """What `plot_spectrum` shows: counts, eigenvalues and the line at each count.

    Twice as many eigenvalues as there are clusters, where so many were computed: the rest would
    only make the gap look small.
    """
    shown = model.eigenvalues_[: max(2 * model.n_clusters_ + 2, at_least)]
    count = np.arange(1, len(shown) + 1)
    penalty = PitmanYorPenalty(model.lam_, model.theta_)
    return {
        "count": count,
        "eigenvalue": shown,
        "line": np.array([penalty.line(c) for c in count.tolist()]),
    }
