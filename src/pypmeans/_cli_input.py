"""What the command line reads: files or standard input, in memory if there is room."""

import os
import shutil
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

from pypmeans.files import TableError, column_names

SHARE = 1 / 6  # of the memory available that a table may take: it is needed scaled and unscaled
BEGINNINGS = {  # how files begin that are no plain text
    b"PAR1": ".parquet",
    b"ARROW1": ".arrow",
    b"\x93NUMPY": ".npy",
    b"\x1f\x8b": ".csv.gz",
    b"\x28\xb5\x2f\xfd": ".csv.zst",
}


@contextmanager
def named_files(names):
    """Paths for the names given; "-" stands for a file with what standard input brings."""
    if "-" not in names:
        yield list(names)
        return
    if len(names) > 1:
        raise TableError("- is standard input and cannot be joined with files. Give one or many.")
    with tempfile.TemporaryDirectory(prefix="pypmeans-") as folder:
        path = _spool(sys.stdin.buffer, Path(folder))
        try:
            yield [path]
        except TableError as error:
            raise TableError(str(error).replace(str(path), "standard input")) from error


def _spool(stream, folder):
    """Standard input as a file: it must be read more than once."""
    draft = folder / "stdin"
    with draft.open("wb") as file:
        shutil.copyfileobj(stream, file, 1 << 20)
    with draft.open("rb") as file:
        start = file.read(8)
    suffix = next((end for begin, end in BEGINNINGS.items() if start.startswith(begin)), ".csv")
    return draft.rename(draft.with_suffix(suffix))


def split_names(options, files):
    """Column names of ``--columns a,b --columns c``; a name with a comma is found as it is."""
    if not options or all("," not in option for option in options):
        return options or None
    there = column_names(files)
    return [
        name
        for option in options
        for name in ([option] if option in there else map(str.strip, option.split(",")))
    ]


def fits_in_memory(table):
    """Whether a table, at 8 bytes a number, takes no more than a sixth of the memory available."""
    return table.estimated_rows() * table.n_features * 8 <= SHARE * available_bytes()


def available_bytes():
    """Memory that can be had without swapping, as far as the system tells."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        told = next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvail"))
    except (OSError, StopIteration, ValueError):
        told = _physical_bytes() // 2
    return min(told, _allowed_bytes())


def _physical_bytes():
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 8 << 30


def _allowed_bytes():
    """What a container may use, without end if there is none."""
    try:
        return int(Path("/sys/fs/cgroup/memory.max").read_text(encoding="ascii"))
    except (OSError, ValueError):
        return sys.maxsize
