"""Test cases in the format of the DMN Technology Compatibility Kit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any, Final, NamedTuple

from irenic.errors import FormatError, IrenicError
from irenic.formats.dmn._xml import Node, parse
from irenic.formats.feel.interpreter import FUNCTIONS, text_of, to_feel
from irenic.formats.parsed import Parsed

_INSTANCE: Final = "http://www.w3.org/2001/XMLSchema-instance "
_CONSTRUCTORS: Final = {
    "date": "date",
    "time": "time",
    "dateTime": "date and time",
    "duration": "duration",
}
# Expected numbers are rounded, some to eight digits.
_TOLERANCE: Final = 1e-8


class _Untyped(str):
    """A value without a declared type."""


class ExpectedResult(NamedTuple):
    """An expected result of a test case."""

    decision: str
    expected: Any
    is_error: bool
    """Whether an error is expected."""


class KitCase(NamedTuple):
    """A test case: inputs, and the results of decisions."""

    id: str
    inputs: dict[str, Any]
    results: list[ExpectedResult]
    called: str = ""
    """The decision service or knowledge model that is called instead of the decisions."""
    unread: str = ""
    """Why a value of the case cannot be read, if one cannot."""

    def differences(self, parsed: Parsed) -> Iterator[str]:
        """Yield how the outcomes of a model differ from the expected ones."""
        for _, _, difference in self.outcomes(parsed):
            if difference:
                yield difference

    def outcomes(self, parsed: Parsed) -> Iterator[tuple[ExpectedResult, Any, str]]:
        """Yield each expected result with the outcome of a model, and how they differ, or ""."""
        for result in self.results:
            name, expected, is_error = result
            if self.unread:
                yield result, None, f"{name}: {self.unread}"
                continue
            if parsed.decisions is None:
                reason = str(parsed.errors[0]) if parsed.errors else "the file has no DMN model"
                yield result, None, reason
                continue
            try:
                if self.called:
                    actual = parsed.decisions.call(self.called, self.inputs)
                else:
                    actual = parsed.decisions.decide(name, self.inputs)
            except IrenicError as error:
                yield result, None, "" if is_error else f"{name}: {error}"
                continue
            fails = f"{name}: expected {expected!r}, got {actual!r}"
            yield result, actual, "" if same(actual, expected) else fails

    def record(self, parsed: Parsed, names: Iterable[str]) -> dict[str, Any]:
        """Return the values of some inputs of a table: inputs of the case, parts, and outcomes."""
        record: dict[str, Any] = {}
        for name in names:
            value: Any = self.inputs
            for part in [name] if name in self.inputs else name.split("."):
                value = value.get(part) if isinstance(value, dict) else None
            if value is None and parsed.decisions is not None and name not in self.inputs:
                with suppress(IrenicError):  # no decision, or one that cannot be made
                    value = parsed.decisions.decide(name, self.inputs)
            record[name] = value
        return record


def read_kit(raw: bytes) -> tuple[str, list[KitCase]]:
    """Return the name of the model that test cases are about, and the cases."""
    root = parse(raw)
    if root.tag != "testCases":
        raise FormatError(f"test cases must be in <testCases>, got <{root.tag}>")
    return root.child_text("modelName"), [_case(node) for node in root.all("testCase")]


def _case(node: Node) -> KitCase:
    """Return a test case; one with a value that cannot be read keeps the reason."""
    calls = node.get("type") in ("decisionService", "bkm")
    called, results = node.get("invocableName") if calls else "", node.all("resultNode")
    try:
        inputs = {each.get("name"): value_of(each) for each in node.all("inputNode")}
        expected = [_result(result, read=True) for result in results]
    except IrenicError as error:
        expected = [_result(result, read=False) for result in results]
        return KitCase(node.get("id"), {}, expected, called, str(error))
    return KitCase(node.get("id"), inputs, expected, called)


def _result(node: Node, *, read: bool) -> ExpectedResult:
    """Return an expected result, with its value if that is to be read."""
    expected = node.first("expected") if read else None
    value = None if expected is None else value_of(expected)
    return ExpectedResult(node.get("name"), value, node.get("errorResult") == "true")


def value_of(node: Node) -> Any:
    """Return the value, list or components that an element of a test case contains."""
    if node.get(f"{_INSTANCE}nil") == "true":
        return None
    if (items := node.first("list")) is not None:
        return [value_of(item) for item in items.all("item")]
    if components := node.all("component"):
        return {component.get("name"): value_of(component) for component in components}
    value = node.first("value")
    if value is None or value.get(f"{_INSTANCE}nil") == "true":
        return None
    text, kind = value.text, value.get(f"{_INSTANCE}type").rpartition(":")[2]
    if kind in ("decimal", "double", "float", "integer", "int", "long"):
        try:
            number = float(text)
        except ValueError:
            raise FormatError(f"a value of type {kind} must be a number, got {text!r}") from None
        return int(number) if number.is_integer() else number
    if kind == "boolean":
        return text.strip() == "true"
    if kind in _CONSTRUCTORS:
        return FUNCTIONS[_CONSTRUCTORS[kind]](text.strip())
    return text if kind else _Untyped(text)


def same(value: Any, expected: Any) -> bool:
    """Return whether a result is the expected one; numbers may differ by rounding."""
    if isinstance(expected, _Untyped):
        return (text_of(to_feel(value)) or "") == expected
    if isinstance(expected, dict):
        return (
            isinstance(value, dict)
            and expected.keys() <= value.keys()
            and all(same(value[name], part) for name, part in expected.items())
        )
    if isinstance(expected, list):
        return (
            isinstance(value, list)
            and len(value) == len(expected)
            and all(same(a, b) for a, b in zip(value, expected, strict=True))
        )
    if isinstance(expected, int | float) and not isinstance(expected, bool):
        number = isinstance(value, int | float) and not isinstance(value, bool)
        return number and abs(value - expected) <= _TOLERANCE * max(1, abs(expected))
    return type(value) is type(expected) and bool(value == expected)
