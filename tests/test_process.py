"""The urns, their probabilities and the fit, against plain loops over all small partitions."""

from collections import Counter, defaultdict
from fractions import Fraction
from math import exp, lgamma, log

import numba
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import digamma
from scipy.stats import chisquare

from pypmeans._urn import draw_labels
from pypmeans.process import (
    expected_n_clusters,
    fit_pitman_yor,
    log_eppf,
    sample_modified_partition,
    sample_partition,
)

COMPILED = not numba.config.DISABLE_JIT
PARAMETERS = [(1.0, 0.0), (0.3, 0.0), (2.5, 0.25), (0.0, 0.5), (-0.4, 0.7), (10.0, 0.95)]


def partitions(n_samples):
    """All partitions, as tuples of labels in order of appearance."""
    grown = [(0,)]
    for _ in range(n_samples - 1):
        grown = [(*labels, k) for labels in grown for k in range(max(labels) + 2)]
    return grown


def sizes_of(labels):
    return tuple(sorted(Counter(labels).values()))


def urn_probability(labels, joining, founding):
    """Probability of `labels`, ball by ball, from the weights of joining and of founding."""
    probability = 1.0
    for i in range(1, len(labels)):
        sizes = Counter(labels[:i])
        weights = [joining(sizes[k]) for k in range(len(sizes))] + [founding(len(sizes))]
        probability *= weights[labels[i]] / sum(weights)
    return probability


def pitman_yor_probability(labels, concentration, discount):
    return urn_probability(labels, lambda n: n - discount, lambda c: concentration + c * discount)


def modified_probability(labels, lam, theta, epsilon):
    return urn_probability(
        labels,
        lambda n: n * exp(-theta / (2 * epsilon)),
        lambda c: exp(-(lam - theta * log(c)) / (2 * epsilon)),
    )


def probabilities_by_sizes(n_samples, probability):
    """For each set of cluster sizes, the probabilities of all partitions that have it."""
    groups = defaultdict(list)
    for labels in partitions(n_samples):
        groups[sizes_of(labels)].append(probability(labels))
    return groups


def check_frequencies(draw, probability, n_samples, n_draws):
    """Draw many short partitions and compare with the exact probabilities."""
    counts = Counter(tuple(draw(n_samples).tolist()) for _ in range(n_draws))
    possible = partitions(n_samples)
    assert set(counts) <= set(possible)
    expected = [n_draws * probability(labels) for labels in possible]
    assert_allclose(sum(expected), n_draws)
    assert chisquare([counts[labels] for labels in possible], expected).pvalue > 1e-3


# The probability of a partition


@pytest.mark.parametrize(("concentration", "discount"), PARAMETERS)
@pytest.mark.parametrize("n_samples", range(1, 9))
def test_probabilities_of_all_partitions_sum_to_one(n_samples, concentration, discount):
    how_many = Counter(sizes_of(labels) for labels in partitions(n_samples))
    total = sum(n * exp(log_eppf(s, concentration, discount)) for s, n in how_many.items())
    assert_allclose(total, 1, rtol=1e-13)


@pytest.mark.parametrize(("concentration", "discount"), PARAMETERS)
def test_eppf_is_the_product_of_urn_probabilities_in_any_order(concentration, discount):
    groups = probabilities_by_sizes(
        7, lambda labels: pitman_yor_probability(labels, concentration, discount)
    )
    for sizes, probabilities in groups.items():
        assert_allclose(probabilities, exp(log_eppf(sizes, concentration, discount)), rtol=1e-12)


def test_eppf_of_three_balls_by_hand():
    # α = 2, d = 1/2: (α + d)(1 - d) / ((α + 1)(α + 2)) = 2.5 · 0.5 / 12
    assert_allclose(exp(log_eppf([2, 1], 2.0, 0.5)), 1.25 / 12, rtol=1e-14)


def test_eppf_does_not_depend_on_the_order_of_sizes():
    assert log_eppf([5, 1, 9, 2], 1.0, 0.3) == log_eppf([9, 5, 2, 1], 1.0, 0.3)


