"""The work behind the commands: open a table, cluster it, describe it, write the results."""

import csv
import re
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pypmeans import PYPMeans, scale_path
from pypmeans._cli_input import fits_in_memory, named_files, split_names
from pypmeans._describe import Description, describe_blocks
from pypmeans._writing import labels_kind, refuse_existing, whole_file
from pypmeans.files import TableError, TableFile

REPORTED_ROWS = 1_000_000  # of a table larger than memory
LIKE_AN_ID = re.compile(r"^(id|index|key|row|rownum|row_?(id|number)|.*_id|unnamed: 0|)$", re.I)


@dataclass(frozen=True)
class Clustering:
    """A fitted model, the scaled table it was fitted to and what its clusters are like."""

    model: Any
    table: TableFile
    scale: str
    description: Description
    remarks: list


def labels_path(data, output, suffix=".clusters.csv"):
    """Where results go: as told, beside a single file, here for several; None is stdout."""
    if output is not None and output != "-":
        labels_kind(output)  # refuse a wrong name before any work
        return Path(output)
    if output == "-" or data == ["-"]:
        return None
    if len(data) == 1 and Path(data[0]).is_file():
        file = Path(data[0])
        return file.with_name(file.name.partition(".")[0] + suffix)
    return Path(f"pypmeans{suffix}")


def check_outputs(outputs, data, *, overwrite):
    """Refuse, before any work, to write where something is, or over the data."""
    outputs = [path for path in outputs if path is not None]
    for path in outputs:
        refuse_existing(path, overwrite=overwrite)
        if path.exists() and any(Path(name).exists() and path.samefile(name) for name in data):
            raise ValueError(f"{path} is read; results cannot go there. Give another --output.")
    if len({path.absolute() for path in outputs}) < len(outputs):
        raise ValueError(f"{outputs[0]} is named for two outputs. Give them different names.")


@contextmanager
def open_table(data, columns, id_column, missing, screen, saved=None):
    """The table and a progress bar. With a saved model, its columns, scaling and means."""
    with (
        named_files(data) as files,
        screen.working("reading") as work,
        screen.warnings_as_remarks(),
    ):
        if saved is None:
            columns = split_names(columns, files)
            table = TableFile(files, columns=columns, id_column=id_column, missing=str(missing))
        else:
            table = _table_for(saved, files, id_column, str(missing))
        table.watch = work.read
        work.expect(table.estimated_rows())
        _remark_columns(table, screen, chosen=columns or saved)
        yield table, work


def _table_for(saved, files, id_column, missing):
    fill = saved.fill_values if missing == "mean" else missing
    table = TableFile(files, columns=saved.columns, id_column=id_column, missing=fill)
    numbered = all(re.fullmatch(r"x\d+", name) for name in saved.columns)
    if numbered and table.unused:
        n_there = table.n_features + len(table.unused)
        raise TableError(
            f"{table.files[0]} has {n_there} columns, but the model was fitted to "
            f"{table.n_features} and knows no names. Give a file with the same columns."
        )
    return table.with_scaling(saved.scaler)


def _remark_columns(table, screen, *, chosen):
    if table.left_out:
        names = ", ".join(repr(name) for name in table.left_out)
        screen.remark(f"left out, for they do not hold numbers: {names}")
    for name in table.columns:
        if not chosen and LIKE_AN_ID.match(name):
            screen.remark(
                f"column {name!r} looks like an id, but is used as a feature: --id {name}?"
            )


def cluster(table, estimator, scale, screen, work):
    """Fit the model to the scaled table and describe what it found."""
    in_memory = fits_in_memory(table)
    table = table.load() if in_memory else table
    scaled = table.with_scaling(str(scale))
    work.begin("clustering")
    with screen.warnings_as_remarks() as remarks, work.passes():
        estimator.fit(scaled.to_array() if in_memory else scaled)
    if hasattr(estimator, "feature_names_in_"):
        del estimator.feature_names_in_  # the table has the names; its blocks are plain arrays
    work.begin("describing the clusters")
    description = describe_blocks(
        estimator,
        ((block.rows, block.values, names_of(block, scaled)) for block in scaled.blocks()),
        scaled.columns,
    )
    return Clustering(estimator, scaled, str(scale), description, remarks)


def names_of(block, table):
    """The ids of the rows, or their numbers, with the file where there are several."""
    if block.ids is not None:
        return block.ids
    if len(table.files) == 1:
        return block.row_numbers
    return [f"{Path(block.name).name}:{row}" for row in block.row_numbers]


def scales_of(table, scale, max_clusters, threads, screen, work):
    """The path of scales of a table."""
    in_memory = fits_in_memory(table)
    scaled = (table.load() if in_memory else table).with_scaling(str(scale))
    work.begin("looking for the scale")
    with screen.warnings_as_remarks():
        if in_memory:
            return scale_path(scaled.to_array(), max_clusters=max_clusters, n_threads=threads)
        return PYPMeans(max_clusters=max_clusters, n_threads=threads).fit(scaled).path_


class Labelling:
    """Labels by a model, counting on the way."""

    def __init__(self, model):
        self._model = model
        self.sizes = np.zeros(model.n_clusters_, dtype=np.int64)
        self.novel = 0

    def label(self, rows):
        """The clusters of some rows."""
        labels = self._model.predict(rows)
        self.sizes += np.bincount(labels, minlength=len(self.sizes))
        self.novel += int(self._model.is_novel(rows).sum())
        return labels


def write_path(path, scales, *, overwrite):
    """The table of scales as CSV."""
    names = ("n_clusters", "lam", "theta", "scale", "deviation", "score", "objective")
    with whole_file(path, overwrite=overwrite) as draft, draft.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*names, "best"])
        for entry in scales:
            writer.writerow([*(getattr(entry, name) for name in names), int(entry is scales.best)])


def write_report(report_class, found, path, axes, title, *, overwrite):
    """The page about a clustering."""
    step = 1
    if not fits_in_memory(found.table):
        step = max(1, -(-found.description.n_rows // REPORTED_ROWS))
    blocks = [
        (block.rows[::step], block.values[::step], list(names_of(block, found.table))[::step])
        for block in found.table.blocks()
    ]
    rows, values, names = zip(*blocks)
    ids = [each.as_py() if hasattr(each, "as_py") else each for part in names for each in part]
    notes = list(found.remarks)
    if step > 1:
        notes.append(f"One row in {step} is shown; the clusters were found in all of them.")
    report_class(
        found.model, np.concatenate(rows), values=np.concatenate(values), ids=ids,
        feature_names=found.table.columns, title=title, notes=notes,
        columns=None if axes is None else _two_columns(axes, found.table.columns),
    ).write_html(path, overwrite=overwrite)  # fmt: skip


def _two_columns(axes, columns):
    names = axes.split(",")
    for name in names:
        if name not in columns:
            raise ValueError(f"--map: {name!r} is not one of the columns used.")
    if len(names) != 2:
        raise ValueError(f"--map takes two columns, as a,b; got {axes!r}.")
    return names
