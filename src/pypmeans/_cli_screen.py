"""What the command line shows: results on stdout, remarks and progress on stderr."""

import contextlib
import io
import json
import sys
import warnings

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

PIPED_WIDTH = 120  # columns where there is no terminal to fit
LARGEST, SMALLEST = 10, 5  # clusters listed
NAMED = 2  # features named for each cluster
LONGEST = 24  # letters of a name from the data


class Screen:
    """Where a command writes to. `quiet` leaves only results; with `json` they are JSON."""

    def __init__(self, *, quiet=False, json=False, data_on_stdout=False):
        self.json = json
        self._quiet = quiet
        stdout = sys.stderr if data_on_stdout else sys.stdout
        self._silent = quiet or (data_on_stdout and not sys.stderr.isatty())
        self._out = _console(stdout)
        self._err = _console(sys.stderr)

    @property
    def shows_progress(self):
        """Whether there is a terminal to show progress on."""
        return not self._quiet and self._err.is_terminal

    def remark(self, text):
        """One line on stderr."""
        if not self._quiet:
            line = clean(" ".join(str(text).split()), longest=None)
            self._err.print(Text(f"pypmeans: {line}"), soft_wrap=True)

    def show(self, *parts):
        """Results for people: text and tables."""
        if not self.json and not self._silent:
            for part in parts:
                self._out.print(part if isinstance(part, Table) else Text(part), soft_wrap=True)

    def show_json(self, content):
        """Results for programs."""
        if self.json:
            sys.stdout.write(json.dumps(content, indent=2, allow_nan=False) + "\n")

    @contextlib.contextmanager
    def working(self, text, total=None):
        """A bar on stderr while work is under way, if there is a terminal to show it on."""
        if not self.shows_progress:
            yield _Work(None, None)
            return
        words = TextColumn("{task.description}", markup=False)
        columns = (SpinnerColumn(), words, BarColumn(20), TimeElapsedColumn())
        with Progress(*columns, console=self._err, transient=True) as bar:
            yield _Work(bar, bar.add_task(text, total=total))

    @contextlib.contextmanager
    def warnings_as_remarks(self):
        """Warnings of the library as lines on stderr, each once."""
        remarks: list = []
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            yield remarks
        remarks.extend(dict.fromkeys(str(warning.message) for warning in caught))
        for text in remarks:
            self.remark(text)


class _Work:
    """A bar on the screen, or nothing."""

    def __init__(self, bar, task):
        self._bar, self._task = bar, task
        self._files: dict = {}

    def expect(self, n_rows):
        """About so many rows will be read."""
        if self._bar is not None:
            self._bar.update(self._task, total=n_rows)

    def read(self, name, n_rows):
        """So many rows of a file have been read."""
        if self._bar is None:
            return
        if n_rows < self._files.get(name, 0):
            self._files.clear()  # another pass begins
        self._files[name] = n_rows
        done = sum(self._files.values())
        self._bar.update(self._task, completed=done)

    def begin(self, text):
        """Other work begins, nobody knows for how long."""
        if self._bar is not None:  # a new task: rich stops the clock of one that was completed
            self._bar.remove_task(self._task)
            self._task = self._bar.add_task(text, total=None)

    def say(self, text):
        """How the work is going."""
        if self._bar is not None:
            self._bar.update(self._task, description=text)

    @contextlib.contextmanager
    def passes(self):
        """Show the lines that a model prints with ``verbose=1``; they are not for stdout."""
        with contextlib.redirect_stdout(_Lines(self.say)):
            yield


class _Lines(io.TextIOBase):
    """Takes what is printed and hands it on, line by line."""

    def __init__(self, take):
        self._take = take

    def write(self, text):
        if text.strip():
            self._take(text.strip())
        return len(text)


def _console(stream):
    width = None if stream.isatty() else PIPED_WIDTH
    return Console(file=stream, width=width, highlight=False, markup=False, emoji=False)


def clean(text, longest=LONGEST):
    """Text from the data as it can be shown: no control characters, and not too long."""
    text = "".join(letter if letter.isprintable() else "�" for letter in str(text))
    return f"{text[: longest - 1]}…" if longest and len(text) > longest else text


def print_error(text):
    """What went wrong, in one line on stderr."""
    sys.stderr.write(f"pypmeans: {clean(text, longest=None)}\n")


def count(n, noun):
    """A number of things."""
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def cluster_table(description):
    """The largest and the smallest clusters: sizes, what distinguishes them, two rows of each."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("cluster", "rows", "share"):
        table.add_column(title, justify="right", no_wrap=True)
    for title in ("what distinguishes it", *[""] * (NAMED - 1), "typical row", "remote row"):
        table.add_column(title, overflow="fold")
    c = description.n_clusters
    shown: list = list(range(c))
    if c > LARGEST + SMALLEST + 1:  # no line saved by leaving out one
        shown = [*range(LARGEST), None, *range(c - SMALLEST, c)]
    for k in shown:
        table.add_row(*(["…"] * 3 if k is None else _cluster_cells(description, k)))
    return table


def _cluster_cells(description, k):
    size = int(description.sizes[k])
    contrasts = [
        f"{clean(each.feature)} {each.value:.4g} ({each.z:+.1f}σ)"
        for each in description.contrasts[k][:NAMED]
    ]
    contrasts += [""] * (NAMED - len(contrasts))
    places = [description.typical[k], description.remote[k]]
    rows = ["" if place is None else clean(place.id) for place in places]
    share = f"{size / description.n_rows:.2%}"
    return [Text(cell) for cell in (str(k), f"{size:,}", share, *contrasts, *rows)]


def tail_lines(tail):
    """The sizes in words."""
    largest = f"the {tail.half} largest clusters hold"
    half = "the largest cluster holds" if tail.half == 1 else largest
    lines = [
        f"Sizes from {tail.largest:,} down to {tail.smallest:,}; {half} half of the rows"
        + (f"; clusters of a single row: {tail.single}." if tail.single else ".")
    ]
    if tail.alpha is not None:
        lines.append(
            f"Over all clusters the sizes fall off like a power law with exponent {tail.alpha:.2f} "
            "(the smaller, the more uneven)."
        )
    return lines


def path_table(path):
    """The solutions of a path, the chosen one marked."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("", "clusters", "lam", "theta", "scale", "score", "largest", "smallest"):
        table.add_column(title, justify="right", no_wrap=True)
    for entry in path:
        mark = "→" if entry is path.best else ""
        largest, smallest = entry.cluster_sizes[0], entry.cluster_sizes[-1]
        table.add_row(
            mark, str(entry.n_clusters), f"{entry.lam:.4g}", f"{entry.theta:.4g}",
            f"{entry.scale:.4g}", f"{entry.score:.1f}", f"{largest:,.0f}", f"{smallest:,.0f}",
        )  # fmt: skip
    return table
