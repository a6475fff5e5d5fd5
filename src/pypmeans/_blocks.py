"""Data in blocks that are not all in memory at once: the verbs of the solver, block by block.

Nothing is kept of a block between passes. What a pass finds is a function of the block and of the
centers alone, and answers are combined in the order of the blocks: so a block may be worked on by
whoever is free, or again by another if the first is lost, and the result is the same.
"""

from functools import partial
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np

from pypmeans._opening import FarRows, Opening
from pypmeans._path import PATH_ROWS
from pypmeans._samples import ArraySamples, Candidate
from pypmeans._summary import Summary
from pypmeans._sums import means_of

BLOCK_SHIFT = 32  # a row is known by the number of its block and, in as many bits, its own


class Overview(NamedTuple):
    """What one pass over all blocks shows before there are any centers."""

    n_rows: int
    lightest: float  # of the positive weights; infinite if there are none
    extremes: np.ndarray  # the least and the largest value of each feature
    summary: Summary
    chance: np.ndarray  # a random number for each row of the sample; those with the least are in it
    sample: np.ndarray
    sample_weight: np.ndarray

    @classmethod
    def of_block(cls, rows, weight, number, n_threads=None):
        """Of one block; the same rows get the same chances each time."""
        chance = np.random.default_rng(number).random(len(rows))
        n_rows, counted = len(rows), weight > 0
        if not counted.all():
            rows, weight, chance = rows[counted], weight[counted], chance[counted]
        low, high = rows.min(axis=0, initial=np.inf), rows.max(axis=0, initial=-np.inf)
        extremes = np.stack([low, high]).astype(np.float64)
        summary = Summary.of(rows, weight).covered(n_threads)
        sample = _least_chances(chance)
        return cls(
            n_rows, float(weight.min(initial=np.inf)), extremes, summary,
            chance[sample], rows[sample], weight[sample],
        )  # fmt: skip

    @classmethod
    def of_all(cls, parts, n_threads=None):
        """Of several blocks, given in order."""
        summary = parts[0].summary
        for part in parts[1:]:
            summary = summary.with_others(part.summary, n_threads)
        chance, rows, weight = (np.concatenate(kind) for kind in list(zip(*parts))[4:])
        sample = _least_chances(chance)
        low, high = zip(*(part.extremes for part in parts))
        return cls(
            sum(part.n_rows for part in parts), min(part.lightest for part in parts),
            np.stack([np.min(low, axis=0), np.max(high, axis=0)]), summary,
            chance[sample], rows[sample], weight[sample],
        )  # fmt: skip


class Look(NamedTuple):
    """What a pass found."""

    sums: np.ndarray  # of the rows of each cluster, seen from the origin
    sizes: np.ndarray
    cost: float
    far: FarRows | None  # None: there are no rows
    marks: tuple  # one for each block; if equal, the labels are the same

    @classmethod
    def of_all(cls, parts):
        """Of several blocks, given in order."""
        far = [part.far for part in parts if part.far is not None]
        return cls(
            sum(part.sums for part in parts),
            sum(part.sizes for part in parts),
            sum(part.cost for part in parts),
            FarRows.of_all(far) if far else None,
            sum((part.marks for part in parts), ()),
        )


