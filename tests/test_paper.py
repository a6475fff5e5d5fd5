"""The paper's experiments: parts by hand, a run with the least settings, and what is shown."""

import re
import shutil
from pathlib import Path

import numpy as np
import pytest

EXPERIMENTS = Path(__file__).resolve().parent.parent / "experiments"

if not (EXPERIMENTS / "paper").is_dir():
    pytest.skip("the experiments folder is not part of an sdist", allow_module_level=True)

from paper import features, methods, records, run, sets, tuning  # noqa: E402
from paper.settings import FULL, TINY  # noqa: E402
from paper.shown import figures, page, printed, tables, theory  # noqa: E402

PATTERNS = {"aab": (2, 1), "abab": (2, 2), "abcd": (1, 1, 1, 1)}


def test_a_feature_that_adds_something_comes_before_a_copy():
    # Columns 0 and 1 are equal and miss one row of eight; column 2 marks just that row, so that
    # with column 0 it tells the target entirely: I = ln 2, while the copy adds nothing.
    y = np.array([0, 0, 0, 0, 1, 1, 1, 1])
    almost = np.array([0, 0, 0, 1, 1, 1, 1, 1])
    missed = np.array([0, 0, 0, 1, 0, 0, 0, 0])
    X = np.column_stack([almost, almost, missed]).astype(float)
    assert features.choose_features(X, y, 3) == [0, 2, 1]


def test_later_features_are_judged_with_all_chosen_before():
    # Y is the exclusive or of columns 1 and 2, which tell nothing alone; column 0 tells a little.
    rows = np.array([[a, b] for a in (0, 1) for b in (0, 1)] * 8)
    y = rows[:, 0] ^ rows[:, 1]
    hint = y.copy()
    hint[:12] = 0
    X = np.column_stack([hint, rows]).astype(float)
    assert features.choose_features(X, y, 2)[0] == 0
    assert sorted(features.choose_features(X, y, 3)) == [0, 1, 2]


def test_intervals_have_equal_width_and_the_largest_value_is_in_the_last():
    values = np.array([0.0, 0.24, 0.25, 0.5, 0.99, 1.0])
    assert features.into_intervals(values, 4).tolist() == [0, 0, 1, 2, 3, 3]
    assert features.into_intervals(np.ones(3), 4).tolist() == [0, 0, 0]


def test_communities_are_cut_into_the_numbers_of_labels_of_table_4():
    for n_labels in FULL.crime_labels:
        assert len(np.unique(sets.crime(n_labels, 1)[1])) == n_labels


def test_a_small_group_is_found_if_a_cluster_is_mostly_it():
    y = np.repeat([0, 1, 2], [20, 4, 4])
    swallowed = np.where(y == 1, 0, y)
    assert records.recall(y, y, [1, 2]) == 1
    assert records.recall(y, swallowed, [1, 2]) == 0.5
    assert records.recall(y, np.where(y == 2, -1, y), [1, 2]) == 0.5  # left out is not found


def test_rows_left_out_are_not_counted_as_a_cluster():
    y = np.array([0, 0, 1, 1])
    assert records.score(y, np.array([0, 0, -1, -1]))["n_found"] == 1


def test_groups_of_a_heavy_tail_have_the_ratio():
    _, y = sets.heavy_tailed(16, 5, 6, 0)
    assert np.bincount(y).tolist() == [96, 48, 24, 12, 6]
    assert list(sets.smallest_groups(15)) == [10, 11, 12, 13, 14]


def test_the_best_setting_is_that_with_the_largest_product():
    y = np.array([0, 0, 1, 1])
    fits = {"one": [0, 0, 0, 0], "true": [1, 1, 0, 0], "all": [0, 1, 2, 3]}
    best = tuning.best_setting(y, fits, lambda _, name: methods.Fit(np.array(fits[name]), name), 1)
    assert best == "true"


def test_printed_numbers_belong_to_the_sets_they_were_printed_for():
    assert printed.printed("page-blocks", methods.PYP) == (0.1817, 67.70, 6.02)
    assert printed.printed("crime 6", methods.MIXTURE) == (0.1119, 59.46, 6)
    assert printed.printed("vowel-thinned", methods.DP) == (0.4125, 27.5645, 9.04)
    assert printed.printed("vowel", methods.DP) is None  # the paper's had rows removed
    assert printed.printed("wine", methods.OURS) is None


@pytest.mark.parametrize("pattern", PATTERNS)
def test_sizes_of_a_pattern(pattern):
    assert figures.sizes_of(pattern) == PATTERNS[pattern]


def test_a_row_survives_writing_and_reading(tmp_path):
    row = records.EMPTY._replace(experiment="x", nmi=0.25, n_found=3, value=np.inf, seconds=1.5)
    records.write(tmp_path / "rows.csv", [row], records.Row._fields)
    (again,) = records.read(tmp_path / "rows.csv")
    assert repr(again) == repr(row)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    folder = tmp_path_factory.mktemp("paper")
    run.run(TINY, folder, workers=1, progress=False)
    return folder


@pytest.mark.large
def test_an_interrupted_run_goes_on_and_gives_the_same_file(finished, tmp_path):
    shutil.copytree(finished, tmp_path, dirs_exist_ok=True)
    (tmp_path / "results.csv").unlink()
    files = sorted(tmp_path.glob(".runs/*/*.csv"))
    kept = {path: path.stat().st_mtime_ns for path in files[::2]}
    for path in files[1::2]:
        path.unlink()
    run.run(TINY, tmp_path, workers=2, progress=False)  # and the number of processes is another
    assert (tmp_path / "results.csv").read_bytes() == (finished / "results.csv").read_bytes()
    assert {path: path.stat().st_mtime_ns for path in kept} == kept


@pytest.mark.large
def test_times_are_kept_apart(finished):
    assert "seconds" not in (finished / "results.csv").read_text().splitlines()[0]
    timings = records.read(finished / "timings.csv")
    assert {"job", "time by rows", "time by lam"} <= {row.experiment for row in timings}
    assert all(row.seconds > 0 for row in timings)


@pytest.mark.large
def test_the_page_shows_the_paper_beside_ours_and_every_figure(finished, tmp_path):
    results, timings = (records.read(finished / f"{name}.csv") for name in ("results", "timings"))
    text = page.write_page(results, timings, TINY, tmp_path).read_text(encoding="utf-8")
    assert "[0.8126]" in text  # NMI of pyp-means on wine, as printed
    assert "nan" not in text.replace("nanoseconds", "")
    linked = set(re.findall(r"\(figures/([\w-]+\.svg)\)", text))
    assert linked == {path.name for path in (tmp_path / "figures").iterdir()}
    for where in ("Prop. 1", "Prop. 2", "Prop. 3", "Prop. 4", "Theorem 1"):
        assert f"| {where} |" in text


@pytest.mark.large
def test_the_objective_of_the_paper_never_rises(finished):
    frame = tables.frame_of(records.read(finished / "results.csv"))
    assert theory.descending(frame).verdict == "holds"
    assert theory.merging(frame).verdict == "holds"


def committed():
    folder = EXPERIMENTS / "paper"
    return [
        tables.frame_of(records.read(folder / f"{name}.csv")) for name in ("results", "timings")
    ]


def test_the_committed_page_says_what_the_committed_files_hold():
    text = page.text_of(*committed(), FULL)
    assert text == (EXPERIMENTS / "RESULTS.md").read_text(encoding="utf-8")
