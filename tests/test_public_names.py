from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest

import irenic

MODULES = ["irenic", *(m.name for m in pkgutil.walk_packages(irenic.__path__, "irenic."))]
MODULES.remove("irenic.__main__")  # importing it runs the command
PACKAGES = [
    "boxes",
    "checking",
    "formats",
    "learn",
    "mend",
    "model",
    "plot",
    "proving",
    "reporting",
    "searching",
    "spark",
]
PUBLIC = {
    f"{package}.{name}": getattr(importlib.import_module(package), name)
    for package in ["irenic", *(f"irenic.{package}" for package in PACKAGES)]
    for name in importlib.import_module(package).__all__
}
CALLABLES = {  # each under one of its names; aliases of types are not callable
    id(value): name
    for name, value in PUBLIC.items()
    if inspect.isroutine(value) or (inspect.isclass(value) and not name.endswith("Error"))
}.values()
CLASSES = [name for name in CALLABLES if inspect.isclass(PUBLIC[name])]


def test_few_names_are_at_the_top():
    assert len(irenic.__all__) <= 46


def test_the_public_names_are_sorted_and_occur_once():
    # constants, classes, functions, each by the alphabet
    def place(name):
        return (not name.isupper(), not name[0].isupper(), name)

    assert irenic.__all__ == sorted(set(irenic.__all__), key=place)


@pytest.mark.parametrize("name", irenic.__all__)
def test_a_public_name_exists(name):
    assert getattr(irenic, name) is not None


@pytest.mark.parametrize("module", MODULES)
def test_every_name_that_a_module_lists_exists(module):
    found = importlib.import_module(module)
    listed = getattr(found, "__all__", [])
    assert len(set(listed)) == len(listed)
    assert [name for name in listed if not hasattr(found, name)] == []


