"""Tables in files: the same rows from every kind of file, bad input named, nothing half-written."""

import errno
import gzip
import os
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

pa = pytest.importorskip("pyarrow")
from pyarrow import csv, feather, parquet  # noqa: E402

from pypmeans import files  # noqa: E402
from pypmeans.files import TableError, TableFile, write_labels  # noqa: E402

X = np.random.default_rng(0).normal(size=(250, 3)).round(6)
NAMES = ["a", "b", "c"]


def table_of(X, names=NAMES, **others):
    return pa.table({**others, **{name: X[:, j] for j, name in enumerate(names)}})


def save(path, table):
    """Write an Arrow table as the kind of file that the name of `path` says."""
    suffix = path.suffix
    if suffix in (".csv", ".tsv"):
        csv.write_csv(table, path, csv.WriteOptions(delimiter="\t" if suffix == ".tsv" else ","))
    elif suffix == ".gz":
        plain = path.with_suffix("")
        save(plain, table)
        path.write_bytes(gzip.compress(plain.read_bytes()))
        plain.unlink()
    elif suffix == ".parquet":
        parquet.write_table(table, path, row_group_size=70)
    elif suffix in (".feather", ".arrow"):
        feather.write_feather(table, path, chunksize=70)
    else:
        columns = [column.to_numpy() for column in table.columns]
        np.save(path, np.column_stack(columns))
    return path


KINDS = ["t.csv", "t.tsv", "t.csv.gz", "t.parquet", "t.feather", "t.arrow", "t.npy"]


@pytest.mark.parametrize("name", KINDS)
def test_every_kind_of_file_gives_the_same_rows(tmp_path, name):
    data = TableFile(save(tmp_path / name, table_of(X)))
    assert data.columns == (["x0", "x1", "x2"] if name == "t.npy" else NAMES)
    assert data.left_out == []
    assert_array_equal(data.to_array(), X)
    assert_array_equal(data.to_array(), X)  # and again


@pytest.mark.parametrize("block_rows", [0, -1, 2.5, True, "many"])
def test_blocks_have_a_whole_number_of_rows(tmp_path, block_rows):
    file = save(tmp_path / "t.npy", table_of(X))
    with pytest.raises(ValueError, match="block_rows must be a whole number of 1 or more"):
        TableFile(file, block_rows=block_rows)


@pytest.mark.parametrize("name", KINDS)
def test_blocks_are_of_one_size_whatever_the_file(tmp_path, name):
    data = TableFile(save(tmp_path / name, table_of(X)), block_rows=60)
    blocks = list(data.blocks())
    assert [(block.start, block.stop) for block in blocks] == [
        (0, 60), (60, 120), (120, 180), (180, 240), (240, 250),
    ]  # fmt: skip
    assert all(block.rows.flags.c_contiguous for block in blocks)
    assert all(block.name == str(tmp_path / name) for block in blocks)
    assert_array_equal(np.concatenate([block.rows for block in blocks]), X)


