"""The report: one page that holds everything it needs, so that it can be mailed and kept."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import os
import re
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from irenic.errors import FileError
from irenic.frames.files import write_file
from irenic.reporting._bundle import bundle
from irenic.reporting._embedded import embedded
from irenic.reporting.document import LearnDocument, Summary
from irenic.reporting.summarize import SECONDS, check_summary, summarize

if TYPE_CHECKING:
    from irenic.budget import Budget
    from irenic.learn import RuleSetClassifier
    from irenic.model.decision_table import DecisionTable
    from irenic.model.rulelist import RuleList
    from irenic.model.ruleset import RuleSet
    from irenic.model.sampling import RandomState

_STYLES: Final = ("page.css", "map.css")
_SUFFIXES: Final = (".html", ".htm")


@dataclass(frozen=True, eq=False)
class Report:
    """A page about rules. Notebooks show it; :meth:`save` keeps it as a file.

    >>> import irenic
    >>> rules = irenic.RuleSet([irenic.Rule({"age": (0, 9)}, then="child")])
    >>> irenic.report(rules, name="ages")
    <Report 'ages': 1 rule>
    """

    summary: Summary | LearnDocument
    """What it shows, as :func:`irenic.summarize` returns it."""

    def __post_init__(self) -> None:
        check_summary(self.summary)

    @cached_property
    def html(self) -> str:
        """The page: one document that asks for nothing from elsewhere."""
        style = "\n".join(map(_asset, _STYLES))
        script = _script()
        parts = {
            "title": html.escape(self.summary["name"] or "Rules"),
            "version": version("irenic"),
            "style": style,
            "style-hash": _hash(style),
            "summary": _as_json(embedded(self.summary)),
            "script": script,
            "script-hash": _hash(script),
        }
        # one pass: what is filled in is not looked at again, whatever it holds
        return re.sub(r"\{\{([a-z-]+)\}\}", lambda found: parts[found[1]], _asset("page.html"))

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the page to a file, as :func:`irenic.write` does, and return its path."""
        path = Path(path)
        check_suffix(path)
        write_file(path, self.html)
        return path

    def __repr__(self) -> str:
        n = self.summary["models"][self.summary["chosen"]]["size"]["rules"]
        return f"<Report {self.summary['name']!r}: {n} rule{'' if n == 1 else 's'}>"

    def _repr_html_(self) -> str:
        """Return the page in a frame of its own, so that its style stays its own."""
        source = html.escape(self.html, quote=True)
        style = "width:100%;height:80vh;min-height:30em;border:0"
        title = html.escape(f"Report: {self.summary['name'] or 'rules'}", quote=True)
        frame = f'sandbox="allow-scripts" title="{title}" style="{style}"'
        return f'<iframe {frame} srcdoc="{source}"></iframe>'


def report(
    rules: RuleSet | RuleList | DecisionTable | RuleSetClassifier,
    X: Any = None,
    y: Any = None,
    *,
    name: str = "",
    budget: Budget | float | None = SECONDS,
    most: int = 100,
    sample: int = 10_000,
    random_state: RandomState = 0,
) -> Report:
    """Return a page about rules that needs no server and no network.

    It shows whether and where rules contradict each other, what they leave out, each rule with the
    instances it selects, a map of two features, and which rule decides a case. For a classifier it
    also shows the rule sets to choose from, the confusion of labels, and uncovered instances.

    Parameters
    ----------
    rules : RuleSet, RuleList, DecisionTable or fitted RuleSetClassifier
    X : table, optional
        Instances to show the rules on.
    y : labels, optional
        Their true labels.
    name : str
        Title of the page.
    budget, most, sample, random_state
        As in :func:`irenic.summarize`: how long each search may take, how many findings per kind
        and how many instances are listed.

    Returns
    -------
    Report
        The page; its ``summary`` is what :func:`irenic.summarize` returns.

    Raises
    ------
    ConditionError
        If ``rules`` or an option is invalid.
    DataError
        If the instances or labels do not match the rules.

    Examples
    --------
    >>> import irenic, pathlib, tempfile
    >>> rules = irenic.RuleSet([irenic.Rule({"age": (0, 9)}, then="child")])
    >>> page = irenic.report(rules, name="ages")
    >>> page.save(pathlib.Path(tempfile.mkdtemp()) / "report.html").name
    'report.html'
    """
    options: dict[str, Any] = {"budget": budget, "most": most, "sample": sample}
    return Report(summarize(rules, X, y, name=name, random_state=random_state, **options))


def check_suffix(path: Path) -> None:
    """Refuse a file whose name does not say that it is a page."""
    if path.suffix.lower() not in _SUFFIXES:
        raise FileError(f"cannot write {path}: a report is a page, so its name ends in .html")


@cache
def _script() -> str:
    """Return the script of the page; it is the same for all of them."""
    return bundle("main.js", lambda path: _asset(f"scripts/{path}"))


def _asset(name: str) -> str:
    return (files("irenic.reporting") / "assets" / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    """Return what the page's policy names a style or script by: nothing else may run in it."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _as_json(data: Any) -> str:
    """Return JSON that can stand in a script element: nothing in it ends that or begins one."""
    text = json.dumps(data, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