@pytest.mark.parametrize("module", MODULES)
def test_private_modules_are_imported_inside_their_folder_only(module):
    found = importlib.import_module(module)
    tree = ast.parse(Path(found.__file__).read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if not isinstance(node, ast.ImportFrom) or not (node.module or "").startswith("irenic"):
            continue
        for name in (node.module, *(f"{node.module}.{alias.name}" for alias in node.names)):
            folder = re.match(r"(irenic(?:\.[a-z][a-z_]*)*)\._[a-z]", name)
            if name in MODULES and folder:
                assert f"{module}.".startswith(f"{folder[1]}."), f"{module} imports {name}"


def test_names_that_type_checkers_see_are_those_that_are_imported_on_demand():
    tree = ast.parse(Path(irenic.__file__).read_text(encoding="utf-8"))
    [checked] = [node for node in tree.body if isinstance(node, ast.If)]
    names = {alias.name: node.module for node in checked.body for alias in node.names}
    packages = {name: f"irenic.{package}" for name, package in irenic._PACKAGE_OF.items()}
    assert names == packages | {"learn": "irenic", "plot": "irenic"}
    assert set(packages) == set(irenic.__all__)


def test_the_package_imports_nothing_before_it_is_used():
    code = """
import sys, irenic
print(set(irenic.__all__) <= set(dir(irenic)), 'learn' in dir(irenic), 'numpy' in sys.modules)
print(irenic.Rule.__name__, irenic.plot.__name__, 'sklearn' in sys.modules)
print(irenic.learn.split_target.__name__)
"""
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout == "True True False\nRule irenic.plot False\nsplit_target\n"


def test_names_of_learn_that_type_checkers_see_are_those_that_are_imported_on_demand():
    tree = ast.parse(Path(irenic.learn.__file__).read_text(encoding="utf-8"))
    [checked] = [node for node in tree.body if isinstance(node, ast.If)]
    names = {alias.name: node.module for node in checked.body for alias in node.names}
    assert names == {n: f"irenic.learn.{m}" for n, m in irenic.learn._MODULE_OF.items()}
    assert set(names) == set(irenic.learn.__all__) <= set(dir(irenic.learn))
    assert irenic.learn.front.Front is irenic.learn.Front
    with pytest.raises(AttributeError, match=r"module 'irenic\.learn' has no attribute 'tree'"):
        _ = irenic.learn.tree


def run_and_list(command, what):
    code = f"""
import contextlib, io, re, runpy, sys
import re._compiler as compiler
compile, compiled = compiler.compile, []
compiler.compile = lambda p, flags=0: compiled.append(p) or compile(p, flags)
sys.argv = ["irenic", *{command!r}]
with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
    runpy.run_module("irenic", run_name="__main__")
print({what})
"""
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    return result.stdout.strip()


@pytest.fixture
def fares(tmp_path):
    (tmp_path / "fares.csv").write_text("age,fare\n<18,a\n[18..60),b\n>=60,a\n")
    (tmp_path / "cases.csv").write_text("age\n25\n")
    return str(tmp_path / "fares.csv"), str(tmp_path / "cases.csv")


def test_a_clean_table_compiles_few_regular_expressions(fares):
    assert int(run_and_list(["check", fares[0]], "len(compiled)")) < 150


def test_predicting_by_rules_does_not_import_what_only_learning_needs(fares):
    modules = "sorted({'sklearn', 'scipy', 'pandas'} & set(sys.modules))"
    assert run_and_list(["predict", *fares], modules) == "[]"


def test_an_unknown_name_is_an_error():
    with pytest.raises(AttributeError, match="module 'irenic' has no attribute 'RuleSetClasifier'"):
        _ = irenic.RuleSetClasifier


def test_every_error_is_public():
    from irenic import errors

    assert set(errors.__all__) <= set(irenic.__all__)


def test_whatever_is_written_for_users_is_public():
    # what users call has a section of examples; what modules share among themselves has not
    for module in MODULES:
        for name, value in vars(importlib.import_module(module)).items():
            ours = getattr(value, "__module__", None) == module and not name.startswith("_")
            if ours and "Examples\n--------" in (inspect.getdoc(value) or ""):
                assert any(value is public for public in PUBLIC.values()), f"{module}.{name}"


@pytest.mark.parametrize("name", CALLABLES)
def test_a_public_callable_has_a_docstring_with_an_example(name):
    value = PUBLIC[name]
    assert inspect.getdoc(value), name
    pieces = [inspect.getdoc(value)]
    if inspect.isclass(value):
        pieces += [inspect.getdoc(m) or "" for n, m in vars(value).items() if not n.startswith("_")]
    assert any(">>>" in piece for piece in pieces), f"{name} has no example"


@pytest.mark.parametrize("name", irenic.plot.__all__)
def test_a_plot_has_a_docstring_with_an_example(name):
    assert ">>> ax = irenic.plot." in inspect.getdoc(getattr(irenic.plot, name))


@pytest.mark.parametrize("name", [n for n in irenic.__all__ if n.endswith("Error")])
def test_an_error_says_when_it_is_raised(name):
    assert inspect.getdoc(getattr(irenic, name))


@pytest.mark.parametrize("name", CLASSES)
def test_public_methods_have_a_docstring(name):
    cls = PUBLIC[name]
    for member, value in vars(cls).items():
        if not member.startswith("_") and (callable(value) or isinstance(value, property)):
            assert inspect.getdoc(getattr(cls, member)), f"{name}.{member} has no docstring"


def test_importing_the_package_imports_nothing_heavy():
    code = (
        "import sys, irenic\n"
        "heavy = {'numba', 'sklearn', 'joblib', 'pandas', 'polars', 'pyarrow', 'narwhals', 'rich',"
        " 'typer', 'scipy', 'matplotlib'}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout == "[]\n"


def test_the_version_is_that_of_the_project_its_citation_and_its_changelog():
    import tomllib

    root = Path(__file__).parents[1]
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    assert irenic.__version__ == project["version"]
    citation = (root / "CITATION.cff").read_text("utf-8")
    released = re.search(r"^date-released: (.*)$", citation, flags=re.M)
    heading = f"## {irenic.__version__} - {released[1]}"
    assert f"\nversion: {irenic.__version__}\n" in citation
    headings = re.findall(r"^## .*$", (root / "CHANGELOG.md").read_text("utf-8"), flags=re.M)
    assert next(each for each in headings if each != "## Unreleased") == heading
