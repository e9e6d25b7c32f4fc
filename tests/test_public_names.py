"""The public names: that they are documented, and that they are imported when they are needed."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import re
import subprocess
import sys
import tomllib
from collections import Counter
from pathlib import Path

import pytest

import irenic

# Private names of other libraries that benchmarks use: of scikit-learn and of Spark.
NOT_OURS = {"_prune_tree", "_jvm", "_fields"}
MODULES = ["irenic", *(m.name for m in pkgutil.walk_packages(irenic.__path__, "irenic."))]
MODULES.remove("irenic.__main__")  # importing it runs the command
PACKAGES = ["irenic", "irenic.boxes", "irenic.checking", "irenic.formats", "irenic.learn"]
PACKAGES += ["irenic.mend", "irenic.model", "irenic.plot", "irenic.proving", "irenic.reporting"]
PACKAGES += ["irenic.monitoring", "irenic.testing"]
PACKAGES += ["irenic.searching", "irenic.spark", "irenic.systems"]
PUBLIC = {
    f"{package}.{name}": getattr(importlib.import_module(package), name)
    for package in PACKAGES
    for name in importlib.import_module(package).__all__
}
CALLABLES = {  # each under one of its names; aliases of types are not callable
    id(value): name
    for name, value in PUBLIC.items()
    if inspect.isroutine(value) or (inspect.isclass(value) and not name.endswith("Error"))
}.values()


def test_the_public_names_are_few_sorted_and_occur_once():
    # constants, classes, functions, each by the alphabet
    def place(name):
        return (not name.isupper(), not name[0].isupper(), name)

    assert len(irenic.__all__) <= 46
    assert irenic.__all__ == sorted(set(irenic.__all__), key=place)
    assert all(getattr(irenic, name) is not None for name in irenic.__all__)
    with pytest.raises(AttributeError, match="module 'irenic' has no attribute 'RuleSetClasifier'"):
        _ = irenic.RuleSetClasifier


def test_every_name_that_a_module_lists_exists():
    for name in MODULES:
        module = importlib.import_module(name)
        listed = getattr(module, "__all__", [])
        assert len(set(listed)) == len(listed), name
        assert [each for each in listed if not hasattr(module, each)] == [], name


def tree_of(module):
    return ast.parse(Path(module.__file__).read_text(encoding="utf-8"))


@pytest.mark.parametrize("folder", ["benchmarks", "study", "examples", "src/irenic/systems"])
def test_what_is_built_on_irenic_imports_public_names_only(folder):
    for path in sorted(Path(__file__).parents[1].glob(f"{folder}/**/*.py")):
        imported, used = set(), set()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                imported |= {each.name for each in node.names}
            elif isinstance(node, ast.ImportFrom):
                imported |= {f"{node.module}.{each.name}" for each in node.names}
            elif isinstance(node, ast.Attribute):
                own = isinstance(node.value, ast.Name) and node.value.id in ("self", "cls", "os")
                used |= set() if own else {node.attr}
        ours = {name for name in imported if name.startswith("irenic.")}
        inner = {name for name in ours if not name.startswith("irenic.systems.")}
        assert [name for name in sorted(inner) if "._" in name] == [], path
        names = {name for name in used if re.match("_[a-z]", name)}
        assert not ours or names <= NOT_OURS, f"{path} uses {names - NOT_OURS}"


def test_no_two_classes_have_the_same_name():
    names = Counter(
        node.name
        for module in MODULES
        for node in ast.walk(tree_of(importlib.import_module(module)))
        if isinstance(node, ast.ClassDef)
    )
    assert [name for name, times in names.items() if times > 1] == []


def test_private_modules_are_imported_inside_their_folder_only():
    for module in MODULES:
        for node in ast.walk(tree_of(importlib.import_module(module))):
            if not isinstance(node, ast.ImportFrom):
                continue
            for name in (node.module or "", *(f"{node.module}.{a.name}" for a in node.names)):
                folder = re.match(r"(irenic(?:\.[a-z][a-z_]*)*)\._[a-z]", name)
                if name in MODULES and folder:
                    assert f"{module}.".startswith(f"{folder[1]}."), f"{module} imports {name}"


@pytest.mark.parametrize(
    ("package", "modules"),
    [
        (irenic, {name: f"irenic.{module}" for name, module in irenic._PACKAGE_OF.items()}),
        (irenic.learn, {n: f"irenic.learn.{m}" for n, m in irenic.learn._MODULE_OF.items()}),
        (irenic.systems, {n: f"irenic.systems.{m}" for n, m in irenic.systems._MODULE_OF.items()}),
    ],
    ids=["irenic", "irenic.learn", "irenic.systems"],
)
def test_names_that_type_checkers_see_are_those_that_are_imported_on_demand(package, modules):
    [checked] = [node for node in tree_of(package).body if isinstance(node, ast.If)]
    names = {alias.name: node.module for node in checked.body for alias in node.names}
    packages = {"learn": "irenic", "plot": "irenic"} if package is irenic else {}
    assert names == modules | packages
    assert set(modules) == set(package.__all__) <= set(dir(package))


def test_a_module_of_a_package_is_an_attribute_and_others_are_not():
    assert irenic.learn.front.Front is irenic.learn.Front
    with pytest.raises(AttributeError, match=r"module 'irenic\.learn' has no attribute 'tree'"):
        _ = irenic.learn.tree


IMPORTING = """
import contextlib, io, re, sys

