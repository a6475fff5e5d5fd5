"""Faults from outside: a killed process, a folder that cannot be written, a lost scheduler."""

import os
import signal
import subprocess
import sys

import numpy as np
import pytest

from pypmeans.files import TableFile

KILLED_WHILE_WRITING = """
import os, signal, sys
from pypmeans._writing import whole_file

with whole_file(sys.argv[1], overwrite=True) as draft:
    draft.write_text("half of a fi")
    os.kill(os.getpid(), signal.SIGKILL)
"""

SCHEDULER_LOST = """
import numpy as np, dask.array as da, distributed
from pypmeans.dask import DPMeans

class Ending:
    def __call__(self, block):
        if block.any():
            distributed.get_client().shutdown()
        return block

if __name__ == "__main__":
    cluster = distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None
    )
    client = distributed.Client(cluster)
    X = da.from_array(np.ones((20, 2)), chunks=(10, 2)).map_blocks(
        Ending(), meta=np.empty((0, 2))
    )
    try:
        DPMeans(1.0).fit(X)
    except BaseException as error:
        print("refused:", type(error).__name__)
"""


def run(code, *arguments):
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        capture_output=True, text=True, timeout=120,
    )  # fmt: skip


def test_a_process_killed_in_the_middle_of_writing_leaves_the_old_file(tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text("the old labels")
    assert run(KILLED_WHILE_WRITING, path).returncode == -signal.SIGKILL
    assert path.read_text() == "the old labels"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    from pypmeans._writing import whole_file

    tmp_path.chmod(0o500)
    with pytest.raises(OSError, match="labels"), whole_file(tmp_path / "labels.csv"):
        pass


def test_a_scheduler_that_is_lost_ends_the_fit_with_an_error():
    pytest.importorskip("distributed")
    ended = run(SCHEDULER_LOST)
    assert "refused:" in ended.stdout, ended.stderr


def test_a_file_that_grows_between_passes_stops_the_fit(tmp_path, monkeypatch):
    from pypmeans import DPMeans, _beyond_memory

    monkeypatch.setattr(_beyond_memory, "GATHERED", 0)
    path = tmp_path / "rows.csv"
    path.write_text("a,b\n" + "1,2\n3,4\n" * 50)
    table, passes = TableFile(path, block_rows=10), []

    class Growing:
        n_features, columns = table.n_features, table.columns

        def blocks(self):
            passes.append(1)
            if len(passes) == 2:
                with open(path, "a") as file:
                    file.write("5,6\n")
            return table.blocks()

    with pytest.raises(ValueError, match=r"rows\.csv"):
        DPMeans(1.0).fit(Growing())
    assert np.sum(passes) == 2
