"""Answers are those of the last release; golden_cases.py tells when and how to renew them."""

import json

import pytest

from golden_cases import CASES, FOLDER

# Sums in another order on another machine, and nothing more.
REL = 1e-7


def assert_same(found, kept, where):
    if isinstance(kept, dict):
        assert found.keys() == kept.keys(), where
        for key in kept:
            assert_same(found[key], kept[key], f"{where}.{key}")
    elif isinstance(kept, list):
        assert len(found) == len(kept), where
        for at, (a, b) in enumerate(zip(found, kept)):
            assert_same(a, b, f"{where}[{at}]")
    elif isinstance(kept, float):
        assert found == pytest.approx(kept, rel=REL, abs=1e-9), where
    else:
        assert found == kept, where


@pytest.mark.large
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("name", CASES)
def test_answers_do_not_change_by_accident(name):
    kept = json.loads((FOLDER / f"{name}.json").read_text())
    assert_same(CASES[name](), kept, name)


def test_every_file_is_compared():
    assert {path.stem for path in FOLDER.glob("*.json")} == set(CASES)
