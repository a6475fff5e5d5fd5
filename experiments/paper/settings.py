"""How much is done: everything, a quick look, or the least that touches every line."""

from typing import NamedTuple

import real_data

LABELLED = (*real_data.NAMES[:-1], *real_data.THINNED)


class Settings(NamedTuple):
    """Numbers of repeats and the points at which the experiments are made."""

    real: tuple = LABELLED
    starts: int = 50  # repeats from random starts, as in the paper
    slow_starts: int = 3  # of the variational mixture
    tuning_starts: int = 12  # repeats for each value that is tried
    large: int = 1000  # rows beyond which there are fewer repeats of our search and in tuning:
    large_starts: int = 10
    large_tuning_starts: int = 3
    grid: int = 16  # values of lam that are tried
    # 51, 21, 11 and 6 labels, as many as k-means has clusters in Table 4
    crime_labels: tuple = (51, 21, 11, 6)
    crime_features: int = 10
    groups: tuple = (3, 5, 10, 20, 30, 40, 50, 75, 100, 125, 150)  # Figs. 3 and 4
    data_seeds: int = 5  # synthetic sets at each point
    set_starts: int = 10  # random starts on each of them: 50 repeats in all
    slow_seeds: int = 2  # synthetic sets that the variational mixture sees
    lam_groups: tuple = (10, 30, 75, 150)  # Fig. 6
    lams: tuple = (0.05, 0.075, 0.1, 0.125, 0.15, 0.175, 0.2)
    ratios: tuple = (1, 4, 16, 64, 256)  # largest over smallest group
    tail_groups: int = 15
    smallest: int = 12
    timed_rows: tuple = (500, 1000, 2000, 4000, 8000, 16000)  # Fig. 7
    timed_size: int = 4000  # rows where something else varies
    timed_groups: tuple = (5, 10, 20, 40, 80, 150)
    timed_repeats: int = 3
    convergence: tuple = ("wine", "yeast", "satellite")
    urn_draws: int = 20_000
    merges: int = 2000
    shapes: int = 5  # sets of each shape


FULL = Settings()

QUICK = Settings(
    real=("wine", "glass", "vowel-thinned"), starts=5, slow_starts=2, tuning_starts=2,
    grid=12, large_tuning_starts=1,
    crime_labels=(6,), groups=(3, 10, 30), data_seeds=2, set_starts=2, slow_seeds=1,
    lam_groups=(10, 30), lams=(0.05, 0.125, 0.2), ratios=(1, 16), timed_rows=(500, 1000, 2000),
    timed_size=500, timed_groups=(5, 20), timed_repeats=1, convergence=("wine",),
    urn_draws=5000, merges=200, shapes=1,
)  # fmt: skip

TINY = QUICK._replace(
    real=("wine",), starts=2, slow_starts=1, tuning_starts=1, grid=4, crime_labels=(),
    groups=(3, 5), data_seeds=1, set_starts=1, lam_groups=(5,), lams=(0.05, 0.2), ratios=(1, 4),
    tail_groups=5, smallest=6, timed_rows=(100, 200),
    timed_size=100, timed_groups=(3, 5), urn_draws=400, merges=20,
)  # fmt: skip
