"""
Rare groups in real data
========================

Handwritten digits, 8 × 8 pixels: all zeros and fours, and only a handful of sixes and sevens,
as rare kinds are in real tables. Are the rare ones found by someone who does not know of them?
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.metrics import adjusted_mutual_info_score

from pypmeans import PYPMeans

digits = load_digits()
kept = {0: 178, 4: 181, 6: 12, 7: 8}
rows = np.concatenate([np.flatnonzero(digits.target == d)[:n] for d, n in kept.items()])
truth, images = digits.target[rows], digits.images[rows]

# %%
# Sixty-four pixels are too many for groups of ten rows. Ten principal components hold most of
# what differs; their units are those of the pixels, so nothing else needs scaling.

X = PCA(10, random_state=0).fit_transform(digits.data[rows])

model = PYPMeans().fit(X)
methods = {"pypmeans": model}
for n_clusters in (len(kept), model.n_clusters_):
    methods[f"k-means, told {n_clusters}"] = KMeans(n_clusters, n_init=10, random_state=0).fit(X)
for name, method in methods.items():
    labels = method.labels_
    print(f"{name}: AMI {adjusted_mutual_info_score(truth, labels):.2f}")
    for k in range(labels.max() + 1):
        members, counts = np.unique(truth[labels == k], return_counts=True)
        print("   ", ", ".join(f"{n} times {d}" for d, n in zip(members, counts)))

# %%
# The sixes are a cluster of their own, and the sevens come together in a small one with eight fours
# that resemble them. The other fours fall into several ways of writing, each a group in space
# though all have one name: what people call a class need not be one cluster. k-means that is told
# the number of digits puts both rare ones in with many others; told as many clusters as were
# found here, it keeps the sixes and scatters the sevens.
#
# The mean image of each cluster of pypmeans, the rarest last:

fig, axes = plt.subplots(1, model.n_clusters_, figsize=(2 * model.n_clusters_, 2.4))
for k, ax in enumerate(np.atleast_1d(axes)):
    ax.imshow(images[model.labels_ == k].mean(axis=0), cmap="gray_r")
    ax.set_title(f"{model.cluster_sizes_[k]:.0f} rows")
    ax.axis("off")
plt.show()
