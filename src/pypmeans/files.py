"""Tables in files, read block by block whatever their size, and fitted models in files.

CSV and TSV (also packed: .gz, .bz2, .zst), Parquet, Arrow and Feather, and NumPy's .npy. Needs
pyarrow: ``pip install "pypmeans[files]"``; models need skops: ``pip install "pypmeans[cli]"``.
"""

import copy
from collections import Counter
from dataclasses import dataclass, field, replace
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.preprocessing import MinMaxScaler, Normalizer, StandardScaler

from pypmeans._columns import check_same_columns, choose_columns, common_dtype
from pypmeans._locating import TableError, find_files, one_kind, reading
from pypmeans._readers import READERS, pyarrow
from pypmeans._saving import ModelError, SavedModel, load_model, save_model
from pypmeans._writing import write_labels

__all__ = [
    "SCALINGS",
    "Block",
    "ModelError",
    "SavedModel",
    "TableError",
    "TableFile",
    "column_names",
    "load_model",
    "save_model",
    "write_labels",
]

SCALINGS = {"minmax": MinMaxScaler, "standard": StandardScaler, "l2": Normalizer, "none": None}
BLOCK_ROWS = 65_536
BLOCK_BYTES = 64 << 20  # fewer rows than BLOCK_ROWS if they are wider than 128 features


@dataclass(frozen=True)
class Block:
    """Some rows of a file.

    Attributes
    ----------
    rows : ndarray of shape (n_rows, n_features), float64 or float32
        The numbers, C-contiguous.
    ids : pyarrow.Array or None
        Their ids, where the table has any.
    name : str
        The file.
    start, stop : int
        Which rows of the file these are, counted from 0. Fewer than ``stop - start`` are left if
        rows with missing values were dropped.
    row_numbers : ndarray of shape (n_rows,)
        The place of each row in the file.
    values : ndarray of shape (n_rows, n_features)
        The numbers as they were before scaling; `rows` itself where nothing was scaled.
    """

    rows: np.ndarray
    ids: object
    name: str
    start: int
    stop: int
    row_numbers: np.ndarray = field(repr=False)
    values: np.ndarray = field(repr=False)