def test_text_and_dates_are_left_out_by_name(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("who,a,day,flag,empty\nx,1,2020-01-01,true,\ny,2.5,2020-01-02,false,\n")
    data = TableFile(path)
    assert data.columns == ["a", "flag"]
    assert data.left_out == ["who", "day", "empty"]
    assert_array_equal(data.to_array(), [[1, 1], [2.5, 0]])


def test_decimals_integers_and_booleans_are_numbers(tmp_path):
    table = pa.table({
        "d": pa.array([1, 2], pa.decimal128(10, 2)),
        "i": pa.array([2**60, 3], pa.int64()),
        "b": pa.array([True, False]),
        "h": pa.array(np.array([0.5, 1.5], np.float16)),
        "s": pa.array(["x", "y"]),
    })  # fmt: skip
    data = TableFile(save(tmp_path / "t.parquet", table))
    assert data.left_out == ["s"]
    assert_array_equal(data.to_array(), [[1, 2.0**60, 1, 0.5], [2, 3, 0, 1.5]])


@pytest.mark.parametrize("name", ["t.parquet", "t.npy"])
def test_float32_stays_float32(tmp_path, name):
    data = TableFile(save(tmp_path / name, table_of(X.astype(np.float32))))
    assert data.to_array().dtype == np.float32
    assert data.with_scaling("standard").to_array().dtype == np.float32


def test_arrays_in_fortran_order_are_read_too(tmp_path):
    np.save(tmp_path / "t.npy", np.asfortranarray(X))
    assert_array_equal(TableFile(tmp_path / "t.npy", block_rows=7).to_array(), X)


def test_columns_come_in_the_order_asked_for(tmp_path):
    for name in ("t.csv", "t.parquet", "t.feather"):
        data = TableFile(save(tmp_path / name, table_of(X)), columns=["c", "a"])
        assert_array_equal(data.to_array(), X[:, [2, 0]])


def test_ids_go_with_their_rows_and_stay_as_written(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text('id,a\n007,1\nNA,2\n"two\nlines",3\n,4\n')
    data = TableFile(path, id_column="id", block_rows=3)
    assert data.columns == ["a"]
    assert [block.ids.to_pylist() for block in data.blocks()] == [["007", "NA", "two\nlines"], [""]]


def test_a_first_line_of_numbers_is_data(tmp_path):
    np.savetxt(tmp_path / "t.csv", X, delimiter=",")
    data = TableFile(tmp_path / "t.csv")
    assert data.columns == ["x0", "x1", "x2"]
    assert_allclose(data.to_array(), X)


def test_semicolons_and_decimal_commas(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a;b\n1,5;2\n-2,25;3\n")
    assert_array_equal(TableFile(path).to_array(), [[1.5, 2], [-2.25, 3]])
    path.write_text("a;b\n1.5;2\n-2.25;3\n")
    assert_array_equal(TableFile(path).to_array(), [[1.5, 2], [-2.25, 3]])


def test_whole_numbers_at_first_and_fractions_later(tmp_path, monkeypatch):
    monkeypatch.setattr("pypmeans._readers.CSV_BYTES", 64)
    path = tmp_path / "t.csv"
    path.write_text("a,b\n" + "1,2\n" * 100 + "0.5,1e3\n")
    assert_array_equal(TableFile(path).to_array()[-1], [0.5, 1000])


def test_several_files_are_one_table(tmp_path):
    for k, part in enumerate(np.array_split(X, 3)):
        save(tmp_path / f"part{k}.parquet", table_of(part))
    (tmp_path / "_SUCCESS").touch()
    whole = TableFile(tmp_path)
    assert_array_equal(whole.to_array(), X)
    assert_array_equal(TableFile(str(tmp_path / "*.parquet")).to_array(), X)
    assert [block.start for block in whole.blocks()] == [0, 0, 0]
    parts = [tmp_path / "part2.parquet", tmp_path / "part0.parquet"]
    assert len(TableFile(parts).to_array()) == 83 + 84


@pytest.mark.parametrize("scaling", ["minmax", "standard", "l2"])
def test_scaling_by_blocks_is_scaling_of_all_rows(tmp_path, scaling):
    path = save(tmp_path / "t.csv", table_of(X))
    scaled = TableFile(path, block_rows=40).with_scaling(scaling)
    expected = files.SCALINGS[scaling]().fit_transform(X)
    assert_allclose(scaled.to_array(), expected, atol=1e-12)
    again = TableFile(path).with_scaling(scaled.scaler)  # as for new rows
    assert_allclose(again.to_array(), expected, atol=1e-12)


def test_no_scaling_changes_nothing(tmp_path):
    data = TableFile(save(tmp_path / "t.csv", table_of(X))).with_scaling("none")
    assert data.scaler is None
    assert_array_equal(data.to_array(), X)
    with pytest.raises(ValueError, match="scaling must be one of minmax, standard, l2, none"):
        data.with_scaling("robust")


def test_values_beyond_any_scale_are_refused(tmp_path):
    path = save(tmp_path / "t.csv", table_of(np.array([[1e200, 1], [-1e200, 2.0]]), ["a", "b"]))
    with pytest.raises(TableError, match="column 'a' are too large or too small to be scaled"):
        TableFile(path).with_scaling("standard")


# ----------------------------------------------------------------- missing and infinite values

GAPS = "id,a,b\nr0,1,2\nr1,,4\nr2,5,nan\nr3,7,\nr4,9,10\n"


@pytest.fixture
def gaps(tmp_path):
    path = tmp_path / "gaps.csv"
    path.write_text(GAPS)
    return path


def test_missing_values_are_counted_by_column(gaps):
    with pytest.raises(TableError, match=r"gaps.csv has missing values: 'b' \(2\), 'a' \(1\)"):
        TableFile(gaps, block_rows=2).to_array()


def test_rows_with_missing_values_are_dropped_with_their_ids(gaps):
    data = TableFile(gaps, id_column="id", missing="drop", block_rows=2)
    assert_array_equal(data.to_array(), [[1, 2], [9, 10]])
    blocks = list(data.blocks())  # the middle block has no rows left
    assert [block.ids.to_pylist() for block in blocks] == [["r0"], ["r4"]]
    assert [block.row_numbers.tolist() for block in blocks] == [[0], [4]]


def test_missing_values_become_the_mean_or_what_is_given(gaps):
    data = TableFile(gaps, missing="mean", block_rows=2)
    assert_allclose(data.fill_values, [22 / 4, 16 / 3])
    assert_allclose(data.to_array()[1:3], [[22 / 4, 4], [5, 16 / 3]])
    given_values = TableFile(gaps, missing=[-1, -2])
    assert_array_equal(given_values.to_array()[1:4], [[-1, 4], [5, -2], [7, -2]])


def test_nothing_left_or_no_mean_is_said(tmp_path):
    path = save(tmp_path / "t.parquet", pa.table({"a": [1.0, None], "b": [None, 2.0]}))
    with pytest.raises(TableError, match="has no rows without missing values"):
        TableFile(path, missing="drop").to_array()
    nothing = save(tmp_path / "n.parquet", pa.table({"a": pa.array([None, None], pa.float64())}))
    with pytest.raises(TableError, match="column 'a' has no values, so no mean"):
        TableFile(nothing, missing="mean").to_array()


@pytest.mark.parametrize("value", ["inf", "-inf", "1e999"])
def test_infinite_values_are_named_by_row_and_column(tmp_path, value):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,2\n3,4\n5," + value + "\n")
    with pytest.raises(TableError, match=r"t.csv, rows 2 to 2: column 'b' is infinite .* row 2"):
        TableFile(path, block_rows=2, missing="drop").to_array()


# ------------------------------------------------------------------------------ broken files

BROKEN = {
    "empty.csv": (b"", "it is empty"),
    "blank.csv": (b"\n\n", "it is empty"),
    "header.csv": (b"a,b\n", "no values in its columns 'a', 'b'"),
    "short.csv": (b"a,b\n1,2\n3\n", r"it cannot be read: .*Row #3: Expected 2 columns, got 1"),
    "stray.csv": (b"a,b\n1,2\n3,oops\n5,6\n", "column 'b' holds .* text such as 'oops'"),
    "words.csv": (b"a,b\nx,y\n", "no column of numbers; there are 'a', 'b'"),
    "twice.csv": (b"a,a\n1,2\n", "column 'a' appears more than once"),
    "utf16.csv": ("a,b\n1,2\n".encode("utf-16"), "not UTF-8"),
    "latin.csv": (b"a\xff,b\n1,2\n", "not UTF-8"),
    "quote.csv": (b'a,b\n"1,2\n3,4\n', "Row #2: Expected 2 columns, got 1"),
    "bad.csv.gz": (gzip.compress(b"a,b\n1,2\n" * 99)[:-9], "cannot be read"),
    "not.csv.gz": (b"a,b\n1,2\n", "cannot be read"),
    "empty.parquet": (b"", "cannot be read"),
    "text.parquet": (b"a,b\n1,2\n", "cannot be read"),
    "text.feather": (b"a,b\n1,2\n", "cannot be read"),
    "text.npy": (b"a,b\n1,2\n", "cannot be read"),
    "empty.npy": (b"", "is empty"),
    "t.xlsx": (b"PK", "its name does not end in .csv"),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_broken_files_are_named_with_what_is_wrong(tmp_path, name):
    content, message = BROKEN[name]
    (tmp_path / name).write_bytes(content)
    with pytest.raises(TableError, match=rf"{name}.*{message}"):
        TableFile(tmp_path / name).to_array()


def test_text_far_down_a_column_of_numbers_is_named_by_its_line(tmp_path, monkeypatch):
    monkeypatch.setattr("pypmeans._readers.CSV_BYTES", 64)
    path = tmp_path / "t.csv"
    path.write_text("a,b\n" + "1,2\n" * 100 + "3,oops\n")
    with pytest.raises(TableError, match=r"t.csv, rows from 80: text .* Row #102.*'oops'"):
        TableFile(path, block_rows=40).to_array()


def test_a_line_without_end_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("pypmeans._readers.CSV_BYTES", 1000)
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,2\n" + "1" * 5000)
    with pytest.raises(TableError, match=r"t.csv.*a line is longer"):
        TableFile(path).to_array()


def test_arrays_that_are_no_tables_are_refused(tmp_path):
    np.save(tmp_path / "one.npy", np.arange(3))
    np.save(tmp_path / "text.npy", np.array([["a"]]))
    np.save(tmp_path / "object.npy", np.array([[{}]], dtype=object), allow_pickle=True)
    np.save(tmp_path / "nothing.npy", np.empty((0, 2)))
    for name, message in [
        ("one", r"shape \(3,\); it must have rows"), ("text", "holds <U1, not numbers"),
        ("object", "cannot be read"), ("nothing", "has no rows"),
    ]:  # fmt: skip
        with pytest.raises(TableError, match=rf"{name}.npy.*{message}"):
            TableFile(tmp_path / f"{name}.npy").to_array()


@pytest.mark.parametrize("name", ["t.parquet", "t.feather", "t.npy"])
def test_truncated_files_are_refused(tmp_path, name):
    path = save(tmp_path / name, table_of(X))
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(TableError, match=name):
        TableFile(path).to_array()


def test_one_file_of_several_with_other_columns_is_named(tmp_path):
    first = save(tmp_path / "1.parquet", table_of(X))
    cases = {
        "lacking": (table_of(X[:, :2], ["a", "b"]), "2.parquet has no column 'c', but"),
        "more": (table_of(X, day=np.arange(250.0)), r"2.parquet has columns that .* lacks: 'day'"),
        "text": (table_of(X[:, :2], ["a", "b"], c=["x"] * 250), "2.parquet: column 'c' holds str"),
    }
    for table, message in cases.values():
        other = save(tmp_path / "2.parquet", table)
        with pytest.raises(TableError, match=message):
            TableFile([first, other])
    more = save(tmp_path / "2.parquet", cases["more"][0])
    assert len(TableFile([first, more], columns=NAMES).to_array()) == 500


def test_files_of_two_kinds_are_refused(tmp_path):
    save(tmp_path / "1.parquet", table_of(X))
    save(tmp_path / "2.csv", table_of(X))
    with pytest.raises(TableError, match="different kinds"):
        TableFile(tmp_path)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"columns": ["aa"]}, "has no column 'aa'. Did you mean 'a'?"),
        ({"columns": ["zzz"]}, "There are 'a', 'b', 'c'"),
        ({"id_column": "name"}, "has no column 'name'"),
        ({"columns": ["a"], "id_column": "a"}, "column 'a' is the id"),
        ({"missing": "skip"}, "missing must be 'error', 'drop' or 'mean'. Got 'skip'"),
        ({"missing": [1.0]}, "missing must be 3 finite numbers"),
    ],
)
def test_wrong_options_are_named(tmp_path, options, message):
    path = save(tmp_path / "t.csv", table_of(X))
    with pytest.raises(ValueError, match=message):
        TableFile(path, **options)


