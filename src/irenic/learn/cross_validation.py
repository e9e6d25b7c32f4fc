"""How a learner does on rows that it has not seen, beside the majority class and a pruned tree."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from irenic.model.space import Space

if TYPE_CHECKING:
    from irenic.learn import RuleSetClassifier

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

# Categories with more values than this are one column of codes for trees, not one column each.
_MOST_ONE_HOT: Final = 30
# How many degrees of pruning are tried, and on how many parts of the training rows.
_DEGREES: Final = 12
_INNER_FOLDS: Final = 3


@dataclass(frozen=True)
class Model:
    """What a fitted model says of the rows left out, and how large it is."""

    said: Ints
    rules: int
    conditions: int


Learner = Callable[[npt.NDArray[np.intp], npt.NDArray[np.intp]], Model]
"""A function of the rows to fit to and the rows to predict."""


def folds_for(counts: Mapping[Any, int], wanted: int) -> int:
    """Return in how many folds rows can be left out such that each has all classes."""
    return min([wanted, *counts.values()])


def cross_validate(
    learners: Mapping[str, Learner],
    codes: Ints,
    *,
    folds: int,
    random_state: int,
    tell: Callable[[int], None] = lambda done: None,
) -> dict[str, Any]:
    """Return how learners do on each part of the rows when fitted to the others, as plain data.

    Accuracies are those of all rows, each predicted when it was left out; "accuracy_sd" is how
    they vary from fold to fold; rules and conditions are means. ``tell`` is called with the
    number of folds that are done.
    """
    from sklearn.model_selection import StratifiedKFold

    parts = StratifiedKFold(folds, shuffle=True, random_state=random_state)
    done: dict[str, list[tuple[npt.NDArray[np.intp], Model]]] = {name: [] for name in learners}
    for number, (train, test) in enumerate(parts.split(codes, codes), 1):
        for name, learner in learners.items():
            done[name].append((test, learner(train, test)))
        tell(number)
    return {
        "folds": folds,
        "learners": [{"name": name, **_scores(found, codes)} for name, found in done.items()],
    }


def _scores(found: list[tuple[npt.NDArray[np.intp], Model]], codes: Ints) -> dict[str, float]:
    right = np.zeros(len(codes))
    for test, model in found:
        right[test] = model.said == codes[test]
    per_class = [right[codes == code].mean() for code in np.unique(codes)]
    return {
        "accuracy": float(right.mean()),
        "accuracy_sd": float(np.std([right[test].mean() for test, _ in found])),
        "balanced_accuracy": float(np.mean(per_class)),
        "rules": float(np.mean([model.rules for _, model in found])),
        "conditions": float(np.mean([model.conditions for _, model in found])),
    }


# --- learners


def rule_sets(
    make: Callable[[], RuleSetClassifier], table: Any, labels: npt.NDArray[Any]
) -> Learner:
    """Return the learner of rule sets that ``make`` makes a new estimator of."""
    places = {label: code for code, label in enumerate(np.unique(labels).tolist())}

    def fit(train: npt.NDArray[np.intp], test: npt.NDArray[np.intp]) -> Model:
        # a row that counts nothing is not learned from, but its values belong to the space
        weight = np.zeros(len(labels))
        weight[train] = 1.0
        model = make().fit(table, labels, sample_weight=weight)
        said = [places[label] for label in model.predict(table)[test].tolist()]
        return Model(np.array(said), model.chosen_.rules, model.chosen_.conditions)

    return fit


def majority(codes: Ints) -> Learner:
    """Return the learner that predicts the most frequent class."""

    def fit(train: npt.NDArray[np.intp], test: npt.NDArray[np.intp]) -> Model:
        return Model(np.full(len(test), np.bincount(codes[train]).argmax()), 0, 0)

    return fit


def pruned_tree(table: Any, codes: Ints, *, random_state: int) -> Learner:
    """Return the learner that prunes a tree of scikit-learn as inner cross-validation advises."""
    X, sources = as_matrix(table)

    def fit(train: npt.NDArray[np.intp], test: npt.NDArray[np.intp]) -> Model:
        tree = _pruned(X[train], codes[train], random_state)
        rules, conditions = tree_size(tree, sources)
        return Model(tree.predict(X[test]), rules, conditions)

    return fit


def _pruned(X: Floats, y: Ints, random_state: int) -> Any:
    from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold
    from sklearn.tree import DecisionTreeClassifier

    tree = DecisionTreeClassifier(random_state=random_state)
    steps = np.unique(np.maximum(tree.cost_complexity_pruning_path(X, y).ccp_alphas, 0.0))
    # between two steps, as Breiman advises: at a step itself other rows would prune differently
    alphas = np.append(np.sqrt(steps[:-1] * steps[1:]), 2.0 * steps[-1])
    places = np.unique(np.linspace(0, len(alphas) - 1, _DEGREES).astype(int))
    if len(places) == 1 or len(y) < 2 * _INNER_FOLDS:
        return tree.fit(X, y)
    least = int(np.bincount(y)[np.unique(y)].min())
    kind = StratifiedKFold if least >= _INNER_FOLDS else KFold
    inner = kind(_INNER_FOLDS, shuffle=True, random_state=random_state)
    # the first of the best is taken: of equally good trees the smallest
    search = GridSearchCV(tree, {"ccp_alpha": alphas[places][::-1]}, cv=inner)
    return search.fit(X, y).best_estimator_


def as_matrix(table: Any) -> tuple[Floats, list[int]]:
    """Return a table as numbers that trees take, and the feature that each column is of.

    >>> as_matrix({"age": [31, None], "job": ["nurse", "clerk"]})
    (array([[31.,  0.,  1.],
           [nan,  1.,  0.]]), [0, 1, 1])
    """
    space = Space.infer(table)
    instances = space.encode(table)
    columns: list[npt.NDArray[Any]] = []
    sources: list[int] = []
    for place, feature in enumerate(space):
        row = space.row(feature.name)
        if feature in space.continuous:
            values = instances.values[row]
            columns.append(np.where(np.isneginf(values), np.nan, values))
            sources.append(place)
            continue
        codes = instances.codes[row]
        present = np.unique(codes)
        if len(present) > _MOST_ONE_HOT:
            columns.append(codes.astype(float))
            sources.append(place)
        else:
            columns += [(codes == code).astype(float) for code in present]
            sources += [place] * len(present)
    return np.stack(columns, axis=1), sources


def tree_size(tree: Any, sources: list[int]) -> tuple[int, int]:
    """Return how many rules a fitted tree is, and how many conditions these have.

    A leaf is a rule, with a condition on each feature that the way to it asks for.
    """
    inner = tree.tree_
    rules = conditions = 0
    waiting: list[tuple[int, frozenset[int]]] = [(0, frozenset())]
    while waiting:
        node, asked = waiting.pop()
        if inner.children_left[node] < 0:
            rules, conditions = rules + 1, conditions + len(asked)
            continue
        more = asked | {sources[inner.feature[node]]}
        waiting += [(inner.children_left[node], more), (inner.children_right[node], more)]
    return rules, conditions
