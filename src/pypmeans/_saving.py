"""Fitted models in files: with skops, never pickle, and nothing but the types that are needed."""

import io
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zipfile import ZIP_STORED, ZipFile

import numpy as np

from pypmeans._estimators import PYPMeans
from pypmeans._validation import require
from pypmeans._writing import whole_file

FORMAT = "pypmeans model"
VERSION = 1
MOST_SCHEMA_BYTES = 64 << 20
PLAIN = {  # module, class and loader of everything a model file may be made of
    ("builtins", "dict", "DictNode"), ("builtins", "list", "ListNode"),
    ("builtins", "tuple", "TupleNode"), ("builtins", "str", "JsonNode"),
    ("builtins", "str", "TypeNode"), ("numpy", "ndarray", "NdArrayNode"),
    ("numpy", "float64", "NdArrayNode"), ("numpy", "int64", "NdArrayNode"),
    ("pypmeans._estimators", "PYPMeans", "ObjectNode"),
    ("sklearn.preprocessing._data", "MinMaxScaler", "ObjectNode"),
    ("sklearn.preprocessing._data", "StandardScaler", "ObjectNode"),
    ("sklearn.preprocessing._data", "Normalizer", "ObjectNode"),
}  # fmt: skip
OF_CLUSTERS = ("cluster_centers_", "cluster_sizes_", "_offsets")
OF_THE_FIT = ("lam_", "theta_", "inertia_", "objective_", "objective_history_", "n_iter_")


class ModelError(ValueError):
    """A file is no model, or not one that can be trusted; the message names it."""


@dataclass(frozen=True)
class SavedModel:
    """A fitted model and what its rows must look like.

    Attributes
    ----------
    model : PYPMeans
        The fitted model, without `labels_` and `path_`: they belong to the rows of the fit.
    columns : list of str
        The names of the features, in order.
    scaler : scaler of scikit-learn or None
        How the features were scaled.
    fill_values : ndarray of shape (n_features,) or None
        What stood for missing values.
    """

    model: Any
    columns: list
    scaler: Any = None
    fill_values: Any = None


def save_model(path, saved, *, overwrite=False):
    """Write a model to a file, whole or not at all. Needs ``pip install "pypmeans[cli]"``.

    Parameters
    ----------
    path : str or path
        Where to.
    saved : SavedModel
        The model, its columns and its scaling. Not one that `partial_fit` has updated.
    overwrite : bool, default=False
        Whether an existing file may be replaced.
    """
    skops = require("skops.io", extra="cli", caller="save_model")
    fill = None if saved.fill_values is None else np.asarray(saved.fill_values)
    content = {
        "format": FORMAT, "version": VERSION, "model": _essence(saved.model),
        "columns": list(saved.columns), "scaler": saved.scaler, "fill_values": fill,
    }  # fmt: skip
    with whole_file(path, overwrite=overwrite) as draft:
        draft.write_bytes(skops.dumps(content))


def load_model(path):
    """Read a model that `save_model` wrote.

    Every type in the file and the size of every array is looked at before anything is made of it;
    whatever a model does not need is refused.

    Parameters
    ----------
    path : str or path
        The file.

    Returns
    -------
    saved : SavedModel

    Raises
    ------
    ModelError
        If the file is damaged, of another kind or holds anything else.
    """
    skops = require("skops.io", extra="cli", caller="load_model")
    path = Path(path)
    if not path.is_file():
        raise ModelError(f"{path} does not exist or is no file. Check the name and the folder.")
    try:
        content = path.read_bytes()  # once: what is inspected is what is loaded
        _inspect(content)
        return _checked(skops.loads(content, trusted=[f"{PYPMeans.__module__}.PYPMeans"]))
    except Exception as error:  # a damaged file makes readers raise almost anything
        reason = " ".join(str(error).split())[:200].rstrip(".") or type(error).__name__
        raise ModelError(
            f"{path} is no model of this program, or is damaged: {reason}. "
            "Fit again and save the model."
        ) from error


def _essence(model):
    """A copy with what `predict` needs, and nothing that belongs to the rows of the fit."""
    if getattr(model, "_stream", None) is not None:
        raise ValueError(
            "A model that partial_fit has updated cannot be saved: its labels follow the stream. "
            "Save one that was fitted at once."
        )
    params = model.get_params()
    if not isinstance(params.get("random_state"), int | None):
        params["random_state"] = None
    copy = PYPMeans(**{"theta": 0.0} | params)  # what has no theta is DPMeans
    for name in OF_CLUSTERS:
        setattr(copy, name, np.array(getattr(model, name), dtype=np.float64, order="C"))
    for name in OF_THE_FIT:
        value = getattr(model, name)
        setattr(copy, name, value if isinstance(value, np.ndarray) else float(value))
    copy.n_iter_ = int(model.n_iter_)
    copy.n_clusters_, copy.n_features_in_ = map(int, copy.cluster_centers_.shape)
    copy.cluster_ids_, copy.merged_into_ = np.arange(copy.n_clusters_), {}
    copy._stream = None
    found = getattr(model, "_found", None)
    copy._found, copy._found_by = None if found is None else float(found), model.algorithm
    return copy


