"""The numbers printed in the paper.

X. Fan, Y. Zeng, L. Cao (2013), "Non-parametric power-law data clustering", arXiv:1306.3003,
Tables 2, 3 and 4. ACC is in percent there and here; C.N. is the number of clusters found.
"""

from typing import NamedTuple

from paper.methods import DP, KMEANS, MIXTURE, PYP

METHODS = PYP, DP, KMEANS, MIXTURE


class Printed(NamedTuple):
    """NMI, ACC and C.N. of a method."""

    nmi: float
    acc: float
    count: float


# size, dimension, clusters, exponent
TABLE_2 = {
    "wine": (178, 13, 3, "6.02"),
    "satellite": (6435, 36, 7, "3.15"),
    "statlog": (2310, 19, 7, "∞"),
    "yeast": (1484, 8, 10, "1.38"),
    "vowel": (349, 10, 11, "1.33"),
    "shape": (160, 17, 9, "1.49"),
    "pendigits": (7494, 16, 10, "1.63"),
    "page-blocks": (5473, 11, 5, "1.49"),
    "glass": (214, 9, 6, "1.94"),
}

# pyp-means, dp-means, k-means, variational learning
TABLE_3 = {
    "wine": ((0.8126, 82.04, 2.90), (0.7815, 80.12, 2.82), (0.8349, 94.94, 3), (0.4288, 62.92, 3)),
    "satellite": (
        (0.5953, 66.74, 5.96), (0.5683, 66.58, 5.26), (0.6125, 67.19, 6), (0.3122, 34.93, 4)
    ),
    "statlog": (
        (0.6537, 55.69, 6.82), (0.6570, 55.97, 6.62), (0.6128, 59.91, 7), (0.4823, 31.17, 6)
    ),
    "yeast": (
        (0.2476, 41.3329, 9), (0.1768, 36.2278, 6.04), (0.2711, 36.8706, 10), (0.1063, 33.6927, 8)
    ),
    "vowel": (
        (0.4479, 28.9914, 11.90), (0.4125, 27.5645, 9.04), (0.4357, 29.5645, 11),
        (0.3938, 31.2321, 11),
    ),
    "shape": (
        (0.7405, 64.00, 15.90), (0.7204, 61.36, 14.90), (0.6593, 63.05, 9), (0.4279, 32.50, 9)
    ),
    "pendigits": (
        (0.6903, 66.86, 10.76), (0.6622, 64.65, 8.88), (0.6834, 69.96, 10), (0.7024, 62.57, 10)
    ),
    "page-blocks": (
        (0.1817, 67.70, 6.02), (0.1807, 66.90, 5.32), (0.1484, 44.23, 5), (0.2622, 73.91, 5)
    ),
    "glass": (
        (0.3875, 49.50, 5.94), (0.3784, 48.37, 5.00), (0.3077, 42.88, 6), (0.2865, 45.37, 6)
    ),
}  # fmt: skip

# by the number of labels, which the paper does not print: k-means has as many clusters
TABLE_4 = {
    51: ((0.2291, 11.10, 53.8), (0.2075, 12.14, 34.9), (0.2284, 9.92, 51), (0.0862, 10.34, 13)),
    21: ((0.1794, 16.52, 23.5), (0.1680, 22.23, 10.6), (0.1721, 15.27, 21), (0.0639, 18.66, 11)),
    11: ((0.1800, 24.30, 11.7), (0.1715, 27.17, 7.7), (0.1746, 22.60, 11), (0.0896, 34.32, 9)),
    6: ((0.1737, 40.06, 5.7), (0.1536, 48.13, 3.6), (0.1706, 35.33, 6), (0.1119, 59.46, 6)),
}


def printed(data, method):
    """What the paper prints for a set and a method, or None.

    Thinned sets stand for those of the paper, which had rows removed; the full ones do not.
    """
    if method not in METHODS:
        return None
    if data.startswith("crime "):
        lines = TABLE_4.get(int(data.split()[1]))
    else:
        lines = TABLE_3.get(paper_name(data))
    return Printed(*lines[METHODS.index(method)]) if lines else None


def paper_name(data):
    """The set of the paper for which ours stands, or None."""
    return {"vowel": None, "pendigits": None}.get(data, data.removesuffix("-thinned"))
