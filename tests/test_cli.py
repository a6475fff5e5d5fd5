"""The command line as a person uses it: through pipes, on a terminal, with good and bad input."""

import errno
import functools
import io
import json
import os
import pickle
import re
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

pa = pytest.importorskip("pyarrow")
typer = pytest.importorskip("typer")
skops_io = pytest.importorskip("skops.io")
from pyarrow import csv, parquet  # noqa: E402
from sklearn.preprocessing import MinMaxScaler, StandardScaler  # noqa: E402

from pypmeans import PYPMeans, _cli_input, cli, scale_path  # noqa: E402
from pypmeans.__main__ import main  # noqa: E402
from pypmeans.datasets import make_power_law_blobs  # noqa: E402
from pypmeans.files import ModelError, SavedModel, TableFile, load_model, save_model  # noqa: E402
from test_files import BROKEN, damage  # noqa: E402

N = 120
X, _ = make_power_law_blobs(N, n_clusters=6, n_features=2, separation=9, random_state=3)
X = (100 * X).round(4)
FAST = ("--lam", "0.3")  # where it does not matter which clusters are found
IDS = [f"r{i}" for i in range(len(X))]


class Result:
    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err


@pytest.fixture
def call(monkeypatch, capsys, tmp_path):
    """Run a command in this process, in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments, stdin=b""):
        monkeypatch.setattr(sys, "argv", ["pypmeans", *map(str, arguments)])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        with pytest.raises(SystemExit) as stop:
            cli.run()
        return Result(stop.value.code, *capsys.readouterr())

    return run


def write_data(path="data.csv", **others):
    table = pa.table({"name": IDS, "width": X[:, 0], "height": X[:, 1], **others})
    if str(path).endswith(".parquet"):
        parquet.write_table(table, path)
    else:
        csv.write_csv(table, path)
    return path


def clusters(path="data.clusters.csv"):
    return csv.read_csv(path)["cluster"].to_numpy()


@functools.cache
def expected():
    """The model that `fit` should find by default."""
    return PYPMeans().fit(MinMaxScaler().fit_transform(X))


def assert_one_line(result, code, message):
    assert result.code == code, result.err
    assert result.out == ""
    assert re.fullmatch(rf"pypmeans: .*{message}.*\n", result.err), result.err


# ------------------------------------------------------------------------------------- fit


def test_fit_writes_the_clusters_of_the_library(call):
    write_data()
    result = call("fit", "data.csv")
    assert result.code == 0
    model = expected()
    assert_array_equal(clusters(), model.labels_)
    assert f"{model.n_clusters_} clusters of 120 rows with 2 features" in result.out
    assert "left out, for they do not hold numbers: 'name'" in result.err
    assert "labels written to data.clusters.csv" in result.err


def test_options_reach_the_model(call):
    write_data()
    result = call(
        "fit", "data.csv", "--scale", "standard", "--lam", "3", "--theta", "0.2", "--max-clusters",
        "5", "--algorithm", "paper", "--max-iter", "2", "--threads", "1", "--json", "-o", "o.tsv",
    )  # fmt: skip
    model = PYPMeans(3, 0.2, algorithm="paper", max_clusters=5, max_iter=2)
    with pytest.warns(UserWarning, match="max_iter=2") as caught:
        model.fit(StandardScaler().fit_transform(X))
    found = json.loads(result.out)
    assert (found["lam"], found["theta"], found["scale"]) == (3.0, 0.2, "standard")
    assert_array_equal(found["sizes"], model.cluster_sizes_)
    assert str(caught[0].message) in result.err  # warnings become remarks


def test_the_summary_names_sizes_contrasts_and_rows(call):
    write_data()
    result = call("fit", "data.csv", "--id", "name")
    model = expected()
    k = model.n_clusters_ - 1
    members = np.flatnonzero(model.labels_ == k)
    distances = np.linalg.norm(
        MinMaxScaler().fit_transform(X)[members] - model.cluster_centers_[k], axis=1
    )
    line = next(line for line in result.out.splitlines() if line.split()[:1] == [str(k)])
    assert re.search(r"(width|height) \S+ \([+-]\d+\.\dσ\)", line)
    assert line.split()[-2:] == [IDS[members[distances.argmin()]], IDS[members[distances.argmax()]]]
    assert "power law with exponent" in result.out
    assert csv.read_csv("data.clusters.csv").column_names == ["name", "cluster"]


def test_json_is_all_that_goes_to_stdout(call):
    write_data()
    found = json.loads(call("fit", "data.csv", "--json", "--id", "name", *FAST).out)
    assert found["labels"] == "data.clusters.csv"
    assert found["n_clusters"] == len(found["sizes"]) == len(found["contrasts"])
    assert found["feature_names"] == ["width", "height"]
    assert_allclose(found["overall_mean"], X.mean(axis=0))  # in the units of the file
    assert found["typical"][0]["id"] in IDS


def test_quiet_says_nothing(call):
    write_data()
    result = call("fit", "data.csv", "--quiet", *FAST)
    assert (result.code, result.out, result.err) == (0, "", "")
    assert len(clusters()) == N


def test_columns_are_chosen_by_name_even_with_commas(call):
    write_data(**{"a,b": np.arange(float(N))})
    found = json.loads(call("fit", "data.csv", *FAST, "--columns", "height, width", "--json").out)
    assert found["feature_names"] == ["height", "width"]
    again = call("fit", "data.csv", "-f", *FAST, "--columns", "a,b", "--columns", "width", "--json")
    assert json.loads(again.out)["feature_names"] == ["a,b", "width"]


def test_a_column_that_looks_like_an_id_is_remarked(call):
    write_data(id=np.arange(N))
    remarks = call("fit", "data.csv", *FAST).err
    assert "'id' looks like an id, but is used as a feature: --id id?" in remarks
    assert "looks like" not in call("fit", "data.csv", "--id", "id", "--force", *FAST).err


@pytest.mark.parametrize("name", ["data.csv", "data.parquet", "data.npy"])
def test_standard_input_may_be_any_kind_of_file(call, name):
    np.save(name, X) if name.endswith("npy") else write_data(name)
    result = call("fit", "-", stdin=Path(name).read_bytes())
    assert result.code == 0
    assert_array_equal(csv.read_csv(io.BytesIO(result.out.encode()))["cluster"], expected().labels_)
    assert "clusters of" not in result.err  # quiet when piped


def test_errors_speak_of_standard_input(call):
    assert_one_line(call("fit", "-", stdin=b"a,b\n1\n"), 1, "standard input: it cannot be read")
    assert_one_line(call("fit", "-", stdin=b""), 1, "standard input: it is empty")
    assert_one_line(call("fit", "-", "b.csv"), 1, "cannot be joined")


def test_several_files_are_one_table(call):
    parquet.write_table(pa.table({"w": X[:60, 0], "h": X[:60, 1]}), "1.parquet")
    parquet.write_table(pa.table({"w": X[60:, 0], "h": X[60:, 1]}), "2.parquet")
    assert call("fit", "1.parquet", "2.parquet").code == 0
    assert_array_equal(clusters("pypmeans.clusters.csv"), expected().labels_)


# --------------------------------------------------------------------------- missing values


def test_missing_values_are_refused_with_a_count_and_the_remedy(call):
    Path("gaps.csv").write_text("a,b\n1,2\n,4\n5,\n7,\n")
    result = call("fit", "gaps.csv")
    assert_one_line(result, 1, r"missing values: 'b' \(2\), 'a' \(1\).*--missing drop.*--missing m")
    assert os.listdir() == ["gaps.csv"]


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_missing_values_are_dropped_or_filled(call):
    width = [None if i % 20 == 0 else value for i, value in enumerate(X[:, 0])]
    csv.write_csv(pa.table({"name": IDS, "width": width, "height": X[:, 1]}), "gaps.csv")
    assert call("fit", "gaps.csv", "--missing", "drop", "--id", "name", *FAST).code == 0
    kept = csv.read_csv("gaps.clusters.csv")["name"].to_pylist()
    assert kept == [name for i, name in enumerate(IDS) if i % 20]
    assert call("fit", "gaps.csv", "--missing", "mean", "-f", "-m", "m.skops", *FAST).code == 0
    mean = np.mean([value for value in width if value is not None])
    assert_allclose(load_model("m.skops").fill_values, [mean, X[:, 1].mean()])
    Path("new.csv").write_text(f"height,width\n{X[0, 1]},\n")
    assert call("predict", "m.skops", "new.csv", "--missing", "mean").code == 0
    filled = load_model("m.skops")
    row = filled.scaler.transform([[mean, X[0, 1]]])
    assert clusters("new.clusters.csv") == filled.model.predict(row)


# ---------------------------------------------------------------------------------- predict


def test_predict_repeats_fit_and_finds_columns_by_name(call):
    write_data()
    assert call("fit", "data.csv", "--model", "m.skops", *FAST).code == 0
    table = pa.table({"height": X[:, 1], "more": IDS, "width": X[:, 0]})
    parquet.write_table(table, "new.parquet")
    result = call("predict", "m.skops", "new.parquet")
    assert result.code == 0
    assert_array_equal(clusters("new.clusters.csv"), clusters())
    assert "120 rows in" in result.out


def test_predict_counts_rows_unlike_any_other(call):
    write_data()
    call("fit", "data.csv", "--model", "m.skops", *FAST)
    Path("new.csv").write_text("width,height\n1e6,1e6\n" + f"{X[0, 0]},{X[0, 1]}\n")
    found = json.loads(call("predict", "m.skops", "new.csv", "--json").out)
    assert (found["n_rows"], found["n_novel"]) == (2, 1)


def test_predict_refuses_other_columns(call):
    write_data()
    call("fit", "data.csv", "--model", "m.skops", *FAST)
    Path("new.csv").write_text("width,depth\n1,2\n")
    assert_one_line(call("predict", "m.skops", "new.csv"), 1, "new.csv has no column 'height'")
    np.save("two.npy", X)
    np.save("three.npy", np.column_stack([X, X[:, 0]]))
    call("fit", "two.npy", "--model", "n.skops", *FAST)
    assert_one_line(call("predict", "n.skops", "three.npy"), 1, "has 3 columns, but the model was")


@pytest.mark.parametrize("scale", ["minmax", "standard", "l2", "none"])
def test_the_scaling_goes_with_the_model(call, scale):
    write_data()
    call("fit", "data.csv", "--scale", scale, "--model", "m.skops", "--lam", "1000")
    call("predict", "m.skops", "data.csv", "-o", "again.csv")
    assert_array_equal(clusters("again.csv"), clusters())


# --------------------------------------------------------------------------- path, report, demo


def test_path_shows_all_scales(call):
    write_data()
    path = scale_path(MinMaxScaler().fit_transform(X))
    result = call("path", "data.csv", "--output", "scales.csv")
    lines = result.out.splitlines()
    assert len([line for line in lines if re.match(r"→?\s+\d+ ", line)]) == len(path)
    best = next(line.split() for line in lines if line.startswith("→"))
    assert best[1] == str(path.best.n_clusters)
    written = csv.read_csv("scales.csv")
    assert_allclose(written["lam"], [entry.lam for entry in path])
    assert written["best"].to_pylist().index(1) == path.index(path.best)
    found = json.loads(call("path", "data.csv", "--json").out)
    assert [entry["n_clusters"] for entry in found] == [entry.n_clusters for entry in path]


def test_report_writes_one_page(call):
    for package in ("jinja2", "pypmeans.report"):
        pytest.importorskip(package)
    write_data()
    result = call(
        "report", "data.csv", "--id", "name", "--title", "My <b>", "--map", "height,width"
    )
    assert result.code == 0
    page = Path("data.html").read_text(encoding="utf-8")
    assert "My &lt;b&gt;" in page
    assert "report written to data.html" in result.err
    assert_one_line(call("report", "data.csv"), 1, "data.html exists.*--force")
    assert "not one of the columns used" in call("report", "data.csv", "-f", "--map", "x,y").err


@pytest.mark.large
def test_the_demo_finds_the_groups_and_says_where_the_report_is(call):
    result = call("demo")
    assert result.code == 0
    assert "16 clusters found (there are 16)" in result.out
    written = sorted(os.listdir("pypmeans-demo"))
    assert {"demo.csv", "demo.clusters.csv", "demo.skops"} <= set(written)
    assert ("demo.html" in written) == ("The report is" in result.out)
    assert_one_line(call("demo"), 1, r"demo.csv exists.*--force")


# -------------------------------------------------------------------------------- wrong use


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["fit"], "Missing argument 'DATA...'"),
        (["fit", "data.csv", "--lam", "-1"], "'-1' is neither a number above 0 nor 'auto'"),
        (["fit", "data.csv", "--lam", "nan"], "neither a number"),
        (["fit", "data.csv", "--theta", "-1"], "--theta"),
        (["fit", "data.csv", "--scale", "robust"], "robust"),
        (["fit", "data.csv", "--lambda", "1"], "No such option"),
        (["fit", "data.csv", "--json", "-o", "-"], "exclude each other"),
        (["predict", "m.skops", "-", "--json"], "exclude each other"),
        (["cluster"], "No such command 'cluster'"),
        (["predict", "m.skops"], "Missing argument 'DATA...'"),
    ],
)
def test_wrong_use_is_one_line_and_exit_code_2(call, arguments, message):
    write_data()
    result = call(*arguments)
    assert_one_line(result, 2, message)
    assert "--help" in result.err


@pytest.mark.parametrize("name", BROKEN)
def test_bad_files_are_one_line_and_exit_code_1(call, name):
    Path(name).write_bytes(BROKEN[name][0])
    result = call("fit", name)
    assert_one_line(result, 1, rf"{name}.*{BROKEN[name][1]}")
    assert os.listdir() == [name]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["fit", "no.csv"], "no.csv does not exist"),
        (["fit", "data.csv", "--columns", "widht"], "Did you mean 'width'?"),
        (["fit", "data.csv", "--columns", "name"], "column 'name' holds string, not numbers"),
        (["fit", "data.csv", "--id", "x"], "has no column 'x'"),
        (["fit", "data.csv", "-o", "no/x.csv"], "there is no folder no"),
        (["fit", "data.csv", "-o", "x.doc"], "labels are written as .csv"),
        (["fit", "data.csv", "-o", "data.csv", "--force"], "data.csv is read; results cannot go"),
        (["fit", "data.csv", "-o", "x.csv", "-m", "x.csv"], "two outputs"),
        (["fit", "data.csv", "-o", "kept.csv"], "kept.csv exists. .* --force"),
        (["predict", "no.skops", "data.csv"], "no.skops does not exist"),
        (["predict", "data.csv", "data.csv"], "data.csv is no model of this program"),
        (["fit", "huge.csv"], "huge.csv.*column 'a' is infinite"),
    ],
)
def test_failures_are_one_line_and_exit_code_1(call, arguments, message):
    write_data()
    Path("huge.csv").write_text("a\n1e999\n1\n")
    Path("kept.csv").write_text("kept")
    assert_one_line(call(*arguments), 1, message)
    assert sorted(os.listdir()) == ["data.csv", "huge.csv", "kept.csv"]
    assert Path("kept.csv").read_text() == "kept"


def test_a_fault_of_the_program_is_told_without_a_traceback(call, monkeypatch):
    write_data()
    monkeypatch.setattr(PYPMeans, "fit", lambda *_: 1 / 0)
    assert_one_line(
        call("fit", "data.csv", "--columns", "width"), 1, "unexpected ZeroDivisionError.*report it"
    )


@pytest.mark.parametrize("place", ["os.fsync", "os.replace", "pypmeans.PYPMeans.predict"])
def test_a_full_disk_leaves_nothing_half_written(call, monkeypatch, place):
    write_data()
    for name in ("data.clusters.csv", "m.skops"):
        Path(name).write_text("kept")

    def fail(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(place, fail)
    result = call("fit", "data.csv", "-m", "m.skops", "--force", "-q", *FAST)
    assert_one_line(result, 1, "No space left on device")
    assert sorted(os.listdir()) == ["data.clusters.csv", "data.csv", "m.skops"]
    assert Path("data.clusters.csv").read_text() == Path("m.skops").read_text() == "kept"


def test_text_of_the_data_reaches_neither_spreadsheet_nor_terminal_as_a_command(call):
    ids = ["=cmd()"] * (N - 1) + ["\x1b[2Jx"]
    csv.write_csv(pa.table({"id": ids, "\x1b[31mred": X[:, 0], "[bold]b": X[:, 1]}), "data.csv")
    result = call("fit", "data.csv", "--id", "id", *FAST)
    assert result.code == 0
    assert "\x1b" not in result.out + result.err
    assert "[bold]b" in result.out
    assert (
        '"\'=cmd()"' in Path("data.clusters.csv").read_text()
        or "'=cmd()" in Path("data.clusters.csv").read_text()
    )


# ------------------------------------------------------------------------------ model files


@pytest.fixture(scope="module")
def model_bytes(tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "m.skops"
    scaler = MinMaxScaler().fit(X)
    save_model(path, SavedModel(expected(), ["width", "height"], scaler, X.mean(axis=0)))
    return path.read_bytes()


class Harm:
    """Writes a file when it is unpickled."""

    def __reduce__(self):
        return Path.touch, (Path("harmed"),)


def rewritten(content, change):
    """A model file with another schema or other members."""
    source, target = zipfile.ZipFile(io.BytesIO(content)), io.BytesIO()
    members = {info.filename: source.read(info) for info in source.infolist()}
    members = change(members)
    with zipfile.ZipFile(target, "w") as archive:
        for name, member in members.items():
            archive.writestr(name, member)
    return target.getvalue()


def with_schema(change):
    def apply(members):
        schema = json.loads(members["schema.json"])
        change(schema)
        return members | {"schema.json": json.dumps(schema).encode()}

    return apply


def of_function(schema):
    schema["content"]["scaler"] = {
        "__class__": "system", "__module__": "os", "__loader__": "FunctionNode",
        "content": {"module_path": "os", "function": "system"},
    }  # fmt: skip


def of_reduce(schema):
    schema["content"]["scaler"]["__loader__"] = "ReduceNode"


def of_other_estimator(schema):
    schema["content"]["scaler"]["__class__"] = "PowerTransformer"


def array_of(members, at):
    return sorted(name for name in members if name.endswith(".npy"))[at]


def bomb(members):
    file = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        file, {"descr": "<f8", "fortran_order": False, "shape": (10**13,)}
    )
    return members | {array_of(members, 0): file.getvalue()}


def short_offsets(members):
    schema = json.loads(members["schema.json"])
    name = schema["content"]["model"]["content"]["content"]["_offsets"]["file"]
    file = io.BytesIO()
    np.save(file, np.zeros(1))
    return members | {name: file.getvalue()}


def nan_centers(members):
    schema = json.loads(members["schema.json"])
    name = schema["content"]["model"]["content"]["content"]["cluster_centers_"]["file"]
    centers = np.load(io.BytesIO(members[name]))
    file = io.BytesIO()
    np.save(file, centers * np.nan)
    return members | {name: file.getvalue()}


TAMPERED = {
    "of a function": (with_schema(of_function), "it holds os.system, which no model needs"),
    "of a reduce": (with_schema(of_reduce), "which no model needs"),
    "of another class": (with_schema(of_other_estimator), "PowerTransformer, which no model needs"),
    "of a huge array": (bomb, "is not of that size"),
    "of short offsets": (short_offsets, "_offsets is not of shape"),
    "of no numbers": (nan_centers, "cluster_centers_ holds what is no finite number"),
    "without a schema": (lambda members: {"x": b""}, "schema.json"),
}


@pytest.mark.parametrize("how", TAMPERED)
def test_tampered_models_are_refused(call, model_bytes, how):
    write_data()
    change, message = TAMPERED[how]
    Path("m.skops").write_bytes(rewritten(model_bytes, change))
    assert_one_line(call("predict", "m.skops", "data.csv"), 1, f"m.skops is no model.*{message}")


def test_foreign_and_harmful_files_are_refused_unread(call, model_bytes):
    write_data()
    foreign = {
        "pickle": pickle.dumps(Harm()),
        "another object": skops_io.dumps(StandardScaler().fit(X)),
        "another dict": skops_io.dumps({"model": 1}),
        "truncated": model_bytes[:-40],
        "empty": b"",
        "compressed": skops_io.dumps({"a": np.zeros(9)}, compression=zipfile.ZIP_DEFLATED),
    }
    for what, content in foreign.items():
        Path("m.skops").write_bytes(content)
        result = call("predict", "m.skops", "data.csv")
        assert_one_line(result, 1, "m.skops is no model of this program, or is damaged")
        assert not Path("harmed").exists(), what


def test_damaged_models_are_refused_or_sound(tmp_path, model_bytes):
    path = tmp_path / "m.skops"

    @settings(max_examples=100)
    @given(spoil=damage())
    def check(spoil):
        path.write_bytes(spoil(model_bytes))
        try:
            saved = load_model(path)
        except ModelError as error:
            message = str(error)
        else:
            message = f"{path} is sound"
            assert saved.model.predict(saved.scaler.transform(X)).max() < saved.model.n_clusters_
        assert str(path) in message
        assert "\n" not in message

    check()


ODD = [None, -1, 1e308, "", "null", "[]", '"x"', "1e999", [], {}, "os", "system", "FunctionNode"]


def test_models_of_other_content_are_refused_or_sound(tmp_path, model_bytes):
    path = tmp_path / "m.skops"

    def places(node):
        inner = node.items() if isinstance(node, dict) else enumerate(node)
        for key, value in inner if isinstance(node, dict | list) else ():
            yield node, key
            if isinstance(value, dict | list):
                yield from places(value)

    @settings(max_examples=80)
    @given(place=st.floats(0, 1, exclude_max=True), value=st.sampled_from(ODD))
    def check(place, value):
        def change(schema):
            all_places = list(places(schema))
            node, key = all_places[int(place * len(all_places))]
            node[key] = value

        path.write_bytes(rewritten(model_bytes, with_schema(change)))
        try:
            saved = load_model(path)
        except ModelError as error:
            assert str(path) in str(error)  # noqa: PT017
        else:
            rows = X if saved.scaler is None else saved.scaler.transform(X)
            assert saved.model.predict(rows).max() < saved.model.n_clusters_

    check()


def test_a_scaler_of_another_version_is_remarked_in_one_line(call, model_bytes):
    def older(schema):
        state = schema["content"]["scaler"]["content"]["content"]
        state["_sklearn_version"]["content"] = '"1.4.0"'

    write_data()
    Path("m.skops").write_bytes(rewritten(model_bytes, with_schema(older)))
    result = call("predict", "m.skops", "data.csv")
    assert result.code == 0
    assert "MinMaxScaler from version 1.4.0" in result.err
    assert all(line.startswith("pypmeans: ") for line in result.err.splitlines())


@pytest.mark.filterwarnings("ignore:The search stopped")
def test_models_of_streams_are_not_saved(tmp_path):
    streamed = PYPMeans(lam=1e3).partial_fit(X)
    with pytest.raises(ValueError, match="that partial_fit has updated cannot be saved"):
        save_model(tmp_path / "m.skops", SavedModel(streamed, ["a", "b"]))
    assert not os.listdir(tmp_path)


def test_models_keep_nothing_of_the_rows(call):
    write_data()
    call("fit", "data.csv", "-m", "m.skops")
    model = load_model("m.skops").model
    assert not hasattr(model, "labels_")
    assert not hasattr(model, "path_")
    assert model.objective_ == expected().objective_


# ------------------------------------------------------------------- larger than memory


def test_a_table_larger_than_memory_is_fitted_block_by_block(call, monkeypatch):
    write_data()
    monkeypatch.setattr("pypmeans._cli_jobs.fits_in_memory", lambda table: False)
    result = call("fit", "data.csv", "--id", "name", "--model", "m.skops")
    assert (result.code, result.err.count("\n")) == (0, 2)  # what was written, and no warnings
    assert_array_equal(clusters(), expected().labels_)
    assert call("predict", "m.skops", "data.csv", "-o", "again.csv").code == 0
    assert_array_equal(clusters("again.csv"), clusters())
    assert call("path", "data.csv").code == 0


def test_what_fits_is_decided_by_the_memory_available(tmp_path, monkeypatch):
    table = TableFile(write_data(tmp_path / "data.parquet"))
    monkeypatch.setattr(_cli_input, "available_bytes", lambda: 6 * N * 2 * 8)
    assert _cli_input.fits_in_memory(table)
    monkeypatch.setattr(_cli_input, "available_bytes", lambda: 6 * N * 2 * 8 - 6)
    assert not _cli_input.fits_in_memory(table)
    monkeypatch.undo()
    assert 1 << 20 < _cli_input.available_bytes() < 1 << 50


# ------------------------------------------------------------------------ help and extras

COMMAND = typer.main.get_command(cli.app)


def test_every_command_and_option_is_explained():
    assert set(COMMAND.commands) == {"fit", "predict", "path", "report", "demo"}
    for name, command in COMMAND.commands.items():
        assert command.help, name
        for parameter in command.params:
            assert getattr(parameter, "help", None), f"{name} {parameter.name}"


def test_the_readme_shows_every_command():
    readme = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
    for name in COMMAND.commands:
        assert f"pypmeans {name}" in readme


def test_options_are_called_as_in_python():
    options = {option for parameter in COMMAND.commands["fit"].params for option in parameter.opts}
    for name in PYPMeans().get_params():
        if name != "verbose":  # the terminal decides
            assert f"--{name.replace('_', '-')}" in options


@pytest.mark.parametrize("name", ["fit", "predict", "path", "report", "demo"])
def test_help_is_printed(call, name):
    result = call(name, "--help")
    assert (result.code, result.err) == (0, "")
    assert f"pypmeans {name}" in result.out


def test_without_a_command_there_is_help(call):
    result = call()
    assert "Usage: pypmeans" in result.out
    assert result.err == ""


@pytest.mark.parametrize(
    ("words", "completed"), [("pypmeans pre", "predict"), ("pypmeans fit --sca", "--scale")]
)
def test_shells_complete_commands_and_options(call, monkeypatch, words, completed):
    monkeypatch.setenv("_PYPMEANS_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", words)
    monkeypatch.setenv("COMP_CWORD", str(len(words.split()) - 1))
    assert call().out.split() == [completed]


@pytest.mark.parametrize(
    ("missing", "arguments", "message"),
    [
        (["pyarrow", "pyarrow.csv"], ["fit", "data.csv"], r'pip install "pypmeans\[files\]"'),
        (["skops.io"], ["fit", "data.csv", "-m", "m"], r'skops: pip install "pypmeans\[cli\]"'),
        (["jinja2"], ["report", "data.csv"], r'jinja2: pip install "pypmeans\[report\]"'),
    ],
)
def test_missing_packages_are_named_with_the_command(
    call, monkeypatch, missing, arguments, message
):
    write_data()
    for package in missing:
        monkeypatch.setitem(sys.modules, package, None)
    assert_one_line(call(*arguments), 1, message)


@pytest.mark.parametrize("package", ["typer", "rich"])
def test_without_the_extra_the_command_says_how_to_get_it(monkeypatch, capsys, package):
    for name in [
        name for name in sys.modules if name.startswith(("pypmeans.cli", "pypmeans._cli"))
    ]:
        monkeypatch.delitem(sys.modules, name)
    for name in [name for name in sys.modules if name.partition(".")[0] == package]:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(SystemExit) as stop:
        main()
    assert stop.value.code == 1
    assert capsys.readouterr().err == (
        f'pypmeans: The command requires {package}: pip install "pypmeans[cli]".\n'
    )


# ------------------------------------------------------------------ real processes: slow starts

PYPMEANS = [sys.executable, "-m", "pypmeans"]


def test_through_pipes_only_data_comes_out():
    rows = "\n".join(f"{a},{b}" for a, b in X)
    run = subprocess.run(
        [*PYPMEANS, "fit", "-"], input=f"w,h\n{rows}\n", capture_output=True, text=True, check=True
    )
    assert run.stderr == ""
    assert_array_equal(csv.read_csv(io.BytesIO(run.stdout.encode()))["cluster"], expected().labels_)


def on_a_terminal(arguments, act=lambda master, text, process: None):
    """Run a command on a pseudo-terminal; what it showed and its exit code."""
    pty = pytest.importorskip("pty")
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [*PYPMEANS, *arguments], stdin=slave, stdout=slave, stderr=slave, close_fds=True,
        env=os.environ | {"TERM": "xterm-256color", "COLUMNS": "100"}, start_new_session=True,
    )  # fmt: skip
    os.close(slave)
    text = b""
    while True:
        try:
            part = os.read(master, 65536)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        text += part
        act(master, text, process)
    os.close(master)
    return text.decode(), process.wait(timeout=60)


def test_on_a_terminal_there_is_progress_and_a_table(tmp_path):
    data = write_data(tmp_path / "data.csv")
    shown, code = on_a_terminal(["fit", str(data)])
    assert code == 0
    assert "clustering" in shown  # the bar
    assert "\x1b[" in shown
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown)
    assert "what distinguishes it" in plain
    assert f"labels written to {data.with_name('data.clusters.csv')}"[:40] in plain
    assert "Traceback" not in shown


def test_ctrl_c_is_not_lost_in_the_callbacks_of_a_compiler():
    script = """
import signal, sys, time
from pypmeans.__main__ import interrupt
signal.signal(signal.SIGINT, interrupt)
names = {"__name__": "llvmlite.binding.executionengine", "raise_signal": signal.raise_signal}
exec("def notify(): raise_signal(2); return True", names)
print("still here", names["notify"]())
try:
    time.sleep(20)
except KeyboardInterrupt:
    print("stopped")
"""
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert run.stdout.split("\n")[:2] == ["still here True", "stopped"], run


def test_stopped_by_hand_it_leaves_nothing(tmp_path):
    data, stopped = tmp_path / "data.csv", []
    many = np.random.default_rng(0).normal(size=(30_000, 6))  # a fit that takes seconds
    np.savetxt(data, many, fmt="%.3f", delimiter=",", header="a,b,c,d,e,f", comments="")

    def interrupt(_, text, process):
        if b"reading" in text and not stopped:
            stopped.append(time.monotonic())
            process.send_signal(signal.SIGINT)

    shown, code = on_a_terminal(["fit", str(data)], interrupt)
    assert code == 130, shown
    assert "stopped; no output was changed." in shown
    assert "Traceback" not in shown
    assert os.listdir(tmp_path) == ["data.csv"]
