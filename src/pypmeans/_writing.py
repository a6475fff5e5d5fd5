"""Files written whole or not at all, and cells that no spreadsheet takes for a formula."""

import os
import secrets
from contextlib import contextmanager
from pathlib import Path

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


def open_writer(sink, kind, schema, separator=","):
    """What takes the batches of a table, for one kind of file."""
    if kind == "parquet":
        return pyarrow("parquet").ParquetWriter(sink, schema)
    if kind == "arrow":
        return pyarrow("ipc").new_file(sink, schema)
    csv = pyarrow("csv")
    style = csv.WriteOptions(quoting_style="needed", delimiter=separator)
    return csv.CSVWriter(sink, schema, write_options=style)