def test_what_does_not_exist_is_said(tmp_path):
    for path in (tmp_path / "no.csv", tmp_path / "*.csv"):
        with pytest.raises(TableError, match="does not exist"):
            TableFile(path)
    with pytest.raises(TableError, match="a folder without"):
        TableFile(tmp_path)
    os.mkfifo(tmp_path / "pipe.csv")
    with pytest.raises(TableError, match="no ordinary file"):
        TableFile(tmp_path / "pipe.csv")


def test_a_file_changed_between_passes_is_refused(tmp_path):
    path = save(tmp_path / "t.csv", table_of(X))
    data = TableFile(path)
    data.to_array()
    with path.open("a") as file:
        file.write("1,2,3\n")
    with pytest.raises(TableError, match=r"t.csv was changed while it was being read"):
        data.to_array()


def test_a_file_changed_during_a_pass_is_refused(tmp_path):
    path = save(tmp_path / "t.parquet", table_of(X))
    blocks = TableFile(path, block_rows=100).blocks()
    next(blocks)
    os.utime(path, (1, 1))
    with pytest.raises(TableError, match=r"t.parquet was changed"):
        list(blocks)


def test_a_loaded_table_needs_its_file_no_more(tmp_path):
    path = save(tmp_path / "t.csv", table_of(X))
    data = TableFile(path).load()
    path.unlink()
    assert_array_equal(data.to_array(), X)
    assert data.with_scaling("minmax").to_array().max() == 1


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz", "t.parquet", "t.feather", "t.npy"])
def test_rows_are_estimated_before_reading(tmp_path, name):
    data = TableFile(save(tmp_path / name, table_of(X)))
    assert 100 < data.estimated_rows() < 1000


