"""The tables, as Markdown; each is a function of the results."""

import numpy as np
import pandas as pd

from paper import methods
from paper.shown.printed import TABLE_2, printed

CRITERIA = {"NMI": "nmi", "ACC": "acc", "C.N.": "n_found"}
COLUMNS = {
    "paper": (
        methods.PYP, methods.DP, methods.KMEANS, methods.MIXTURE, methods.OURS, methods.OURS_DP,
    ),
    "fair": (
        methods.PYP, methods.DP, methods.KMEANS, methods.MIXTURE, methods.DENSITY, methods.OURS,
        methods.OURS_DP,
    ),
    "honest": (
        methods.OURS, methods.OURS_DP, methods.PYP, methods.DP, methods.MIXTURE, methods.DENSITY,
        methods.KMEANS_SILHOUETTE,
    ),
}  # fmt: skip
# Our methods, the paper's algorithm among them.
OUR_METHODS = methods.PYP, methods.OURS, methods.OURS_DP


def frame_of(rows):
    """The rows as a data frame."""
    return pd.DataFrame(rows, columns=rows[0]._fields)


def pick(frame, **wanted):
    """The rows in which every column has the wanted value."""
    for column, value in wanted.items():
        frame = frame[frame[column] == value]
    return frame


def of_protocol(frame, protocol):
    """The runs of a protocol. Ours is tuned in the same way in two of them, and was run once."""
    runs = pick(frame, protocol=protocol)
    if protocol == "fair":
        tuned = frame[frame.method.isin([methods.OURS, methods.OURS_DP])]
        runs = pd.concat([runs, pick(tuned, protocol="paper")])
    return runs


def markdown(heads, lines):
    text = ["| " + " | ".join(heads) + " |", "|---" * len(heads) + "|"]
    return "\n".join(text + ["| " + " | ".join(map(str, line)) + " |" for line in lines])


def cell(runs, criterion):
    """Mean and standard deviation over the starts; ACC in percent."""
    values = runs[CRITERIA[criterion]].to_numpy(float) * (100 if criterion == "ACC" else 1)
    if len(values) == 0:
        return "–"
    digits = {"NMI": 4, "ACC": 2, "C.N.": 1}[criterion]
    mean = f"{values.mean():.{digits}f}"
    return mean if len(values) == 1 else f"{mean} ± {values.std():.{min(digits, 3)}f}"


def printed_cell(data, method, criterion):
    """The paper's number in brackets, or nothing."""
    found = printed(data, method)
    if found is None:
        return ""
    value = {"NMI": found.nmi, "ACC": found.acc, "C.N.": found.count}[criterion]
    return f" [{value:.{4 if criterion == 'NMI' else 2}f}]"


def names_in_order(frame, experiment):
    """The sets in the order of the paper's tables; a thinned set after the full one."""
    names = pick(frame, experiment=experiment).data.unique().tolist()
    order = list(TABLE_2)
    if experiment == "crime":
        return sorted(names, key=lambda name: -int(name.split()[1]))
    return sorted(names, key=lambda name: (order.index(name.removesuffix("-thinned")), name))


def table_2(frame):
    """Sizes, classes and exponents, the paper's and ours."""
    lines = []
    for name in names_in_order(frame, "sets"):
        row = pick(frame, experiment="sets", data=name).iloc[0]
        theirs = TABLE_2[name.removesuffix("-thinned")]
        alpha = "∞" if np.isinf(row.value) else f"{row.value:.2f}"
        lines.append((name, row.n_rows, row.n_features, row.n_true, alpha, *theirs))
    lines.append(("shape", "not found", "", "", "", *TABLE_2["shape"]))
    heads = ["set", "rows", "features", "classes", "α̂"]
    return markdown(heads + [f"{head} (paper)" for head in heads[1:]], lines)


def table_of_scores(frame, experiment, protocol):
    """Tables 3 and 4 under a protocol."""
    runs = of_protocol(pick(frame, experiment=experiment), protocol)
    lines = []
    for name in names_in_order(frame, experiment):
        for criterion in CRITERIA:
            line = ["" if lines and criterion != "NMI" else name, criterion]
            for method in COLUMNS[protocol]:
                mine = pick(runs, data=name, method=method)
                beside = printed_cell(name, method, criterion) if protocol == "paper" else ""
                line.append(cell(mine, criterion) + beside)
            lines.append(line)
    return markdown(["set", "", *COLUMNS[protocol]], lines)


