"""Moves of the search: split, merge and swap clusters until the objective cannot be improved."""

from typing import NamedTuple

import numpy as np
from scipy.spatial import KDTree

from pypmeans import _kernels
from pypmeans._gathering import gather
from pypmeans._moves import Arrangement, agglomerate

PATIENCE = 2  # passes after a split or merger before the next, should rows not settle earlier
MOST_TRIALS = 64  # in one go
SWAPPED = 64  # clusters whose splits are best are thought of for a swap
NEIGHBOURS = 4  # that take part in a trial, for each new center
STRAYS = 2048  # rows looked at for clusters that none of the present ones holds
STRAY_NUMBERS = 2**22  # in those rows, unless they are very few
FEW_STRAYS = 64
TRIAL_STEPS = 10
TRIAL_ROWS = 100_000  # above this, large neighbours are left out of a trial
LEAST_GAIN = 1e-11  # as part of the objective; less may be rounding


class Trial(NamedTuple):
    """Clusters that others could take the place of."""

    change: float  # of the objective, before neighbours adapt
    name: str
    clusters: tuple
    centers: np.ndarray
    sizes: np.ndarray


class Outcome(NamedTuple):
    """A trial after the rows of its clusters and their neighbours have chosen anew."""

    change: float
    name: str
    clusters: tuple
    centers: np.ndarray
    sizes: np.ndarray
    became: np.ndarray  # for each of the clusters, which of the centers
    n_clusters: int  # in all, afterwards


class SearchMoves:
    """Looks for better arrangements of clusters whenever the rows have settled.

    Every change of the objective is exact. Mergers and splits that lower it at once are made at
    once. Others, and swaps (a split and a merger), are tried: the clusters concerned and their
    neighbours take a few steps, and the move is made if the objective then is lower. What failed
    is not tried again while the clusters concerned stay as they are.
    """

    def __init__(self, penalty, most_clusters):
        self.penalty = penalty
        self.most_clusters = most_clusters
        self.capped = False
        self.exhausted = False
        self._splits: dict = {}
        self._tried: set = set()
        self._wait: float = (
            PATIENCE  # passes before clusters are split or merged though rows still move
        )

    def reach(self, c):
        """No row founds a cluster alone, so none needs to be watched."""
        return np.inf

    def open(self, samples, centers):
        """Clusters are opened by splits only."""
        return centers

    def rearrange(self, samples, centers, sizes, numbers, fresh, settled):
        """A better arrangement of the clusters, or the present one if none is found.

        `numbers` are those the samples know the clusters by.
        """
        self._wait -= 1
        if not settled and self._wait > 0:
            return Arrangement.of(centers, sizes, stable=False)
        self._wait = PATIENCE
        merged = agglomerate(centers, sizes, self.penalty)
        if not merged.stable:
            return merged
        state = _State(self, samples, centers, sizes, numbers)
        split = state.split()
        if split is not None:
            return split
        self._wait = np.inf
        if not settled:
            return merged._replace(stable=False)
        return state.move_singly() or state.gather() or state.try_out() or merged

    def splits(self, samples, centers, sizes, numbers, keys):
        """The best split found for each cluster; what is known of unchanged ones is kept."""
        new = [k for k, key in enumerate(keys) if key not in self._splits]
        found = samples.split(numbers[new], centers[new], sizes[new], self.penalty)
        known = self._splits | {keys[k]: split for k, split in zip(new, found)}
        self._splits = {key: known[key] for key in keys}
        return [self._splits[key] for key in keys]

    def tried(self, trial, keys):
        """Whether the same was tried before."""
        return _key_of(trial, keys) in self._tried

    def take_note(self, trial, keys):
        """A trial is not to be repeated while its clusters stay as they are."""
        self._tried.add(_key_of(trial, keys))


