"""Model cards: what a model is, what it was learned from, and where its limits are."""

from __future__ import annotations

import datetime as dt
import hashlib
import platform
import re
from collections import Counter
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import numpy as np

from irenic.errors import ConditionError, DataError
from irenic.formats.json.rules import encode_value
from irenic.model.features import Categorical, Continuous
from irenic.model.literals import counted, display, plain, say
from irenic.model.space import to_list
from irenic.reporting import document
from irenic.reporting.document import VERSION
from irenic.reporting.encoding import expected_text
from irenic.reporting.groups import encode_groups, outcome_name, shown_outcomes

_TAG: Final = re.compile("<(?=[A-Za-z/!?])")
_VALUE_LIMIT: Final = 12
_MOST_DEFAULT: Final = 0.5
# Importance of a column on which nearly everything depends.
_DOMINATES: Final = 0.9


def model_card(
    model: Any,
    X: Any,
    y: Any,
    *,
    target: str = "",
    source: Path | str | None = None,
    by: tuple[str, Any] | None = None,
) -> document.Card:
    """Return a model card: a model, its data, its figures and its limits, as plain data.

    :func:`card_markdown` writes it for people, and ``json.dumps`` for programs. Its keys, such as
    ``"title"``, can be changed before.

    Parameters
    ----------
    model : fitted classifier
        The model, with one label per row.
    X : table
        The rows that it was learned from.
    y : sequence
        Their labels.
    target : str
        Name of what is predicted.
    source : path, optional
        File of the data; the card has its name and its SHA-256 hash.
    by : (str, sequence), optional
        Name and values of a column by which rows are grouped, to compare what is decided for them.

    Returns
    -------
    dict
        See :class:`irenic.reporting.document.Card`.

    Raises
    ------
    ConditionError
        If ``model`` is not a fitted classifier with figures of its columns, or predicts sets of
        labels.
    DataError
        If the rows do not fit the model.

    Examples
    --------
    >>> from irenic import RuleSetClassifier
    >>> from irenic.reporting import card_markdown, model_card
    >>> X, y = {"age": range(40)}, ["free"] * 18 + ["full"] * 22
    >>> clf = RuleSetClassifier(generations=1, moves=50, random_state=0).fit(X, y)
    >>> card = model_card(clf, X, y, target="fare")
    >>> card["data"]["rows"], card["columns"][0]["values"]
    (40, '0 to 39')
    >>> print(card_markdown(card).splitlines()[0])
    # RuleSetClassifier for fare
    """
    point = getattr(model, "chosen_", None)
    if point is None or point.columns is None:
        raise ConditionError(
            f"model must be a fitted classifier of this version, got {type(model).__name__}"
        )
    if model._answers.many:
        raise ConditionError(
            "a model card needs a model with one label per row, got sets of labels"
        )
    from irenic.reporting.summarize import summarize

    labels = [plain(label) for label in to_list(y)]
    summary = summarize(model)
    chosen = summary["models"][summary["chosen"]]
    names = model.space_.names
    estimate = getattr(model, "estimate_", None)
    left = point.counts.support[-1] / max(1, len(labels))
    card: document.Card = {
        "format": "irenic card",
        "version": VERSION,
        "title": " for ".join(filter(None, [type(model).__name__, target])),
        "created": dt.date.today().isoformat(),
        "versions": _versions(),
        "model": type(model).__name__,
        "parameters": _parameters(model),
        "data": {
            "name": "" if source is None else Path(source).name,
            "sha256": None if source is None else _hash(Path(source)),
            "rows": len(labels),
            "features": len(names),
            "target": target,
            "classes": [
                {"value": encode_value(label), "text": say(label), "rows": rows}
                for label, rows in sorted(Counter(labels).items(), key=lambda each: -each[1])
            ],
        },
        "measure": summary["score"] or "",
        "score": None if estimate is None else [float(value) for value in estimate],
        "training_score": float(point.training_score),
        "verdicts": chosen["verdicts"],
        "proved": list(model.certificate_.proved),
        "rules": [_rule(rule, rule["text"]) for rule in chosen["rules"]],
        "default": _default(chosen["default"]),
        "columns": _columns(model),
        "untested": [name for name in names if name not in point.columns],
        "decided_by_rule": float(1.0 - left),
        "notes": _notes(model, X, labels, left),
    }
    if by is not None:
        from irenic.monitoring import compare_groups

        column, values = by
        figures = compare_groups(model, X, values, labels)
        card["groups"] = encode_groups(column, figures, model.rules_.default, "training")
    return card


def _versions() -> dict[str, str]:
    import sklearn

    return {
        "irenic": import_module("irenic").__version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scikit-learn": sklearn.__version__,
    }


def _parameters(model: Any) -> dict[str, Any]:
    """Return the parameters that differ from their defaults."""
    usual = type(model)().get_params(deep=False)
    given = model.get_params(deep=False)
    for name in model._groups:
        group = getattr(model, f"{name}_").given()
        given |= {name: None} | {f"{name}__{key}": value for key, value in group.items()}
    changed = {}
    for name, value in given.items():
        value = plain(value)
        if repr(value) != repr(usual.get(name)):
            simple = value is None or isinstance(value, str | int | float | bool)
            changed[name] = value if simple else repr(value)
    return changed