def targets(frame):
    """For each set the best of our methods under the paper's protocol, against its pyp-means.

    The best is that whose lower of two quotients, NMI and ACC over the paper's, is highest.
    """
    runs = pick(frame, experiment="real", protocol="paper")
    lines = []
    for name in names_in_order(frame, "real"):
        goal = printed(name, methods.PYP)
        if goal is None:
            continue
        means = pick(runs, data=name).groupby("method")[["nmi", "acc"]].mean()
        means["acc"] *= 100
        means = means.loc[means.index.isin(OUR_METHODS)]
        quotient = (means / [goal.nmi, goal.acc]).min(axis=1)
        best = quotient.idxmax()
        nmi, acc = means.loc[best]
        met = bool(nmi >= goal.nmi and acc >= goal.acc)
        lines.append((name, best, nmi, goal.nmi, acc, goal.acc, met))
    return pd.DataFrame(
        lines, columns=["set", "method", "nmi", "paper_nmi", "acc", "paper_acc", "met"]
    )


def table_of_targets(frame):
    lines = [
        (
            one.set, one.method, f"{one.nmi:.4f}", f"{one.paper_nmi:.4f}",
            f"{one.nmi - one.paper_nmi:+.4f}", f"{one.acc:.2f}", f"{one.paper_acc:.2f}",
            f"{one.acc - one.paper_acc:+.2f}", "yes" if one.met else "**no**",
        )
        for one in targets(frame).itertuples()
    ]  # fmt: skip
    heads = ["set", "our best", "NMI", "paper", "", "ACC", "paper", "", "at least the paper's"]
    return markdown(heads, lines)


def means_by_level(frame, experiment, column):
    """Mean of a column: a line for each protocol and method, a column for each level."""
    runs = pick(frame, experiment=experiment)
    return runs.pivot_table(
        index=["protocol", "method"], columns="level", values=column, aggfunc="mean"
    )


def table_by_level(frame, experiment, column, digits=3):
    means = means_by_level(frame, experiment, column)
    lines = [
        (method, protocol, *(f"{v:.{digits}f}" if v == v else "–" for v in values))
        for (protocol, method), values in zip(means.index, means.to_numpy())
    ]
    return markdown(["method", "protocol", *(f"{level:g}" for level in means.columns)], lines)


def table_of_iterations(frame):
    """Passes until nothing changes, and rises of the objective, over all runs."""
    runs = frame[frame.experiment.isin(["real", "crime", "groups", "tails", "thresholds"])]
    lines = []
    for method in (methods.PYP, methods.DP, methods.OURS, methods.OURS_DP):
        mine = pick(runs, method=method)
        if len(mine):
            n = mine.n_iter
            lines.append((method, len(mine), f"{n.median():.0f}", f"{n.quantile(0.95):.0f}",
                          n.max(), mine.rises.sum()))  # fmt: skip
    heads = ["method", "runs", "passes, median", "95 %", "most", "rises of the objective"]
    return markdown(heads, lines)


def slope(levels, seconds):
    """The power with which time grows: slope of the logarithms, over the upper half."""
    half = len(levels) // 2 if len(levels) > 3 else 0
    return float(np.polyfit(np.log(levels[half:]), np.log(seconds[half:]), 1)[0])


def table_of_growth(timings):
    """Powers with which the time of each method grows."""
    lines = []
    for method in pick(timings, experiment="time by rows").method.unique():
        line = [method]
        for experiment in ("time by rows", "time by groups"):
            mine = pick(timings, experiment=experiment, method=method).sort_values("level")
            line.append(f"{slope(mine.level.to_numpy(), mine.seconds.to_numpy()):.2f}")
            line.append(f"{mine.seconds.iloc[-1]:.3f}")
        lines.append(line)
    heads = ["method", "power of n", "seconds at the largest n", "power of c",
             "seconds at the largest c"]  # fmt: skip
    return markdown(heads, lines)


def table_of_openings(results, timings):
    """The costly case of the paper's complexity: one row in ten founds a cluster."""
    runs = pick(results, experiment="time by openings").sort_values("level")
    seconds = pick(timings, experiment="time by openings").set_index("level").seconds
    lines = []
    for one in runs.itertuples():
        spent = seconds.loc[one.level]
        worst = one.n_iter * (one.n_rows**2 * np.log(one.n_rows) + one.n_rows * one.n_found)
        lines.append((one.n_rows, one.n_found, one.n_iter, f"{spent:.4f}", f"{worst:.2e}",
                      f"{1e9 * spent / worst:.5f}"))  # fmt: skip
    heads = ["n", "c", "h", "seconds", "h (n² ln n + n c)", "nanoseconds for each of these"]
    return markdown(heads, lines)