def _inspect(content):
    """Refuse a file with any type, or any array, that a model does not have."""
    with ZipFile(io.BytesIO(content)) as archive:
        sizes = {info.filename: info.file_size for info in archive.infolist()}
        if any(info.compress_type != ZIP_STORED for info in archive.infolist()):
            raise ValueError("it holds compressed parts")
        if sizes["schema.json"] > MOST_SCHEMA_BYTES:
            raise ValueError("its table of contents is too large")
        for node in _nodes(json.loads(archive.read("schema.json"))):
            _inspect_node(node, archive, sizes)


def _nodes(schema):
    """Everything in a schema that says what is to be made of it."""
    waiting = [schema]
    while waiting:
        each = waiting.pop()
        if isinstance(each, dict):
            if "__loader__" in each or "__class__" in each:
                yield each
            waiting.extend(each.values())
        elif isinstance(each, list):
            waiting.extend(each)


def _inspect_node(node, archive, sizes):
    kind = (node.get("__module__"), node.get("__class__"), node.get("__loader__"))
    if kind not in PLAIN:
        raise ValueError(f"it holds {kind[0]}.{kind[1]}, which no model needs")
    if kind[2] == "NdArrayNode":
        if node.get("type") != "numpy":
            raise ValueError("it holds an array of objects")
        _inspect_array(archive, node["file"], sizes[node["file"]])


def _inspect_array(archive, name, size):
    """Refuse an array that claims to be larger than its bytes, before room is made for it."""
    with archive.open(name) as file:
        major, _ = np.lib.format.read_magic(file)
        readers = {1: np.lib.format.read_array_header_1_0, 2: np.lib.format.read_array_header_2_0}
        shape, _, dtype = readers[major](file)
        count = 1
        for length in shape:  # whole numbers of any size, so that no product wraps around
            count *= int(length)
        if dtype.kind not in "biuf" or file.tell() + count * dtype.itemsize != size:
            raise ValueError(f"an array of {count} {dtype} is not of that size")


def _checked(content):
    """The model, if all its parts fit together: compiled code relies on their shapes."""
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise ValueError("it holds something else")
    if content["version"] != VERSION:
        raise ValueError(f"version {content['version']!r} of the format is not known here")
    model, columns = content["model"], content["columns"]
    if type(model) is not PYPMeans or not all(isinstance(name, str) for name in columns):
        raise ValueError("the model or its columns are of another kind")
    model._validate_params()
    model = _essence(model)
    _check_shapes(model, columns)
    fill = content["fill_values"]
    _check_numbers("fill_values", fill, (len(columns),), optional=True)
    scaler = content["scaler"]
    for name in ("scale_", "min_", "mean_"):
        _check_numbers(name, getattr(scaler, name, None), (len(columns),), optional=True)
    if scaler is not None:
        width = scaler.transform(np.zeros((1, len(columns)))).shape[1]
        if width != len(columns):
            raise ValueError("the scaling is for other columns")
    return SavedModel(model, list(columns), scaler, fill)


def _check_shapes(model, columns):
    c, p = model.cluster_centers_.shape
    if c == 0 or len(columns) != p:
        raise ValueError(f"{c} centers of {p} features do not fit {len(columns)} columns")
    _check_numbers("cluster_centers_", model.cluster_centers_, (c, p))
    _check_numbers("_offsets", model._offsets, (c,))
    _check_numbers("cluster_sizes_", model.cluster_sizes_, (c,))
    if not (model.lam_ >= 0 and model.theta_ >= 0 and (model.cluster_sizes_ > 0).all()):
        raise ValueError("lam_, theta_ or cluster_sizes_ cannot be")


def _check_numbers(name, values, shape, *, optional=False):
    if values is None and optional:
        return
    if not isinstance(values, np.ndarray) or values.shape != shape:
        raise ValueError(f"{name} is not of shape {shape}")
    if values.dtype.kind != "f" or not np.isfinite(values).all():
        raise ValueError(f"{name} holds what is no finite number")