def test_missing_pyarrow_is_named_with_its_extra(tmp_path, monkeypatch):
    path = save(tmp_path / "t.csv", table_of(X))
    for module in ("pyarrow", "pyarrow.csv"):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ImportError, match=r'requires pyarrow: pip install "pypmeans\[files\]"'):
        TableFile(path)


# ------------------------------------------------------------------------------------ writing


def label(rows):
    return (rows[:, 0] > 0).astype(np.int32)


@pytest.mark.parametrize("name", ["out.csv", "out.tsv", "out.parquet", "out.feather"])
def test_labels_stand_beside_row_numbers(tmp_path, name):
    data = TableFile(save(tmp_path / "t.csv", table_of(X)), block_rows=100)
    write_labels(tmp_path / name, data, label)
    written = TableFile(tmp_path / name)
    assert written.columns == ["row", "cluster"]
    assert_array_equal(written.to_array(), np.column_stack([np.arange(250), label(X)]))


def test_ids_keep_their_type_and_files_are_named(tmp_path):
    ids = pa.array(np.arange(250) + 5000)
    parts = [save(tmp_path / f"{k}.parquet", table_of(X, id=ids)) for k in (1, 2)]
    write_labels(tmp_path / "out.parquet", TableFile(parts, id_column="id"), label)
    written = parquet.read_table(tmp_path / "out.parquet")
    assert written.column_names == ["file", "id", "cluster"]
    assert written["id"].type == pa.int64()
    assert set(written["file"].to_pylist()) == {str(part) for part in parts}