def test_eppf_equals_exact_fractions():
    sizes, concentration, discount = [40, 17, 17, 3, 1, 1, 1], Fraction(3, 2), Fraction(1, 4)
    exact = Fraction(1)
    for i in range(1, len(sizes)):
        exact *= concentration + i * discount
    for size in sizes:
        for j in range(1, size):
            exact *= j - discount
    for i in range(1, sum(sizes)):
        exact /= concentration + i
    reference = log(exact.numerator) - log(exact.denominator)
    assert_allclose(log_eppf(sizes, 1.5, 0.25), reference, rtol=1e-13)


def test_eppf_is_accurate_for_huge_sizes():
    # Without discount and with concentration 1, one cluster of n balls has probability 1/n.
    assert_allclose(log_eppf([10**9], 1.0, 0.0), -log(10**9), rtol=1e-6)
    sizes = np.arange(1, 30_001)
    larger = sizes.copy()
    larger[-1] += 1
    joining = log((30_000 - 0.5) / (3.0 + sizes.sum()))
    assert_allclose(log_eppf(larger, 3.0, 0.5) - log_eppf(sizes, 3.0, 0.5), joining, atol=1e-4)


def test_eppf_is_accurate_for_a_huge_concentration():
    # 1 - probability that all are alone: 1 - α² / ((α + 1)(α + 2)), about 3 / α
    assert_allclose(-log_eppf([1, 1, 1], 1e12, 0.0), 3e-12, atol=1e-13)
    assert_allclose(log_eppf([2, 1], 1e12, 0.0), -log(1e12), rtol=1e-12)


def test_a_tiny_discount_is_no_discount():
    sizes = [300, 40, 5, 1, 1]
    assert_allclose(log_eppf(sizes, 2.0, 1e-13), log_eppf(sizes, 2.0, 0.0), rtol=1e-11)


# Drawing from the urns


@pytest.mark.parametrize(("concentration", "discount"), [(1.0, 0.0), (2.0, 0.5), (-0.4, 0.7)])
def test_urn_draws_each_partition_as_often_as_it_should(concentration, discount):
    random = np.random.RandomState(0)
    check_frequencies(
        lambda n: sample_partition(n, concentration, discount, random_state=random),
        lambda labels: pitman_yor_probability(labels, concentration, discount),
        n_samples=5,
        n_draws=4000,
    )


@pytest.mark.parametrize(("lam", "theta", "epsilon"), [(1.0, 1.0, 0.5), (3.0, 1.0, 1.5)])
def test_modified_urn_draws_each_partition_as_often_as_it_should(lam, theta, epsilon):
    random = np.random.RandomState(1)
    check_frequencies(
        lambda n: sample_modified_partition(n, lam, theta, epsilon, random_state=random),
        lambda labels: modified_probability(labels, lam, theta, epsilon),
        n_samples=5,
        n_draws=4000,
    )


@pytest.mark.parametrize(("concentration", "discount"), [(3.0, 0.0), (1.0, 0.6)])
def test_number_of_clusters_drawn_is_as_expected(concentration, discount):
    n_samples, n_draws = (3000, 300) if COMPILED else (200, 100)
    random = np.random.RandomState(2)
    found = [
        sample_partition(n_samples, concentration, discount, random_state=random).max() + 1
        for _ in range(n_draws)
    ]
    error = np.std(found) / np.sqrt(n_draws)
    expected = expected_n_clusters(n_samples, concentration, discount)
    assert abs(np.mean(found) - expected) < 4 * error


