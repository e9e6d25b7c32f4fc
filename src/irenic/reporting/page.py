"""The report: one self-contained HTML page, which can be mailed and archived."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from irenic.errors import FileError
from irenic.frames.files import write_file
from irenic.model.decision_table import DecisionTable
from irenic.model.rulelist import RuleList
from irenic.model.ruleset import RuleSet
from irenic.model.spaces import without_untested_values
from irenic.reporting._bundle import bundle
from irenic.reporting._embedded import embedded
from irenic.reporting.document import LearnDocument, Summary
from irenic.reporting.summarize import SECONDS, check_summary, summarize

if TYPE_CHECKING:
    from irenic.budget import Budget
    from irenic.learn import RuleClassifier
    from irenic.model.sampling import RandomState

_STYLES: Final = ("page.css", "map.css", "editor.css")
_SUFFIXES: Final = (".html", ".htm")


@dataclass(frozen=True, eq=False)
class Report:
    """An HTML page about rules, which notebooks display and :meth:`save` writes to a file.

    Parameters
    ----------
    summary : dict
        The data of the page, as returned by :func:`irenic.summarize`.

    Raises
    ------
    ConditionError
        If ``summary`` is not a summary of the current version.

    Examples
    --------
    >>> import irenic
    >>> rules = irenic.RuleSet([irenic.Rule({"age": (0, 9)}, then="child")])
    >>> irenic.reporting.Report(irenic.summarize(rules, name="ages"))
    <Report 'ages': 1 rule>
    """

    summary: Summary | LearnDocument

    def __post_init__(self) -> None:
        check_summary(self.summary)

    @cached_property
    def html(self) -> str:
        """The page, which loads nothing from elsewhere."""
        return self._html()

    def editing_html(self, saves_to: Literal["server", "notebook"], digest: str = "") -> str:
        """Return the page for a host that takes edited rules: its own server, or a notebook.

        Its policy admits requests to its server, with which it sends ``digest``: what identifies
        the content of the file that is edited.
        """
        return self._html(saves_to, digest)

    def _html(self, saves_to: str = "", digest: str = "") -> str:
        from importlib.metadata import version  # with modules for e-mail, for pages only

        style = "\n".join(map(_asset, _STYLES))
        script = _script("main.js")
        parts = {
            "title": html.escape(self.summary["name"] or "Rules"),
            "version": version("irenic"),
            "style": style,
            "style-hash": _hash(style),
            "summary": _as_json(embedded(self.summary)),
            "cells": _as_json(_cells()),
            "worker": _script("engine/worker.js"),
            "script": script,
            "script-hash": _hash(script),
            "connect": " connect-src 'self';" if saves_to == "server" else "",
            "saves-to": saves_to,
            "digest": digest,
        }
        # a single pass, because the parts themselves may contain {{…}}
        return re.sub(r"\{\{([a-z-]+)\}\}", lambda match: parts[match[1]], _asset("page.html"))

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the page to a file that ends in .html or .htm, and return its path.

        A file that cannot be written raises :class:`FileError`, and one that exists stays as it
        was.
        """
        path = Path(path)
        check_suffix(path)
        write_file(path, self.html)
        return path

    def __repr__(self) -> str:
        n = self.summary["models"][self.summary["chosen"]]["size"]["rules"]
        return f"<Report {self.summary['name']!r}: {n} rule{'' if n == 1 else 's'}>"

    def _repr_html_(self) -> str:
        """Return the page in a frame, which isolates its styles from those of the notebook."""
        source = html.escape(self.html, quote=True)
        style = "width:100%;height:80vh;min-height:30em;border:0"
        title = html.escape(f"Report: {self.summary['name'] or 'rules'}", quote=True)
        frame = f'sandbox="allow-scripts" title="{title}" style="{style}"'
        return f'<iframe {frame} srcdoc="{source}"></iframe>'


def report(
    rules: RuleSet | RuleList | DecisionTable | RuleClassifier,
    X: Any = None,
    y: Any = None,
    *,
    name: str = "",
    budget: Budget | float | None = SECONDS,
    limit: int = 100,
    sample: int = 10_000,
    random_state: RandomState = 0,
    properties: str | Iterable[str] = (),
    cases: tuple[Any, Sequence[Any]] | None = None,
) -> Report:
    """Return an HTML page about rules that needs no server and no network.

    It shows where rules contradict each other, what they leave uncovered, each rule with the
    instances it covers, a map of two features, and which rule decides a case. For a classifier it
    also shows the rule sets to choose from, the confusion of labels, and uncovered instances.

    Parameters
    ----------
    rules : RuleSet, RuleList, DecisionTable or fitted classifier of irenic
    X : table, optional
        Instances to show the rules on. The page contains no values of columns that no rule tests.
    y : labels, optional
        Their true labels.
    name : str
        Title of the page.
    budget, limit, sample, random_state
        As in :func:`irenic.summarize`: how long each search may take, how many findings per kind
        and how many instances are listed.
    properties, cases
        As in :func:`irenic.summarize`: what the page checks after every change.

    Returns
    -------
    Report
        The page; its ``summary`` is what :func:`irenic.summarize` returns.

    Raises
    ------
    ConditionError
        If ``rules`` or an option is invalid.
    DataError
        If the instances, labels or cases do not match the rules.
    FormatError
        If a text is not a property.

    Examples
    --------
    >>> import irenic
    >>> rules = irenic.RuleSet([irenic.Rule({"age": (0, 9)}, then="child")])
    >>> irenic.report(rules, name="ages")
    <Report 'ages': 1 rule>
    """
    if isinstance(rules, RuleSet | RuleList | DecisionTable):
        table = DecisionTable.from_rules(rules)
        rules = replace(table, rules=without_untested_values([table.rules])[0])
    options: dict[str, Any] = {"budget": budget, "limit": limit, "sample": sample}
    options |= {"properties": properties, "cases": cases}
    return Report(summarize(rules, X, y, name=name, random_state=random_state, **options))


def check_suffix(path: Path) -> None:
    """Reject a file that does not end in .html or .htm."""
    if path.suffix.lower() not in _SUFFIXES:
        raise FileError(f"cannot write {path}: the name of a report must end in .html")


@cache
def _script(name: str) -> str:
    """Return a script, which is the same for all pages."""
    return bundle(name, lambda path: _asset(f"scripts/{path}"))


@cache
def _cells() -> dict[str, Any]:
    """Return the words and the grammar with which the editor reads cells, as files are read."""
    folder = files("irenic.formats.cells")
    return {
        name: json.loads((folder / f"{name}.json").read_text("utf-8"))
        for name in ("vocabulary", "grammar")
    }


def _asset(name: str) -> str:
    return (files("irenic.reporting") / "assets" / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    """Return the hash by which the content security policy admits a style or script."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _as_json(data: Any) -> str:
    """Return JSON for a script element; escapes prevent tags in it."""
    text = json.dumps(data, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
