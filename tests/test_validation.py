"""Optional packages and the package itself."""

import subprocess
import sys

import pytest

import pypmeans
from pypmeans._validation import require


def test_a_missing_package_is_named_with_its_extra():
    with pytest.raises(ImportError, match=r'draw requires no_such: pip install "pypmeans\[plot\]"'):
        require("no_such.module", extra="plot", caller="draw")


def test_a_package_that_is_there_is_returned():
    import json.decoder

    assert require("json.decoder", extra="plot", caller="draw") is json.decoder


def test_public_names_exist():
    assert all(hasattr(pypmeans, name) for name in pypmeans.__all__)


def test_importing_loads_no_optional_package():
    heavy = "{'matplotlib', 'plotly', 'dask', 'pyarrow', 'typer', 'rich', 'powerlaw'}"
    # scikit-learn's callbacks import rich where it is installed; that is not our doing
    code = (
        "import contextlib, sys\n"
        "with contextlib.suppress(ImportError): import sklearn.callback\n"
        "before = set(sys.modules)\n"
        f"import pypmeans; print(sorted({heavy} & set(sys.modules) - before))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
