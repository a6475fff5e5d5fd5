"""Files written whole or not at all, labels among them, with no cell a spreadsheet would run."""

import os
import secrets
import warnings
from contextlib import contextmanager
from pathlib import Path

from pypmeans._locating import KINDS
from pypmeans._readers import NUMBER, pyarrow

FORMULA = r"^[=+\-@\t\r\n]"  # how a cell begins that a spreadsheet would run


@contextmanager
def whole_file(path, *, overwrite=False):
    """A draft to write to; in the end it takes the place of `path`, in one step.

    If anything fails, nothing is left behind and an existing file stays as it was.
    """
    path = Path(path)
    refuse_existing(path, overwrite=overwrite)
    # in the same folder, since only within one file system does a file move in one step
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        draft.touch(exist_ok=False)
        yield draft
        _reach_the_disk(draft)
        refuse_existing(path, overwrite=overwrite)
        os.replace(draft, path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def refuse_existing(path, *, overwrite):
    """Raise an error if `path` cannot be written or would be overwritten."""
    path = Path(path)
    if not path.parent.is_dir():
        raise FileNotFoundError(f"{path}: there is no folder {path.parent}. Create it first.")
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder. Give the name of a file.")
    if path.exists() and not overwrite:
        raise FileExistsError(f"{path} exists. Give another name, or allow it to be overwritten.")


def _reach_the_disk(draft):
    with open(draft, "rb+") as file:
        os.fsync(file.fileno())


def safe_cells(texts):
    """An Arrow array of text as a spreadsheet will show it and never run it.

    Text that begins like a formula gets an apostrophe before it, which spreadsheets read as "this
    is text". Numbers stay as they are, negative ones too.
    """
    compute = pyarrow("compute")
    formula = compute.and_not(
        compute.match_substring_regex(texts, FORMULA), compute.match_substring_regex(texts, NUMBER)
    )
    return compute.if_else(formula, compute.binary_join_element_wise("'", texts, ""), texts)


def _open_writer(sink, kind, schema, separator=","):
    """What takes the batches of a table, for one kind of file."""
    if kind == "parquet":
        return pyarrow("parquet").ParquetWriter(sink, schema)
    if kind == "arrow":
        return pyarrow("ipc").new_file(sink, schema)
    csv = pyarrow("csv")
    style = csv.WriteOptions(quoting_style="needed", delimiter=separator)
    return csv.CSVWriter(sink, schema, write_options=style)


def write_labels(path, table, label, *, name="cluster", overwrite=False):
    """Write the cluster of each row beside its id, whole or not at all.

    Parameters
    ----------
    path : str, path or binary file
        Where to: .csv, .tsv, .parquet, .arrow or .feather. To an open file, CSV is written.
    table : TableFile
        The rows, read once more.
    label : callable
        What gives the clusters of an array of rows, `predict` of a model for example.
    name : str, default="cluster"
        The name of the column of clusters.
    overwrite : bool, default=False
        Whether an existing file may be replaced.

    Notes
    -----
    Without an id column, rows are named by their number, counted from 0, and by their file if there
    are several. In text files, ids and names that a spreadsheet would take for a formula (they
    begin with ``=``, ``+``, ``-``, ``@``, a tab or a line break and are no numbers) get an
    apostrophe in front. While it is written, the file has another name; it takes the place of
    `path` when it is complete and on the disk.
    """
    if hasattr(path, "write"):
        _write_batches(pyarrow().PythonFile(path, mode="w"), "csv", ",", table, label, name)
        return
    kind = labels_kind(path)
    separator = "\t" if Path(path).suffix.lower() in (".tsv", ".tab") else ","
    with whole_file(path, overwrite=overwrite) as draft:
        _write_batches(str(draft), kind, separator, table, label, name)


def labels_kind(path):
    """The kind of file to write labels to, by its name; an error if there is none."""
    kind = KINDS.get(Path(path).suffix.lower())
    if kind in (None, "npy"):
        raise ValueError(
            f"{path}: labels are written as .csv, .tsv, .parquet, .arrow or .feather. "
            "Give a name that ends so."
        )
    return kind


def _labels_of(rows, label):
    with warnings.catch_warnings():
        # of a model fitted to the table, which has names
        warnings.filterwarnings("ignore", "X does not have valid feature names")
        return label(rows)


def _write_batches(sink, kind, separator, table, label, name):
    writer = None
    try:
        for block in table.blocks():
            batch = _label_batch(
                table, block, _labels_of(block.rows, label), name, as_text=kind == "csv"
            )
            if writer is None:
                writer = _open_writer(sink, kind, batch.schema, separator)
            writer.write_batch(batch)
    finally:
        if writer is not None:
            writer.close()


def _label_batch(table, block, labels, name, *, as_text):
    """One block of the table of labels; text made safe for spreadsheets."""
    pa = pyarrow()
    columns = {}
    if len(table.files) > 1:
        columns["file"] = pa.array([block.name] * len(labels), pa.string())
    if block.ids is None:
        columns["row"] = pa.array(block.row_numbers)
    else:
        columns[table.id_column] = block.ids
    columns[name] = pa.array(labels)
    if as_text:
        columns = {
            safe_cells(pa.array([key]))[0].as_py(): safe_cells(column)
            if pa.types.is_string(column.type)
            else column
            for key, column in columns.items()
        }
    return pa.RecordBatch.from_pydict(columns)
