"""The compiled urn: one ball after the other, each in constant time.

Randomness comes in as an array of uniform numbers, so the labels are the same with and without
compilation.
"""

import numpy as np

from pypmeans._kernels import compiled


@compiled
def draw_labels(uniforms, founding_weights, discount):
    """Labels, in order of appearance, of ``len(uniforms) + 1`` balls drawn one after the other.

    With `c` clusters, a new one weighs ``founding_weights[c - 1]`` and cluster `k` weighs its
    size minus `discount`.
    """
    n_samples = uniforms.shape[0] + 1
    labels = np.zeros(n_samples, dtype=np.int32)
    # A cluster's weight is split among its balls: 1 - discount for its founder, 1 for each
    # follower. Founder k belongs to cluster k, so only the followers' labels need a list, and
    # a number drawn below the total weight points straight at a ball.
    followers = np.empty(n_samples, dtype=np.int32)
    n_clusters = 1
    n_followers = 0
    for i in range(1, n_samples):
        founders_weight = n_clusters * (1.0 - discount)
        existing_weight = founders_weight + n_followers
        position = uniforms[i - 1] * (existing_weight + founding_weights[n_clusters - 1])
        if position >= existing_weight:
            labels[i] = n_clusters
            n_clusters += 1
            continue
        # Rounding must not point past the end of either list.
        if position < founders_weight:
            labels[i] = min(int(position / (1.0 - discount)), n_clusters - 1)
        else:
            labels[i] = followers[max(0, min(int(position - founders_weight), n_followers - 1))]
        followers[n_followers] = labels[i]
        n_followers += 1
    return labels