class BlockSamples:
    """The rows of `blocks`, looked at in passes.

    ``blocks.fold(function, combine)`` gives what `combine` makes of the list of all
    ``function(rows, weight, number)``, in order; it may combine answers that stand side by side
    before it has all of them.
    """

    def __init__(self, blocks, overview):
        self._blocks = blocks
        self._origin = overview.summary.mean  # sums are taken from there
        self._look: Any = None
        self._opening: Any = None

    def assign(self, centers, became=None, *, offsets=None, reach=0.0):
        """Give every row the center of least ``squared distance + offset``; True if any changed.

        As for rows in memory, see `ArraySamples.assign`.
        """
        self._centers, self._opened = centers, []
        self._offsets = np.zeros(len(centers)) if offsets is None else offsets
        former = None if self._look is None else self._look.marks
        self._opening = None
        self._look_at_all(reach)
        same = became is not None and np.array_equal(became, np.arange(len(centers)))
        return not same or former != self._look.marks

    def farthest(self):
        """The row furthest from its center, of equal ones the first; not one passed over."""
        found = self._opening.furthest()
        if found is None:
            self._catch_up(always=True)
            found = self._opening.furthest()
        return Candidate(*found)

    def pass_over(self, candidate):
        """Leave a row out of `farthest` until the next assignment."""
        self._opening.pass_over(candidate.row)

    def absorb(self, point):
        """Make `point` the center of a new cluster, which takes every row nearer to it."""
        self._opening.open(point)

    def saved_by_opening(self, point):
        """How far the sum of squares would fall if `point` became a center."""
        self._catch_up()
        return self._blocks.fold(partial(_saved, point=point, **self._state()), sum)

    def means(self, n_clusters):
        """Weighted mean and weight of each cluster; an empty one has weight 0 and no mean."""
        self._catch_up()
        look = self._look
        return means_of(look.sums, look.sizes, self._origin), look.sizes.copy()

    def cost(self):
        """The weighted sum of squared distances of the rows to their centers."""
        self._catch_up()
        return self._look.cost

    def measure(self):
        """Distances are measured anew in each pass."""

    def labels_as(self, number):
        """Labels are not kept."""

    def _catch_up(self, always=False):
        """Show the opened centers to the rows that have not seen them yet."""
        if self._opening.points or always:
            self._opened += self._opening.points
            self._look_at_all(-np.inf)

    def _look_at_all(self, beyond):
        look = partial(look_at, beyond=beyond, passed=self._passed(), **self._state())
        self._look = self._blocks.fold(look, Look.of_all)
        if self._opening is None:
            self._opening = Opening(self._look.far)
        else:
            self._opening.watch(self._look.far)

    def _passed(self):
        return np.zeros(0, dtype=np.int64) if self._opening is None else self._opening.passed

    def _state(self):
        return {
            "centers": self._centers,
            "offsets": self._offsets,
            "opened": self._opened,
            "origin": self._origin,
        }


def look_at(rows, weight, number, *, beyond, passed, n_threads=None, **state):
    """Give the rows of a block their centers, those `opened` after the others last."""
    n_clusters = len(state["centers"]) + len(state["opened"])
    rows, weight = counted(rows, weight)
    if not len(rows):
        return Look(np.zeros((n_clusters, rows.shape[1])), np.zeros(n_clusters), 0.0, None, (0,))
    with _labelled(rows, weight, n_threads, **state) as samples:
        sums, sizes = samples.sums(n_clusters)
        here = passed[passed >> BLOCK_SHIFT == number] - (number << BLOCK_SHIFT)
        far = FarRows.among(rows, weight, samples.sq_dists, here, beyond=beyond)
        far = far._replace(rows=far.rows + (number << BLOCK_SHIFT))
        return Look(sums, sizes, float(samples.cost()), far, (crc32(samples.labels),))


def _saved(rows, weight, number, *, point, n_threads=None, **state):
    rows, weight = counted(rows, weight)
    if not len(rows):
        return 0.0
    with _labelled(rows, weight, n_threads, **state) as samples:
        return samples.saved_by_opening(point)


def _labelled(rows, weight, n_threads, *, centers, offsets, opened, origin):
    samples = ArraySamples(rows, weight, n_threads, origin=origin)
    samples.assign(centers, offsets=offsets)
    for point in opened:
        samples.absorb(point)
    return samples


def counted(rows, weight):
    """The rows that weigh anything, and their weights."""
    some = weight > 0
    return (rows, weight) if some.all() else (rows[some], weight[some])


def _least_chances(chance):
    """The rows of a sample, in order."""
    if len(chance) <= PATH_ROWS:
        return np.arange(len(chance))
    return np.sort(np.argpartition(chance, PATH_ROWS)[:PATH_ROWS])
