"""Fitted classifiers as JSON: a file of rules with an additional key, "model".

::

    {
      "format": "irenic rules", "version": 1, "space": […], "rules": […], "default": "benign",
      "model": {
        "version": 1,
        "class": "RuleSetClassifier",
        "parameters": {"max_rules": null, …},
        "labels": ["benign", "malignant"], "label_type": "<U9", "answers": "labels",
        "n_features_in": 30, "feature_names_in": null,
        "hierarchy": null,
        "shape": [569, 2, 30],
        "overall": [0.37, 0.63],
        "chosen": 1,
        "estimate": [0.93, 0.88, 0.98],
        "regions": [{"if": …, "then": 0}, …],
        "front": [
          {"rules": […], "default": …, "training_score": …, "support": […], "mix": […], …},
          {"training_score": …, "support": […], "mix": […], …}
        ]
      }
    }

If "by_name", tables to predict may have more columns, in any order.
"ranks" are the places of the labels, if y had an order and predictions must increase or decrease,
and "orders" the values of ordered categories that they increase or decrease with.
"regions" are those of probability; rule sets then have "region_rows", "region_probabilities" and,
if predictions were raised to the highest probability, "region_raised_from".
"default_regions" are regions that only the default of a rule set decides, with their statistics.
The rules of the chosen point of the front are those of the file. Numbers read back bit for bit, so
a model that was read predicts exactly what the original predicts.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from functools import partial
from importlib import import_module
from numbers import Integral
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from irenic.arrays import Floats, Ints
from irenic.errors import FormatError
from irenic.formats.json import rules as json_rules
from irenic.formats.json.rules import as_float, check_keys, decode_value, encode_value, line, short
from irenic.model.features import Categorical
from irenic.model.head import Head
from irenic.model.literals import Probabilities, plain
from irenic.model.rulelist import RuleList

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from irenic.learn import DefaultRegions, FrontPoint, Hierarchy, ProbabilityTable, RuleClassifier
    from irenic.learn.front import ColumnFigures
    from irenic.model.ruleset import RuleSet
    from irenic.model.space import Space

VERSION: Final = 1
_FORMS: Final = ("labels", "matrix", "sets")
_SCORES: Final = ("training_score", "validated_score", "explanation_size", "penalty", "coverage")
_COUNTS: Final = (
    "support",
    "confidence",
    "intervals",
    "training_confidence",
    "mix",
    "frequencies",
)
_KEYS: Final = (
    "version",
    "class",
    "parameters",
    "labels",
    "label_type",
    "answers",
    "n_features_in",
    "feature_names_in",
    "hierarchy",
    "shape",
    "overall",
    "chosen",
    "estimate",
    "front",
)
_TABLE_KEYS: Final = ("region_rows", "region_probabilities")
_COLUMN_KEYS: Final = ("importance", "low", "high", "missing", "other", "whole")
_POINT_KEYS: Final = (
    *("rules", "default", "threshold", "member", "kept", "n_rows", "columns", "default_regions"),
    *(*_SCORES, *_COUNTS, *_TABLE_KEYS, "region_raised_from"),
)
_DEFAULT_KEYS: Final = ("if", "support", "confidence", "intervals", "training_confidence")
# Parameters that hold what users know; those of the first kind are not repeated in the file.
_NOT_WRITTEN: Final = ("hierarchy", "space")
# The classifiers that can be written, and where they are.
_CLASSIFIERS: Final = {
    "RuleSetClassifier": "irenic.learn",
    "MichiganClassifier": "irenic.systems",
    "PittsburghClassifier": "irenic.systems",
}
_LISTED: Final = ("never", "always", "monotonic_cst", "forbidden", "ordered")
# The kinds of arrays of labels: text, integers, numbers, booleans and objects.
_LABEL_KINDS: Final = "UiufbO"


def is_model(value: object) -> bool:
    """Return whether a value is a classifier that can be written."""
    return _class_of(value) is not None


def _class_of(value: object) -> str | None:
    """Return the name of the classifier that a value is, or that it derives from."""
    kinds = ((kind.__name__, f"{kind.__module__}.") for kind in type(value).__mro__)
    return next((name for name, own in kinds if own.startswith(f"{_CLASSIFIERS.get(name)}.")), None)


# --- writing


def dumps(model: Any) -> str:
    """Return a fitted classifier as JSON."""
    from sklearn.utils.validation import check_is_fitted

    check_is_fitted(model)
    front = model.pareto_front_
    chosen = next(i for i, point in enumerate(front) if point is model.chosen_)
    names = getattr(model, "feature_names_in_", None)
    head = {
        "version": VERSION,
        "class": _class_of(model),
        "parameters": _encode_parameters(model),
        "labels": _encode_labels(model.classes_),
        "label_type": _label_type(model.classes_),
        "answers": model._answers.form,
        "n_features_in": model.n_features_in_,
        "feature_names_in": None if names is None else [str(name) for name in names],
        "hierarchy": _encode_hierarchy(model.hierarchy_),
        "shape": list(model._shape),
        "overall": model.chosen_.counts.overall.tolist(),
        "chosen": chosen,
        "estimate": model.estimate_ and [_number(value) for value in model.estimate_],
    }
    if model.knowledge_.monotonic_cst is not None and model._ranks is not None:
        head["ranks"] = model._ranks.tolist()
        if model._orders:
            head["orders"] = {
                name: [encode_value(value) for value in values]
                for name, values in model._orders.items()
            }
    if model._by_name:
        head["by_name"] = True
    if (table := model.chosen_.probabilities) is not None:
        head["regions"] = json_rules.encode_rules(table.regions)
    points = [_encode_point(point, own=i == chosen) for i, point in enumerate(front)]
    parts = [f"{line(key)}: {line(value)}" for key, value in head.items()]
    parts.append('"front": [\n      ' + ",\n      ".join(map(line, points)) + "\n    ]")
    inner = "{\n    " + ",\n    ".join(parts) + "\n  }"
    return json_rules.assemble([*json_rules.parts(model.rules_), f'"model": {inner}'])


def _encode_parameters(model: RuleClassifier) -> dict[str, Any]:
    given = model.get_params(deep=False)
    groups = {name: getattr(model, f"{name}_").given() for name in model._groups if given[name]}
    return {
        name: _encode_group(groups[name], model)
        if name in groups
        else _encode_parameter(name, value, model)
        for name, value in given.items()
        if name not in _NOT_WRITTEN
    }


def _encode_group(given: Mapping[str, Any], model: RuleClassifier) -> dict[str, Any]:
    """Return the parameters of a group that differ from their defaults."""
    return {
        name: _encode_parameter(name, value, model)
        for name, value in given.items()
        if name not in _NOT_WRITTEN
    }


def _encode_parameter(name: str, value: Any, model: RuleClassifier) -> Any:
    value = plain(value)
    if value is None:
        return None
    if name in _LISTED:
        value = _as_listed(value, model.space_.names)
    elif name == "rules":
        value = model._kept_text
    elif name == "cost":
        value = _as_matrix(value, model.classes_.tolist())
    elif name == "scoring" and callable(value):
        value = _scorer_name(value)
    if name == "random_state" and not isinstance(value, int):
        return None  # a used generator would not repeat the fit
    if name == "class_weight" and isinstance(value, dict):
        return [[encode_value(plain(label)), float(weight)] for label, weight in value.items()]
    if not isinstance(value, str | int | float | list | dict | None):
        raise FormatError(f"the parameter {name}={value!r} cannot be written as JSON")
    return value


def _scorer_name(scorer: Any) -> str:
    """Return the name of a scorer of scikit-learn."""
    from sklearn.metrics import get_scorer, get_scorer_names

    for name in get_scorer_names():
        if repr(get_scorer(name)) == repr(scorer):
            return str(name)
    raise FormatError(
        "scoring must be the name of a scorer of scikit-learn to be written as JSON, got"
        f" {scorer!r}; pickle or skops keeps such a model, and irenic.write(clf.rules_, path) its"
        " rules"
    )


def _as_listed(value: Any, names: Sequence[str]) -> Any:
    """Return names, numbers and texts as JSON has them, with the name of a column as a key."""
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        return {
            names[int(key)] if isinstance(key, Integral) else str(key): _as_listed(item, names)
            for key, item in value.items()
        }
    if isinstance(value, np.ndarray | list | tuple):
        return [_as_listed(item, names) for item in value]
    return plain(value)


def _as_matrix(cost: Any, labels: list[Any]) -> list[list[float]]:
    """Return costs as a list per true label."""
    if not isinstance(cost, Mapping):
        return [[float(number) for number in row] for row in cost]
    return [
        [float(cost.get(true, {}).get(predicted, true != predicted)) for predicted in labels]
        for true in labels
    ]


def _encode_labels(labels: npt.NDArray[Any]) -> list[Any]:
    try:
        return [encode_value(plain(label)) for label in labels.tolist()]
    except FormatError as error:
        raise FormatError(f"the labels: {error.message}") from None


def _label_type(labels: npt.NDArray[Any]) -> str:
    if labels.dtype.kind not in _LABEL_KINDS:
        raise FormatError(
            f"labels must be text, numbers or booleans to be written, got type {labels.dtype}"
        )
    return labels.dtype.str


def _encode_hierarchy(hierarchy: Hierarchy | None) -> dict[str, Any] | None:
    if hierarchy is None:
        return None
    places = hierarchy.index
    return {
        "labels": [encode_value(label) for label in hierarchy.labels],
        "edges": [
            [places[parent], child]
            for child, label in enumerate(hierarchy.labels)
            for parent in hierarchy.parents(label)
        ],
    }


def _encode_point(point: FrontPoint, *, own: bool) -> dict[str, Any]:
    entry: dict[str, Any] = {}
    if not own:
        entry["rules"] = json_rules.encode_rules(point.rule_set)
        if point.rule_set.default is not None:
            entry["default"] = encode_value(point.rule_set.default)
    entry |= {score: _number(getattr(point, score)) for score in _SCORES}
    if point.threshold is not None:
        entry["threshold"] = point.threshold
    if point.member is not None:
        entry["member"] = point.member
    if point.n_kept:
        entry["kept"] = point.n_kept
    counts = point.counts
    entry["support"] = counts.support.tolist()
    entry["confidence"] = [_number(share) for share in counts.confidence.tolist()]
    entry["intervals"] = [[_number(end) for end in ends] for ends in counts.intervals.tolist()]
    entry["training_confidence"] = [_number(c) for c in counts.training_confidence.tolist()]
    entry["mix"] = counts.mix.tolist()
    entry["frequencies"] = counts.frequencies.tolist()
    if point.n_rows is not None:
        entry["n_rows"] = point.n_rows
    if point.columns is not None:
        entry["columns"] = {name: asdict(figures) for name, figures in point.columns.items()}
    if point.default_regions is not None:
        entry["default_regions"] = _encode_default_regions(point.default_regions)
    if (table := point.probabilities) is not None:
        entry["region_rows"] = table.rows.tolist()
        entry["region_probabilities"] = table.probabilities.tolist()
        if table.raised_from is not None:
            before = table.raised_from.tolist()
            entry["region_raised_from"] = [[_number(value) for value in row] for row in before]
    return entry


def _encode_default_regions(regions: DefaultRegions) -> dict[str, Any]:
    return {
        "if": [rule["if"] for rule in json_rules.encode_rules(regions.rules)],
        "support": regions.support.tolist(),
        "confidence": [_number(share) for share in regions.confidence.tolist()],
        "intervals": [[_number(end) for end in ends] for ends in regions.intervals.tolist()],
        "training_confidence": [_number(c) for c in regions.training_confidence.tolist()],
    }


def _number(value: float) -> float | None:
    return None if math.isnan(value) else float(value)


# --- reading


def decode(data: Any, rules: RuleSet | RuleList) -> RuleClassifier:
    """Return the fitted classifier, given the data of "model" and the rules of the file."""
    if isinstance(rules, RuleList):
        raise FormatError('the rules of a model must not be "ordered"')
    try:
        return _model(data, rules)
    except FormatError as error:
        raise FormatError(f'"model": {error.message}') from None


def _model(data: Any, rules: RuleSet) -> RuleClassifier:
    if not isinstance(data, dict):
        raise FormatError(f"the model must be an object, got {short(data)}")
    version = data.get("version")
    if version != VERSION or isinstance(version, bool):
        raise FormatError(
            f'"version" must be {VERSION}, got {short(version)}; read the file with the version of'
            " irenic that wrote it, or a newer one"
        )
    check_keys(data, (*_KEYS, "ranks", "orders", "regions", "by_name"), "the model")
    for key in _KEYS:
        if key not in data:
            raise FormatError(f'"{key}" is missing; was the file cut off or edited by hand?')
    from irenic.learn.answers import Answers

    name = data["class"]
    if not isinstance(name, str) or name not in _CLASSIFIERS:
        raise FormatError(f'"class" must be one of {", ".join(_CLASSIFIERS)}, got {short(name)}')

    model = _parameters(getattr(import_module(_CLASSIFIERS[name]), name), data["parameters"])
    hierarchy = _at("hierarchy", _hierarchy, data["hierarchy"])
    model.hierarchy = model.hierarchy_ = hierarchy
    model.classes_ = _labels(data["labels"], data["label_type"])
    if data["answers"] not in _FORMS:
        raise FormatError(
            f'"answers" must be one of {", ".join(_FORMS)}, got {short(data["answers"])}'
        )
    if (data["answers"] == "labels") != (hierarchy is None and not _has_sets(rules)):
        raise FormatError(
            f'"answers" must fit the predictions of the rules, got {short(data["answers"])}'
        )
    model._answers = Answers(model.classes_, data["answers"], hierarchy)
    model.stopped_by_ = None
    model.space_ = rules.space
    model.n_features_in_ = _index("n_features_in", data["n_features_in"])
    if model.n_features_in_ != len(rules.space):
        raise FormatError(
            f'"n_features_in" must be {len(rules.space)}, the size of the space, got'
            f" {short(model.n_features_in_)}"
        )
    names = data["feature_names_in"]
    if names is not None:
        if names != list(rules.space.names):
            raise FormatError(
                f'"feature_names_in" must be null or the names of the space, got {short(names)}'
            )
        model.feature_names_in_ = np.array(names, dtype=object)
    if not isinstance(by_name := data.get("by_name", False), bool):
        raise FormatError(f'"by_name" must be true or false, got {short(by_name)}')
    model._by_name = by_name
    shape = data["shape"]
    if not isinstance(shape, list) or len(shape) != 3:
        raise FormatError(
            f'"shape" must be a list of three numbers (rows, labels, features), got {short(shape)}'
        )
    rows, labels, features = (_index("shape", number) for number in shape)
    model._shape = rows, labels, features
    model._kept_text = model.knowledge_.rules
    if "ranks" in data:
        model._ranks = _ranks(data["ranks"], len(model.classes_))
    if "orders" in data:
        model._orders = _orders(data["orders"], rules.space)
    overall = _floats("overall", data["overall"], (len(model.classes_),), minimum=0.0)
    _use_front(model, data, rules, overall)
    return model


def _ranks(listed: Any, n_labels: int) -> Ints:
    """Return the place of each label in the order of predictions."""
    if not isinstance(listed, list) or len(listed) != n_labels:
        raise FormatError(f'"ranks" must be a list of {n_labels} numbers, got {short(listed)}')
    ranks = [_index("ranks", rank) for rank in listed]
    if len(set(ranks)) < n_labels:
        raise FormatError(f'"ranks" must be distinct numbers, got {short(listed)}')
    return np.array(ranks, dtype=np.int64)


def _orders(data: Any, space: Space) -> dict[str, tuple[Any, ...]]:
    """Return the values of ordered categories that predictions increase or decrease with."""
    if not isinstance(data, dict) or not all(isinstance(each, list) for each in data.values()):
        raise FormatError(f'"orders" must be lists of values by name, got {short(data)}')
    orders = {}
    for name, listed in data.items():
        if name not in space or not isinstance(feature := space[name], Categorical):
            raise FormatError(f'"orders" must name categories of the space, got {short(name)}')
        values = tuple(_at("orders", decode_value, value) for value in listed)
        known = feature.other or feature.codes.keys() >= set(values)
        if len(set(values)) < len(values) or not known:
            raise FormatError(f'"orders" must list values of {name!r} once, got {short(listed)}')
        orders[name] = values
    return orders


def _use_front(
    model: RuleClassifier, data: Mapping[str, Any], rules: RuleSet, overall: npt.NDArray[Any]
) -> None:
    from irenic.learn import Estimate, Front

    front, chosen = data["front"], _index("chosen", data["chosen"])
    if not isinstance(front, list) or not front:
        raise FormatError(f'"front" must be a nonempty list of rule sets, got {short(front)}')
    if chosen >= len(front):
        raise FormatError(
            f'"chosen" must be less than {len(front)}, the number of rule sets in the front, got'
            f" {short(chosen)}"
        )
    regions = _at("regions", _regions, (data.get("regions"), rules.space))
    known = set(model.classes_.tolist())
    # only RuleSetClassifier chooses by penalty
    unknown = ("validated_score", "penalty")[: 1 if data["class"] == "RuleSetClassifier" else 2]
    points = []
    for i, entry in enumerate(front):
        try:
            own = rules if i == chosen else None
            point = _point(entry, rules.space, own, overall, unknown)
            if regions is not None:
                point = replace(point, probabilities=_table(entry, regions, model))
            if getattr(model, "consequents", "labels") == "probabilities":
                _check_probabilities(point, model)
            else:
                _check_predictions(point.rule_set, known, data["answers"])
        except FormatError as error:
            raise FormatError(f'"front", rule set {i + 1}: {error.message}') from None
        points.append(point)
    model.pareto_front_ = Front(points)
    model._use(points[chosen])
    if data["estimate"] is not None:
        model.estimate_ = Estimate(
            *_floats("estimate", data["estimate"], (3,), missing=True).tolist()
        )


def _regions(listed: tuple[Any, Space]) -> RuleSet | None:
    """Return the regions of probability; each has its index as consequent."""
    if listed[0] is None:
        return None
    regions = json_rules.decode_rules({"rules": listed[0]}, listed[1])
    if regions.thens != list(range(len(regions))) or not len(regions):
        raise FormatError(f"regions must have the consequents 0, 1, …, got {short(listed[0])}")
    if len(conflicts := regions.conflicts(limit=1)):
        raise FormatError(f"regions must not overlap, got {conflicts[0]}")
    return regions


def _table(entry: Mapping[str, Any], regions: RuleSet, model: RuleClassifier) -> ProbabilityTable:
    """Return the probabilities of a rule set in the regions of its front."""
    from irenic.learn import ProbabilityTable

    for key in _TABLE_KEYS:
        if key not in entry:
            raise FormatError(f'"{key}" is missing; a model with "regions" needs it')
    labels = tuple(model.classes_.tolist())
    n = len(labels) + (model.default == "abstain")
    shape = n, len(regions) + 1
    rows = _floats("region_rows", entry["region_rows"], shape, minimum=0.0)
    likely = _floats(
        "region_probabilities",
        entry["region_probabilities"],
        (*shape, len(labels)),
        minimum=0.0,
        maximum=1.0,
    )
    key, before = "region_raised_from", None
    if key in entry:
        before = _floats(key, entry[key], shape, missing=True, minimum=0.0, maximum=1.0)
    return ProbabilityTable(labels, regions, rows, likely, before)


def _point(
    entry: Any,
    space: Space,
    own: RuleSet | None,
    overall: npt.NDArray[Any],
    unknown: Sequence[str],
) -> FrontPoint:
    from irenic.learn.front import FrontPoint, RuleCounts

    if not isinstance(entry, dict):
        raise FormatError(f"a rule set must be an object, got {short(entry)}")
    check_keys(entry, _POINT_KEYS, "the rule set")
    for key in (*_SCORES, *_COUNTS):
        if key not in entry:
            raise FormatError(f'"{key}" is missing')
    if own is not None and "rules" in entry:
        raise FormatError('the chosen rule set must not have "rules"; the file contains them')
    rules = json_rules.decode_rules(entry, space) if own is None else own
    n = len(rules) + 1
    scores = {
        score: _floats(score, [entry[score]], (1,), missing=score in unknown)[0].item()
        for score in _SCORES
    }
    counts = RuleCounts(
        mix=_floats("mix", entry["mix"], (n, len(overall)), minimum=0.0),
        support=_floats("support", entry["support"], (n,), minimum=0.0),
        confidence=_floats(
            "confidence", entry["confidence"], (n,), missing=True, minimum=0.0, maximum=1.0
        ),
        intervals=_floats(
            "intervals", entry["intervals"], (n, 2), missing=True, minimum=0.0, maximum=1.0
        ),
        training_confidence=_floats(
            "training_confidence",
            entry["training_confidence"],
            (n,),
            missing=True,
            minimum=0.0,
            maximum=1.0,
        ),
        overall=overall,
        frequencies=_floats(
            "frequencies", entry["frequencies"], (n, len(overall)), minimum=0.0, maximum=1.0
        ),
    )
    if "threshold" in entry:
        threshold = _floats("threshold", [entry["threshold"]], (1,), minimum=0.0, maximum=1.0)
        scores["threshold"] = threshold[0].item()
    kept = entry.get("kept", 0)
    if isinstance(kept, bool) or not isinstance(kept, int) or not 0 <= kept <= len(rules):
        raise FormatError(f'"kept" must be a number of rules, got {short(kept)}')
    return FrontPoint(
        rule_set=rules,
        n_rules=len(rules),
        n_conditions=rules.n_conditions,
        counts=counts,
        n_kept=kept,
        member=_index("member", entry["member"]) if "member" in entry else None,
        n_rows=_index("n_rows", entry["n_rows"]) if "n_rows" in entry else None,
        columns=_columns(entry["columns"], space) if "columns" in entry else None,
        default_regions=_default_regions(entry["default_regions"], rules)
        if "default_regions" in entry
        else None,
        **scores,
    )


def _default_regions(data: Any, rules: RuleSet) -> DefaultRegions:
    """Return the regions that only the default of some rules decides."""
    from irenic.learn import DefaultRegions

    if not isinstance(data, dict) or set(data) != set(_DEFAULT_KEYS):
        raise FormatError(
            f'"default_regions" must have the keys {", ".join(_DEFAULT_KEYS)}, got {short(data)}'
        )
    if not isinstance(data["if"], list) or not data["if"] or rules.default is None:
        raise FormatError('"default_regions" must have regions, and the rule set a default')
    then = encode_value(rules.default)
    listed = [{"if": conditions, "then": then} for conditions in data["if"]]
    regions = _at(
        "default_regions",
        lambda all_: json_rules.decode_rules(all_, rules.space),
        {"rules": listed},
    )
    n = len(listed)
    if len(regions) != n:
        raise FormatError('"default_regions" must be regions that can occur')
    for rule in regions:
        if len(rivals := rules.rivals_of(rule.region, rules.default)):
            raise FormatError(
                f'"default_regions" must overlap no rule that predicts anything else, got {rule},'
                f" which overlaps rule {int(rivals[0]) + 1}"
            )
    shares = partial(_floats, missing=True, minimum=0.0, maximum=1.0)
    return DefaultRegions(
        regions,
        _floats("support", data["support"], (n,), minimum=0.0),
        shares("confidence", data["confidence"], (n,)),
        shares("intervals", data["intervals"], (n, 2)),
        shares("training_confidence", data["training_confidence"], (n,)),
    )


def _columns(data: Any, space: Space) -> dict[str, ColumnFigures]:
    """Return the figures of the columns that rules test."""
    from irenic.learn.front import ColumnFigures

    if not isinstance(data, dict):
        raise FormatError(f'"columns" must be an object, got {short(data)}')
    figures = {}
    for name, entry in data.items():
        if name not in space:
            raise FormatError(f'"columns" must name features of the space, got {short(name)}')
        if not isinstance(entry, dict) or set(entry) != set(_COLUMN_KEYS):
            raise FormatError(
                f'"columns": {name!r} must have the keys {", ".join(_COLUMN_KEYS)}, got'
                f" {short(entry)}"
            )
        importance, low, high = (
            _floats(key, [entry[key]], (1,), missing=key != "importance")[0].item()
            for key in ("importance", "low", "high")
        )
        figures[name] = ColumnFigures(
            importance,
            None if math.isnan(low) else low,
            None if math.isnan(high) else high,
            _index("missing", entry["missing"]),
            _index("other", entry["other"]),
            entry["whole"] is True,
        )
    return figures


def _parameters(kind: type[RuleClassifier], data: Any) -> RuleClassifier:
    parameters = _object("parameters", data, kind().get_params(deep=False))
    if isinstance(parameters.get("class_weight"), list | dict):
        parameters["class_weight"] = _class_weight(parameters["class_weight"])
    for name, group in kind._groups.items():
        if parameters.get(name) is not None:
            given = _object(name, parameters[name], group().get_params())
            parameters[name] = group(**given)
    model = kind(**parameters)
    try:
        model._validate_params()
        model._read_groups()
    except ValueError as error:
        raise FormatError(f'"parameters": {error}') from None
    return model


def _object(key: str, data: Any, known: Iterable[str]) -> dict[str, Any]:
    """Return a copy of parameters by name, which a file can have."""
    if not isinstance(data, dict):
        raise FormatError(f'"{key}" must be an object, got {short(data)}')
    check_keys(data, sorted({*known} - {*_NOT_WRITTEN}), f'"{key}"')
    return dict(data)


def _class_weight(pairs: Any) -> dict[Any, float]:
    if not isinstance(pairs, list) or not all(isinstance(p, list) and len(p) == 2 for p in pairs):
        raise FormatError(
            f'"class_weight" must be a list of pairs [label, weight], got {short(pairs)}'
        )
    labels = [_at("class_weight", decode_value, label) for label, _ in pairs]
    weights = _floats("class_weight", [weight for _, weight in pairs], (len(pairs),), minimum=0.0)
    return dict(zip(labels, weights.tolist(), strict=True))


def _labels(listed: Any, kind: Any) -> npt.NDArray[Any]:
    if not isinstance(listed, list) or not listed:
        raise FormatError(f'"labels" must be a nonempty list, got {short(listed)}')
    labels = [_at("labels", decode_value, label) for label in listed]
    try:
        dtype = np.dtype(kind) if isinstance(kind, str) else None
    except (TypeError, ValueError, SyntaxError):
        dtype = None
    if dtype is None or dtype.kind not in _LABEL_KINDS:
        raise FormatError(f'"label_type" must be the type of an array of labels, got {short(kind)}')
    array = np.empty(len(labels), dtype=object)
    array[:] = labels
    try:
        typed = array.astype(dtype)
        same = typed.tolist() == labels and [*map(type, typed.tolist())] == [*map(type, labels)]
        distinct = len(set(labels)) == len(labels)
    except (TypeError, ValueError, OverflowError):
        same = distinct = False
    if not same or not distinct:
        raise FormatError(
            f'"labels" must be distinct values of the type {kind!r}, got {short(listed)}'
        )
    return typed


def _hierarchy(data: Any) -> Hierarchy | None:
    from irenic.learn.hierarchy import Hierarchy

    if data is None:
        return None
    if not isinstance(data, dict) or set(data) != {"labels", "edges"}:
        raise FormatError(
            'a hierarchy must be null or {"labels": […], "edges": [[parent, child], …]}, got'
            f" {short(data)}"
        )
    for key in ("labels", "edges"):
        if not isinstance(data[key], list):
            raise FormatError(f'"{key}" must be a list, got {short(data[key])}')
    labels = tuple(decode_value(label) for label in data["labels"])
    if not labels or len(set(labels)) != len(labels):
        raise FormatError(f'"labels" must be distinct values, got {short(data["labels"])}')
    parents: list[list[int]] = [[] for _ in labels]
    for edge in data["edges"]:
        if not isinstance(edge, list) or len(edge) != 2:
            raise FormatError(f"an edge must be a pair of indices of labels, got {short(edge)}")
        parent, child = (_index("edges", end) for end in edge)
        if not parent < child < len(labels):  # parents come first, so there is no cycle
            raise FormatError(f"an edge must lead from a label to a later one, got {edge}")
        parents[child].append(parent)
    return Hierarchy.from_parents(labels, tuple(tuple(sorted(set(above))) for above in parents))


def _check_predictions(rules: RuleSet, known: set[Any], form: str) -> None:
    for then in (*rules.consequents, rules.default):
        if then is None:
            continue
        sets = isinstance(then, frozenset | Head) and form != "labels"
        labels = set(then) if isinstance(then, frozenset | Head) and sets else {then}
        if (form != "labels" and not sets) or not labels <= known:
            raise FormatError(f'a prediction must be among the "labels", got {short(then)}')


def _check_probabilities(point: FrontPoint, model: RuleClassifier) -> None:
    labels = tuple(model.classes_.tolist())
    if point.threshold is None:
        raise FormatError('"threshold" is missing; rules that predict probabilities need it')
    for then in (*point.rule_set.consequents, point.rule_set.default):
        if then is not None and not isinstance(then, Probabilities):
            raise FormatError(f"a prediction must be probabilities, got {short(then)}")
        if then is not None and then.labels != labels:
            raise FormatError('the labels of probabilities must be the "labels", in their order')


def _has_sets(rules: RuleSet) -> bool:
    thens = [then for then in (*rules.consequents, rules.default) if then is not None]
    return bool(thens) and all(isinstance(then, frozenset | Head | Probabilities) for then in thens)


def _at(key: str, decode: Callable[[Any], Any], value: Any) -> Any:
    try:
        return decode(value)
    except FormatError as error:
        raise FormatError(f'"{key}": {error.message}') from None


def _index(key: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise FormatError(f'numbers in "{key}" must be non-negative integers, got {short(value)}')
    return value


def _floats(
    key: str,
    value: Any,
    shape: tuple[int, ...],
    *,
    missing: bool = False,
    minimum: float = -math.inf,
    maximum: float = math.inf,
) -> Floats:
    """Return nested lists of numbers as an array; if ``missing``, null is NaN."""

    def check(part: Any, left: tuple[int, ...]) -> Any:
        if not left:
            if part is None and missing:
                return math.nan
            if isinstance(part, bool) or not isinstance(part, int | float):
                raise FormatError(f'"{key}" must contain numbers, got {short(part)}')
            if part < minimum:
                raise FormatError(f'"{key}" must be at least {minimum:g}, got {short(part)}')
            if part > maximum:
                raise FormatError(f'"{key}" must be at most {maximum:g}, got {short(part)}')
            return as_float(key, part)
        if not isinstance(part, list) or len(part) != left[0]:
            size = " x ".join(map(str, shape))
            raise FormatError(f'"{key}" must contain {size} numbers')
        return [check(item, left[1:]) for item in part]

    return np.array(check(value, shape), dtype=np.float64)
