"""The JSON format: versioned, with the space, readable and editable by hand.

::

    {
      "format": "irenic rules",
      "version": 1,
      "space": [
        {"name": "age", "kind": "number", "bounds": [0, 120], "unit": "years", "missing": true},
        {"name": "job", "values": ["nurse", "clerk"], "other": true}
      ],
      "rules": [
        {"if": {"age": {">=": 18, "<": 30}, "job": {"in": ["nurse"]}}, "then": "low"}
      ],
      "default": "high",
      "impossible": [{"age": {"<": 16}, "job": {"in": ["nurse"]}}]
    }

A feature that is absent from "if" is unrestricted. "space" is optional: it is inferred from the
conditions if it is absent. "impossible" lists combinations that cannot occur. Values that JSON
lacks are objects with one key: ``{"date": "2026-01-31"}``, ``{"datetime": …}``, ``{"time": …}``,
``{"duration": "P1D"}`` (or ``"P1Y2M"``), ``{"tuple": […]}``, ``{"float": "inf"}`` and
``{"expression": "price * 2"}``; a list is a set of labels, and ``{"prefix": "I2"}`` stands for the
texts that begin with it, apart from those in a list ``"except"``. "accept" of a rule or of the file
accepts findings: ``"overlap: both apply"``. "outputs" names the outcome, or the parts of outcomes
that are tuples. "model" contains a fitted classifier and is read by
:mod:`irenic.formats.json.model`.
"""

from __future__ import annotations

import datetime as dt
import json
import math
import re
from typing import TYPE_CHECKING, Any, Final

from irenic.errors import ConditionError, FormatError, IrenicError, SpaceError, did_you_mean
from irenic.formats.parsed import Parsed, RuleDraft
from irenic.model.condition import (
    Interval,
    Operators,
    as_operators,
    bits_operators,
    interval_operators,
)
from irenic.model.features import Categorical, Continuous, Feature, is_unicode
from irenic.model.head import Head
from irenic.model.literals import (
    MAX_DEPTH,
    Expression,
    Months,
    Prefix,
    Probabilities,
    check_writable,
    display,
    format_duration,
    parse_duration,
)
from irenic.model.notation import ParsedCondition, ParsedRule
from irenic.model.region import Region
from irenic.model.rule import Rule, as_consequent, as_default
from irenic.model.rulelist import RuleList
from irenic.model.ruleset import RuleSet
from irenic.model.space import Space

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Mapping

NAME: Final = "irenic rules"
VERSION: Final = 1
_MAX_DEPTH: Final = 2 * MAX_DEPTH + 20
_KEYS: Final = (
    "format", "version", "space", "ordered", "rules", "outputs", "default", "impossible", "accept",
    "model",
)  # fmt: skip
_RULE_KEYS: Final = ("if", "then", "weight", "accept")
_FEATURE_KEYS: Final = ("name", "kind", "bounds", "unit", "values", "missing", "other", "declared")


# --- reading


def parse(text: str) -> Parsed:
    """Return the rules in a JSON text, its space if it has one, and all errors."""
    data = load_document(text)
    draft = RuleDraft()
    declared = _collecting(draft.errors, space_of, data)
    _collecting(draft.errors, check_keys, data, _KEYS, "the file")
    _fill(draft, data)
    ordered = data.get("ordered", False)
    if not isinstance(ordered, bool):
        draft.errors.append(FormatError(f'"ordered" must be true or false, got {short(ordered)}'))
    draft.ordered = ordered is True
    draft.outputs = _collecting(draft.errors, _outputs, data) or ("then",)
    return Parsed("json", [draft], RuleDraft.bind, declared=declared, document=data)


def decode_rules(data: Mapping[str, Any], space: Space) -> RuleSet:
    """Return the rule set of "rules" and "default", as in a model."""
    draft = RuleDraft()
    _fill(draft, data)
    return draft.bind(space).table().rules


