"""Each move by hand and against brute force."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import reference
from pypmeans import _opening
from pypmeans._moves import (
    PaperMoves,
    agglomerate,
    merger_costs,
    open_clusters,
    pays_for_its_cluster,
    update_centers,
)
from pypmeans._penalty import PitmanYorPenalty
from pypmeans._samples import ArraySamples


def samples_of(X, weight=None):
    X = np.asarray(X, dtype=float)
    return ArraySamples(X, np.ones(len(X)) if weight is None else np.array(weight, dtype=float))


def test_two_pairs_merge_when_their_centers_are_close():
    # Sec. IV-C: sizes 2 and 2 merge at squared distance 0.8 r, since (2 + 2) / (2 * 2) = 1
    centers, sizes = np.array([[0.0], [np.sqrt(0.8)]]), np.array([2.0, 2.0])
    merged, total, *_ = agglomerate(centers, sizes, PitmanYorPenalty(lam=1.0))
    assert_allclose(merged, [[np.sqrt(0.8) / 2]])
    assert_allclose(total, [4.0])


def test_two_pairs_stay_apart_when_their_centers_are_not():
    centers, sizes = np.array([[0.0], [np.sqrt(1.2)]]), np.array([2.0, 2.0])
    assert len(agglomerate(centers, sizes, PitmanYorPenalty(lam=1.0))[0]) == 2


def test_the_best_pair_merges_first():
    # 0 and 1 merge (increase 0.5), after which 1.7 is 1.2 from 0.5: increase 2/3 * 1.44 = 0.96 < 1
    centers, sizes = np.array([[0.0], [1.7], [1.0]]), np.ones(3)
    merged, *_ = agglomerate(centers, sizes, PitmanYorPenalty(lam=0.95))
    # 1 and 1.7 are the closest pair (0.245), then 0 is 1.35 away: 2/3 * 1.8225 = 1.215 > 0.95
    assert_allclose(np.sort(merged.ravel()), [0.0, 1.35])


def test_a_merger_pays_the_charge_of_the_count_after_it():
    # two clusters: marginal(1) = 8 - 4 * 2 ln 2 = 2.4548; three: marginal(2) = 0.3622
    penalty = PitmanYorPenalty(8.0, 4.0)
    pair = np.array([[0.0], [2.0]])
    assert len(agglomerate(pair, np.ones(2), penalty)[0]) == 1  # increase 2 < 2.45
    triple = np.array([[0.0], [2.0], [100.0]])
    apart = agglomerate(triple, np.ones(3), penalty)
    assert len(apart.centers) == 3  # increase 2 > 0.36
    assert apart.stable


@pytest.mark.parametrize("seed", range(20))
def test_agglomeration_equals_the_plain_search_over_all_pairs(seed):
    rng = np.random.default_rng(seed)
    centers, sizes = rng.normal(size=(30, 2)), rng.uniform(0.2, 5, 30)
    theta = 0.1 * (seed % 3)
    plain = reference.agglomerate(centers.tolist(), sizes.tolist(), 1.0, theta, reference.Margin())
    merged, total, *_ = agglomerate(centers, sizes, PitmanYorPenalty(1.0, theta))
    assert 1 < len(merged) < 30
    assert_allclose(merged, plain)
    assert total.sum() == pytest.approx(sizes.sum())


def test_opening_takes_the_furthest_point_and_stops_at_the_line():
    samples = samples_of([[0.0], [1.0], [5.0], [20.0]])
    samples.assign(np.array([[0.0]]))
    centers, capped = open_clusters(samples, np.array([[0.0]]), PitmanYorPenalty(20.0), 99)
    assert_allclose(centers.ravel(), [0.0, 20.0, 5.0])
    assert samples.labels.tolist() == [0, 0, 2, 1]
    assert not capped


def test_opening_stops_exactly_at_the_line():
    samples = samples_of([[0.0], [3.0]])
    samples.assign(np.array([[0.0]]))
    assert len(open_clusters(samples, np.array([[0.0]]), PitmanYorPenalty(9.0), 99)[0]) == 1


def test_opening_says_when_the_cap_stopped_it():
    samples = samples_of([[0.0], [5.0], [20.0]])
    samples.assign(np.array([[0.0]]))
    centers, capped = open_clusters(samples, np.array([[0.0]]), PitmanYorPenalty(20.0), 2)
    assert len(centers) == 2
    assert capped


def test_a_cap_of_hundreds_is_kept():
    samples = samples_of(10.0 * np.arange(400)[:, None])
    samples.assign(np.array([[0.0]]))
    centers, capped = open_clusters(samples, np.array([[0.0]]), PitmanYorPenalty(1.0), 300)
    assert len(centers) == 300
    assert capped


def test_a_light_point_opens_only_if_the_objective_falls():
    # the furthest point is light: 0.1 * 100 = 10 < 20 and is passed over; the next one pays
    samples = samples_of([[0.0], [10.0], [-9.0]], weight=[1.0, 0.1, 1.0])
    samples.assign(np.array([[0.0]]))
    centers, _ = open_clusters(samples, np.array([[0.0]]), PitmanYorPenalty(20.0), 99)
    assert_allclose(centers.ravel(), [0.0, -9.0])


def test_no_cluster_is_opened_that_saves_nothing():
    # two rows of weight 1/2 at 0 and 2: a cluster at 2 saves 1/2 * 4 = 2
    samples = samples_of([[0.0], [2.0]], weight=[0.5, 0.5])
    samples.assign(np.array([[0.0]]))
    candidate = samples.farthest()
    assert pays_for_its_cluster(candidate, samples, price=1.999)
    assert not pays_for_its_cluster(candidate, samples, price=2.0)


def test_where_no_cluster_can_pay_the_cap_is_not_to_blame():
    samples = samples_of([[0.0], [2.0]], weight=[0.1, 0.1])
    samples.assign(np.array([[0.0]]))
    centers, capped = open_clusters(samples, np.array([[0.0]]), PitmanYorPenalty(1.0), 5)
    assert len(centers) == 1
    assert not capped


def test_light_points_may_pay_together():
    samples = samples_of([[0.0], [10.0], [10.1], [9.9]], weight=[1.0, 0.1, 0.1, 0.1])
    samples.assign(np.array([[0.0]]))
    centers, _ = open_clusters(samples, np.array([[0.0]]), PitmanYorPenalty(25.0), 99)
    assert_allclose(centers.ravel(), [0.0, 10.1])


def test_empty_clusters_are_dropped():
    samples = samples_of([[0.0], [1.0]])
    centers = np.array([[0.5], [50.0]])
    samples.assign(centers)
    centers, sizes, became = update_centers(samples, 2)
    assert_allclose(centers, [[0.5]])
    assert_allclose(sizes, [2.0])
    assert became[0] == 0


def test_each_opening_is_charged_by_the_clusters_given_and_opened():
    # t(c) = 20 - 10 ln c: from 2 to 3 clusters 13.07, then 9.01, 6.14, 3.91
    samples = samples_of([[0.0], [100.0], [3.7], [103.1], [97.4], [-2.3]])
    start = np.array([[0.0], [100.0]])
    samples.assign(start)
    centers, capped = open_clusters(samples, start, PitmanYorPenalty(20.0, 10.0), 99)
    # squares 13.69 > 13.07, 11.56 > 9.01, 6.76 > 6.14, and 5.29 > 3.91
    assert_allclose(centers.ravel(), [0.0, 100.0, 3.7, 103.1, 97.4, -2.3])
    samples.assign(start)
    assert len(open_clusters(samples, start, PitmanYorPenalty(20.7, 10.0), 99)[0]) == 2
    samples.assign(start)
    assert len(open_clusters(samples, start, PitmanYorPenalty(20.0, 10.0), 5)[0]) == 5
    assert not capped


def test_clusters_know_what_they_became():
    # 0, 0.1 and 0.2 merge, 5 stays, 9 and 9.1 merge: numbers close up in order
    centers = np.array([[0.0], [5.0], [9.0], [0.1], [9.1], [0.2]])
    merged = agglomerate(centers, np.ones(6), PitmanYorPenalty(1.0))
    assert_allclose(merged.centers.ravel(), [0.1, 5.0, 9.05])
    assert_allclose(merged.sizes, [3, 1, 2])
    assert merged.became.tolist() == [0, 1, 2, 0, 2, 0]
    assert merged.became.dtype == np.int32
    assert not merged.stable
    assert merged.move == "3 merge"


def test_a_merger_that_would_gain_nothing_is_not_made_after_others():
    # 100 and 100.1 merge; then joining 0 and 2 costs exactly what a cluster does
    centers = np.array([[0.0], [2.0], [100.0], [100.1]])
    assert len(agglomerate(centers, np.ones(4), PitmanYorPenalty(2.0)).centers) == 3


@pytest.mark.parametrize("pull", [0.0, 0.3])
def test_mergers_are_told_until_one_cluster_is_left(pull):
    rng = np.random.default_rng(1)
    centers, sizes = rng.normal(size=(6, 2)), rng.uniform(0.5, 4, 6)
    left, costs = [(w, x) for w, x in zip(sizes, centers)], []
    while len(left) > 1:
        cost, i, j = min(
            (cost_by_hand(*left[i], *left[j], pull), i, j)
            for j in range(len(left))
            for i in range(j)
        )
        (v, x), (w, y) = left[i], left.pop(j)
        left[i] = v + w, (v * x + w * y) / (v + w)
        costs.append(cost)
    assert_allclose(merger_costs(centers, sizes, pull), costs)


def cost_by_hand(v, x, w, y, pull):
    """W ln W of the sizes, and the squares about the common mean."""
    apart = (v + w) * np.log(v + w) - v * np.log(v) - w * np.log(w)
    return v * w / (v + w) * np.sum((x - y) ** 2) - pull * apart


def test_all_clusters_may_become_one():
    merged = agglomerate(np.array([[0.0], [3.0], [6.0]]), np.ones(3), PitmanYorPenalty(99.0))
    assert_allclose(merged.centers, [[3.0]])
    assert merged.became.tolist() == [0, 0, 0]


def test_only_pairs_with_a_fresh_cluster_are_looked_at():
    centers, sizes = np.array([[0.0], [0.1], [9.0]]), np.ones(3)
    for fresh, stable in (([0, 0, 1], True), ([0, 0, 0], True), ([1, 0, 0], False)):
        found = agglomerate(centers, sizes, PitmanYorPenalty(1.0), np.array(fresh, dtype=bool))
        assert found.stable == stable


def test_one_cluster_has_no_partner():
    assert agglomerate(np.array([[1.0]]), np.ones(1), PitmanYorPenalty(5.0)).stable


def test_empty_clusters_anywhere_are_dropped_and_numbers_close_up():
    samples = samples_of([[0.0], [1.0], [3.0], [7.0]])
    centers = np.array([[50.0], [0.5], [90.0], [3.0], [7.0]])
    samples.assign(centers)
    means, sizes, became = update_centers(samples, 5)
    assert_allclose(means, [[0.5], [3.0], [7.0]])
    assert_allclose(sizes, [2.0, 1.0, 1.0])
    assert became.tolist() == [0, 0, 0, 1, 2]
    assert became.dtype == np.int32


def test_the_moves_of_the_paper_open_and_merge():
    moves = PaperMoves(PitmanYorPenalty(20.0, 5.0), 2)
    assert (moves.capped, moves.exhausted) == (False, False)
    assert moves.reach(3) == moves.penalty.opening(3)
    samples = samples_of([[0.0], [5.0], [20.0]])
    samples.assign(np.array([[0.0]]))
    assert_allclose(moves.open(samples, np.array([[0.0]])), [[0.0], [20.0]])
    assert moves.capped
    close = np.array([[0.0], [1.0]])
    assert len(moves.rearrange(samples, close, np.ones(2), None, None, False).centers) == 1


def test_nothing_to_merge_leaves_clusters_as_they_are():
    centers = np.array([[0.0], [5.0]])
    same = agglomerate(centers, np.ones(2), PitmanYorPenalty(1.0))
    assert same.stable
    assert same.became.tolist() == [0, 1]
    assert same.move == ""


@pytest.mark.parametrize("far", [0, 40, 99])
def test_the_furthest_rows_are_watched_wherever_they_stand(far, monkeypatch):
    monkeypatch.setattr(_opening, "MOST_HOT", 10)
    monkeypatch.setattr(_opening, "LEAST_HOT", 10)
    sq_dists = np.zeros(100)  # most rows are centers
    sq_dists[[far, 50]] = 4.0, 1.0
    X, weight = np.arange(100.0)[:, None], np.ones(100)
    opening = _opening.Opening(_opening.FarRows.among(X, weight, sq_dists))
    assert opening.furthest() == (far, [[far]], 4.0, 1.0)
    opening.open(np.array([[float(far)]]))
    assert opening.furthest() == (50, [[50]], 1.0, 1.0)  # known without a look at all rows
