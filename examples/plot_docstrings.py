"""
Topics of the standard library
==============================

The docstrings of functions and classes in Python's standard library, as TF-IDF, reduced by an
SVD and scaled to unit length so that distances are angles. There are many topics, some of twenty
texts and some of four; nobody could have said how many.
"""

import importlib
import inspect

import matplotlib.pyplot as plt
import numpy as np
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer

from pypmeans import PYPMeans
from pypmeans.plotting import plot_rank_size

MODULES = (
    "argparse asyncio calendar collections configparser csv datetime decimal difflib "
    "email.message fractions ftplib gzip heapq html.parser http.client imaplib inspect "
    "ipaddress itertools json locale logging math multiprocessing operator os pathlib pickle "
    "platform random re shutil smtplib socket sqlite3 ssl statistics string subprocess "
    "tarfile tempfile textwrap threading tokenize unittest.mock urllib.request uuid "
    "wave xml.dom.minidom zipfile"
)


def docstrings(module_name):
    module = importlib.import_module(module_name)
    for name, thing in inspect.getmembers(module):
        if not name.startswith("_") and (inspect.isroutine(thing) or inspect.isclass(thing)):
            text = inspect.getdoc(thing) or ""
            if len(text.split()) >= 8:
                yield f"{module_name}.{name}", text


# Several modules may offer the same thing; its text counts once.
named = {text: name for module in MODULES.split() for name, text in docstrings(module)}
texts, names = list(named), np.array(list(named.values()))
print(len(texts), "docstrings")

# %%
# Twenty directions, unit rows, and nothing told about the number of topics. Texts overlap, and
# the fit says that it left some moves untried:

vectors = make_pipeline(
    TfidfVectorizer(stop_words="english", sublinear_tf=True, min_df=2),
    TruncatedSVD(20, random_state=0),
    Normalizer(),
)
X = vectors.fit_transform(texts)
model = PYPMeans().fit(X)

# %%
# The words with the largest weight in each center say what a cluster is about. The first four
# and the last eight of those with more than three members:

words = vectors[0].get_feature_names_out()
in_words = model.cluster_centers_ @ vectors[1].components_
shown = np.flatnonzero(model.cluster_sizes_ > 3)
print(f"{model.n_clusters_} topics; some of them:")
for k in [*shown[:4], *shown[-8:]]:
    best = ", ".join(words[np.argsort(-in_words[k])[:5]])
    typical = names[np.argmin(np.linalg.norm(X - model.cluster_centers_[k], axis=1))]
    print(f"{model.cluster_sizes_[k]:4.0f}  {best}   (for example {typical})")

# %%
# Their sizes by rank, on logarithmic axes:

plot_rank_size(model.cluster_sizes_)
plt.show()
