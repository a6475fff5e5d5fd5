"""The paper's propositions and other statements of Secs. III to V, one by one."""

from math import exp

from scipy.stats import chi2

from paper import methods
from paper.shown.claim import NO, PARTLY, YES, Claim
from paper.shown.figures import sizes_of
from paper.shown.tables import pick, slope


def claims(results, timings):
    """Each with its verdict, in the order of the paper."""
    return [
        exchangeable(results), power_law_urn(results), furthest_first(results), order(results),
        merging(results), descending(results), converging(results), limit(),
        complexity(timings), spectral(results),
    ]  # fmt: skip


def exchangeable(results):
    """Patterns with the same cluster sizes should be equally frequent."""
    spread, chance = {}, {}
    for method, runs in pick(results, experiment="exchangeability").groupby("method"):
        groups = runs.groupby(runs.data.map(sizes_of))
        ratios = [group.value.max() / group.value.min() for _, group in groups]
        spread[method] = max(ratios)
        squares = [((g.n_rows - g.n_rows.mean()) ** 2 / g.n_rows.mean()).sum() for _, g in groups]
        freedom = sum(len(group) - 1 for _, group in groups)
        chance[method] = chi2.sf(sum(squares), freedom)
    ours, theirs = "modified urn", "Pitman-Yor urn"
    return Claim(
        "Prop. 1", "The modified urn (Eq. 10) is exchangeable.",
        NO if chance[ours] < 1e-6 else PARTLY,
        f"Four balls: patterns with the same sizes differ in frequency by up to {spread[ours]:.2f} "
        f"times (chance of this under exchangeability: {chance[ours]:.1g}); in the Pitman-Yor urn "
        f"by {spread[theirs]:.2f} times (chance {chance[theirs]:.2g}). The normaliser depends on "
        "the number of colours so far, hence on the order.", "urn.svg",
    )  # fmt: skip


def power_law_urn(results):
    means = pick(results, experiment="growth").groupby(["method", "level"]).n_found.mean()
    words = [
        f"{method}: {line.iloc[0]:.0f}, {line.iloc[1]:.0f} and {line.iloc[2]:.0f}"
        for method, line in means.groupby(level=0)
    ]
    return Claim(
        "Sec. III", "The modified urn makes power laws.", PARTLY,
        "Clusters among 100, 1000 and 10,000 balls: " + "; ".join(words) + ". Only at θ = 2ε do "
        "they grow like a power of the number of balls below 1; below they grow like a power of "
        "its logarithm, above in proportion to it.",
    )  # fmt: skip


def furthest_first(results):
    runs = pick(results, experiment="opening")
    return Claim(
        "Prop. 2", "Once the furthest row founds no cluster, no other row does.",
        YES if runs.value.sum() == 0 else NO,
        f"The largest distance rose {runs.value.sum():.0f} times while clusters opened in "
        f"{len(runs)} synthetic sets. It follows from the order alone.",
    )  # fmt: skip


def order(results):
    runs = pick(results, experiment="order")
    return Claim(
        "Sec. IV-B", "With “furthest first” the order of the rows does not matter.",
        YES if runs.value.all() else PARTLY,
        f"The same partition in {runs.value.sum():.0f} of {len(runs)} shuffled sets, from the mean "
        "as start. The random start of the paper's own experiments does matter: see the standard "
        "deviations in Table 3.",
    )  # fmt: skip


def merging(results):
    right = pick(results, experiment="merging").groupby("method").value.mean()
    after, before = right["c after the merge"], right["c before the merge"]
    return Claim(
        "Prop. 3", "Two clusters that meet the condition are better merged.",
        YES if after == 1 else NO,
        f"The sign of the change is predicted in {after:.1%} of random pairs if c is the number "
        f"after the merge, as in the proof; in {before:.1%} if it is “the current cluster number”, "
        "as the text says.", "figure-5.svg",
    )  # fmt: skip


def papers_runs(results):
    return results[results.method.isin([methods.PYP, methods.DP]) & (results.n_iter > 0)]


def descending(results):
    runs = papers_runs(results)
    return Claim(
        "Prop. 4", "The objective falls in every pass.", YES if runs.rises.sum() == 0 else NO,
        f"{runs.rises.sum()} rises in {len(runs)} runs with the rule of Eq. 14. The proof writes "
        "λ − c θ for the price of a cluster; the right one, λ − θ ln((c+1)^(c+1)/c^c), is what the "
        "runs were checked against.", "convergence.svg",
    )  # fmt: skip


def converging(results):
    runs = papers_runs(results)
    return Claim(
        "Theorem 1", "A local optimum is reached in finitely many passes.",
        YES if runs.n_iter.max() < 300 else PARTLY,
        f"{runs.n_iter.median():.0f} passes in the median, {runs.n_iter.max()} at most. Which "
        "optimum depends on the start: see the deviations in Table 3; our search ends in the same "
        "from every start there.", "convergence.svg",
    )  # fmt: skip


def limit():
    return Claim(
        "Sec. IV", "The number of clusters must stay below exp(λ/θ).", PARTLY,
        f"The penalty c (λ − θ ln c) already falls from exp(λ/θ − 1) on, which is {exp(5):.0f} for "
        "θ = λ/6: beyond, the optimum is every row alone. So θ = λ/6 cannot find the 150 groups of "
        "Fig. 3; the algorithm here stops at 148.",
    )  # fmt: skip


def complexity(timings):
    def power(experiment, method):
        mine = pick(timings, experiment=experiment, method=method).sort_values("level")
        return slope(mine.level.to_numpy(), mine.seconds.to_numpy())

    return Claim(
        "Sec. V-B", "Time is O(h n₂² log n₂ + h n c + h c²).", YES + " (as an upper bound)",
        f"Measured, h included: powers {power('time by rows', methods.PYP):.2f} of n at 30 groups, "
        f"{power('time by groups', methods.PYP):.2f} of c at 4000 rows. Where one row in ten "
        f"founds a cluster, n₂ ≈ n, the power of n is {power('time by openings', methods.DP):.2f} "
        "instead of more than 2 (with c growing like n): bounds let a new center skip clusters and "
        "rows that it cannot take over.", "figure-7.svg",
    )  # fmt: skip


def spectral(results):
    runs = pick(results, experiment="spectral")
    words = []
    for name, mine in runs.groupby("data"):
        nmi = mine.groupby("method").nmi.mean()
        found = mine.groupby("method").n_found.mean()
        words.append(
            f"{name}: NMI {nmi[methods.SPECTRAL]:.2f} with {found[methods.SPECTRAL]:.1f} clusters "
            f"of {mine.n_true.iloc[0]} (k-means given the number {nmi[methods.KMEANS]:.2f}, "
            f"HDBSCAN {nmi[methods.DENSITY]:.2f})"
        )
    return Claim(
        "Sec. V-C", "The method extends to spectral clustering.", YES,
        "; ".join(words) + ". The paper has no experiment. λ is read from the largest gap.",
    )  # fmt: skip