def _hash(path: Path) -> str:
    from irenic.frames.files import read_bytes

    return hashlib.sha256(read_bytes(path)).hexdigest()


def _rule(counts: Any, text: str) -> document.CardRule:
    return {
        "text": text,
        "support": counts["support"],
        "confidence": counts["confidence"],
        "interval": counts["interval"],
    }


def _default(default: document.Otherwise) -> document.CardRule | None:
    then = default["then"]
    return None if then is None else _rule(default, f"otherwise {then['text']}")


def _columns(model: Any) -> list[document.CardColumn]:
    importance = dict(zip(model.space_.names, model.feature_importances_.tolist(), strict=True))
    columns: list[document.CardColumn] = [
        {
            "name": name,
            "importance": importance[name],
            "values": _values(model.rules_.space[name], figures),
            "missing": figures.missing,
        }
        for name, figures in model.chosen_.columns.items()
    ]
    return sorted(columns, key=lambda column: -column["importance"])


def _values(feature: Any, figures: Any) -> str:
    """Return the training values of a column in words."""
    if isinstance(feature, Categorical):
        listed = [display(value) for value in feature.values]
        more = f" and {len(listed) - _VALUE_LIMIT} more" if len(listed) > _VALUE_LIMIT else ""
        return ", ".join(listed[:_VALUE_LIMIT]) + more
    if figures.low is None:
        return "none"
    return f"{_number(feature, figures.low)} to {_number(feature, figures.high)}"


def _number(feature: Continuous, value: float) -> str:
    decoded = feature.decode_value(value)
    whole = isinstance(decoded, float) and decoded.is_integer() and abs(decoded) < 2**53
    return display(int(decoded) if whole else decoded)


def _notes(model: Any, X: Any, labels: list[Any], left: float) -> list[str]:
    """Return what to look at before the model is used."""
    from irenic.learn import suspect_columns  # imports scikit-learn
    from irenic.learn.parameters import forbidden_columns

    point = model.chosen_
    notes = []
    if getattr(model, "estimate_", None) is None:
        notes.append("No rows were left out, so that the score on new rows is unknown.")
    if left > _MOST_DEFAULT and model.rules_.default is not None:
        notes.append(
            f"The default decides {left:.0%} of the training rows; clf.explain gives a reason for"
            " each."
        )
    try:
        suspect = suspect_columns(X, labels)
    except DataError:  # columns without names
        suspect = {}
    forbidden = forbidden_columns(model.knowledge_.forbidden)
    for name, why in suspect.items():
        if name in forbidden or model.space_.index(name) in forbidden:
            continue
        notes.append(
            f"Column {display(name)} is {why}; make sure that it is known when a case is decided."
            if why.startswith("another")
            else f"Column {display(name)} {why}; make sure that it is known when a case is decided."
        )
    top = int(np.argmax(model.feature_importances_))
    share = float(model.feature_importances_[top])
    if len(model.space_) > 1 and share >= _DOMINATES:
        name = display(model.space_.names[top])
        notes.append(f"Predictions depend almost only on column {name} (importance {share:.2f}).")
    missing = [name for name, figures in point.columns.items() if not figures.missing]
    if missing:
        shown = ", ".join(map(display, missing[:_VALUE_LIMIT]))
        notes.append(
            "No training row misses a value of these columns, so that what is decided for missing"
            f" ones was not learned: {shown}{', …' if len(missing) > _VALUE_LIMIT else ''}."
        )
    few = [i + 1 for i, n in enumerate(point.counts.support[:-1].tolist()) if n < 30]
    if few:
        numbers = ", ".join(map(str, few))
        word = "Rule" if len(few) == 1 else "Rules"
        notes.append(f"{word} {numbers} rest{'s' if len(few) == 1 else ''} on fewer than 30 rows.")
    return notes


# --- for people


