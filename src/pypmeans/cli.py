"""The command ``pypmeans``: fit, predict, path, report and demo, thin over the Python API.

Needs ``pip install "pypmeans[cli]"``. Results go to files and stdout, remarks to stderr; the exit
code is 0 if all went well, 1 if something failed and 2 if the command was used wrongly.
"""

import sys
from pathlib import Path
from typing import Annotated

import typer

import pypmeans
from pypmeans._cli_demo import agreement, write_demo
from pypmeans._cli_failures import run_app
from pypmeans._cli_jobs import (
    Labelling,
    check_outputs,
    cluster,
    labels_path,
    open_table,
    scales_of,
    write_path,
    write_report,
)
from pypmeans._cli_options import (
    Algorithm,
    AlgorithmOption,
    Columns,
    Data,
    Force,
    Id,
    Init,
    InitOption,
    Json,
    LabelsOutput,
    Lam,
    MaxClusters,
    MaxIter,
    Missing,
    MissingOption,
    Quiet,
    RandomState,
    Scale,
    ScaleOption,
    Theta,
    Threads,
    Tol,
    option,
)
from pypmeans._cli_screen import Screen, cluster_table, count, path_table, tail_lines
from pypmeans._validation import require
from pypmeans.files import SavedModel, load_model, save_model, write_labels

app = typer.Typer(
    name="pypmeans",
    help="Clusters of very different sizes, without being told how many.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.command()
def fit(
    data: Data,
    columns: Columns = None,
    id_column: Id = None,
    scale: ScaleOption = Scale.minmax,
    missing: MissingOption = Missing.error,
    lam: Lam = "auto",
    theta: Theta = None,
    algorithm: AlgorithmOption = Algorithm.search,
    init: InitOption = Init.mean,
    max_iter: MaxIter = 100,
    tol: Tol = 0.0,
    max_clusters: MaxClusters = None,
    random_state: RandomState = None,
    threads: Threads = None,
    output: LabelsOutput = None,
    model: Annotated[
        Path | None,
        option(
            "--model",
            "-m",
            panel="Output",
            metavar="FILE",
            help="Save the model to this file, for predict.",
        ),
    ] = None,
    force: Force = False,
    json: Json = False,
    quiet: Quiet = False,
):
    """Find the clusters of a table and write which row belongs to which."""
    target = labels_path(data, output)
    screen = Screen(quiet=quiet, json=json, data_on_stdout=target is None)
    if json and target is None:
        raise typer.BadParameter("--json and labels on stdout exclude each other. Give --output.")
    if model is not None:
        require("skops.io", extra="cli", caller="--model")
    check_outputs([target, model], data, overwrite=force)
    estimator = _estimator(
        screen, lam=lam, theta=theta, algorithm=str(algorithm), init=str(init), max_iter=max_iter,
        tol=tol, max_clusters=max_clusters, random_state=random_state, n_threads=threads,
    )  # fmt: skip
    with open_table(data, columns, id_column, missing, screen) as (table, work):
        found = cluster(table, estimator, scale, screen, work)
        work.begin("writing the clusters")
        write_labels(target or sys.stdout.buffer, found.table, found.model.predict, overwrite=force)
        if model is not None:
            save_model(model, _saved(found), overwrite=force)
    _show_clustering(screen, found, {"labels": target, "model": model})


def _estimator(screen, **parameters):
    """The model; on a terminal it tells of its passes."""
    return pypmeans.PYPMeans(**parameters, verbose=int(screen.shows_progress))


def _saved(found):
    # The means stand for missing values in new rows, if there are any.
    mean = found.description.overall_mean
    return SavedModel(found.model, found.table.columns, found.table.scaler, mean)


def _show_clustering(screen, found, written):
    description, model = found.description, found.model
    screen.show(
        f"{count(description.n_clusters, 'cluster')} of {count(description.n_rows, 'row')} with "
        f"{count(len(description.feature_names), 'feature')} "
        f"(lam {model.lam_:.4g}, theta {model.theta_:.4g})",
        "", cluster_table(description), "",
        "σ: how far the mean of the cluster is from that of all rows, in standard deviations.",
        *tail_lines(description.tail),
    )  # fmt: skip
    for what, path in written.items():
        if path is not None:
            screen.remark(f"{what} written to {path}")
    screen.show_json({
        **{what: None if path is None else str(path) for what, path in written.items()},
        "lam": float(model.lam_), "theta": float(model.theta_),
        "objective": float(model.objective_), "scale": found.scale,
        "left_out": found.table.left_out, **description.as_dict(),
    })  # fmt: skip


@app.command()
def predict(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="A model saved by fit --model.")],
    data: Data,
    id_column: Id = None,
    missing: MissingOption = Missing.error,
    threads: Threads = None,
    output: LabelsOutput = None,
    force: Force = False,
    json: Json = False,
    quiet: Quiet = False,
):
    """Give new rows the clusters of a saved model; columns are found by their names."""
    target = labels_path(data, output)
    if json and target is None:
        raise typer.BadParameter("--json and labels on stdout exclude each other. Give --output.")
    screen = Screen(quiet=quiet, json=json, data_on_stdout=target is None)
    check_outputs([target], [*data, str(model)], overwrite=force)
    with screen.warnings_as_remarks():  # a scaler of another version of scikit-learn, for one
        saved = load_model(model)
    saved.model.n_threads = threads
    with open_table(data, None, id_column, missing, screen, saved=saved) as (table, work):
        work.begin("labelling")
        counts = Labelling(saved.model)
        write_labels(target or sys.stdout.buffer, table, counts.label, overwrite=force)
    screen.show(
        f"{count(counts.sizes.sum(), 'row')} in {(counts.sizes > 0).sum()} of "
        f"{count(len(counts.sizes), 'cluster')}"
    )
    if counts.novel:
        screen.remark(f"unlike anything the model has seen: {count(counts.novel, 'row')}")
    if target is not None:
        screen.remark(f"labels written to {target}")
    screen.show_json({
        "labels": str(target), "n_rows": int(counts.sizes.sum()), "n_novel": counts.novel,
        "sizes": counts.sizes.tolist(),
    })  # fmt: skip


