"""Rules as Python source: a function without dependencies, with one ``if`` per rule.

This module writes source and never runs it.
"""

from __future__ import annotations

import builtins
import datetime as dt
import decimal
import keyword
import math
import unicodedata
from collections.abc import Hashable
from typing import TYPE_CHECKING, Any, Final

from irenic.errors import ConditionError, FormatError
from irenic.formats._branches import Branches, as_branches, is_null, relation
from irenic.formats.python import _prelude as prelude
from irenic.model.condition import Operators
from irenic.model.decision_table import DecisionTable
from irenic.model.features import Categorical, Continuous, Feature
from irenic.model.literals import NO_PROBABILITIES, Prefix, Probabilities, check_writable

if TYPE_CHECKING:
    from irenic.model.deciding import Resolve
    from irenic.model.rule import Rule
    from irenic.model.rulelist import RuleList
    from irenic.model.ruleset import RuleSet

_MODULES: Final = ("datetime", "decimal", "math", "numbers")
_FUNCTIONS: Final = {
    "_value": prelude.COMMON,
    "_within": prelude.CONTINUOUS,
    "_number": prelude.NUMBER,
    "_moment": prelude.TEMPORAL,
    "_duration": prelude.DURATION,
    "_months": prelude.MONTHS,
    "_category": prelude.CATEGORY,
    "_begins": prelude.BEGINS,
}
_READERS: Final = {
    "number": "_number",
    "integer": "_number",
    "duration": "_duration",
    "months": "_months",
}
_TAKEN: Final = {"case", *_MODULES, *_FUNCTIONS, *dir(builtins)}
_WIDTH: Final = 100


def to_python(
    rules: RuleSet | RuleList | DecisionTable,
    *,
    name: str = "predict",
    default: Hashable | None = None,
    resolve: Resolve | None = None,
) -> str:
    """Return the rules as the source of a Python function without dependencies.

    The function takes a case, a mapping from feature names to values, and returns what
    :meth:`RuleSet.predict` returns for it. It reads only the features that rules test, and raises a
    ValueError if a value is outside the space. Durations of years and months are numbers of months.

    Parameters
    ----------
    rules : RuleSet, RuleList or DecisionTable
        A set with conflicts needs ``resolve``.
    name : str
        Name of the function.
    default : hashable, optional
        The prediction if no rule holds (default: that of the rules, else None).
    resolve : {"first", "best"}, optional
        How to resolve conflicts, as in :meth:`RuleSet.predict`. In a list the first rule always
        decides.

    Returns
    -------
    str

    Raises
    ------
    ConditionError
        If an argument is invalid.
    ConflictError
        If the rules contradict each other and ``resolve`` is None.
    FormatError
        If Python source cannot represent the rules.

    Examples
    --------
    >>> from irenic import Rule, RuleSet
    >>> rules = RuleSet([Rule({"age": {"<": 18}}, then="minor"),
    ...                  Rule({"age": {">=": 18}, "job": {"nurse"}}, then="on call")])
    >>> source = to_python(rules)
    >>> print(source[source.index("def predict"):])
    def predict(case):
        age = _number(case, 'age')
        job = _category(case, 'job')
        # 1. IF age < 18 THEN minor
        if age < 18:
            return 'minor'
        # 2. IF age >= 18 AND job in {nurse} THEN "on call"
        if age >= 18 and job == 'nurse':
            return 'on call'
        return None
    <BLANKLINE>
    """
    function = _checked_name(name)
    branches = as_branches(rules, default=default, resolve=resolve)
    return _Source(branches, function).write()


def dumps(rules: RuleSet | RuleList | DecisionTable) -> str:
    """Return the rules as the source of a function ``predict``."""
    return to_python(rules)


def _checked_name(name: object) -> str:
    if not isinstance(name, str) or not name.isidentifier() or keyword.iskeyword(name):
        raise ConditionError(f"the name of the function must be an identifier, got {name!r}")
    name = unicodedata.normalize("NFKC", name)  # as Python reads it
    if name in _TAKEN:
        raise ConditionError(f"the name {name!r} is used elsewhere in the source; choose another")
    return name


