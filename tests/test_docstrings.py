"""scripts/docstrings reports every kind of violation, and nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent.parent / "scripts" / "docstrings"
SUMMARY = "the summary must be one line that ends with a period"
RETURNS = "a Returns or Yields section is missing"
EXAMPLES = "an Examples section with >>> is missing"
BELOW = '''
__all__ = ["thing"]


def thing():
    """Do nothing.

    Examples
    --------
    >>> thing()
    """
'''
PACKAGE = '''
from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, wraps

__all__ = ["LIMIT", "ProblemError", "Point", "scaled", "steps"]
LIMIT = 3


class ProblemError(ValueError):
    """A problem."""


@dataclass
class Point:
    """A point.

    Parameters
    ----------
    x : int
        The first coordinate.

    Attributes
    ----------
    y : int
        The second coordinate.

    Raises
    ------
    ProblemError
        If x is negative.

    Examples
    --------
    >>> Point(1, 2)
    """

    x: int
    y: int
    _hidden: int = 0

    def __post_init__(self) -> None:
        if self.x < 0:
            raise ProblemError("x")

    def _private(self, a: int) -> int:
        return a

    @property
    def half(self) -> float:
        """Half of x."""
        return self.x / 2

    @cached_property
    def third(self) -> float:
        """A third of x."""
        return self.x / 3

    @classmethod
    def from_text(cls, text: str) -> Point:
        """Parse a point.

        Parameters
        ----------
        text : str

        Returns
        -------
        Point

        Examples
        --------
        >>> Point.from_text("1")
        """
        return cls(int(text), 0)


def scaled(a: int, b: int, *args: int, **options: int) -> int:
    """Scale numbers.

    Parameters
    ----------
    a, b : int
        Two numbers.
    *args : int
    **options : int

    Returns
    -------
    int

    Examples
    --------
    >>> scaled(1, 2)
    """
    def inner() -> None:
        raise ProblemError("raised by another function")

    if a > b:
        raise AssertionError("a defect of the library")
    try:
        return a
    except ValueError:
        raise


def steps(n: int) -> Iterator[int]:
    """Count.

    Parameters
    ----------
    n : int

    Yields
    ------
    int

    Examples
    --------
    >>> list(steps(1))
    """
    yield n
'''


def run(folder, text=PACKAGE, below=BELOW, package="made"):
    (folder / "made" / "below").mkdir(parents=True)
    (folder / "made" / "__init__.py").write_text(text, encoding="utf-8")
    (folder / "made" / "below" / "__init__.py").write_text(below, encoding="utf-8")
    return subprocess.run(
        [sys.executable, SCRIPT, package],
        env=os.environ | {"PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_complete_docstrings_pass(tmp_path):
    result = run(tmp_path)
    assert (result.stdout.strip(), result.stderr, result.returncode) == ("", "", 0)


def no(part, parameter):
    return f"{part}: parameter {parameter!r} is not documented"


ONLY = "the Parameters section must contain only parameters; move other text to Notes"
LISTS = "the Raises section does not list"
RENAMED = no("Point", "x"), "Point: documented parameter 'z' does not exist"
MEMBER = (
    no("Point.from_text", "text"),
    "Point.from_text: documented parameter 'word' does not exist",
)
RAISE = "    ProblemError\n        If", "    ValueError\n        If"


@pytest.mark.parametrize(
    ("old", "new", "violations"),
    [
        ('"""Half of x."""', "", [f"Point.half: {SUMMARY}"]),
        ('"""A third of x."""', '"""A third of x"""', [f"Point.third: {SUMMARY}"]),
        ("Count.", "Count\n    up.", [f"steps: {SUMMARY}"]),
        ("a, b : int", "a : int", [no("scaled", "b")]),
        ("    **options : int\n", "", [no("scaled", "options")]),
        ("    x : int\n        The", "    z : int\n        The", RENAMED),
        ("    y : int\n        The", "    z : int\n        The", [no("Point", "y")]),
        ("    **options : int\n", "    **options : int\n\n    More.\n", [f"scaled: {ONLY}"]),
        ("Yields\n    ------", "Notes\n    -----", [f"steps: {RETURNS}"]),
        (*RAISE, [f"Point: {LISTS} ProblemError"]),
        (">>> list(steps(1))", "", [f"steps: {EXAMPLES}"]),
        ("        text : str\n", "        word : str\n", MEMBER),
        (">>> Point(1, 2)", "", [f"Point: {EXAMPLES}"]),
        ("A problem.", "A problem", [f"ProblemError: {SUMMARY}"]),
    ],
)
def test_a_violation_is_reported(tmp_path, old, new, violations):
    assert PACKAGE.count(old) == 1
    result = run(tmp_path, PACKAGE.replace(old, new))
    *lines, _total = result.stdout.splitlines()
    assert lines == [f"made.{violation}" for violation in violations]
    assert result.returncode == 1


MEMBERS_PARAMETERS = """
        Parameters
        ----------
        text : str

        Returns
        -------
        Point

        Examples
        --------
        >>> Point.from_text("1")
        """
MEMBERS_RETURNS = MEMBERS_PARAMETERS[MEMBERS_PARAMETERS.index("        Returns") :]


@pytest.mark.parametrize("sections", [MEMBERS_PARAMETERS, MEMBERS_RETURNS])
def test_a_member_needs_no_sections(tmp_path, sections):
    assert PACKAGE.count(sections) == 1
    result = run(tmp_path, PACKAGE.replace(sections, ""))
    assert (result.stdout.strip(), result.stderr, result.returncode) == ("", "", 0)


def test_violations_are_counted_per_package_and_a_package_limits_the_check(tmp_path):
    wrong = PACKAGE.replace("Half of x.", "half")
    result = run(tmp_path / "all", wrong, BELOW.replace("nothing.", "it"))
    counts = "    1 in made.Point\n    1 in made.below\n"
    assert result.stdout == f"made.Point.half: {SUMMARY}\nmade.below.thing: {SUMMARY}\n{counts}"
    result = run(tmp_path / "below", wrong, package="made.below")
    assert (result.stdout.strip(), result.returncode) == ("", 0)
    # members of a class that is not exported are not checked
    assert run(tmp_path / "hidden", wrong.replace('"Point", ', "")).returncode == 0
