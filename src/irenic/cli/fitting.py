"""The options of ``irenic learn`` that are parameters of the classifier, and how they are read."""

from __future__ import annotations

import csv
import math
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

import irenic
from irenic.cli.common import adds_options
from irenic.cli.reading import parse_file
from irenic.errors import FormatError, did_you_mean
from irenic.model.literals import say

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

_CHOICES = {
    "selection": ("validation", "one_se", "description"),
    "scoring": ("accuracy", "balanced_accuracy", "log_loss", "roc_auc"),
}
_SIGNS = {"+": 1, "-": -1}


_WHOLE, _TEXT, _TEXTS, _FILE = int | None, str | None, list[str] | None, Path | None
_OPTIONS: dict[str, dict[str, tuple[Any, str, str]]] = {
    "Size of rules": {
        "max_rules": (_WHOLE, "N", "Maximum number of rules."),
        "max_conditions": (_WHOLE, "N", "Maximum conditions of all rules together."),
        "max_conditions_per_rule": (_WHOLE, "N", "Maximum conditions of a rule."),
        "max_values": (_WHOLE, "N", "Maximum values that a condition lists."),
        "min_support": (int, "N", "Minimum rows that a rule covers."),
    },
    "What rules must keep": {
        "describe": (_TEXT, "LABEL", "Label that only rules predict, never the default."),
        "complete": (bool, "", "Add rules for the default until rules cover every case."),
        "abstain": (
            bool,
            "",
            "Predict nothing where no rule applies (default: the most frequent label there).",
        ),
        "monotonic": (
            _TEXTS,
            "COLUMN=SIGN",
            "Predictions must not fall (income=+) or not rise (debt=-) with a column of numbers or"
            " one of --ordered; may be repeated.",
        ),
        "ordered": (
            _TEXTS,
            "COLUMN=VALUES",
            "Order of a category, such as size=small,medium,large, with values that have commas in"
            " double quotes; may be repeated.",
        ),
        "rules": (_FILE, "FILE", "Rules to keep as they are; others are learned around them."),
        "never": (
            _TEXTS,
            "PROPERTY",
            "What no case may have, such as 'yes WHERE age < 18'; may be repeated.",
        ),
        "always": (
            _TEXTS,
            "PROPERTY",
            "What all such cases must have, such as 'no WHERE age < 18'; may be repeated.",
        ),
        "forbid": (
            _TEXTS,
            "COLUMN",
            "Column that learned rules must not test; may be repeated.",
        ),
        "knowledge": (
            _FILE,
            "FILE",
            "What the page of a model hands back (.json): rules to keep and what is forbidden, in"
            " addition to the options above.",
        ),
    },
    "What is best": {
        "scoring": (
            str,
            "SCORE",
            "What to maximize: accuracy; balanced_accuracy, where rare labels count as much as"
            " others; or the quality of probabilities, by log_loss or roc_auc.",
        ),
        "selection": (
            _TEXT,
            "HOW",
            "How to choose a rule set: validation, by its score on rows left out (default); one_se,"
            " the smallest one whose score is at most one standard error below the best; or"
            " description, by its description length, which is several times faster and estimates"
            " no score.",
        ),
        "cost": (
            _TEXTS,
            "TRUE:PREDICTED=N",
            "Cost of a wrong prediction, such as bad:good=5; may be repeated, and errors that are"
            " not listed cost 1.",
        ),
        "class_weight": (
            _TEXTS,
            "LABEL=N",
            "Weight of the rows with a label, such as bad=5; may be repeated, and labels that are"
            " not listed weigh 1. Or balanced: all labels have the same total weight.",
        ),
    },
    "The fit": {
        "budget": (
            float | None,
            "SECONDS",
            "Seconds per fit; cross-validation adds one fit per fold.",
        ),
        "random_state": (int, "N", "Seed of the random number generator."),
        "jobs": (int, "N", "Number of parallel tasks; -1 for one per core."),
    },
}
"""The type, the name of the value and the help of each option, in panels of the help."""
_DEFAULTS = {
    "min_support": 1,
    "complete": False,
    "abstain": False,
    "scoring": "accuracy",
    "random_state": 0,
    "jobs": -1,
}
_LOWEST = {"random_state": 0, "jobs": None}
"""The lowest value of whole numbers, if it is not 1."""