def _fill(draft: RuleDraft, data: Mapping[str, Any]) -> None:
    """Add "rules" and "default" to a draft, and all errors in them."""
    listed = data.get("rules")
    if not isinstance(listed, list):
        draft.errors.append(FormatError('"rules" must be a list of rules {"if": …, "then": …}'))
        listed = []
    for number, entry in enumerate(listed, 1):
        rule = _collecting(draft.errors, _rule, entry, number)
        if rule is not None:
            draft.rules.append(rule)
            draft.places.append(number)
            accepted = _collecting(draft.errors, _accepted, entry, f"rule {number}: ")
            draft.accepts += [(number, text) for text in accepted or ()]
    draft.default = _collecting(draft.errors, _default, data)
    draft.impossible = _collecting(draft.errors, _impossible, data) or []
    draft.accepts += [(None, text) for text in _collecting(draft.errors, _accepted, data) or ()]


def _impossible(data: Mapping[str, Any]) -> list[tuple[int, list[ParsedCondition]]]:
    listed = data.get("impossible", [])
    if not isinstance(listed, list) or not all(isinstance(entry, dict) for entry in listed):
        raise FormatError('"impossible" must be a list of conditions such as {"age": {"<": 16}}')
    return [(number, decode_conditions(entry)) for number, entry in enumerate(listed, 1)]


def decode_conditions(data: Mapping[str, Any]) -> list[ParsedCondition]:
    """Return the conditions of a region, for any space."""
    return [ParsedCondition(name, decode_operators(name, test)) for name, test in data.items()]


def _outputs(data: Mapping[str, Any]) -> tuple[str, ...]:
    names = data.get("outputs", ["then"])
    if not isinstance(names, list) or not names or not all(isinstance(n, str) for n in names):
        raise FormatError(f'"outputs" must be a list of names, got {short(names)}')
    return tuple(names)


def _accepted(data: Mapping[str, Any], where: str = "") -> list[str]:
    """Return the findings that a rule or a file accepts, as texts."""
    texts = data.get("accept", [])
    texts = [texts] if isinstance(texts, str) else texts
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise FormatError(
            f'{where}"accept" must be a text such as "overlap: both apply", or a list of texts, got'
            f" {short(texts)}"
        )
    return texts


def _collecting(errors: list[FormatError], decode: Callable[..., Any], *data: Any) -> Any:
    """Return decoded data; if that fails, add the error to ``errors`` and return None."""
    try:
        return decode(*data)
    except FormatError as error:
        errors.append(error)
    except (ConditionError, SpaceError) as error:
        errors.append(FormatError(str(error)))
    return None


def _default(data: Mapping[str, Any]) -> Hashable | None:
    default = _named('"default"', decode_value, data.get("default"))
    try:
        return None if default is None else as_default(default)
    except ConditionError as error:
        raise FormatError(f'"default": {error}') from None


def load_document(text: str) -> dict[str, Any]:
    """Return the object in a JSON text, after checking its version."""
    data = load_data(text)
    if not isinstance(data, dict):
        raise FormatError('the file must contain one object: {"version": 1, "rules": […]}')
    if "format" in data and data["format"] != NAME:
        raise FormatError(f'"format" must be {NAME!r}, got {short(data["format"])}')
    version = data.get("version")
    if version != VERSION or isinstance(version, bool):
        if version is None:
            raise FormatError(f'"version" is missing; add "version": {VERSION} to the file')
        raise FormatError(
            f'"version" must be {VERSION}, got {short(version)};'
            " read the file with the version of irenic that wrote it, or a newer one"
        )
    return data


def load_data(text: str) -> Any:
    """Return the data in a JSON text; reject what is not JSON, too large, or nested too deeply."""
    if sum(map(text.count, ",[{")) > _MOST_VALUES:
        raise FormatError(f"a JSON file must have at most {_MOST_VALUES:,} values; split it")
    try:
        data = load_json(text)
    except json.JSONDecodeError as error:
        cut = " (is the file cut off?)" if error.pos >= len(text.rstrip()) else ""
        raise FormatError(
            f"not JSON: {error.msg}{cut}", line=error.lineno, column=error.colno
        ) from None
    except RecursionError:
        raise FormatError(_TOO_DEEP) from None
    except ValueError as error:
        if isinstance(error, IrenicError):
            raise
        raise FormatError(f"not JSON: {error}") from None
    _check_depth(data)
    return data


_MOST_VALUES: Final = 10_000_000
_TOO_DEEP: Final = f"lists and objects must be nested at most {_MAX_DEPTH} deep"


