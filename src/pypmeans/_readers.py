"""One reader for each kind of table file: its columns, and its rows piece by piece.

A piece is a pair of rows and ids. Pieces are as large as the file makes them, but never the whole
of a large file: memory stays near one block, whatever the size of the file.
"""

import re
from dataclasses import dataclass, replace

import numpy as np

from pypmeans._validation import require

CSV_BYTES = 4 << 20  # read at once from a CSV file; a longer line is refused
BUFFER_BYTES = 1 << 20  # read at once from each column of a Parquet file
UNPACKED = 5  # how much larger compressed text is when unpacked, roughly
STRAY_ROWS = 10_000  # looked at to tell a column of text from numbers with a few cells of text
NUMBER = r"^\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*$"


def pyarrow(module=""):
    """The package pyarrow or one of its modules, or how to install it."""
    name = f"pyarrow.{module}" if module else "pyarrow"
    return require(name, extra="files", caller="Reading or writing this kind of file")


@dataclass(frozen=True)
class Dialect:
    """How a text file writes its table. Without `names`, its first line gives them."""

    separator: str = ","
    decimal: str = "."
    names: tuple = ()

    def is_number(self, text):
        """Whether a cell is a number and nothing else."""
        return re.match(NUMBER, text.replace(self.decimal, ".")) is not None


class CsvReader:
    """Text with separators, packed or not.

    The separator is a comma or, where the first line has none, a semicolon or a tab; with
    semicolons the decimal point may be a comma. A first line of nothing but numbers is data.

    Attributes
    ----------
    types : dict
        The Arrow type of each column, in the order of the file, as the first rows show it.
    stray : dict
        For columns that are numbers except for some cells: one of those cells.
    """

    def __init__(self, path, like=None):
        self.path = path
        self.dialect = _dialect_of(path) if like is None else like.dialect
        first, self._bytes_per_row = _first_rows(path, self.dialect)
        self.types = _types_of(first.schema)
        self.stray = {name: _stray_cell(first[name]) for name in self.types}

    def estimate_rows(self):
        """The number of rows, judged by the length of the first ones."""
        return int(_text_bytes(self.path) / self._bytes_per_row)

    def pieces(self, columns, id_column, dtype, block_rows):
        """Rows and ids. What the first rows show to be numbers is read as numbers throughout."""
        pa, csv = pyarrow(), pyarrow("csv")
        types = {
            name: pa.bool_() if pa.types.is_boolean(self.types[name]) else pa.float64()
            for name in columns
        }
        if id_column is not None:
            types[id_column] = pa.string()  # 007 stays 007
        convert = csv.ConvertOptions(
            include_columns=list(types), column_types=types, decimal_point=self.dialect.decimal
        )
        with _open_csv(self.path, self.dialect, convert) as batches:
            for batch in batches:
                yield from _pieces_of(batch, columns, id_column, dtype, block_rows)


class ParquetReader:
    """A Parquet file. Row groups may be of any size: only single pages are held."""

    def __init__(self, path, like=None):
        self.path = path
        with self._open() as file:
            self.types = _types_of(file.schema_arrow)
            self._n_rows = file.metadata.num_rows
        self.stray = {}

    def estimate_rows(self):
        """The number of rows."""
        return self._n_rows

    def pieces(self, columns, id_column, dtype, block_rows):
        """Rows and ids."""
        wanted = columns if id_column is None else [*columns, id_column]
        with self._open() as file:
            for batch in file.iter_batches(block_rows, columns=wanted, use_threads=False):
                yield from _pieces_of(batch, columns, id_column, dtype, block_rows)

    def _open(self):
        # Without pre-buffering and with buffered streams, a column is read as it is decoded.
        return pyarrow("parquet").ParquetFile(
            str(self.path), pre_buffer=False, buffer_size=BUFFER_BYTES
        )


class ArrowReader:
    """An Arrow or Feather file.

    The file is mapped, not read, so that its batches may be of any size. Only where they are
    compressed is a whole batch held in memory; usual writers make them of 65,536 rows.
    """

    def __init__(self, path, like=None):
        self.path = path
        with pyarrow().memory_map(str(path)) as source:
            self.types = _types_of(pyarrow("ipc").open_file(source).schema)
        self.stray = {}

    def estimate_rows(self):
        """The number of rows, judged by their width."""
        return self.path.stat().st_size // sum(map(_width, self.types.values()))

    def pieces(self, columns, id_column, dtype, block_rows):
        """Rows and ids."""
        with pyarrow().memory_map(str(self.path)) as source:
            # all columns: asking for some makes pyarrow copy the batch from the map
            file = pyarrow("ipc").open_file(source)
            for at in range(file.num_record_batches):
                batch = file.get_batch(at)
                for name in columns if id_column is None else [*columns, id_column]:
                    batch.column(name).validate(full=True)  # a damaged one would crash us
                yield from _pieces_of(batch, columns, id_column, dtype, block_rows)