def _option(name: str, panel: str, kind: Any, metavar: str, text: str) -> tuple[Any, Any]:
    """Return the type and the default of an option as typer reads them."""
    names = (f"--{name}",) if kind is bool else ()  # without --no-…
    lowest = _LOWEST.get(name, 1) if kind in (int, _WHOLE) else None
    return kind, typer.Option(
        _DEFAULTS.get(name), *names, metavar=metavar, help=text, min=lowest, rich_help_panel=panel
    )


_FITTING = {
    name: _option(name, panel, *settings)
    for panel, options in _OPTIONS.items()
    for name, settings in options.items()
}
fits_rules = adds_options(_FITTING, "fitting")
"""Adds the options to a command, which takes them as ``fitting``."""


def check_fitting(fitting: Mapping[str, Any]) -> None:
    """Reject options that need no table to be wrong."""
    for name, choices in _CHOICES.items():
        if fitting[name] not in (None, *choices):
            hint = did_you_mean(fitting[name], choices)
            listed = ", ".join(choices)
            raise FormatError(f"--{name} must be one of {listed}, got {fitting[name]!r}{hint}")
    if fitting["jobs"] == 0:
        raise FormatError("--jobs must be at least 1, or -1 for one per core, got 0")
    if fitting["budget"] is not None and not fitting["budget"] > 0:
        raise FormatError(f"--budget must be positive, got {fitting['budget']:g}")
    if fitting["rules"] is not None and fitting["knowledge"] is not None:
        raise FormatError("--rules and --knowledge both name rules to keep; use one of them")


def parameters(
    fitting: Mapping[str, Any], columns: Collection[str], labels: list[Any], form: str | None
) -> dict[str, Any]:
    """Return the parameters of the classifier for a table with these columns and labels.

    ``form`` is the format of standard input.
    """
    from irenic.learn import Knowledge

    path, kept = fitting["knowledge"], fitting["rules"]
    handed = Knowledge() if path is None else Knowledge.load(path)
    # nothing is forbidden if the file says so, not even columns that number the rows
    lists = {
        name: [*(fitting[option] or ()), *(getattr(handed, name) or ())] or getattr(handed, name)
        for option, name in (("never", "never"), ("always", "always"), ("forbid", "forbidden"))
    }
    known = {
        **lists,
        "rules": None if kept is None else _kept_rules(kept, form),
        "describe": _label(fitting["describe"], labels),
        "monotonic_cst": {**(handed.monotonic_cst or {}), **_signs(fitting["monotonic"])} or None,
        "ordered": {**(handed.ordered or {}), **_orders(fitting["ordered"], columns)} or None,
        "cost": _costs(fitting["cost"], labels),
        "max_values": fitting["max_values"],
    }
    unchanged = (
        *("max_rules", "max_conditions", "max_conditions_per_rule", "min_support"),
        *("complete", "selection", "scoring", "budget", "random_state"),
    )
    return {
        **{name: fitting[name] for name in unchanged if fitting[name] is not None},
        "knowledge": handed.set_params(**{n: v for n, v in known.items() if v is not None}),
        "default": "abstain" if fitting["abstain"] else "majority",
        "class_weight": _class_weight(fitting["class_weight"], labels),
        "n_jobs": fitting["jobs"],
    }


def _label(text: str | None, labels: list[Any]) -> Any:
    """Return the label that is written so, or the text itself if there is none."""
    return next((label for label in labels if say(label) == text), text)