@app.command()
def path(
    data: Data,
    columns: Columns = None,
    id_column: Id = None,
    scale: ScaleOption = Scale.minmax,
    missing: MissingOption = Missing.error,
    max_clusters: MaxClusters = None,
    threads: Threads = None,
    output: Annotated[
        Path | None,
        option(
            "--output",
            "-o",
            panel="Output",
            metavar="FILE",
            help="Also write the table to this CSV file.",
        ),
    ] = None,
    force: Force = False,
    json: Json = False,
    quiet: Quiet = False,
):
    """Show the solutions from coarse to fine, and which scale the data support best."""
    screen = Screen(quiet=quiet, json=json)
    check_outputs([output], data, overwrite=force)
    with open_table(data, columns, id_column, missing, screen) as (table, work):
        scales = scales_of(table, scale, max_clusters, threads, screen, work)
    if output is not None:
        write_path(output, scales, overwrite=force)
        screen.remark(f"scales written to {output}")
    screen.show(path_table(scales), "", f"→ is best, by {scales.clarity:.3g} nats per row.")
    screen.show_json([
        {name: getattr(entry, name) for name in
         ("n_clusters", "lam", "theta", "scale", "score", "objective")}
        | {"best": entry is scales.best, "sizes": entry.cluster_sizes.tolist()}
        for entry in scales
    ])  # fmt: skip


@app.command()
def report(
    data: Data,
    columns: Columns = None,
    id_column: Id = None,
    scale: ScaleOption = Scale.minmax,
    missing: MissingOption = Missing.error,
    lam: Lam = "auto",
    theta: Theta = None,
    algorithm: AlgorithmOption = Algorithm.search,
    init: InitOption = Init.mean,
    max_iter: MaxIter = 100,
    tol: Tol = 0.0,
    max_clusters: MaxClusters = None,
    random_state: RandomState = None,
    threads: Threads = None,
    output: Annotated[
        Path | None,
        option(
            "--output",
            "-o",
            panel="Output",
            metavar="FILE",
            help="The page. Default: NAME.html beside DATA.",
        ),
    ] = None,
    axes: Annotated[
        str | None,
        option("--map", panel="Output", metavar="A,B", help="The two columns of the map."),
    ] = None,
    title: Annotated[
        str | None,
        option("--title", panel="Output", metavar="TEXT", help="The heading of the page."),
    ] = None,
    force: Force = False,
    json: Json = False,
    quiet: Quiet = False,
):
    """Find the clusters of a table and show them on one page that opens in any browser."""
    make_report = _report_class()
    target = output or labels_path(data, None, suffix=".html") or Path("report.html")
    screen = Screen(quiet=quiet, json=json)
    check_outputs([target], data, overwrite=force)
    estimator = _estimator(
        screen, lam=lam, theta=theta, algorithm=str(algorithm), init=str(init), max_iter=max_iter,
        tol=tol, max_clusters=max_clusters, random_state=random_state, n_threads=threads,
    )  # fmt: skip
    with open_table(data, columns, id_column, missing, screen) as (table, work):
        found = cluster(table, estimator, scale, screen, work)
        work.begin("writing the report")
        write_report(make_report, found, target, axes, title, overwrite=force)
    _show_clustering(screen, found, {"report": target})


def _report_class():
    """The class that makes reports; what it needs is looked for before any work."""
    require("jinja2", extra="report", caller="The report")
    return require("pypmeans.report", extra="report", caller="The report").ClusteringReport


@app.command()
def demo(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Where its files go.")] = Path(
        "pypmeans-demo"
    ),
    force: Force = False,
    quiet: Quiet = False,
):
    """Cluster 1,500 points in 16 groups of 12 to 681, and show what was found."""
    screen = Screen(quiet=quiet)
    data, labels, model, page = (
        folder / f"demo.{end}" for end in ("csv", "clusters.csv", "skops", "html")
    )
    folder.mkdir(parents=True, exist_ok=True)
    check_outputs([data, labels, model, page], [], overwrite=force)
    write_demo(data, overwrite=force)
    screen.show(f"$ pypmeans fit {data} --model {model}")
    fit([str(data)], output=str(labels), model=model, force=force, quiet=quiet)
    screen.show("", *agreement(labels))
    try:
        report([str(data)], output=page, force=force, quiet=True)
    except ImportError as error:
        screen.remark(f"no report: {error}")
    else:
        screen.show("", f"$ pypmeans report {data}", f"The report is {page.resolve()}")


def _show_version(wanted: bool):
    if wanted:
        print(f"pypmeans {pypmeans.__version__}")
        raise typer.Exit


@app.callback()
def _common(
    version: Annotated[
        bool,
        typer.Option("--version", help="Show the version.", callback=_show_version, is_eager=True),
    ] = False,
):
    """Clusters of very different sizes, without being told how many."""


def run():
    """Run the command line and exit."""
    run_app(app)