@pytest.mark.parametrize("discount", [0.4, 0.6, 0.8])
def test_pitman_yor_sizes_follow_a_power_law(discount):
    n_samples = 1_000_000 if COMPILED else 50_000
    labels = sample_partition(n_samples, 20.0, discount, random_state=3)
    # The number of clusters over n^d settles on one value as the balls are drawn.
    early, late = labels[: n_samples // 10].max() + 1, labels.max() + 1
    assert_allclose(np.log10(late / early), discount, atol=0.05)
    sizes = np.bincount(labels)
    n_clusters = len(sizes)
    # Shares of sizes 1 and 2: d and d (1 - d) / 2
    assert abs(np.mean(sizes == 1) - discount) < 5 / np.sqrt(n_clusters)
    assert abs(np.mean(sizes == 2) - discount * (1 - discount) / 2) < 5 / np.sqrt(n_clusters)


def test_modified_urn_grows_by_a_power_where_theta_is_twice_epsilon():
    # g = exp((theta - lam) / (2 epsilon)) = 0.6
    n_samples = 300_000 if COMPILED else 30_000
    labels = sample_modified_partition(n_samples, 1 - log(0.6), 1.0, 0.5, random_state=0)
    growth = np.log10((labels.max() + 1) / (labels[: n_samples // 10].max() + 1))
    assert_allclose(growth, 0.6, atol=0.1)


@pytest.mark.parametrize("n_samples", [1, 2, 3, 500])
def test_labels_are_int32_in_order_of_appearance(n_samples):
    for labels in (
        sample_partition(n_samples, 1.0, 0.5, random_state=0),
        sample_modified_partition(n_samples, 2.0, 1.0, 0.5, random_state=0),
    ):
        assert labels.dtype == np.int32
        assert labels.shape == (n_samples,)
        _, first = np.unique(labels, return_index=True)
        assert_array_equal(labels[np.sort(first)], np.arange(labels.max() + 1))
        assert np.all(np.diff(first) > 0)


def test_same_random_state_same_partition():
    first = sample_partition(1000, 1.0, 0.5, random_state=7)
    assert_array_equal(first, sample_partition(1000, 1.0, 0.5, random_state=7))
    again = sample_partition(1000, 1.0, 0.5, random_state=np.random.RandomState(7))
    assert_array_equal(first, again)
    assert np.any(first != sample_partition(1000, 1.0, 0.5, random_state=8))


@pytest.mark.skipif(not COMPILED, reason="there is only one version without compilation")
def test_compiled_urn_equals_the_plain_loop():
    uniforms = np.random.RandomState(0).random_sample(5000)
    founding_weights = 1.0 + 0.5 * np.arange(1.0, 5001)
    compiled = draw_labels(uniforms, founding_weights, 0.5)
    assert_array_equal(compiled, draw_labels.py_func(uniforms, founding_weights, 0.5))


@pytest.mark.parametrize("uniform", [0.0, 1 - 2.0**-53])
@pytest.mark.parametrize("discount", [0.0, 1 / 3, 0.999999])
def test_extreme_uniforms_stay_inside_the_urn(uniform, discount):
    for weight in (1e-304, 1.0, 1e304):
        labels = draw_labels(np.full(50, uniform), np.full(50, weight), discount)
        assert labels.min() == 0
        assert np.all(np.diff(np.unique(labels)) == 1)


@pytest.mark.parametrize(("lam", "n_clusters"), [(1.5, 1), (0.5, 100)])
def test_modified_urn_is_certain_in_the_limit_of_small_epsilon(lam, n_clusters):
    for epsilon in (1e-4, 1e-300, 5e-324):
        labels = sample_modified_partition(100, lam, 1e-9, epsilon, random_state=0)
        assert labels.max() == 0
        labels = sample_modified_partition(100, lam - 1.0, 1e-9, epsilon, random_state=0)
        assert labels.max() + 1 == n_clusters


# Exchangeability


def test_modified_urn_is_not_exchangeable_with_three_balls():
    # Contrary to Proposition 1 of the paper. The weights are 1 per ball and c for a new cluster.
    assert_allclose(modified_probability((0, 0, 1), lam=1, theta=1, epsilon=0.5), 1 / 6)
    assert_allclose(modified_probability((0, 1, 0), lam=1, theta=1, epsilon=0.5), 1 / 8)
    assert_allclose(modified_probability((0, 1, 1), lam=1, theta=1, epsilon=0.5), 1 / 8)


@pytest.mark.parametrize("theta", [0.1, 1.0, 4.0])
def test_modified_urn_is_not_exchangeable_for_any_theta(theta):
    groups = probabilities_by_sizes(6, lambda x: modified_probability(x, 1.0, theta, 0.5))
    assert_allclose(sum(map(sum, groups.values())), 1)
    spread = {sizes: max(p) / min(p) for sizes, p in groups.items()}
    ambiguous = [sizes for sizes in spread if 1 < len(sizes) < 6]
    assert min(spread[sizes] for sizes in ambiguous) > 1.02
    # One cluster and all alone leave no order to choose.
    assert_allclose([spread[(6,)], spread[(1,) * 6]], 1)


def test_modified_urn_without_theta_is_the_dirichlet_process():
    groups = probabilities_by_sizes(6, lambda x: modified_probability(x, 0.7, 0.0, 0.4))
    for sizes, probabilities in groups.items():
        assert_allclose(probabilities, exp(log_eppf(sizes, exp(-0.7 / 0.8), 0.0)), rtol=1e-12)
    assert_array_equal(
        sample_modified_partition(300, 0.0, 0.0, 0.4, random_state=0),
        sample_partition(300, 1.0, random_state=0),
    )


# The expected number of clusters


@pytest.mark.parametrize(("concentration", "discount"), PARAMETERS)
@pytest.mark.parametrize("n_samples", [1, 2, 7])
def test_expected_n_clusters_equals_enumeration(n_samples, concentration, discount):
    expected = sum(
        (max(labels) + 1) * pitman_yor_probability(labels, concentration, discount)
        for labels in partitions(n_samples)
    )
    assert_allclose(expected_n_clusters(n_samples, concentration, discount), expected, rtol=1e-13)


@pytest.mark.parametrize("concentration", [1e-6, 0.5, 3.0, 1e4, 1e15])
def test_expected_n_clusters_without_discount_is_a_sum(concentration):
    i = np.arange(2000)
    expected = np.sum(concentration / (concentration + i))
    assert_allclose(expected_n_clusters(2000, concentration), expected, rtol=1e-13)


@pytest.mark.parametrize("discount", [1e-12, 1e-3, 0.5, 0.999])
@pytest.mark.parametrize("concentration", [-0.9e-12, 0.0, 1.0, 50.0, 1e9])
def test_expected_n_clusters_follows_the_urn(concentration, discount):
    expected = 1.0
    for i in range(1, 1000):
        expected += (concentration + discount * expected) / (concentration + i)
    assert_allclose(expected_n_clusters(1000, concentration, discount), expected, rtol=1e-12)


def test_expected_n_clusters_of_a_million_million():
    n, alpha, d = 10**12, 2.0, 0.5
    power_law = exp(lgamma(alpha + 1) - lgamma(alpha + d)) / d * n**d - alpha / d
    assert_allclose(expected_n_clusters(n, alpha, d), power_law, rtol=1e-11)
    assert_allclose(expected_n_clusters(n, alpha), alpha * (log(n) - digamma(alpha)), rtol=1e-11)


# Fitting


def plain_log_eppf(sizes, concentration, discount):
    """The definition, factor by factor, for arrays of parameters."""
    value = sum(np.log(concentration + i * discount) for i in range(1, len(sizes)))
    value = value - sum(np.log(concentration + i) for i in range(1, sum(sizes)))
    grown = Counter(j for size in sizes for j in range(1, size))
    return value + sum(n * np.log(j - discount) for j, n in grown.items())


def sampled_sizes(n_samples, concentration, discount, seed):
    labels = sample_partition(n_samples, concentration, discount, random_state=seed)
    return np.bincount(labels)


@pytest.mark.parametrize(("concentration", "discount"), [(10.0, 0.5), (3.0, 0.75), (30.0, 0.25)])
def test_fit_recovers_the_parameters_within_their_errors(concentration, discount):
    n_samples, n_seeds = (100_000, 30) if COMPILED else (5000, 30)
    deviations = []
    for seed in range(n_seeds):
        fit = fit_pitman_yor(sampled_sizes(n_samples, concentration, discount, seed))
        deviations.append(
            (
                (fit.concentration - concentration) / fit.concentration_se,
                (fit.discount - discount) / fit.discount_se,
            )
        )
    deviations = np.array(deviations)
    assert np.abs(deviations).max() < 4.5
    # Errors that are right give deviations with a mean square of 1.
    assert np.all(np.mean(deviations**2, axis=0) > 0.4)
    assert np.all(np.mean(deviations**2, axis=0) < 2.0)


@pytest.mark.parametrize(
    "sizes",
    [
        [2, 1],
        [3, 1, 1, 1],
        [2, 1, 1, 1, 1, 1, 1, 1],
        [1000, 1],
        [50, 20, 9, 4, 2, 1, 1, 1, 1],
        [463, 429, 244, 163, 51, 44, 35, 30, 20, 5],
        [4913, 329, 115, 88, 28],
    ],
)
def test_fit_is_the_maximum_over_a_grid(sizes):
    fit = fit_pitman_yor(sizes)
    discounts = np.linspace(0, 0.98, 50)[:, None]
    openings = np.geomspace(1e-3, 1e3, 121)[None, :]
    values = plain_log_eppf(sizes, openings - discounts, discounts)
    assert fit.log_likelihood >= values.max()
    assert fit.log_likelihood < values.max() + 0.01
    i, j = np.unravel_index(values.argmax(), values.shape)
    assert abs(fit.discount - discounts[i, 0]) < 0.03
    assert_allclose(fit.concentration + fit.discount, openings[0, j], rtol=0.15)


def test_errors_are_the_curvature_of_the_likelihood():
    sizes = sampled_sizes(20_000, 5.0, 0.5, seed=0)
    fit = fit_pitman_yor(sizes)
    steps = np.array([1e-2, 1e-4])

    def value(*moves):
        concentration, discount = (fit.concentration, fit.discount) + steps * moves
        return log_eppf(sizes, concentration, discount)

    curvature = np.empty((2, 2))
    for i, j in np.ndindex(2, 2):
        e, f = np.eye(2)[i], np.eye(2)[j]
        change = value(*(e + f)) - value(*(e - f)) - value(*(f - e)) + value(*(-e - f))
        curvature[i, j] = change / (4 * steps[i] * steps[j])
    errors = np.sqrt(np.diag(np.linalg.inv(-curvature)))
    assert_allclose([fit.concentration_se, fit.discount_se], errors, rtol=1e-3)


def test_log_likelihood_is_the_eppf_at_the_fit():
    sizes = sampled_sizes(5000, 5.0, 0.5, seed=0)
    fit = fit_pitman_yor(sizes)
    value = log_eppf(sizes, fit.concentration, fit.discount)
    assert_allclose(fit.log_likelihood, value, rtol=1e-12)


def test_even_sizes_have_no_discount():
    fit = fit_pitman_yor([330] * 7)
    assert fit.discount == 0
    assert np.isnan(fit.discount_se)
    # The number of clusters is what a Dirichlet process of that concentration is expected to have.
    assert_allclose(expected_n_clusters(7 * 330, fit.concentration), 7, rtol=1e-9)
    assert 0 < fit.concentration_se < fit.concentration


@pytest.mark.parametrize("sizes", [[1], [2], [10**9]])
def test_one_cluster_is_fitted_by_the_limit_of_no_others(sizes):
    assert_array_equal(fit_pitman_yor(sizes), (0.0, 0.0, np.nan, np.nan, 0.0))
    assert_allclose(log_eppf(sizes, 1e-12, 0.0), 0, atol=1e-5)


def test_singletons_are_fitted_by_the_limit_of_no_joining():
    assert_array_equal(fit_pitman_yor([1, 1, 1]), (np.inf, 0.0, np.nan, np.nan, 0.0))
    assert_allclose(log_eppf([1, 1, 1], 1e15, 0.0), 0, atol=1e-12)


@pytest.mark.parametrize(
    "sizes",
    [
        [10**9, 1],
        [10**9] * 1000,
        [2] + [1] * 10_000,
        10**9 // np.arange(1, 20_001) ** 2 + 1,
        [1.0, 2.0, 3.0],
    ],
)
def test_fit_of_extreme_sizes_is_finite_and_at_the_maximum(sizes):
    fit = fit_pitman_yor(sizes)
    assert np.isfinite(fit[0:1] + fit[2:3] + fit[4:]).all()
    for factor in (0.9, 1.1):
        assert log_eppf(sizes, fit.concentration * factor, fit.discount) < fit.log_likelihood
    assert log_eppf(sizes, fit.concentration, fit.discount + 0.02) < fit.log_likelihood


# What is refused


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ([], r"sizes must be .* shape \(0,\)"),
        ([[1, 2]], r"sizes must be .* shape \(1, 2\)"),
        ([3, 0], "sizes must be .* Got 0 at position 1; leave out empty clusters"),
        ([3, -2], "sizes must be .* Got -2 at position 1"),
        ([2.5], "sizes must be .* whole .* Got 2.5 at position 0"),
        ([1, np.nan], "sizes must be .* Got nan at position 1"),
        ([1, np.inf], "sizes must be .* Got inf at position 1"),
        (["2"], "sizes must be .* Got .*'2'"),
        ([True], "sizes must be .* Got .*True"),
        ([[1], [2, 3]], r"sizes must be .* Got \[\[1\], \[2, 3\]\]"),
        (None, "'sizes' parameter"),
        (7, "'sizes' parameter"),
    ],
)
def test_wrong_sizes_are_refused(sizes, message):
    with pytest.raises(ValueError, match=message):
        log_eppf(sizes, 1.0, 0.5)
    with pytest.raises(ValueError, match=message):
        fit_pitman_yor(sizes)


@pytest.mark.parametrize("function", [sample_partition, expected_n_clusters])
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0, 1.0), "'n_samples' .* Got 0"),
        ((-3, 1.0), "'n_samples' .* Got -3"),
        ((2.5, 1.0), "'n_samples' .* Got 2.5"),
        ((10, np.nan), "'concentration' .* Got nan"),
        ((10, np.inf), "'concentration' .* Got inf"),
        ((10, "1"), "'concentration' .* Got '1'"),
        ((10, 1.0, 1.0), r"'discount' .* \[0.0, 1.0\). Got 1.0"),
        ((10, 1.0, -0.1), "'discount' .* Got -0.1"),
        ((10, 1.0, np.nan), "'discount' .* Got nan"),
        ((10, 0.0), "concentration must be above -discount, .* Got 0.0"),
        ((10, -0.5, 0.5), "concentration must be above -discount, which is -0.5. Got -0.5"),
    ],
)
def test_wrong_parameters_are_refused(function, arguments, message):
    with pytest.raises(ValueError, match=message):
        function(*arguments)