def card_markdown(card: document.Card) -> str:
    """Return a model card as Markdown.

    Parameters
    ----------
    card : dict
        What :func:`model_card` returns.

    Returns
    -------
    str

    Examples
    --------
    >>> from irenic import RuleSetClassifier
    >>> from irenic.reporting import card_markdown, model_card
    >>> X, y = {"age": range(40)}, ["free"] * 18 + ["full"] * 22
    >>> clf = RuleSetClassifier(generations=1, moves=50, random_state=0).fit(X, y)
    >>> text = card_markdown(model_card(clf, X, y, target="fare"))
    >>> print(next(line for line in text.splitlines() if line.startswith("| 1 |")))
    | 1 | IF age < 18 THEN free | 18 | 0.97 | 0.84 to 1.00 |
    """
    data = card["data"]
    lines = [f"# {card['title']}", ""]
    versions = ", ".join(f"{name} {version}" for name, version in card["versions"].items())
    facts = {"Created": f"{card['created']} with {versions}", "Model": card["model"]}
    if card["parameters"]:
        pairs = (f"{name}={_parameter(value)}" for name, value in card["parameters"].items())
        facts["Parameters"] = f"`{', '.join(pairs)}`"
    if data["name"]:
        facts["Data"] = f"{data['name']} (SHA-256 `{data['sha256']}`)"
    classes = ", ".join(f"{label['text']} {label['rows']:,}" for label in data["classes"])
    facts["Rows"] = f"{data['rows']:,}, {counted(data['features'], 'feature')}"
    facts["Target"] = f"{data['target']} ({classes})" if data["target"] else classes
    lines += [f"- **{name}:** {_plain(text)}" for name, text in facts.items()]
    lines += ["", "## Score", "", _score_text(card), ""]
    verdicts = card["verdicts"]
    lines += [f"- {v['head']}: {v['text']}" for v in (verdicts["consistent"], verdicts["complete"])]
    lines += [f"- Proved for all cases: {_plain(claim)}" for claim in card["proved"]]
    lines += ["", "## Rules", ""]
    lines += ["| rule | | support | confidence | 95 % interval |", "|---:|---|---:|---:|---|"]
    rules = [(str(number), rule) for number, rule in enumerate(card["rules"], 1)]
    for number, rule in [*rules, *([("", card["default"])] if card["default"] else [])]:
        interval = rule["interval"]
        ends = "–" if interval is None else f"{interval[0]:.2f} to {interval[1]:.2f}"
        confidence = "–" if rule["confidence"] is None else f"{rule['confidence']:.2f}"
        cells = (number, _cell(rule["text"]), f"{rule['support']:,g}", confidence, ends)
        lines.append(f"| {' | '.join(cells)} |")
    lines += [
        "",
        "Support counts training rows. Confidence is the share of new rows that a rule is",
    ]
    lines += ["right for, as estimated from rows left out.", "", "## Columns", ""]
    lines += ["| column | importance | training values | missing |", "|---|---:|---|---:|"]
    for column in card["columns"]:
        name, values = _cell(column["name"]), _cell(column["values"])
        lines.append(f"| {name} | {column['importance']:.2f} | {values} | {column['missing']:,} |")
    if card["untested"]:
        lines += ["", f"No rule tests {', '.join(card['untested'])}."]
    if "groups" in card:
        lines += ["", f"## By {card['groups']['column']}", "", *_group_lines(card["groups"])]
    if card["notes"]:
        lines += ["", "## Before you use it", "", *(f"- {note}" for note in card["notes"])]
    return "\n".join(lines) + "\n"


def _parameter(value: Any) -> str:
    """Return a parameter as Python shows it; lists and the like are texts already."""
    is_shown = isinstance(value, str) and value.startswith(("[", "{", "("))
    return str(value) if is_shown else repr(value)


def _score_text(card: document.Card) -> str:
    training = f"{card['training_score']:.3f} on the training rows"
    by_rule = (
        f"Rules decide {card['decided_by_rule']:.0%} of the training rows, the default the rest."
    )
    if card["score"] is None:
        return f"{_capital(card['measure'])} is {training}. {by_rule}"
    return f"{expected_text(card['measure'], *card['score'])}, {training}. {by_rule}"


def _group_lines(groups: document.Groups) -> list[str]:
    shown = shown_outcomes(groups)
    texts = [groups["groups"][0]["outcomes"][i]["outcome"]["text"] for i in shown]
    names = [outcome_name(text) for text in texts]
    head = [groups["column"], "rows", *names, "by default", "accuracy"]
    head += [text for name in names for text in (f"wrongly {name}", f"{name} missed")]
    lines = [f"| {' | '.join(map(_cell, head))} |", "|---|" + "---:|" * (len(head) - 1)]
    for group in groups["groups"]:
        cells = [group["value"], f"{group['rows']:,}{' (few)' if group['small'] else ''}"]
        outcomes = [group["outcomes"][i] for i in shown]
        cells += [_rate(each["decided"]) for each in outcomes]
        cells += [_rate(group["by_default"]), _rate(group["accuracy"])]
        for each in outcomes:
            cells += [_rate(each["false_positives"]), _rate(each["false_negatives"])]
        lines.append(f"| {' | '.join(map(_cell, cells))} |")
    rows = {
        "training": "the training rows; rules are right less often on new rows",
        "left_out": "rows left out of the fits of a cross-validation",
        "instances": "these rows",
    }
    return [*lines, "", f"Shares, with 95 % intervals, of {rows[groups['on']]}."]


def _rate(share: document.ShareRecord | None) -> str:
    if share is None or share["share"] is None:
        return "–"
    return f"{share['share']:.2f} ({share['low']:.2f} to {share['high']:.2f})"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _cell(text: str) -> str:
    """Return text that Markdown shows unchanged in a cell of a table."""
    return _plain(text).replace("|", "\\|")


def _plain(text: str) -> str:
    """Return text in one line; "<" before a letter would be HTML."""
    return _TAG.sub(r"\\<", text).replace("\n", " ")