def test_no_cell_of_text_is_a_formula(tmp_path):
    ids = ["=1+1", "+a", "-2.5", "-x", "@f", "\tx", "'q", 'say "hi"', "plain", "a,b"]
    table = pa.table({"=cmd()": ids, "a": np.arange(10.0)})
    save(tmp_path / "t.csv", table)
    data = TableFile(tmp_path / "t.csv", id_column="=cmd()")
    write_labels(tmp_path / "out.csv", data, lambda rows: -rows[:, 0].astype(int))
    back = csv.read_csv(
        tmp_path / "out.csv",
        convert_options=csv.ConvertOptions(column_types={"'=cmd()": pa.string()}),
    )
    assert back["'=cmd()"].to_pylist() == [
        "'=1+1", "'+a", "-2.5", "'-x", "'@f", "'\tx", "'q", 'say "hi"', "plain", "a,b",
    ]  # fmt: skip
    assert back["cluster"].to_pylist() == [-k for k in range(10)]
    write_labels(tmp_path / "out.parquet", data, lambda rows: rows[:, 0])
    assert parquet.read_table(tmp_path / "out.parquet")["=cmd()"].to_pylist() == ids


def test_existing_files_are_kept_unless_told_otherwise(tmp_path):
    data = TableFile(save(tmp_path / "t.csv", table_of(X)))
    (tmp_path / "out.csv").write_text("precious")
    with pytest.raises(FileExistsError, match=r"out.csv exists"):
        write_labels(tmp_path / "out.csv", data, label)
    assert (tmp_path / "out.csv").read_text() == "precious"
    write_labels(tmp_path / "out.csv", data, label, overwrite=True)
    assert (tmp_path / "out.csv").read_text().startswith('"row","cluster"')


