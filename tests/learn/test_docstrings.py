"""The public names of ``irenic.learn``: sections of their docstrings, and short signatures."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

import pytest

from irenic import learn

SOURCE = Path(learn.__file__).parent
FILES = [*sorted(SOURCE.glob("*.py")), SOURCE.parent / "kernels" / "evolution.py"]
MOST_PARAMETERS = 6


def members():
    """Yield names and values of functions, classes, and methods and properties of classes."""
    for name in learn.__all__:
        value = getattr(learn, name)
        yield name, value
        if inspect.isclass(value):
            for member, inner in vars(value).items():
                if not member.startswith("_") and (
                    inspect.isfunction(inner) or isinstance(inner, property | classmethod)
                ):
                    yield f"{name}.{member}", inner


MEMBERS = dict(members())


def has(doc, section):
    return f"\n{section}\n{'-' * len(section)}\n" in doc


@pytest.mark.parametrize("name", MEMBERS)
def test_a_public_name_has_all_sections(name):
    value = MEMBERS[name]
    doc = inspect.getdoc(value)
    first, *rest = doc.split("\n")
    assert first.endswith(".")
    assert not rest or not rest[0], "a summary is one line"
    assert has(doc, "Examples")
    assert ">>>" in doc
    if isinstance(value, property):
        return
    function = value.__func__ if isinstance(value, classmethod) else value
    parameters = set(inspect.signature(function).parameters) - {"self", "cls"}
    assert has(doc, "Parameters") == bool(parameters)
    for parameter in parameters:
        assert parameter in doc.split("Parameters\n")[1]
    assert has(doc, "Returns") or inspect.isclass(value)


def test_all_methods_are_checked():
    assert {"RuleSetClassifier.fit", "Hierarchy.from_parents", "Certificate.is_complete"} <= set(
        MEMBERS
    )


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_functions_have_few_parameters(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef):
            taken = [
                a.arg for a in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
            ]
            # scikit-learn wants each parameter of an estimator in its signature
            estimator = path.name == "_classifier.py" and node.name == "__init__"
            assert estimator or len(set(taken) - {"self", "cls"}) <= MOST_PARAMETERS, node.name
