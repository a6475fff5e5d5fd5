"""Which files are meant, of what kind, and what is wrong with one that cannot be read."""

import glob
from pathlib import Path

KINDS = {
    ".csv": "csv", ".tsv": "csv", ".tab": "csv", ".txt": "csv", ".parquet": "parquet",
    ".pq": "parquet", ".arrow": "arrow", ".feather": "arrow", ".npy": "npy",
}  # fmt: skip
PACKED = (".gz", ".bz2", ".zst", ".lz4")  # of text files only; Parquet and Arrow pack themselves
KNOWN = ".csv, .tsv, .parquet, .arrow, .feather or .npy"


class TableError(ValueError):
    """Something is wrong with a table file; the message names the file, the rows and the remedy."""


def find_files(path):
    """The files meant, at least one."""
    several = isinstance(path, list | tuple)
    files = [file for each in (path if several else [path]) for file in _files_of(each)]
    if not files:
        raise TableError("The list of files is empty. Name at least one.")
    return files


def _files_of(path):
    path = Path(path).expanduser()
    if path.is_dir():
        found = sorted(file for file in path.rglob("*") if kind_of(file) and _is_data(file, path))
        if not found:
            raise TableError(f"{path} is a folder without {KNOWN} files.")
        return found
    if path.is_file():
        return [path]
    if path.exists():
        raise TableError(f"{path} is no ordinary file. Save what it gives to a file first.")
    found = sorted(Path(file) for file in glob.glob(str(path), recursive=True))
    if not any(file.exists() for file in found):
        raise TableError(f"{path} does not exist. Check the name and the folder.")
    return [file for each in found if each.exists() for file in _files_of(each)]


def _is_data(file, folder):
    """Whether a file in a folder is meant: names with . or _ are notes of other programs."""
    parts = file.relative_to(folder).parts
    return file.is_file() and not any(part.startswith((".", "_")) for part in parts)


def kind_of(file):
    """What its name says a file is, or None."""
    suffixes = [suffix.lower() for suffix in file.suffixes] or [""]
    if suffixes[-1] in PACKED and len(suffixes) > 1 and KINDS.get(suffixes[-2]) == "csv":
        return "csv"
    return KINDS.get(suffixes[-1])


def one_kind(files):
    """The kind that all these files are of."""
    kinds = {kind_of(file): file for file in files}
    if None in kinds:
        raise TableError(f"{kinds[None]}: its name does not end in {KNOWN}. Rename or convert it.")
    if len(kinds) > 1:
        raise TableError(f"{' and '.join(map(str, kinds.values()))} are of different kinds.")
    return next(iter(kinds))


def reading(file, place, read):
    """What `read` returns; whatever a damaged file makes it raise becomes a TableError."""
    try:
        return read()
    except (TableError, ImportError):
        raise
    except Exception as error:  # readers of damaged files raise almost anything
        raise TableError(f"{file}{place}: {_reason(error)}") from error


def _reason(error):
    text = " ".join(str(error).split()) or type(error).__name__
    if isinstance(error, UnicodeDecodeError) or "invalid UTF8" in text:
        return "its text is not UTF-8. Save it as UTF-8."
    if "straddling" in text:
        return "a line is longer than 4 MB, so this is no table, or a quotation mark is not closed."
    if "Empty CSV" in text or isinstance(error, EOFError):
        return "it is empty. Check that it is the right file."
    if "conversion error" in text:
        return f"text in a column of numbers ({text}). Correct the cell or leave the column out."
    if isinstance(error, PermissionError):
        return "it may not be read. Change its permissions."
    return f"it cannot be read: {text[:300].rstrip('.')}. Check that it is complete."