def _kept_rules(path: Path, form: str | None) -> irenic.RuleSet:
    """Return the rules of a file to keep."""
    rules = parse_file(path, form).rules()
    if isinstance(rules, irenic.RuleList):
        raise FormatError(
            "--rules must be rules without an order; make them with irenic convert"
            f" {shlex.quote(str(path))} set.json --as-set",
            path=str(path),
        )
    return rules


def _split(option: str, texts: Sequence[str] | None) -> list[tuple[str, str]]:
    """Return the parts before and after the last equals sign of each text."""
    pairs = []
    for text in texts or ():
        name, sign, value = text.rpartition("=")
        if not (name and sign and value):
            raise FormatError(f"{option} must have a name, = and a value, got {text!r}")
        pairs.append((name, value))
    return pairs


def _signs(texts: Sequence[str] | None) -> dict[str, int]:
    pairs = _split("--monotonic", texts)
    for name, sign in pairs:
        if sign not in _SIGNS:
            raise FormatError(f"--monotonic {name}= must be followed by + or -, got {sign!r}")
    return {name: _SIGNS[sign] for name, sign in pairs}


def _orders(texts: Sequence[str] | None, columns: Collection[str]) -> dict[str, list[str]]:
    """Return the values of columns; both can contain equals signs."""
    orders = {}
    for text in texts or ():
        names = [name for name in columns if text.startswith(f"{name}=")]
        if not names:
            name, sign, _ = text.partition("=")
            if not (name and sign):
                raise FormatError(f"--ordered must be COLUMN=VALUES, got {text!r}")
            raise FormatError(f"--ordered: unknown column {name!r}{did_you_mean(name, columns)}")
        name = max(names, key=len)
        cells = next(csv.reader([text.removeprefix(f"{name}=")], skipinitialspace=True), [])
        orders[name] = [cell.strip() for cell in cells]
    return orders


def _number(text: str) -> float | None:
    """Return a finite number that is not negative, None for any other text."""
    try:
        number = float(text)
    except ValueError:
        return None
    return number if 0 <= number < math.inf else None


def _costs(texts: Sequence[str] | None, labels: list[Any]) -> dict[Any, dict[Any, float]] | None:
    if not texts:
        return None
    every = list(dict.fromkeys(labels))
    costs = {true: {other: 1.0 for other in every if other != true} for true in every}
    for name, number in _split("--cost", texts):
        cost = _number(number)
        if ":" not in name or cost is None:
            raise FormatError(f"--cost must be TRUE:PREDICTED=N, got {name}={number}")
        true, predicted = _two_labels(name, every)
        costs.setdefault(true, {})[predicted] = cost
    return costs


def _two_labels(text: str, labels: list[Any]) -> tuple[Any, Any]:
    """Return the labels before and after a colon; both can contain colons."""
    parts = text.split(":")
    splits = [(":".join(parts[:i]), ":".join(parts[i:])) for i in range(1, len(parts))]
    written = set(map(say, labels))
    known = [split for split in splits if written.issuperset(split)]
    if len(known) > 1:
        raise FormatError(f"--cost {text} can be read in {len(known)} ways; rename a label")
    true, predicted = known[0] if known else splits[0]
    return _label(true, labels), _label(predicted, labels)


def _class_weight(texts: Sequence[str] | None, labels: list[Any]) -> dict[Any, float] | str | None:
    if not texts:
        return None
    if "balanced" in texts:
        if len(texts) > 1:
            raise FormatError("--class-weight balanced sets all weights; use it alone")
        return "balanced"
    known = {say(label): label for label in labels}
    weights = {}
    for text in texts:
        name, sign, number = text.rpartition("=")
        weight = _number(number)
        if not sign or weight is None:
            raise FormatError(f"--class-weight must be LABEL=N or balanced, got {text!r}")
        if name not in known:
            raise FormatError(f"--class-weight: unknown label {name!r}{did_you_mean(name, known)}")
        weights[known[name]] = weight
    return weights
