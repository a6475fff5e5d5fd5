"""Fitted models in notebooks: the main figures below scikit-learn's diagram."""

from math import log1p

import numpy as np

BARS, BAR_WIDTH, HEIGHT = 80, 4, 44


class GlanceMixin:
    """Adds the main figures to the HTML that scikit-learn shows for a fitted estimator.

    With ``sklearn.set_config(display="text")``, and before `fit`, everything stays as it is.
    """

    # Notebooks ask for the bundle, other programs for the HTML; scikit-learn makes each by itself.
    def _repr_html_inner(self):
        return super()._repr_html_inner() + glance(self)  # type: ignore[misc]

    def _repr_mimebundle_(self, **kwargs):
        bundle = super()._repr_mimebundle_(**kwargs)  # type: ignore[misc]
        if "text/html" in bundle:
            bundle["text/html"] += glance(self)
        return bundle


def glance(model):
    """The main figures of a fitted model as a piece of HTML; nothing for one that is not."""
    sizes = getattr(model, "cluster_sizes_", None)
    if sizes is None or not len(sizes):
        return ""
    figures = {
        "clusters": len(sizes),
        "largest": max(sizes),
        "smallest": min(sizes),
        "λ": getattr(model, "lam_", None),
        "θ": getattr(model, "theta_", None),
        "objective": getattr(model, "objective_", None),
    }
    cells = "".join(
        f'<td style="text-align: left; padding: 2px 14px 2px 0">{_number(value)}<br>'
        f'<small style="opacity: 0.75">{name}</small></td>'
        for name, value in figures.items()
        if value is not None
    )
    return (
        '<div class="pypmeans-glance" style="margin: 6px 0; font-variant-numeric: tabular-nums">'
        '<table style="border: 0; margin: 0; background: none"><tr style="background: none">'
        f'{cells}<td style="padding: 2px 0">{_bars(sizes)}</td></tr></table></div>'
    )


def _bars(sizes):
    """Sizes from the largest to the smallest, on a logarithmic scale."""
    shown = np.sort(sizes)[::-1]
    if len(shown) > BARS:
        shown = shown[np.round(np.linspace(0, len(shown) - 1, BARS)).astype(int)]
    tallest = log1p(shown[0])
    heights = [max(2, round(HEIGHT * log1p(size) / tallest)) for size in shown.tolist()]
    bars = "".join(
        f'<rect x="{i * BAR_WIDTH}" y="{HEIGHT - height}" width="{BAR_WIDTH - 1}" '
        f'height="{height}"/>'
        for i, height in enumerate(heights)
    )
    width = len(heights) * BAR_WIDTH
    return (
        f'<svg width="{width}" height="{HEIGHT}" viewBox="0 0 {width} {HEIGHT}" role="img" '
        'aria-label="Sizes of the clusters, largest first, on a logarithmic scale" '
        f'fill="#0072B2">{bars}</svg>'
    )


def _number(value):
    value = float(value)
    return f"{value:,.0f}" if value.is_integer() and abs(value) < 1e15 else f"{value:,.4g}"