def _check_depth(data: Any) -> None:
    level = [data]
    for _ in range(_MAX_DEPTH):
        level = [
            part
            for item in level
            if isinstance(item, list | dict)
            for part in (item.values() if isinstance(item, dict) else item)
        ]
        if not level:
            return
    raise FormatError(_TOO_DEEP)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    data: dict[str, Any] = {}
    for key, value in pairs:
        if key in data:
            raise FormatError(f"the key {key!r} appears twice in one object")
        data[key] = value
    return data


def load_json(text: str) -> Any:
    """Return the data in a JSON text; reject repeated keys and numbers beyond float64."""

    def real(literal: str) -> float:
        value = float(literal)
        if math.isinf(value):
            message = f"{short_text(literal)} is too large for float64; {_infinite(literal)}"
            raise _located(text, literal, message)
        return value

    def whole(literal: str) -> int:
        try:
            return int(literal)
        except ValueError:  # more digits than Python converts
            size = f"fewer than {len(literal.lstrip('-')):,} digits"
            message = f"a number must have {size}, got {short_text(literal)}"
            raise _located(text, literal, message) from None

    def constant(literal: str) -> Any:
        hint = "write null for a missing value" if literal == "NaN" else _infinite(literal)
        raise _located(text, literal, f"{literal} is not JSON; {hint}")

    return json.loads(
        text,
        object_pairs_hook=_unique,
        parse_float=real,
        parse_int=whole,
        parse_constant=constant,
    )


def _infinite(literal: str) -> str:
    sign = "-" if literal.startswith("-") else ""
    return f'write {{"float": "{sign}inf"}} for infinity'


_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*"|[^\s,:\[\]{}"]+')


def _located(text: str, literal: str, message: str) -> FormatError:
    """Return an error with the location of the first token that equals ``literal``."""
    match = next((token for token in _TOKEN.finditer(text) if token[0] == literal), None)
    if match is None:
        return FormatError(message)
    begin = match.start()
    line = text.count("\n", 0, begin) + 1
    return FormatError(message, line=line, column=begin - text.rfind("\n", 0, begin))


def short(value: object) -> str:
    """Return the repr of a value, truncated for a message."""
    return short_text(repr(value))


def short_text(text: str) -> str:
    """Return a text, truncated for a message."""
    return text if len(text) <= 60 else f"{text[:56]}…"


def as_float(key: str, value: int | float) -> float:
    """Return a number as a float64; ``key`` names it in the error."""
    try:
        return float(value)
    except OverflowError:
        raise FormatError(f'"{key}" must fit into float64, got {short(value)}') from None


def check_keys(data: Mapping[str, Any], known: Iterable[str], where: str) -> None:
    """Raise if data has unknown keys."""
    for key in data:
        if key not in known:
            raise FormatError(f"{where}: unknown key {key!r}{did_you_mean(key, known)}")


def _rule(entry: Any, number: int) -> ParsedRule:
    where = f"rule {number}"
    if not isinstance(entry, dict):
        raise FormatError(
            f'{where}: a rule must be an object {{"if": …, "then": …}}, got {short(entry)}'
        )
    if "then" not in entry:
        raise FormatError(f'{where}: "then" is missing; write {{"if": …, "then": …}}')
    check_keys(entry, _RULE_KEYS, where)
    conditions = entry.get("if", {})
    if not isinstance(conditions, dict):
        raise FormatError(f'{where}: "if" must be an object of conditions, got {short(conditions)}')
    try:
        return ParsedRule(
            decode_conditions(conditions),
            as_consequent(_decode_then(entry["then"])),
            _weight(decode_value(entry.get("weight", 1.0))),
        )
    except FormatError as error:
        raise FormatError(f"{where}: {error.message}") from None
    except ConditionError as error:
        raise FormatError(f"{where}: {error}") from None