class NpyReader:
    """A two-dimensional array of numbers saved by NumPy; its columns are x0, x1 and so on."""

    def __init__(self, path, like=None):
        self.path = path
        array = self._map()
        if array.ndim != 2:
            raise ValueError(f"the array has shape {array.shape}; it must have rows and columns")
        if array.dtype.kind not in "biuf":
            raise ValueError(f"the array holds {array.dtype}, not numbers")
        self.types = {f"x{j}": array.dtype for j in range(array.shape[1])}
        self.stray = {}
        self._shape = array.shape

    def estimate_rows(self):
        """The number of rows."""
        return self._shape[0]

    def pieces(self, columns, id_column, dtype, block_rows):
        """Rows, and no ids."""
        array = self._map()
        which = [int(name[1:]) for name in columns]
        for start in range(0, len(array), block_rows):
            rows = self._read(array, start, min(block_rows, len(array) - start))
            yield rows[:, which].astype(dtype), None

    def _map(self):
        return np.load(self.path, mmap_mode="r", allow_pickle=False)

    def _read(self, array, start, n_rows):
        """Some rows, read rather than mapped where they lie together."""
        if not array.flags.c_contiguous:
            return array[start : start + n_rows]
        width = array.shape[1]
        at = array.offset + start * width * array.itemsize
        return np.fromfile(self.path, array.dtype, n_rows * width, offset=at).reshape(-1, width)


READERS = {"csv": CsvReader, "parquet": ParquetReader, "arrow": ArrowReader, "npy": NpyReader}


def is_number(type_):
    """Whether columns of this Arrow or NumPy type can be clustered."""
    if isinstance(type_, np.dtype):
        return True
    types = pyarrow().types
    return any(
        check(type_)
        for check in (types.is_integer, types.is_floating, types.is_boolean, types.is_decimal)
    )


def is_empty(type_):
    """Whether columns of this Arrow or NumPy type have no values."""
    return not isinstance(type_, np.dtype) and pyarrow().types.is_null(type_)


def is_single(type_):
    """Whether float32 holds all values of this type."""
    if isinstance(type_, np.dtype):
        return type_ in (np.float16, np.float32)
    types = pyarrow().types
    return types.is_float32(type_) or types.is_float16(type_)


def _width(type_):
    """Bytes of a cell, roughly where their length varies."""
    try:
        return max(type_.bit_width / 8, 1 / 8)
    except ValueError:
        return 16


def _types_of(schema):
    _refuse_repeated(schema.names)
    return dict(zip(schema.names, schema.types))


def _refuse_repeated(names):
    for name in set(names):
        if list(names).count(name) > 1:
            raise ValueError(f"column {name!r} appears more than once; rename one of them")


def _pieces_of(batch, columns, id_column, dtype, block_rows):
    """Parts of an Arrow batch as rows and ids."""
    for start in range(0, batch.num_rows, block_rows):
        part = batch.slice(start, block_rows)
        rows = np.empty((part.num_rows, len(columns)), dtype)
        for j, name in enumerate(columns):
            rows[:, j] = _numbers(part.column(name), dtype)
        yield rows, None if id_column is None else _plain(part.column(id_column))


def _numbers(column, dtype):
    """One column as floats, nan where a value is missing."""
    pa = pyarrow()
    if not pa.types.is_float16(column.type):
        column = column.cast(pa.from_numpy_dtype(dtype), safe=False)
    return column.to_numpy(zero_copy_only=False)


def _plain(ids):
    return ids.dictionary_decode() if hasattr(ids, "dictionary_decode") else ids


def _dialect_of(path):
    dialect = Dialect(_separator_of(path))
    if dialect.separator == ";":
        commas = replace(dialect, decimal=",")
        dialect = max((dialect, commas), key=lambda each: _count_numbers(path, each))
    names = _first_rows(path, dialect)[0].schema.names
    if all(dialect.is_number(name) for name in names):
        dialect = replace(dialect, names=tuple(f"x{j}" for j in range(len(names))))
    return dialect


def _separator_of(path):
    """The first of tab, comma and semicolon that the first line has, the usual one before all."""
    with pyarrow().input_stream(str(path), compression="detect") as stream:
        line = stream.read(CSV_BYTES).lstrip(b"\r\n").partition(b"\n")[0].decode("utf-8")
    usual = "\t" if {".tsv", ".tab"} & set(path.suffixes) else ","
    return next((mark for mark in f"{usual},\t;" if mark in line), usual)


def _count_numbers(path, dialect):
    return sum(is_number(type_) for type_ in _first_rows(path, dialect)[0].schema.types)


def _first_rows(path, dialect):
    """The first batch of a text file, its types as guessed from it, and bytes per row."""
    csv = pyarrow("csv")
    convert = csv.ConvertOptions(decimal_point=dialect.decimal)
    with _open_csv(path, dialect, convert) as batches:
        rows = next(iter(batches), batches.schema.empty_table())
    return rows, min(CSV_BYTES, _text_bytes(path)) / max(rows.num_rows, 1)


def _text_bytes(path):
    """The size of a text file, roughly so if it is packed; at least 1."""
    packed = path.suffix.lower() not in (".csv", ".tsv", ".tab", ".txt")
    return max(path.stat().st_size * (UNPACKED if packed else 1), 1)


def _open_csv(path, dialect, convert):
    csv = pyarrow("csv")
    # One thread: only then do errors name the line.
    read = csv.ReadOptions(
        use_threads=False, block_size=CSV_BYTES, column_names=list(dialect.names) or None
    )
    parse = csv.ParseOptions(delimiter=dialect.separator, newlines_in_values=True)
    stream = pyarrow().input_stream(str(path), compression="detect")
    return csv.open_csv(stream, read, parse, convert)


def _stray_cell(column):
    """A cell of text in a column that is mostly numbers, or None."""
    pa, compute = pyarrow(), pyarrow("compute")
    if not pa.types.is_string(column.type):
        return None
    cells = column.slice(0, STRAY_ROWS)
    cells = cells.filter(compute.not_equal(cells, ""))
    matches = compute.match_substring_regex(cells, NUMBER)
    numbers = compute.sum(matches).as_py() or 0
    if not len(cells) or numbers <= len(cells) / 2:
        return None
    return cells.filter(compute.invert(matches))[0].as_py()