class TableFile:
    r"""The numeric columns of one file, or of several alike, as blocks of rows.

    Parameters
    ----------
    path : str, path or list of these
        A CSV, TSV, Parquet, Arrow, Feather or NPY file; a folder of such files; a pattern with
        ``*``; or a list. Several files must be of one kind and have the same columns. Folders and
        patterns are read in the order of the names.
    columns : list of str, default=None
        The columns to use. None means all that hold numbers (whole, decimal, true or false).
    id_column : str, default=None
        A column that names the rows. It is no feature.
    missing : {"error", "drop", "mean"} or array-like of shape (n_features,), default="error"
        What to do about missing values: refuse them, leave out their rows, or put the mean of the
        column, or a value given for it, in their place.
    block_rows : int, default=None
        Rows per block. None means 65,536, or fewer if these would take more than 64 MB.

    Attributes
    ----------
    files : list of Path
        The files.
    columns : list of str
        The columns used; x0, x1 and so on where the file has no names.
    left_out : list of str
        Columns that hold text, dates or nothing at all.
    unused : list of str
        Columns that could be used, but were not asked for.
    n_features : int
        The number of columns used.
    watch : callable or None
        Called with the name of the file and the number of its rows so far, after each block that
        is read: for progress bars.
    dtype : dtype
        float32 if all columns are of no more than that, otherwise float64.

    Raises
    ------
    TableError
        If a file cannot be read, has other columns, has missing, infinite or unreadable values, no
        rows, or was changed between two passes. It says which file and which rows.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from pypmeans.files import TableFile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "fruit.csv"
    >>> n = path.write_text("name,weight,sugar\napple,150,13\ncherry,8,10\n")
    >>> fruit = TableFile(path, id_column="name")
    >>> fruit.columns
    ['weight', 'sugar']
    >>> fruit.to_array()
    array([[150.,  13.],
           [  8.,  10.]])
    >>> fruit.with_scaling("minmax").to_array()
    array([[1., 1.],
           [0., 0.]])
    """

    def __init__(self, path, *, columns=None, id_column=None, missing="error", block_rows=None):
        self.files = find_files(path)
        self.id_column = id_column
        self.missing = missing
        self.scaler: Any = None
        self.watch: Any = None
        self._stamps = {file: _stamp(file) for file in self.files}
        kind = one_kind(self.files)
        first = _first_reader(self.files, kind)
        self.columns, self.left_out, self.unused = choose_columns(first, columns, id_column)
        self._readers = [first]
        for file in self.files[1:]:
            self._readers.append(reading(file, "", lambda f=file: READERS[kind](f, like=first)))
            check_same_columns(first, self._readers[-1], self, named=columns is not None)
        self.n_features = len(self.columns)
        self.dtype = common_dtype(self._readers, self.columns)
        self.block_rows = _block_rows(block_rows, self.n_features)
        self._fill = _check_missing(missing, self.n_features)
        self._counts: dict = {}  # rows of each file, once it has been read
        self._loaded = None

    def blocks(self):
        """All rows, block by block, in the order of the files; as often as you like.

        Yields
        ------
        block : Block
            Of `block_rows` rows, the last of each file of what remains.
        """
        for block in self._checked_blocks():
            yield block if self.scaler is None else self._scaled(block)

    def to_array(self):
        """All rows in memory.

        Returns
        -------
        X : ndarray of shape (n_rows, n_features)
        """
        return np.concatenate([block.rows for block in self.blocks()])

    def load(self):
        """The same table, held in memory: its files are not read again.

        Returns
        -------
        table : TableFile
        """
        other = copy.copy(self)
        other._loaded = list(self._checked_blocks())
        return other

    def with_scaling(self, scaling):
        """The same table with scaled columns.

        Parameters
        ----------
        scaling : {"minmax", "standard", "l2", "none"} or a fitted scaler
            Every column to [0, 1]; every column to mean 0 and variance 1; every row to length 1; as
            it is. What the first two need is found in one pass over the blocks. A fitted scaler of
            scikit-learn is used as it is.

        Returns
        -------
        table : TableFile
            Its `scaler` is the fitted scaler, None for "none".
        """
        other = copy.copy(self)
        other.scaler = self._fit_scaler(scaling) if isinstance(scaling, str) else scaling
        return other

    def estimated_rows(self):
        """About how many rows there are: exact for Parquet and NPY, a guess for text.

        Returns
        -------
        n_rows : int
        """
        return sum(reader.estimate_rows() for reader in self._readers)

    @property
    def has_names(self):
        """Whether the columns have names other than those that stand for none, x0, x1 and so on."""
        return self.columns != [f"x{j}" for j in range(self.n_features)]

    @property
    def fill_values(self):
        """What stands for missing values, one number per column; None if nothing does."""
        if isinstance(self.missing, str) and self.missing == "mean" and self._fill is None:
            self._fill = self._means()
        return self._fill

    def _fit_scaler(self, scaling):
        if scaling not in SCALINGS:
            raise ValueError(f"scaling must be one of {', '.join(SCALINGS)}. Got {scaling!r}.")
        if SCALINGS[scaling] is None:
            return None
        scaler = SCALINGS[scaling]()
        if scaling == "l2":
            return scaler.fit(np.zeros((1, self.n_features)))  # nothing to learn
        with np.errstate(over="ignore", invalid="ignore"):
            for block in self._checked_blocks():
                scaler.partial_fit(block.rows.astype(np.float64))
        spread = scaler.var_ if scaling == "standard" else scaler.data_range_
        usable = np.isfinite(spread) & np.isfinite(scaler.scale_)
        if not usable.all():
            name = self.columns[int(np.argmin(usable))]
            raise TableError(
                f"{self._title}: the values of column {name!r} are too large or too small to be "
                f"scaled by {scaling!r}. Give them in other units, or leave the column out."
            )
        return scaler

    def _scaled(self, block):
        rows = self.scaler.transform(block.rows).astype(self.dtype, order="C")
        if not np.isfinite(rows).all():
            raise TableError(
                f"{_place(block)}: some values are so far from those the scaling was made for that "
                "they overflow. Leave those rows out."
            )
        return replace(block, rows=rows)

    def _checked_blocks(self):
        """Blocks without missing and infinite values, at least one row in all."""
        if self._loaded is not None:
            yield from self._loaded
            return
        empty = True
        for block in self._raw_blocks():
            _refuse_infinite(block, self.columns)
            block = self._without_missing(block)
            empty = empty and not len(block.rows)
            if len(block.rows):
                yield block
        if empty:
            dropped = " without missing values" if self._counts_rows() else ""
            raise TableError(
                f"{self._title} has no rows{dropped}. Check that it is the right file."
            )

    def _raw_blocks(self):
        for reader in self._readers:
            self._refuse_changed(reader.path)
            start = 0
            for rows, ids in self._pieces(reader):
                stop = start + len(rows)
                numbers = np.arange(start, stop)
                yield Block(rows, ids, str(reader.path), start, stop, numbers, rows)
                if self.watch is not None:
                    self.watch(str(reader.path), stop)
                start = stop
            self._refuse_changed(reader.path)
            if self._counts.setdefault(reader.path, start) != start:
                raise TableError(_CHANGED.format(reader.path))

    def _pieces(self, reader):
        """The rows of one file in pieces of `block_rows`, and what goes wrong with its name."""
        pieces = reader.pieces(self.columns, self.id_column, self.dtype, self.block_rows)
        pieces = regroup(pieces, self.block_rows)
        start = 0
        while True:
            place = f", rows from {start}"
            piece = reading(reader.path, place, lambda: next(pieces, None))
            if piece is None:
                return
            yield piece
            start += len(piece[0])

    def _refuse_changed(self, file):
        if _stamp(file) != self._stamps[file]:
            raise TableError(_CHANGED.format(file))

    def _without_missing(self, block):
        gaps = np.isnan(block.rows)
        if not gaps.any():
            return block
        if self.fill_values is not None:
            block.rows[gaps] = np.broadcast_to(self.fill_values, gaps.shape)[gaps]
            return block
        if self.missing == "error":
            self._refuse_missing(block)
        whole = ~gaps.any(axis=1)
        ids = None if block.ids is None else block.ids.filter(pyarrow().array(whole))
        rows = block.rows[whole]
        return replace(block, rows=rows, ids=ids, row_numbers=block.row_numbers[whole], values=rows)

    def _refuse_missing(self, block):
        """Say how many values each column lacks in all; that takes the rest of a pass."""
        counts: Counter = Counter()
        for each in self._raw_blocks():
            lacking = np.isnan(each.rows).sum(axis=0)
            counts.update({self.columns[j]: int(lacking[j]) for j in np.flatnonzero(lacking)})
        listed = ", ".join(f"{name!r} ({n})" for name, n in counts.most_common())
        raise TableError(
            f"{self._title} has missing values: {listed}; the first in {_rows(block)} of "
            f"{block.name}. Drop those rows with missing='drop', put the mean in their place with "
            "missing='mean', or leave out the columns."
        )

    def _means(self):
        total, count = np.zeros(self.n_features), np.zeros(self.n_features)
        for block in self._raw_blocks():
            total += np.nansum(block.rows, axis=0, dtype=np.float64)
            count += np.sum(~np.isnan(block.rows), axis=0)
        if not count.all():
            name = self.columns[int(np.argmin(count))]
            raise TableError(
                f"{self._title}: column {name!r} has no values, so no mean can stand for the "
                "missing ones. Leave the column out."
            )
        return total / count

    def _counts_rows(self):
        return sum(self._counts.values())

    @property
    def _title(self):
        more = f" and {len(self.files) - 1} more" if len(self.files) > 1 else ""
        return f"{self.files[0]}{more}"