class _Source:
    """Writes the source of one function."""

    def __init__(self, branches: Branches, function: str) -> None:
        self._branches, self._function = branches, function
        self._modules: set[str] = set()
        tested = {name for rule in branches.rules for name in rule.region.conditions()}
        compared = [branches.compared[name] for name in tested if name in branches.compared]
        used = {side.name for pair in compared for side in pair} | tested
        self._features = [f for name, f in branches.columns.items() if name in used]
        self._names = self._local_names(list(branches.columns))

    def _local_names(self, columns: list[str]) -> dict[str, str]:
        """Return a variable for each column: its name if that is an identifier, else its place."""
        usable = {name for name in columns if name.isascii() and name.isidentifier()}
        usable -= {*_TAKEN, *keyword.kwlist, self._function}
        variables = {}
        for place, name in enumerate(columns, 1):
            variable = name if name in usable else f"feature_{place}"
            while name not in usable and variable in usable | {self._function}:
                variable += "_"
            variables[name] = variable
        return variables

    def write(self) -> str:
        lines = [f"def {self._function}(case):"]
        lines += [f"    {self._names[f.name]} = {self._reading(f)}" for f in self._features]
        for place, rule in enumerate(self._branches.rules, 1):
            try:
                lines += self._branch(place, rule)
            except FormatError as error:
                raise FormatError(f"rule {place}: {error.message}") from None
        try:
            lines.append(f"    return {self._literal(self._branches.default)}")
        except FormatError as error:
            raise FormatError(f"the default: {error.message}") from None
        functions = self._functions()
        imports = "".join(f"import {module}\n" for module in sorted(self._modules))
        head = prelude.HEADER.format(note=self._branches.note)
        head += f"{imports}\n\n" if imports else "\n"
        return head + functions + "\n".join(lines) + "\n"

    def _functions(self) -> str:
        used = {self._reader(feature) for feature in self._features}
        if any(isinstance(f, Categorical) and f.prefixes for f in self._features):
            used.add("_begins")
        if used:
            used.add("_value")
            self._modules |= {"decimal", "math"}
        if "_months" in used:
            used.add("_number")
        if used & {"_number", "_moment", "_duration"}:
            used.add("_within")
        if "_number" in used:
            self._modules.add("numbers")
        if used & {"_moment", "_duration"}:
            self._modules.add("datetime")
        return "".join(text for name, text in _FUNCTIONS.items() if name in used)

    # --- values of the case

    def _reader(self, feature: Feature) -> str:
        if isinstance(feature, Categorical):
            return "_category"
        return _READERS.get(feature.kind, "_moment")

    def _reading(self, feature: Feature) -> str:
        arguments = ["case", repr(feature.name)]
        if isinstance(feature, Continuous) and self._reader(feature) == "_moment":
            arguments.append(f"datetime.{feature.kind}")
        if feature.missing:
            arguments.append("missing=True")
        if isinstance(feature, Categorical):
            if not feature.other:
                listed = [value for value in feature.values if not isinstance(value, Prefix)]
                arguments.append(f"values={self._set(listed)}")
                if feature.prefixes:
                    arguments.append(f"prefixes={self._literal(tuple(feature.prefixes))}")
        else:
            for side, bound in zip(("low", "high"), feature.bounds, strict=True):
                if bound is not None:
                    arguments.append(f"{side}={self._bound(feature, bound)}")
            arguments += ["whole=True"] if feature.kind == "integer" else []
            utc = feature.kind == "datetime" and feature.unit == "UTC"
            arguments += ["utc=True"] if utc else []
        return f"{self._reader(feature)}({', '.join(arguments)})"

    # --- rules

    def _branch(self, place: int, rule: Rule) -> list[str]:
        each = [
            test
            for name, operators in rule.region.conditions().items()
            for test in self._tests(self._branches.space[name], operators)
        ]
        tests = [*dict.fromkeys(each)]  # comparisons of one column repeat that it is not None
        head = [f"    if {' and '.join(tests) or 'True'}:"]
        if len(head[0]) > _WIDTH and len(tests) > 1:
            condition = "\n        and ".join(tests)
            head = ["    if (", f"        {condition}", "    ):"]
        return [
            f"    # {place}. {_on_one_line(repr(rule))}",
            *head,
            f"        return {self._literal(rule.then)}",
        ]

    def _tests(self, feature: Feature, operators: Operators) -> list[str]:
        """Return tests, all of which must hold."""
        if feature.name in self._branches.compared:
            return self._relation(feature, operators)
        local = self._names[feature.name]
        if set(operators) == {"missing"}:
            return [f"{local} is {'' if operators['missing'] else 'not '}None"]
        if isinstance(feature, Continuous):
            test, passes = self._comparison(local, feature, operators), False
        else:
            test, passes = self._membership(local, operators), "not in" in operators
        if not feature.missing:
            return [test]
        if operators.get("missing", passes):
            # None is not in any set
            return [test] if passes else [f"({local} is None or {test})"]
        return [f"{local} is not None", test]

    def _relation(self, feature: Feature, operators: Operators) -> list[str]:
        assert isinstance(feature, Categorical)
        asked = relation(feature, operators)
        pair = self._branches.compared[feature.name]
        left, right = (self._names[side.name] for side in pair)
        may_lack = [self._names[side.name] for side in pair if side.missing]
        alternatives: list[list[str]] = []
        if asked.sign:
            tests = [f"{local} is not None" for local in may_lack]
            sign = "==" if asked.sign == "=" else asked.sign
            tests += [] if sign == "any" else [f"{left} {sign} {right}"]
            alternatives.append(tests)
        if asked.if_both and len(may_lack) == 2:
            alternatives.append([f"{left} is None", f"{right} is None"])
        if asked.if_one and may_lack:
            alternatives.append([f"({left} is None) != ({right} is None)"])
        if len(alternatives) == 1:
            return alternatives[0]
        joined = [" and ".join(tests) or "True" for tests in alternatives]
        return [f"({' or '.join(joined)})"] if joined else ["False"]

    def _comparison(self, local: str, feature: Continuous, operators: Operators) -> str:
        bounds = {op: self._bound(feature, v) for op, v in operators.items() if op != "missing"}
        if "=" in bounds:
            return f"{local} == {bounds['=']}"
        low = next((op for op in (">", ">=") if op in bounds), None)
        high = next((op for op in ("<", "<=") if op in bounds), None)
        if low and high:
            return f"{bounds[low]} {low.replace('>', '<')} {local} {high} {bounds[high]}"
        only = low or high
        assert only is not None
        return f"{local} {only} {bounds[only]}"

    def _bound(self, feature: Continuous, value: Any) -> str:
        return self._literal(value.count if feature.kind == "months" else value)

    def _membership(self, local: str, operators: Operators) -> str:
        negated = "not in" in operators
        values = operators["not in" if negated else "in"]
        prefixes = [self._prefix(local, v) for v in values if isinstance(v, Prefix)]
        if prefixes:
            listed = [v for v in values if not isinstance(v, Prefix)]
            tests = [self._membership(local, {"in": listed}), *prefixes] if listed else prefixes
            test = tests[0] if len(tests) == 1 else f"({' or '.join(tests)})"
            return f"not {test}" if negated else test
        if len(values) == 1:
            return f"{local} {'!=' if negated else '=='} {self._literal(values[0])}"
        return f"{local} {'not in' if negated else 'in'} {self._set(values)}"

    def _prefix(self, local: str, prefix: Prefix) -> str:
        tests = [f"_begins({local}, {self._literal(prefix.text)})"]
        if prefix.without:
            tests.append(self._membership(local, {"not in": prefix.without}))
        return tests[0] if len(tests) == 1 else f"({' and '.join(tests)})"

    # --- literals

    def _set(self, values: Any) -> str:
        written = ", ".join(map(self._literal, values))
        return f"{{{written}}}" if written else "()"

    def _literal(self, value: Any, depth: int = 0) -> str:
        """Return source that evaluates to ``value``; raise if there is none."""
        if is_null(value):
            return "None"
        check_writable(value, depth)
        if isinstance(value, bool):
            return repr(value)
        # subclasses such as enums may have any repr
        for kind in (str, bytes, int):
            if isinstance(value, kind):
                return kind.__repr__(value)
        if isinstance(value, float):
            return f"float({str(float(value))!r})" if math.isinf(value) else float.__repr__(value)
        if type(value) is decimal.Decimal:
            self._modules.add("decimal")
            return f"decimal.{value!r}"
        if type(value) in (dt.date, dt.datetime, dt.time, dt.timedelta):
            if type(getattr(value, "tzinfo", None)) not in (type(None), dt.timezone):
                raise FormatError(
                    f"the time zone of {value!r} must be a datetime.timezone; use UTC"
                )
            self._modules.add("datetime")
            return repr(value)
        if isinstance(value, tuple | frozenset):
            parts = [self._literal(part, depth + 1) for part in value]
            if isinstance(value, frozenset):
                return f"frozenset({{{', '.join(sorted(parts))}}})" if parts else "frozenset()"
            return f"({', '.join(parts)}{',' * (len(parts) == 1)})"
        if isinstance(value, Probabilities):
            raise FormatError(
                f"probabilities ({value}) cannot be written as Python source; {NO_PROBABILITIES}"
            )
        raise FormatError(
            f"{value!r} of type {type(value).__name__} cannot be written as Python source;"
            " use text, numbers, booleans, dates, or tuples and frozensets of those"
        )


def _on_one_line(text: str) -> str:
    """Return a text with line breaks and control characters escaped, for a comment."""
    return "".join(
        sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in text
    )
