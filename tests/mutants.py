"""Small changes to the code, one at a time: does a test notice each?

``make mutants``, or this file with names of modules, prints those that no test notices;
docs/trust.md explains why they may stay. The
changes are cosmic-ray's. Each mutant is run in a fork of this process, where numpy, numba and
scikit-learn are imported already: a second each, not ten.
"""

import os
import resource
import sys
from difflib import unified_diff
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path

os.environ["NUMBA_DISABLE_JIT"] = "1"  # nothing to compile

import hypothesis.extra.numpy  # noqa: F401  imported for the forks, as are others below
import numba  # noqa: F401
import pytest
import scipy.spatial  # noqa: F401
import sklearn.utils.estimator_checks  # noqa: F401
from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names

HERE = Path(__file__).parent
PACKAGE = HERE.parent / "src" / "pypmeans"
TESTS = {"_penalty": ["test_penalty.py"], "_moves": ["test_moves.py"]}
SECONDS = 30  # of CPU


class MutantLoader(SourceFileLoader):
    """Compiles the changed source in place of the file."""

    def __init__(self, module, source):
        super().__init__(f"pypmeans.{module}", str(PACKAGE / f"{module}.py"))
        self.source = source

    def get_code(self, fullname):
        return compile(self.source, self.path, "exec")

    def find_spec(self, fullname, path=None, target=None):
        """As a finder: this module only."""
        return ModuleSpec(fullname, self, origin=self.path) if fullname == self.name else None


def mutants(source):
    """Names and sources of all changes."""
    tree = get_ast(source)
    for name in operator_names():
        operator = get_operator(name)
        if operator.arguments():
            continue
        count = sum(len(list(operator().mutation_positions(node))) for node in ast_nodes(tree))
        for occurrence in range(count):
            yield name.removeprefix("core/"), mutate_code(source, operator(), occurrence)


def survives(module, source):
    """Whether all tests pass with the changed source."""
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))  # endless loops end too
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
        sys.meta_path.insert(0, MutantLoader(module, source))
        files = [str(HERE / name) for name in TESTS[module]]
        options = ["-x", "-q", "-n0", "-p", "no:cacheprovider", f"--rootdir={HERE.parent}"]
        os._exit(int(pytest.main([*options, *files])))
    return os.waitpid(child, 0)[1] == 0


def main(modules):
    total = left = 0
    for module in modules or TESTS:
        source = (PACKAGE / f"{module}.py").read_text()
        assert survives(module, source), "the tests must pass as things are"
        for name, changed in mutants(source):
            total += 1
            if changed != source and survives(module, changed):
                left += 1
                lines = unified_diff(source.splitlines(), changed.splitlines(), n=0, lineterm="")
                print(f"{module} {name}", *list(lines)[3:], sep="\n    ", flush=True)
    print(f"{total} mutants, {left} survived")


if __name__ == "__main__":
    main(sys.argv[1:])
