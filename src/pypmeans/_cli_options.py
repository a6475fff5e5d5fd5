"""The options of the command line, each with its help; several commands share them."""

from enum import StrEnum
from typing import Annotated, Any

import typer


class Scale(StrEnum):
    """Names of scalings."""

    minmax = "minmax"
    standard = "standard"
    l2 = "l2"
    none = "none"


class Missing(StrEnum):
    """What to do about missing values."""

    error = "error"
    drop = "drop"
    mean = "mean"


class Init(StrEnum):
    """Where to start from."""

    mean = "mean"
    random = "random"


class Algorithm(StrEnum):
    """Names of algorithms."""

    search = "search"
    paper = "paper"


def _price(text):
    """A number above 0, or "auto"."""
    if text == "auto":
        return text
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise typer.BadParameter(f"{text!r} is neither a number above 0 nor 'auto'.")
    return value


def option(*names, panel, **more):
    """An option, in one of the panels of the help."""
    return typer.Option(*names, rich_help_panel=panel, **more)


Data = Annotated[
    list[str],
    typer.Argument(
        metavar="DATA...",
        help="CSV, TSV, Parquet, Feather or NPY files, or a folder; - is standard input.",
    ),
]
Columns = Annotated[
    list[str] | None,
    option(
        "--columns",
        panel="Data",
        metavar="A,B,C",
        help="Columns to use. Default: all that hold numbers.",
    ),
]
Id = Annotated[
    str | None,
    option(
        "--id",
        panel="Data",
        metavar="NAME",
        help="The column that names the rows; it is no feature.",
    ),
]
ScaleOption = Annotated[
    Scale,
    option(
        "--scale", panel="Data",
        help="Columns to [0, 1], to variance 1, rows to length 1, or as they are.",
    ),
]  # fmt: skip
MissingOption = Annotated[
    Missing,
    option(
        "--missing", panel="Data",
        help="Missing values: refuse them, drop their rows, or put the mean in their place.",
    ),
]  # fmt: skip
Lam = Annotated[
    Any,
    option(
        "--lam", panel="Clustering", parser=_price, metavar="NUMBER|auto",
        help="The price of a cluster: the smaller, the more clusters.",
    ),
]  # fmt: skip
Theta = Annotated[
    float | None,
    option(
        "--theta", panel="Clustering", min=0, metavar="NUMBER",
        help="Twice the variance within a cluster, per feature. Default: follows from lam.",
    ),
]  # fmt: skip
AlgorithmOption = Annotated[
    Algorithm,
    option("--algorithm", panel="Clustering", help="The search, or exactly the paper."),
]
InitOption = Annotated[
    Init, option("--init", panel="Clustering", help="Start from the mean, or from a random row.")
]
MaxIter = Annotated[
    int,
    option(
        "--max-iter", panel="Clustering", metavar="N", min=1, help="The most passes over the rows."
    ),
]
Tol = Annotated[
    float,
    option(
        "--tol", panel="Clustering", min=0, metavar="NUMBER",
        help="Stop when a pass lowers the objective by this part or less.",
    ),
]  # fmt: skip
MaxClusters = Annotated[
    int | None,
    option(
        "--max-clusters", panel="Clustering", metavar="N", min=1, help="The most clusters to open."
    ),
]
RandomState = Annotated[
    int | None,
    option(
        "--random-state", panel="Clustering", metavar="N", min=0, max=2**32 - 1,
        help="Serves --init random; all else is deterministic.",
    ),
]  # fmt: skip
Threads = Annotated[
    int | None,
    option(
        "--threads", "--n-threads", panel="Clustering", metavar="N", min=1,
        help="Number of threads; the result is the same for any. Default: all CPUs.",
    ),
]  # fmt: skip
Force = Annotated[bool, option("--force", "-f", panel="Output", help="Overwrite existing files.")]
Json = Annotated[bool, option("--json", panel="Output", help="Print the results as JSON.")]
Quiet = Annotated[
    bool, option("--quiet", "-q", panel="Output", help="No remarks and no tables; errors only.")
]
LabelsOutput = Annotated[
    str | None,
    option(
        "--output", "-o", panel="Output", metavar="FILE",
        help="Where the clusters go: .csv, .tsv, .parquet or .feather; - is stdout. "
        "Default: beside DATA, as NAME.clusters.csv.",
    ),
]  # fmt: skip
