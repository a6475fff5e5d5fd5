"""Progress of a fit: callbacks and `verbose`."""

import pytest

from pypmeans import PYPMeans
from pypmeans.datasets import load_demo


class Counter:
    """A callback that counts what it is told."""

    def __init__(self):
        self.calls = []

    def setup(self, estimator, context):
        self.calls.append("setup")

    def teardown(self, estimator, context):
        self.calls.append("teardown")

    def on_fit_task_begin(self, estimator, context, **facts):
        pass

    def on_fit_task_end(self, estimator, context, **facts):
        self.calls.append(context.task_name)


@pytest.mark.parametrize("algorithm", ["paper", "search"])
def test_callbacks_hear_of_every_pass(algorithm):
    pytest.importorskip("sklearn.callback")
    X, _ = load_demo(return_X_y=True)
    counter = Counter()
    model = PYPMeans(0.06, 0.004, algorithm=algorithm).set_callbacks(counter).fit(X)
    assert counter.calls == ["setup", *["pass"] * model.n_iter_, "fit", "teardown"]


def test_verbose_prints_a_line_for_each_pass(capsys):
    X, _ = load_demo(return_X_y=True)
    model = PYPMeans(0.06, 0.004, verbose=1).fit(X)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == model.n_iter_
    assert any("split" in line for line in lines)
