"""The documentation as a reader follows it: the code of each page runs and prints what it shows."""

import ast
import re
import shlex
from importlib import import_module
from operator import attrgetter
from pathlib import Path

import pytest

import pypmeans
from pypmeans import datasets, files, metrics, plotting, process, report

DOCS = Path(__file__).parents[1] / "docs"
FENCE = re.compile(r"^```(\w+)\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", re.M | re.S)
# What a page needs beyond the core; where it is missing the page is skipped.
NEEDS = {
    "command_line": ["typer", "pyarrow", "skops", "jinja2"],
    "dask": ["dask.array", "distributed", "pyarrow"],
    "streams": ["pyarrow"],
}


def blocks_of(page):
    """The language, code and expected output (or None) of each block of a page."""
    found = FENCE.findall(page.read_text(encoding="utf-8"))
    return [(language, code, shown) for language, code, shown in found if language != "text"]


def pages_with(language):
    pages = sorted(DOCS.glob("*.md"))
    return [page for page in pages if any(block[0] == language for block in blocks_of(page))]


def require_for(page):
    for package in NEEDS.get(page.stem, []):
        pytest.importorskip(package)


@pytest.mark.large
@pytest.mark.parametrize("page", pages_with("python"), ids=lambda page: page.stem)
def test_the_python_of_a_page_prints_what_it_shows(page, tmp_path, monkeypatch, capsys):
    pytest.importorskip("matplotlib").use("agg")
    require_for(page)
    monkeypatch.chdir(tmp_path)
    namespace = {"__name__": "__main__"}
    for language, code, shown in blocks_of(page):
        if language == "python":
            exec(compile(code, str(page), "exec"), namespace)
            printed = capsys.readouterr().out
            assert printed == shown, f"{page.name} prints\n{printed}"


@pytest.mark.large
def test_the_commands_of_the_command_line_page_run(tmp_path, monkeypatch):
    page = DOCS / "command_line.md"
    require_for(page)
    from typer.testing import CliRunner

    from pypmeans.cli import app

    monkeypatch.chdir(tmp_path)
    for language, code, _ in blocks_of(page):
        if language == "python":
            exec(compile(code, str(page), "exec"), {})
        for line in code.splitlines() if language == "sh" else []:
            command, *arguments = shlex.split(line, comments=True)
            assert command == "pypmeans"
            result = CliRunner().invoke(app, arguments)
            assert result.exit_code == 0, f"{line}\n{result.output}"


@pytest.mark.parametrize("path", sorted((DOCS.parent / "examples").glob("*.py")), ids=str)
def test_an_example_is_one_idea_with_a_title(path):
    opening = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    title, underline, *paragraphs = opening.splitlines()
    assert set(underline) == {"="}
    assert len(underline) == len(title)
    assert any(paragraphs)


@pytest.mark.parametrize("module", [pypmeans, files, report, plotting, metrics, process, datasets])
def test_the_reference_lists_every_public_name(module):
    section = (DOCS / "api.md").read_text(encoding="utf-8").split(f"module:: {module.__name__}\n")
    for name in module.__all__:
        assert any(re.search(rf"\b{name}\b", part.split("\n## ")[0]) for part in section[1:]), name


def test_functions_named_beside_equations_exist():
    text = (DOCS / "how_it_works.md").read_text(encoding="utf-8")
    named = re.findall(r"`(_\w+)\.([\w.]+)`", text)
    assert len(named) > 20
    for module, name in named:
        attrgetter(name)(import_module(f"pypmeans.{module}"))


def test_links_between_pages_lead_somewhere():
    for page in DOCS.glob("*.md"):
        for target in re.findall(r"\]\(([\w./-]+)(?:#[\w-]+)?\)", page.read_text(encoding="utf-8")):
            made = target.startswith("auto_examples/")  # by the build
            assert made or (DOCS / target).exists(), f"{page.name}: {target}"
