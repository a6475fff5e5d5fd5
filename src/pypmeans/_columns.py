"""Which columns of a table are used, and whether further files have the same ones."""

import difflib

import numpy as np

from pypmeans._locating import TableError
from pypmeans._readers import is_empty, is_number, is_single


def choose_columns(reader, named, id_column):
    """The columns to use, those of no use, and those not asked for."""
    there = reader.types
    for name in [*(named or []), *([id_column] if id_column is not None else [])]:
        _check_there(reader.path, name, there)
    if id_column is not None and id_column in (named or []):
        raise TableError(f"{reader.path}: column {id_column!r} is the id; it is no feature.")
    others = [name for name in there if name != id_column]
    numeric = [name for name in others if is_number(there[name])]
    if named:
        chosen = list(dict.fromkeys(named))
        for name in chosen:
            _check_numeric(reader, name)
        return chosen, [], [name for name in numeric if name not in chosen]
    for name in others:
        if reader.stray.get(name) is not None:
            _check_numeric(reader, name)
    if not numeric:
        listed = _listed(others) or "none"
        if others and all(is_empty(there[name]) for name in others):
            raise TableError(f"{reader.path} has no values in its columns {listed}.")
        raise TableError(f"{reader.path} has no column of numbers; there are {listed}.")
    return numeric, [name for name in others if name not in numeric], []


def _check_there(file, name, there):
    if name not in there:
        close = difflib.get_close_matches(name, there, 1)
        hint = f"Did you mean {close[0]!r}?" if close else f"There are {_listed(there)}."
        raise TableError(f"{file} has no column {name!r}. {hint}")


def _listed(names, most=12):
    names = [repr(name) for name in names]
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def _check_numeric(reader, name):
    type_, stray = reader.types[name], reader.stray.get(name)
    if stray is not None:
        raise TableError(
            f"{reader.path}: column {name!r} holds numbers, but also text such as {stray!r}. "
            "Correct the cell, leave it empty if the value is missing, or choose other columns."
        )
    if not is_number(type_) and str(type_) != "null":
        raise TableError(f"{reader.path}: column {name!r} holds {type_}, not numbers.")


def check_same_columns(first, reader, table, *, named):
    """Refuse a further file without the columns of the first, or with others."""
    for name in [*table.columns, *([table.id_column] if table.id_column else [])]:
        if name not in reader.types:
            raise TableError(f"{reader.path} has no column {name!r}, but {first.path} has.")
    for name in table.columns:
        _check_numeric(reader, name)
    extra = [name for name in reader.types if name not in first.types]
    if extra and not named:
        raise TableError(
            f"{reader.path} has columns that {first.path} lacks: {_listed(extra)}. "
            "Name the columns to use."
        )


def common_dtype(readers, columns):
    single = all(is_single(reader.types[name]) for reader in readers for name in columns)
    return np.dtype(np.float32 if single else np.float64)