def _weight(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise FormatError(f'"weight" must be a number, got {short(value)}')
    return as_float("weight", value)


def decode_operators(name: str, test: Any) -> Operators:
    """Return a decoded condition: the inverse of :func:`encode_operators`."""
    if not isinstance(test, dict):
        raise FormatError(
            f'feature {name!r}: a condition must be an object such as {{">=": 18, "<": 30}} or'
            f' {{"in": ["nurse"]}}, got {short(test)}'
        )
    operators: Operators = {}
    for operator, value in test.items():
        if operator in ("missing", "other"):
            if not isinstance(value, bool):
                raise FormatError(
                    f'feature {name!r}: "{operator}" must be true or false, got {short(value)}'
                )
            operators[operator] = value
        elif operator in ("in", "not in"):
            if not isinstance(value, list):
                raise FormatError(
                    f'feature {name!r}: "{operator}" must be a list, got {short(value)}'
                )
            operators[operator] = [decode_value(v) for v in value]
        else:
            operators[operator] = decode_value(value)
            if operators[operator] is None:
                raise FormatError(
                    f'feature {name!r}: a bound must not be null; write {{"missing": true}} for a'
                    " missing value"
                )
    return as_operators(operators, name)


def space_of(data: Mapping[str, Any]) -> Space | None:
    """Return the space in a parsed file, None if it has none."""
    listed = data.get("space")
    if listed is None:
        return None
    if not isinstance(listed, list):
        raise FormatError('"space" must be a list of features {"name": …}')
    return Space(
        [
            _feature(entry, f"feature {number} of the space")
            for number, entry in enumerate(listed, 1)
        ]
    )


def decode_feature(entry: Any) -> Feature:
    """Return a decoded feature: the inverse of :func:`encode_feature`."""
    return _feature(entry, "the feature")


def _feature(entry: Any, where: str) -> Feature:
    if not isinstance(entry, dict) or "name" not in entry:
        raise FormatError(f'{where} must be an object with a "name", got {short(entry)}')
    check_keys(entry, _FEATURE_KEYS, where)
    flags = {flag: entry.get(flag, False) for flag in ("missing", "other")}
    flags["declared"] = entry.get("declared", True)
    for flag, value in flags.items():
        if not isinstance(value, bool):
            raise FormatError(f'{where}: "{flag}" must be true or false, got {short(value)}')
    if "values" in entry:
        if wrong := [key for key in ("kind", "bounds", "unit") if key in entry]:
            raise FormatError(f'{where}: a feature with "values" cannot have "{wrong[0]}"')
        if not isinstance(entry["values"], list):
            raise FormatError(f'{where}: "values" must be a list, got {short(entry["values"])}')
        values = [_named(where, decode_value, value) for value in entry["values"]]
        return Categorical(entry["name"], values, **flags)
    for flag in ("other", "declared"):
        if flag in entry:
            raise FormatError(f'{where}: a feature without "values" cannot have "{flag}"')
    bounds = entry.get("bounds", [None, None])
    if not isinstance(bounds, list) or len(bounds) != 2:
        raise FormatError(f'{where}: "bounds" must be a list [low, high], got {short(bounds)}')
    low, high = bounds
    return Continuous(
        entry["name"],
        kind=entry.get("kind", "number"),
        bounds=(_named(where, decode_value, low), _named(where, decode_value, high)),
        unit=entry.get("unit", ""),
        missing=flags["missing"],
    )


def _float(text: str) -> float:
    value = float(text)
    if math.isinf(value) and "inf" not in text.lower():
        raise ValueError("the number is too large for float64")
    return value


def _decode_then(data: Any) -> Any:
    """Return a consequent: a value, or a head, which is not possible elsewhere."""
    if not isinstance(data, dict) or data.keys() != {"head"}:
        return decode_value(data)
    lists, labels = data["head"], dict[Any, bool]()
    known = {"present", "absent"}
    if not (isinstance(lists, dict) and lists.keys() <= known) or not all(
        isinstance(listed, list) for listed in lists.values()
    ):
        raise FormatError(
            f'a head must be {{"head": {{"present": […], "absent": […]}}}}, got {short(data)}'
        )
    for key, listed in lists.items():
        for label in map(decode_value, listed):
            if label in labels:
                raise FormatError(f"{display(label)} appears twice in a head")
            labels[label] = key == "present"
    return Head(labels)


_TAGS: Final[dict[str, Callable[[Any], Any]]] = {
    "date": dt.date.fromisoformat,
    "datetime": dt.datetime.fromisoformat,
    "time": dt.time.fromisoformat,
    "duration": parse_duration,
    "float": _float,
    "expression": lambda text: Expression(decode_value(text)),
    "tuple": lambda items: tuple(decode_value(v) for v in items),
    "probabilities": lambda items: _probabilities(items),
}


def _probabilities(pairs: list[Any]) -> Probabilities:
    for pair in pairs:
        if not isinstance(pair, list) or len(pair) != 2 or type(pair[1]) not in (int, float):
            raise FormatError(
                f"probabilities must be pairs of a label and a number, got {short(pair)}"
            )
    return Probabilities([decode_value(label) for label, _ in pairs], [p for _, p in pairs])


def _prefix(data: dict[str, Any]) -> Prefix:
    """Return a prefix: ``{"prefix": "I2", "except": ["I21", {"prefix": "I23"}]}``."""
    check_keys(data, ("prefix", "except"), "a prefix")
    without = data.get("except", [])
    if not isinstance(without, list):
        raise FormatError(f'"except" of a prefix must be a list, got {short(without)}')
    return Prefix(decode_value(data["prefix"]), tuple(map(decode_value, without)))


def decode_value(data: Any) -> Any:
    """Return a decoded value: the inverse of :func:`encode_value`."""
    if isinstance(data, list):
        return frozenset(decode_value(v) for v in data)
    if isinstance(data, dict):
        if "prefix" in data:
            return _prefix(data)
        if len(data) != 1 or (tag := next(iter(data))) not in _TAGS:
            hint = did_you_mean(next(iter(data), ""), _TAGS)
            raise FormatError(
                f"{short(data)} is not a value: an object must have one key, its type{hint}"
            )
        lists = tag in ("tuple", "probabilities")
        kind, noun = (list, "a list") if lists else (str, "text")
        if not isinstance(data[tag], kind):
            raise FormatError(
                f'{short(data)} is not a value: "{tag}" must be {noun}, got {short(data[tag])}'
            )
        try:
            return _TAGS[tag](data[tag])
        except (ValueError, OverflowError) as error:
            if isinstance(error, FormatError):
                raise
            raise FormatError(f"{short(data)} is not a value: {error}") from None
    if isinstance(data, str) and not is_unicode(data):
        raise FormatError(f"{data!r} is not valid Unicode (a lone surrogate)")
    return data


# --- writing


def dumps(
    rules: RuleSet | RuleList,
    *,
    outputs: tuple[str, ...] = ("then",),
    accepts: Mapping[int | None, list[str]] | None = None,
) -> str:
    """Return the rules as JSON: one line per feature and per rule.

    ``accepts`` are the findings that the file accepts, by the indices of rules; None for all rules.
    """
    texts, accepts = parts(rules), accepts or {}
    if accepts.keys() - {None}:
        encoded = encode_rules(rules)
        for index, entry in enumerate(encoded):
            entry |= _accept_entry(accepts.get(index, []))
        place = next(i for i, text in enumerate(texts) if text.startswith('"rules"'))
        texts[place] = f'"rules": {block(encoded)}'
    if outputs != ("then",):
        texts.append(f'"outputs": {line(list(outputs))}')
    texts += [
        f'"{key}": {line(value)}' for key, value in _accept_entry(accepts.get(None, [])).items()
    ]
    return assemble(texts)


def _accept_entry(texts: list[str]) -> dict[str, Any]:
    return {"accept": texts[0] if len(texts) == 1 else texts} if texts else {}


def parts(rules: RuleSet | RuleList) -> list[str]:
    """Return the keys of a file with their values, each as text."""
    texts = [f'"format": {line(NAME)}', f'"version": {VERSION}']
    features = [_named(f"feature {f.name!r}", encode_feature, f) for f in rules.space]
    texts.append(f'"space": {block(features)}')
    if isinstance(rules, RuleList):
        texts.append('"ordered": true')
    texts.append(f'"rules": {block(encode_rules(rules))}')
    if rules.default is not None:
        texts.append(f'"default": {line(_named("the default", encode_value, rules.default))}')
    if rules.space.impossible:
        regions = [_named("what is impossible", encode_region, r) for r in rules.space.impossible]
        texts.append(f'"impossible": {block(regions)}')
    return texts


def encode_rules(rules: RuleSet | RuleList) -> list[dict[str, Any]]:
    """Return the rules as plain data, as in "rules"."""
    return [_named(f"rule {n}", encode_rule, rule) for n, rule in enumerate(rules, 1)]


def assemble(parts: list[str]) -> str:
    """Return the text of a file with the given keys."""
    return "{\n  " + ",\n  ".join(parts) + "\n}\n"


def _named(subject: str, encode: Callable[[Any], Any], value: Any) -> Any:
    try:
        return encode(value)
    except FormatError as error:
        raise FormatError(f"{subject}: {error.message}") from None


def line(data: Any) -> str:
    """Return plain data as one line of JSON."""
    return json.dumps(data, ensure_ascii=False, allow_nan=False)


def block(entries: Any) -> str:
    """Return a list as JSON with one entry per line."""
    lines = [line(entry) for entry in entries]
    return "[\n    " + ",\n    ".join(lines) + "\n  ]" if lines else "[]"


def encode_rule(rule: Rule) -> dict[str, Any]:
    """Return a rule as plain data."""
    entry: dict[str, Any] = {
        "if": encode_region(rule.region),
        "then": encode_value(rule.then),
    }
    if rule.weight != 1.0:
        entry["weight"] = encode_value(rule.weight)
    return entry


def encode_region(region: Region) -> dict[str, Any]:
    """Return a region as plain data, as in "if"."""
    if region.is_empty:
        raise FormatError("an empty region cannot be written as conditions")
    each = region.each("json", _encode_interval, _encode_bits)
    return {name: data for name, data in zip(region.space.names, each, strict=True) if data}


def _encode_interval(feature: Continuous, interval: Interval) -> dict[str, Any]:
    return encode_operators(interval_operators(feature, interval))


def _encode_bits(feature: Categorical, bits: int) -> dict[str, Any]:
    return encode_operators(bits_operators(feature, bits))


def encode_operators(operators: Operators) -> dict[str, Any]:
    """Return a condition as plain data."""
    return {
        op: [encode_value(v) for v in value] if op in ("in", "not in") else encode_value(value)
        for op, value in operators.items()
    }


def encode_point(point: Mapping[str, Any]) -> dict[str, Any]:
    """Return a point as plain data; missing values are None."""
    return {name: encode_value(value) for name, value in point.items()}


def encode_feature(feature: Feature) -> dict[str, Any]:
    """Return a feature as plain data."""
    entry: dict[str, Any] = {"name": feature.name}
    if isinstance(feature, Categorical):
        entry["values"] = [encode_value(v) for v in feature.values]
        if feature.other:
            entry["other"] = True
            if not feature.declared:
                entry["declared"] = False
    else:
        if feature.kind != "number":
            entry["kind"] = feature.kind
        if feature.bounds != (None, None):
            entry["bounds"] = [encode_value(b) for b in feature.bounds]
        if feature.unit:
            entry["unit"] = feature.unit
    if feature.missing:
        entry["missing"] = True
    return entry


def encode_value(value: Any, depth: int = 0) -> Any:
    """Return a value as plain data; raise if it would not read back as equal."""
    check_writable(value, depth)
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else {"float": repr(value)}
    for kind in (dt.datetime, dt.date, dt.time):  # in this order, because a datetime is a date, too
        if isinstance(value, kind):
            text = value.isoformat()
            if kind.fromisoformat(text) != value:
                raise FormatError(f"{value!r} has a time zone without a fixed offset; drop it")
            return {kind.__name__: text}
    if isinstance(value, dt.timedelta | Months):
        return {"duration": format_duration(value)}
    if isinstance(value, Prefix):
        without = {"except": [encode_value(v) for v in value.without]} if value.without else {}
        return {"prefix": value.text, **without}
    if isinstance(value, Expression):
        check_writable(value.text)
        return {"expression": value.text}
    if isinstance(value, Probabilities):
        pairs = value.to_dict().items()
        return {"probabilities": [[encode_value(v, depth + 1), p] for v, p in pairs]}
    if isinstance(value, frozenset):
        return sorted((encode_value(v, depth + 1) for v in value), key=line)
    if isinstance(value, tuple):
        return {"tuple": [encode_value(v, depth + 1) for v in value]}
    if isinstance(value, Head) and not depth:
        labels = {"present": value.present, "absent": value.absent}
        return {"head": {key: encode_value(labels[key], 1) for key in labels if labels[key]}}
    raise FormatError(
        f"{value!r} of type {type(value).__name__} cannot be written as JSON;"
        " use text, numbers, booleans, dates, or tuples and frozensets of those"
    )
