"""
The colours of a photograph
===========================

A palette usually needs a number of colours first, and the few pixels of a small thing do not
make it into the palette. Here only the width of a colour is told, and every group of colours
counts, however few its pixels.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.cluster import KMeans
from sklearn.datasets import load_sample_image

from pypmeans import PYPMeans

photo = load_sample_image("flower.jpg")[::4, ::4] / 255
pixels = photo.reshape(-1, 3)

# %%
# Colours of one thing vary with the light by about 0.06 in each channel (of 1). That is a
# width, so θ can be given, twice its square, and the number of colours follows.

model = PYPMeans(theta=2 * 0.06**2, tol=1e-4).fit(pixels)
told = KMeans(model.n_clusters_, n_init=1, random_state=0).fit(pixels)
print(model.n_clusters_, "colours; pixels of each:", model.cluster_sizes_.astype(int))
print("k-means, told that number:", np.sort(np.bincount(told.labels_))[::-1])

# %%
# The photograph in these colours, and the palette with its rarest colours on the right. k-means
# spends six colours on the dark background, where most pixels are, and has none for the green of
# eleven pixels of leaf.

fig, axes = plt.subplots(1, 3, figsize=(11, 3), layout="constrained")
axes[0].imshow(photo)
axes[0].set_title("the photograph")
axes[1].imshow(model.cluster_centers_[model.labels_].reshape(photo.shape))
axes[1].set_title(f"in {model.n_clusters_} colours")
palettes = np.zeros((2, model.n_clusters_, 3))
palettes[0] = model.cluster_centers_
palettes[1] = told.cluster_centers_[np.argsort(-np.bincount(told.labels_))]
axes[2].imshow(palettes, aspect="auto")
axes[2].set(
    yticks=[0, 1], yticklabels=["pypmeans", "k-means"], xticks=[], title="most pixels first"
)
for ax in axes[:2]:
    ax.axis("off")
plt.show()