@pytest.mark.parametrize("failure", ["labels", "disk", "sync"])
def test_a_failure_leaves_nothing_half_written(tmp_path, monkeypatch, failure):
    data = TableFile(save(tmp_path / "t.csv", table_of(X)), block_rows=100)
    (tmp_path / "out.csv").write_text("precious")
    full = OSError(errno.ENOSPC, "No space left on device")
    calls = []

    def fail_late(rows):
        calls.append(rows)
        if len(calls) == 2 and failure == "labels":
            raise full
        return label(rows)

    if failure == "disk":
        monkeypatch.setattr(os, "replace", lambda *_: (_ for _ in ()).throw(full))
    if failure == "sync":
        monkeypatch.setattr(os, "fsync", lambda *_: (_ for _ in ()).throw(full))
    with pytest.raises(OSError, match="No space left"):
        write_labels(tmp_path / "out.csv", data, fail_late, overwrite=True)
    assert sorted(os.listdir(tmp_path)) == ["out.csv", "t.csv"]
    assert (tmp_path / "out.csv").read_text() == "precious"


def test_other_kinds_and_folders_are_refused(tmp_path):
    data = TableFile(save(tmp_path / "t.csv", table_of(X)))
    with pytest.raises(ValueError, match=r"labels are written as \.csv"):
        write_labels(tmp_path / "out.xlsx", data, label)
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        write_labels(tmp_path / "no" / "out.csv", data, label)
    (tmp_path / "dir.csv").mkdir()
    with pytest.raises(IsADirectoryError, match="is a folder"):
        write_labels(tmp_path / "dir.csv", data, label)


# ------------------------------------------------------------------------------------ fuzzing


@st.composite
def damage(draw):
    """A function that spoils some bytes, cuts them short or repeats a part."""
    places = draw(st.lists(st.floats(0, 1, exclude_max=True), min_size=1, max_size=4))
    values = draw(st.lists(st.integers(0, 255), min_size=4, max_size=4))
    how = draw(st.sampled_from(["spoil", "cut", "repeat", "remove"]))

    def apply(content):
        content = bytearray(content)
        for place, value in zip(places, values):
            at = int(place * len(content))
            if how == "spoil":
                content[at] = value
            elif how == "cut":
                del content[at:]
            elif how == "repeat":
                content[at:at] = content[at // 2 : at]
            else:
                del content[at : at + value]
            if not content:
                break
        return bytes(content)

    return apply


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz", "t.parquet", "t.feather", "t.npy"])
def test_damaged_files_give_rows_or_a_named_error(tmp_path_factory, name):
    folder = tmp_path_factory.mktemp("damaged")
    ids = {} if name == "t.npy" else {"id": [f"r{i}" for i in range(40)]}
    whole = save(folder / name, table_of(X[:40], **ids)).read_bytes()
    path = folder / f"damaged{name}"

    @settings(max_examples=60)
    @given(spoil=damage())
    def check(spoil):
        path.write_bytes(spoil(whole))
        try:
            rows = TableFile(path, id_column=next(iter(ids), None), block_rows=16).to_array()
        except TableError as error:
            message = str(error)
        else:
            message = f"{path} gave rows"
            assert np.isfinite(rows).all()
        assert str(path) in message
        assert "\n" not in message

    check()