class _State:
    """The clusters as they are while moves are looked for."""

    def __init__(self, moves, samples, centers, sizes, numbers):
        self.moves, self.penalty, self.pull = moves, moves.penalty, moves.penalty.pull
        self.samples, self.centers, self.sizes, self.numbers = samples, centers, sizes, numbers
        self.c = len(centers)
        self.keys = samples.fingerprints(numbers)
        found = moves.splits(samples, centers, sizes, numbers, self.keys)
        self.halves = [(split.centers, split.sizes) for split in found]
        self.sse = np.array([split.sse for split in found])
        self.split_change = np.array([split.cost for split in found]) - self.sse
        self.least_gain = LEAST_GAIN * (
            self.sse.sum() + self.penalty.apart(sizes) + self.penalty.lam
        )

    def split(self):
        """Make all splits that lower the objective at once; None if there is none."""
        centers, sizes = [self.centers], [self.sizes.copy()]
        order = np.argsort(self.split_change, kind="stable")
        c = self.c
        self.moves.capped = False
        for k in order:
            if self.split_change[k] + self.penalty.marginal(c) >= -self.least_gain:
                break
            if c >= self.moves.most_clusters:
                self.moves.capped = True
                break
            if c == self.c:
                centers[0] = self.centers.copy()
            half_centers, half_sizes = self.halves[k]
            centers[0][k], sizes[0][k] = half_centers[0], half_sizes[0]
            centers.append(half_centers[1:])
            sizes.append(half_sizes[1:])
            c += 1
        if c == self.c:
            return None
        stay = np.arange(self.c, dtype=np.int32)
        return Arrangement(
            np.vstack(centers), np.concatenate(sizes), stay, False, f"{c - self.c} split"
        )

    def move_singly(self):
        """Move single rows where that lowers the objective; None if there are none."""
        if self.c == 1:
            return None
        found = self.samples.move_singly(self.numbers, self.centers, self.sizes, self.pull)
        if found is None:
            return None
        centers, sizes, n_moved = found
        stay = np.arange(self.c, dtype=np.int32)
        return Arrangement(centers, sizes, stay, False, f"{n_moved} rows moved singly")

    def gather(self):
        """Make clusters of rows that several others hold; None if that lowers nothing."""
        n_strays = min(STRAYS, max(FEW_STRAYS, STRAY_NUMBERS // self.centers.shape[1]))
        strays = self.samples.strays(self.numbers, n_strays)
        allowed = self.moves.most_clusters - self.c
        found = gather(
            strays, self.centers, self.sizes, self.penalty, self.least_gain, max(allowed, 1)
        )
        if found is None or allowed <= 0:
            self.moves.capped |= found is not None
            return None
        centers, sizes = found
        stay = np.arange(self.c, dtype=np.int32)
        return Arrangement(centers, sizes, stay, False, f"{len(sizes) - self.c} gathered")

    def try_out(self):
        """Make all moves that lower the objective once neighbours have adapted; None if none."""
        self.tree = KDTree(self.centers)
        self.counts = self.samples.counts(self.numbers)
        touched: set = set()
        outcomes: list[Outcome] = []
        tried = 0
        self.moves.exhausted = False
        for trial in self._trials():
            if trial.change > self.penalty.lam:
                break
            if not touched.isdisjoint(trial.clusters) or self.moves.tried(trial, self.keys):
                continue
            if tried == MOST_TRIALS:
                self.moves.exhausted = True
                break
            tried += 1
            self.moves.take_note(trial, self.keys)
            outcome = self._outcome(trial, touched)
            if outcome.change < -self.least_gain and outcome.n_clusters <= self.moves.most_clusters:
                outcomes.append(outcome)
                touched.update(outcome.clusters)
                self.c = outcome.n_clusters
        if not outcomes:
            self.moves.capped |= self._cap_costs()
            return None
        return self._arrange(outcomes, touched)

    def _cap_costs(self):
        """Whether one of the best splits would lower the objective, were it not for the cap."""
        return self.c >= self.moves.most_clusters and any(
            self._outcome(trial, set()).change < -self.least_gain
            for trial in self._split_trials()[:MOST_TRIALS]
            if trial.change <= self.penalty.lam
        )

    def _trials(self):
        """Splits, mergers and swaps, the most promising first."""
        saved = self.penalty.marginal(max(self.c - 1, 1))
        mergers = self._mergers()
        trials = self._split_trials() if self.c < self.moves.most_clusters else []
        trials += [merger._replace(change=merger.change - saved) for merger in mergers]
        for k in self._by_gain()[:SWAPPED]:
            trials += self._swaps(k, mergers)
        return sorted(trials, key=lambda trial: trial.change)

    def _split_trials(self):
        price = self.penalty.marginal(self.c)
        return [
            Trial(self.split_change[k] + price, "split", (k,), *self.halves[k])
            for k in self._by_gain()[: 2 * MOST_TRIALS]
        ]

    def _by_gain(self):
        """The clusters that can be split, the best split first."""
        order = np.argsort(self.split_change, kind="stable")
        return order[np.isfinite(self.split_change[order])]

    def _mergers(self):
        """The cheapest merger of each cluster, cheapest first, without the charge they save."""
        pairs = {}
        for a in range(self.c if self.c > 1 else 0):
            b, cost = _kernels.cheapest_merge(a, self.centers, self.sizes, self.pull)
            pairs[min(a, b), max(a, b)] = cost
        ranked = sorted(pairs.items(), key=lambda item: item[1])[: 2 * MOST_TRIALS]
        return [
            Trial(cost, "merge", pair, *_merged(self.centers[list(pair)], self.sizes[list(pair)]))
            for pair, cost in ranked
        ]

    def _swaps(self, k, mergers):
        """Swaps that split cluster `k`: others merge, or a half joins another cluster."""
        (half_centers, half_sizes), change = self.halves[k], self.split_change[k]
        other = next((merger for merger in mergers if k not in merger.clusters), None)
        if other is not None:
            yield Trial(
                change + other.change, "swap", (k, *other.clusters),
                np.vstack([half_centers, other.centers]),
                np.concatenate([half_sizes, other.sizes]),
            )  # fmt: skip
        if self.c == 1:
            return
        for half in (0, 1):
            centers = np.vstack([self.centers, half_centers[half]])
            sizes = np.append(self.sizes, half_sizes[half])
            sizes[k] = 0.0  # no partner
            b, cost = _kernels.cheapest_merge(self.c, centers, sizes, self.pull)
            joined = _merged(centers[[b, self.c]], sizes[[b, self.c]])
            yield Trial(
                change + cost, f"swap {half}", (k, b),
                np.vstack([half_centers[1 - half], joined[0]]),
                np.concatenate([half_sizes[[1 - half]], joined[1]]),
            )  # fmt: skip

    def _outcome(self, trial, touched):
        """What comes of a trial after a few steps of the clusters concerned."""
        beside = self._neighbours(trial, touched)
        clusters = (*trial.clusters, *beside)
        listed = list(clusters)
        sse, centers, sizes = self.samples.rearrange(
            self.numbers[listed],
            np.vstack([trial.centers, self.centers[beside]]),
            np.concatenate([trial.sizes, self.sizes[beside]]),
            self.pull,
            TRIAL_STEPS,
        )
        cost = sse + self.penalty.apart(sizes)
        count = self.c + int(np.count_nonzero(sizes)) - len(clusters)
        charge = self.penalty.count_charge(count) - self.penalty.count_charge(self.c)
        before = self.sse[listed].sum() + self.penalty.apart(self.sizes[listed])
        change = cost - before + charge
        # A former cluster goes on as the nearest of those that have rows.
        gaps = ((self.centers[listed][:, None, :] - centers) ** 2).sum(axis=2)
        became = np.where(sizes > 0, gaps, np.inf).argmin(axis=1)
        return Outcome(change, trial.name, clusters, centers, sizes, became, count)

    def _neighbours(self, trial, touched):
        near = self.tree.query(trial.centers, k=min(self.c_at_start, NEIGHBOURS + 3))[1]
        taken = touched | set(trial.clusters)
        beside = [k for k in dict.fromkeys(np.ravel(near.T)) if k not in taken]
        beside = beside[: NEIGHBOURS * len(trial.centers)]
        rows = self.counts[list(trial.clusters)].sum() + self.counts[beside].sum()
        while beside and rows > TRIAL_ROWS:
            largest = max(beside, key=lambda k: self.counts[k])
            beside.remove(largest)
            rows -= self.counts[largest]
        return beside

    @property
    def c_at_start(self):
        return len(self.centers)

    def _arrange(self, outcomes, touched):
        """All clusters, those of the outcomes in place of those they concern."""
        left = np.array([k for k in range(self.c_at_start) if k not in touched], dtype=int)
        became = np.empty(self.c_at_start, dtype=np.int32)
        became[left] = np.arange(len(left))
        centers, sizes, c = [self.centers[left]], [self.sizes[left]], len(left)
        for outcome in outcomes:
            kept = outcome.sizes > 0
            place = c + np.cumsum(kept) - 1
            became[list(outcome.clusters)] = place[outcome.became]
            centers.append(outcome.centers[kept])
            sizes.append(outcome.sizes[kept])
            c += int(np.count_nonzero(kept))
        names = [outcome.name.split()[0] for outcome in outcomes]
        made = ", ".join(f"{names.count(name)} {name}" for name in sorted(set(names)))
        return Arrangement(
            np.vstack(centers), np.concatenate(sizes), became, False, f"{made} after trial"
        )


def _merged(centers, sizes):
    """Center and size of two clusters as one, each with a first axis of one."""
    total = sizes.sum()
    return centers[:1] + sizes[1] / total * (centers[1:] - centers[:1]), np.array([total])


def _key_of(trial, keys):
    return trial.name, *sorted(keys[k] for k in trial.clusters)
