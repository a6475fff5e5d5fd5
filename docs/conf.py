"""Settings of the documentation; `make docs` builds it."""

import re
import warnings
from importlib.metadata import version as version_of
from pathlib import Path

import matplotlib
from docutils.nodes import SkipNode
from docutils.utils.math.latex2mathml import tex2mathml

matplotlib.use("agg")

project = "pypmeans"
author = "The pypmeans developers"
version = release = version_of("pypmeans")

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.viewcode",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build", "auto_examples/*.ipynb", "auto_examples/*.py", "auto_examples/*.zip"]
templates_path = ["_templates"]

myst_enable_extensions = ["dollarmath", "deflist"]
myst_heading_anchors = 3

autosummary_generate = True
autodoc_typehints = "none"
numpydoc_show_class_members = False  # the template of classes lists them

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "auto_examples",
    "filename_pattern": r"/plot_",
    "within_subsection_order": "FileNameSortKey",
    "download_all_examples": False,
    "show_memory": False,
    "min_reported_time": 1,
    "copyfile_regex": r".*\.rst",
}
# A figure that is drawn, not shown, is what a build without a screen wants.
warnings.filterwarnings("ignore", message=".*FigureCanvasAgg is non-interactive")

html_theme = "pydata_sphinx_theme"
html_static_path = ["_static"]
html_css_files = ["pypmeans.css"]
html_title = "pypmeans"
html_show_sourcelink = False
html_theme_options = {
    "navigation_with_keys": False,
    "show_toc_level": 2,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": [],
    "footer_end": [],
}
html_math_renderer = "mathml"


def math_as_mathml(block):
    """Write formulas as MathML, which browsers show by themselves: nothing is fetched."""

    def visit(writer, node):
        formula = tex2mathml(node.astext(), as_block=block)
        writer.body.append(f'<div class="formula">{formula}</div>' if block else formula)
        raise SkipNode

    return visit, None


def files_of_other_folders(app, page, text):
    """Show files that pages include, with links as seen from here; offer others for download."""
    text[0] = re.sub(r"```{include} (.*)\n```", lambda found: seen_from_here(found[1]), text[0])
    text[0] = re.sub(r"(?<!!)(\[[^][]*\]\()(?=\.\./)", r"\1path:", text[0])


def seen_from_here(name):
    """The text of a file in another folder, its links leading where they did."""
    file = Path(__file__).parent / name
    folder = Path(name).parent
    return re.sub(r"\]\((?!https?:|#)", f"]({folder}/", file.read_text(encoding="utf-8"))


def no_references(app, what, name, member, options, lines):
    """Names like labels_ stand for themselves in the types of attributes."""
    for at, line in enumerate(lines):
        if " : " in line:
            lines[at] = re.sub(r"(?<=\w)_(?=[,)])", r"\_", line)


def skip_inherited(app, what, name, member, skip, options):
    """Leave out what scikit-learn's base classes bring: it is documented there."""
    home = getattr(getattr(member, "fget", member), "__module__", None)
    theirs = home is not None and not str(home).startswith("pypmeans")
    return True if theirs or name.endswith("_request") else None


def setup(app):
    """Register what is particular to this documentation."""
    app.add_html_math_renderer("mathml", math_as_mathml(False), math_as_mathml(True))
    app.connect("source-read", files_of_other_folders)
    app.connect("autodoc-skip-member", skip_inherited)
    app.connect("autodoc-process-docstring", no_references, priority=100)  # before numpydoc