def loaded(names):
    return sorted(set(names.split()) & set(sys.modules))

import irenic
print(loaded("numba sklearn joblib pandas polars pyarrow narwhals"))
print(loaded("rich typer scipy matplotlib numpy"))
print(set(irenic.__all__) <= set(dir(irenic)), "learn" in dir(irenic))
from irenic import cli
with contextlib.redirect_stdout(io.StringIO()):
    cli.app(["--help"], standalone_mode=False)
print(loaded("numpy"))

import re._compiler as compiler
compile, compiled = compiler.compile, []
compiler.compile = lambda p, flags=0: compiled.append(p) or compile(p, flags)
for words in (["check", "fares.csv"], ["predict", "fares.csv", "cases.csv"]):
    sys.argv = ["irenic", *words]
    with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
        cli.main()
    print(words[0], len(compiled) < 150 or words[0] != "check", loaded("sklearn scipy pandas"))

import irenic.proving
print(irenic.Rule.__name__, irenic.plot.__name__, loaded("sklearn"))
print(irenic.learn.split_target.__name__)
"""


def test_modules_are_imported_and_expressions_compiled_only_when_they_are_needed(tmp_path):
    (tmp_path / "fares.csv").write_text("age,fare\n<18,a\n[18..60),b\n>=60,a\n")
    (tmp_path / "cases.csv").write_text("age\n25\n")
    done = subprocess.run(
        [sys.executable, "-c", IMPORTING], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert done.stdout.splitlines() == [
        "[]",  # importing the package imports nothing heavy
        "[]",
        "True True",
        "[]",  # the help of the command needs no numpy
        "check True []",
        "predict True []",  # needs nothing that only learning needs
        "Rule irenic.plot []",  # nor does asking rules
        "split_target",
    ]


def test_whatever_is_written_for_users_is_public():
    # what users call has a section of examples; what modules share among themselves has not
    public = {id(value) for value in PUBLIC.values()}
    for module in MODULES:
        for name, value in vars(importlib.import_module(module)).items():
            ours = getattr(value, "__module__", None) == module and not name.startswith("_")
            if ours and "Examples\n--------" in (inspect.getdoc(value) or ""):
                assert id(value) in public, f"{module}.{name}"


def test_public_callables_and_methods_have_docstrings_with_examples():
    for name in CALLABLES:
        value = PUBLIC[name]
        assert inspect.getdoc(value), name
        pieces = [inspect.getdoc(value)]
        for member, method in vars(value).items() if inspect.isclass(value) else ():
            if not member.startswith("_"):
                pieces.append(inspect.getdoc(method) or "")
                if callable(method) or isinstance(method, property):
                    assert inspect.getdoc(getattr(value, member)), f"{name}.{member}"
        is_error = inspect.isclass(value) and issubclass(value, Exception)
        assert is_error or any(">>>" in piece for piece in pieces), f"{name} has no example"
    for name in irenic.plot.__all__:
        assert ">>> ax = irenic.plot." in inspect.getdoc(getattr(irenic.plot, name)), name


def test_the_version_is_that_of_the_project_its_citation_and_its_changelog():
    root = Path(__file__).parents[1]
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    assert irenic.__version__ == project["version"]
    citation = (root / "CITATION.cff").read_text("utf-8")
    released = re.search(r"^date-released: (.*)$", citation, flags=re.M)
    heading = f"## {irenic.__version__} - {released[1]}"
    assert f"\nversion: {irenic.__version__}\n" in citation
    headings = re.findall(r"^## .*$", (root / "CHANGELOG.md").read_text("utf-8"), flags=re.M)
    assert next(each for each in headings if each != "## Unreleased") == heading
