"""The README as a new user meets it: its Python runs and prints what it says."""

import re
from pathlib import Path

import pytest

README = Path(__file__).parents[1] / "README.md"


@pytest.mark.large
def test_the_examples_print_what_the_readme_shows(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = README.read_text(encoding="utf-8")
    codes = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    outputs = re.findall(r"It prints\n\n```\n(.*?)```", text, re.DOTALL)
    for code, shown in zip(codes, outputs, strict=True):
        exec(compile(code, str(README), "exec"), {})
        assert capsys.readouterr().out == shown


def test_the_make_targets_exist():
    makefile = (README.parent / "Makefile").read_text(encoding="utf-8")
    for document in (README, README.parent / "CONTRIBUTING.md"):
        for target in re.findall(r"^make ([\w-]+)", document.read_text(encoding="utf-8"), re.M):
            assert re.search(rf"^{target}:", makefile, re.MULTILINE), target
