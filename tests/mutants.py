"""Small changes to the code, one at a time: does a test notice each?

``make mutants``, or this file with names of modules, prints those that no test notices;
docs/trust.md explains why they may stay. The changes are cosmic-ray's. Tests are collected once;
each mutant is a fork in which functions get changed code, so that hundreds take a minute or two.
Changes of decorators need a fresh import, and a few seconds each.
"""

import os
import resource
import sys
from difflib import unified_diff
from functools import cached_property
from importlib import import_module
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path
from subprocess import run
from types import FunctionType, ModuleType

os.environ["NUMBA_DISABLE_JIT"] = "1"  # nothing to compile

import pytest
from _pytest.runner import runtestprotocol
from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names

HERE = Path(__file__).parent
PACKAGE = HERE.parent / "src" / "pypmeans"
TESTS = {"_penalty": ["test_penalty.py"], "_moves": ["test_moves.py"]}
SECONDS = 10  # of CPU, several times what all tests take; what needs longer does not end


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


class MutantLoop:
    """A plugin: in place of one run of the tests, one for each mutant."""

    def __init__(self, module, changes, report):
        self.module, self.changes, self.report = module, changes, report

    def pytest_runtestloop(self, session):
        module = import_module(f"pypmeans.{self.module}")
        for name, source in self.changes:
            self.report(
                name, source, passes(lambda source=source: attempt(module, source, session))
            )
        return True


def attempt(module, source, session):
    """Whether a test fails with the changed source."""
    swap_code(module, source)
    following = [*session.items[1:], None]
    return any(
        report.failed
        for item, after in zip(session.items, following)
        for report in runtestprotocol(item, nextitem=after, log=False)
    )


def swap_code(module, source):
    """Give the functions and constants of a module those of the changed source."""
    changed = ModuleType(module.__name__)
    sys.modules[module.__name__] = changed  # dataclasses look there
    exec(compile(source, module.__file__, "exec"), vars(changed))
    sys.modules[module.__name__] = module
    for name, old in list(vars(module).items()):
        new = getattr(changed, name, None)
        if isinstance(old, FunctionType) and old.__module__ == module.__name__:
            old.__code__, old.__defaults__ = new.__code__, new.__defaults__
        elif isinstance(old, type) and old.__module__ == module.__name__:
            swap_members(old, new)
        elif isinstance(old, int | float) and old != new:
            for holder in list(sys.modules.values()):
                if getattr(holder, name, None) is old:
                    setattr(holder, name, new)


def swap_members(old_class, new_class):
    for name, old in list(vars(old_class).items()):
        new = vars(new_class).get(name)
        if isinstance(old, int | float) and not name.startswith("__"):
            setattr(old_class, name, new)
        elif function_in(old) is not None and function_in(new) is not None:
            function_in(old).__code__ = function_in(new).__code__
            function_in(old).__defaults__ = function_in(new).__defaults__


def function_in(member):
    if isinstance(member, property):
        return member.fget
    if isinstance(member, cached_property):
        return member.func
    member = getattr(member, "__func__", member)
    return member if isinstance(member, FunctionType) else None


def passes(fails):
    """Whether `fails`, run in a fork of this process, says no."""
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
        failed = True
        try:
            failed = fails()
        finally:
            os._exit(bool(failed))
    return os.waitpid(child, 0)[1] == 0


def options_for(module):
    files = [str(HERE / name) for name in TESTS[module]]
    return ["-x", "-q", "-n0", "-p", "no:cacheprovider", f"--rootdir={HERE.parent}", *files]


def fails_from_scratch(module, source):
    sys.meta_path.insert(0, MutantLoader(module, source))
    return pytest.main(options_for(module))


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


def difference(source, changed):
    return list(unified_diff(source.splitlines(), changed.splitlines(), n=0, lineterm=""))[3:]


def examine(module):
    """Print the mutants of a module that survive; returns how many there are, and survivors."""
    source = (PACKAGE / f"{module}.py").read_text()
    changes = [(name, changed) for name, changed in mutants(source) if changed != source]
    outcomes = []

    def report(name, changed, survived):
        outcomes.append(survived)
        if survived and changed != source:
            print(f"{module} {name}", *difference(source, changed), sep="\n    ", flush=True)

    structural = [c for c in changes if any("@" in line for line in difference(source, c[1]))]
    for name, changed in structural:
        report(name, changed, passes(lambda changed=changed: fails_from_scratch(module, changed)))
    in_place = [change for change in changes if change not in structural]
    loop = MutantLoop(module, [("none", source), *in_place], report)
    quiet, sys.stdout = sys.stdout, sys.stderr
    pytest.main([*options_for(module), "--capture=no"], plugins=[loop])
    sys.stdout = quiet
    assert outcomes[len(structural)], "the tests must pass as things are"
    return len(changes), sum(outcomes) - 1


def main(modules):
    if len(modules) == 1:
        total, survivors = examine(modules[0])
        print(f"{modules[0]}: {total} mutants, {survivors} survive", flush=True)
    else:  # a process for each, since what has been imported is not imported changed
        for module in modules or TESTS:
            run([sys.executable, __file__, module], check=True)


if __name__ == "__main__":
    main(sys.argv[1:])
