"""
Why there are as many clusters as there are
===========================================

One more cluster costs λ − θ ln c when there are c of them. It is made if it brings more than
that. On logarithmic axes this is one picture: what a cluster brings, the price, and where they
meet. The algorithm of the paper looks at the furthest row; the default looks at what a whole
cluster saves.
"""

import matplotlib.pyplot as plt

from pypmeans import PYPMeans, estimate_lambda
from pypmeans.datasets import load_demo
from pypmeans.plotting import plot_path, plot_threshold

X = load_demo().data

lam = estimate_lambda(X, 16)
paper = PYPMeans(lam, lam / 10, algorithm="paper").fit(X)
search = PYPMeans().fit(X)

fig, axes = plt.subplots(1, 2, figsize=(11, 4.5), layout="constrained")
plot_threshold(paper, X, ax=axes[0])
axes[0].set_title(f'algorithm="paper": {paper.n_clusters_} clusters')
plot_threshold(search, ax=axes[1])
axes[1].set_title(f"the default: {search.n_clusters_} clusters")

# %%
# Where the curve falls steeply just before the line, the number is clear: a somewhat larger or
# smaller λ gives the same. The default finds λ and θ by walking from one cluster to many:

plot_path(search)
print(f"{search.path_.clarity:.3f} nats per row ahead of any other number of clusters")
plt.show()
