"""
A stream with new groups
========================

Rows arrive in batches, and now and then a group that was never seen before begins.
``partial_fit`` keeps a bounded summary of everything, opens clusters as they are needed, and
keeps the ids of the old ones.
"""

import matplotlib.pyplot as plt
import numpy as np

from pypmeans import PYPMeans

rng = np.random.default_rng(0)
begins = {(0, 0): 0, (14, 2): 0, (5, 16): 8, (-12, 9): 15, (20, 18): 22}  # center: its first batch
share = dict(zip(begins, [0.7, 0.25, 0.02, 0.04, 0.015]))


def batch(number):
    rows = [
        rng.normal(center, 1.0, size=(rng.poisson(300 * share[center]), 2))
        for center, first in begins.items()
        if number >= first
    ]
    return np.vstack(rows)


# %%
# Before a batch is taken in, ``is_novel`` says which of its rows are unlike anything so far.

model, sizes, novel = PYPMeans(), [], []
for number in range(30):
    X = batch(number)
    novel.append(model.is_novel(X).sum() if number else 0)
    model.partial_fit(X)
    sizes.append(dict(zip(model.cluster_ids_.tolist(), model.cluster_sizes_)))
    new = set(sizes[-1]) - set(sizes[-2] if number else [])
    if new:
        print(f"batch {number}: new clusters {sorted(new)}, {novel[-1]} novel rows")

# %%
# Sizes so far, one line for each id, and the number of novel rows in each batch:

fig, (above, below) = plt.subplots(2, 1, sharex=True, figsize=(8, 6), layout="constrained")
for k in model.cluster_ids_:
    above.plot([size.get(k, np.nan) for size in sizes], "o-", markersize=3, label=f"cluster {k}")
above.set(yscale="log", ylabel="rows so far")
above.legend()
below.bar(range(30), novel, color="0.5")
below.set(xlabel="batch", ylabel="novel rows")
plt.show()