def test_eppf_refuses_wrong_parameters():
    with pytest.raises(ValueError, match="concentration must be above -discount"):
        log_eppf([1, 2], -0.5, 0.3)
    with pytest.raises(ValueError, match="'discount' parameter of log_eppf"):
        log_eppf([1, 2], 1.0, 1.5)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0, 1.0, 1.0, 1.0), "'n_samples' .* Got 0"),
        ((10, np.nan, 1.0, 1.0), "'lam' .* Got nan"),
        ((10, 1.0, -1.0, 1.0), "'theta' .* Got -1.0"),
        ((10, 1.0, np.inf, 1.0), "'theta' .* Got inf"),
        ((10, 1.0, 1.0, 0.0), "'epsilon' .* Got 0.0"),
        ((10, 1.0, 1.0, -2.0), "'epsilon' .* Got -2.0"),
        ((10, 1.0, 1.0, np.nan), "'epsilon' .* Got nan"),
    ],
)
def test_modified_urn_refuses_wrong_parameters(arguments, message):
    with pytest.raises(ValueError, match=message):
        sample_modified_partition(*arguments)


def test_wrong_random_state_is_refused():
    with pytest.raises(ValueError, match="'random_state' parameter of sample_partition"):
        sample_partition(10, 1.0, random_state="seed")


def test_sizes_beyond_what_the_likelihood_can_tell_apart_are_refused():
    with pytest.raises(ValueError, match=r"sizes must sum to 1e\+12 at most"):
        fit_pitman_yor([1e15, 1, 1])


def test_no_more_clusters_than_balls_are_expected():
    assert expected_n_clusters(10, 1e300, 0.5) == 10.0


def test_extreme_parameters_of_the_modified_urn_give_labels_in_order_of_appearance():
    labels = sample_modified_partition(1000, -1e308, 1e308, 1.7e308, random_state=0)
    assert labels.min() == 0
    assert np.all(np.diff(np.maximum.accumulate(labels)) <= 1)