def column_names(path):
    """All columns of a table, whatever they hold.

    Parameters
    ----------
    path : str, path or list of these
        As for :class:`TableFile`.

    Returns
    -------
    names : list of str
        Those of the first file.
    """
    files = find_files(path)
    return list(_first_reader(files, one_kind(files)).types)


def _first_reader(files, kind):
    return reading(files[0], "", lambda: READERS[kind](files[0]))


_CHANGED = "{} was changed while it was being read. Run again when nobody writes to it."


def regroup(pieces, n_rows):
    """Pieces of any size as pieces of `n_rows`, the last of what remains."""
    held, count = [], 0
    for rows, ids in pieces:
        while len(rows):
            some = n_rows - count
            held.append((rows[:some], None if ids is None else ids[:some]))
            count += len(held[-1][0])
            rows, ids = rows[some:], None if ids is None else ids[some:]
            if count == n_rows:
                yield _join(held)
                held, count = [], 0
    if held:
        yield _join(held)


def _join(held):
    if len(held) == 1:
        return np.ascontiguousarray(held[0][0]), held[0][1]
    ids = None if held[0][1] is None else pyarrow().concat_arrays([ids for _, ids in held])
    return np.concatenate([rows for rows, _ in held]), ids


def _stamp(file):
    status = reading(file, "", file.stat)
    return status.st_size, status.st_mtime_ns


def _block_rows(block_rows, n_features):
    if block_rows is None:
        return max(1, min(BLOCK_ROWS, BLOCK_BYTES // (8 * n_features)))
    if isinstance(block_rows, bool) or not isinstance(block_rows, Integral) or block_rows < 1:
        raise ValueError(f"block_rows must be a whole number of 1 or more. Got {block_rows!r}.")
    return int(block_rows)


def _check_missing(missing, n_features):
    if isinstance(missing, str):
        if missing not in ("error", "drop", "mean"):
            raise ValueError(f"missing must be 'error', 'drop' or 'mean'. Got {missing!r}.")
        return None
    values = np.asarray(missing, dtype=np.float64)
    if values.shape != (n_features,) or not np.isfinite(values).all():
        raise ValueError(f"missing must be {n_features} finite numbers. Got {missing!r}.")
    return values


def _refuse_infinite(block, columns):
    infinite = np.isinf(block.rows)
    if infinite.any():
        row, j = np.argwhere(infinite)[0]
        raise TableError(
            f"{_place(block)}: column {columns[j]!r} is infinite or too large in row "
            f"{block.start + row}. Correct the value, or leave it empty and say what to do about "
            "missing ones."
        )


def _place(block):
    return f"{block.name}, {_rows(block)}"


def _rows(block):
    return f"rows {block.start} to {block.stop - 1}"
