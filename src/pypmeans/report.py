"""An interactive report on a clustering, as one HTML file that needs nothing else.

Needs jinja2: ``pip install "pypmeans[report]"``.
"""

import gzip
import html
import json
from functools import cached_property
from importlib.resources import files

from pypmeans._figures import MANY_POINTS
from pypmeans._reporting import summarize
from pypmeans._validation import require
from pypmeans._writing import whole_file

__all__ = ["ClusteringReport"]

TEMPLATES = files("pypmeans") / "_templates"


class ClusteringReport:
    """Everything worth knowing about a clustering, to look at and to hand on.

    One HTML page with all it needs inside: a map of the rows, a slider from coarse to fine that
    recolours it, sizes, what distinguishes each cluster, and why there are so many of them. It
    opens from disk and fetches nothing.

    Parameters
    ----------
    model : PYPMeans, DPMeans or PYPSpectralClustering
        A fitted model. With ``lam="auto"`` there is a slider over the scales of its path.
    X : array-like of shape (n_samples, n_features)
        The rows it was fitted to, or others like them.
    values : array-like of shape (n_samples, n_features), default=None
        The same rows in the units to show them in, before scaling for example; None means `X`.
    feature_names : sequence of str, default=None
        Names of the features; None means those of the data frame or of the model.
    ids : sequence of length n_samples, default=None
        Names of the rows; None means their numbers.
    columns : pair of int or str, default=None
        The two features of the map. None means both if there are two, otherwise the first two
        principal components.
    max_points : int, default=10000
        The most rows on the map. Of more a sample is shown that has members of every cluster at
        every stop of the slider; all other figures are of all rows.
    title : str, default=None
        The heading; None means the number of clusters.
    notes : sequence of str, default=()
        Remarks to show with those of the report, warnings of the fit for example.

    See Also
    --------
    pypmeans.plotting : The same pictures for papers.

    Notes
    -----
    The page carries the names of features, and the `ids` of the rows that it shows. Names are shown
    as they are, never run.

    Examples
    --------
    >>> from pypmeans import PYPMeans
    >>> from pypmeans.datasets import load_demo
    >>> from pypmeans.report import ClusteringReport
    >>> X = load_demo().data[::5]
    >>> report = ClusteringReport(PYPMeans().fit(X), X, title="Demo")
    >>> report.summary["title"], report.summary["stops"][report.summary["chosen"]]["n_clusters"]
    ('Demo', 16)
    >>> report.write_html("report.html")  # doctest: +SKIP
    """

    def __init__(
        self,
        model,
        X,
        *,
        values=None,
        feature_names=None,
        ids=None,
        columns=None,
        max_points=MANY_POINTS,
        title=None,
        notes=(),
    ):
        _jinja2()  # before any work
        self.summary = summarize(
            model, X, values=values, feature_names=feature_names, ids=ids, columns=columns,
            max_points=max_points, title=title, notes=notes,
        )  # fmt: skip

    def html(self):
        """The page.

        Returns
        -------
        page : str
        """
        return self._page

    def json(self):
        """The numbers behind the page.

        Returns
        -------
        text : str
            JSON without nan or infinity.
        """
        return json.dumps(self.summary, allow_nan=False)

    def write_html(self, path, overwrite=False):
        """Write the page to a file, whole or not at all.

        Parameters
        ----------
        path : str or path
            Where to.
        overwrite : bool, default=False
            Whether a file that is there may be replaced.
        """
        with whole_file(path, overwrite=overwrite) as draft:
            draft.write_text(self.html(), encoding="utf-8")

    @cached_property
    def _page(self):
        return render(self.summary)

    def _repr_html_(self):
        # A frame, so that the styles of the page and those of the notebook do not mix.
        page = html.escape(self.html(), quote=True)
        return (
            f'<iframe srcdoc="{page}" title="{html.escape(self.summary["title"])}" '
            'sandbox="allow-scripts" style="width: 100%; height: 800px; border: 0"></iframe>'
        )

    def __repr__(self):
        chosen = self.summary["stops"][self.summary["chosen"]]
        n_rows = self.summary["model"]["n_rows"]
        return f"<ClusteringReport: {chosen['n_clusters']} clusters of {n_rows} rows>"


def render(summary):
    """The page of a summary; styles, scripts and data are inside."""
    jinja2 = _jinja2()
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(_template),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters["number"] = _number
    return environment.get_template("report.html").render(
        **summary,
        now=summary["stops"][summary["chosen"]],
        data=script_safe(summary),
        style=_template("report.css"),
        scripts=_template("map.js") + _template("report.js"),
        plotly=gzip.decompress((TEMPLATES / "plotly-basic.min.js.gz").read_bytes()).decode("utf-8"),
    )


def _template(name):
    return (TEMPLATES / name).read_text(encoding="utf-8")


def script_safe(summary):
    """JSON that cannot end the script element it stands in, whatever its strings say."""
    text = json.dumps(summary, allow_nan=False, separators=(",", ":"))
    return text.replace("&", r"\u0026").replace("<", r"\u003c").replace(">", r"\u003e")


def _number(value, digits=4):
    """A number for people: grouped digits, no more of them than say something."""
    if value is None:
        return "–"
    if float(value).is_integer() and abs(value) < 1e15:
        return f"{int(value):,}"
    return f"{value:,.{digits}g}"


def _jinja2():
    return require("jinja2", extra="report", caller="ClusteringReport")
