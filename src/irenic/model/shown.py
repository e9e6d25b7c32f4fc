"""Objects that notebooks show, and rules that can be edited there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import Any


class Shown:
    """An object that notebooks show as HTML, which ``irenic.reporting.notebook`` writes."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        # by name, because views are above the model
        return str(import_module("irenic.reporting.notebook").html(self))


class Editable(Shown):
    """Rules that a widget for notebooks can edit."""

    def edit(
        self,
        *,
        properties: str | Iterable[str] = (),
        cases: tuple[Any, Sequence[Any]] | None = None,
    ) -> Any:
        """Return a widget for notebooks in which the rules can be edited.

        It shows the page of :func:`irenic.report`, with an editor that checks every change.
        Anything that it saves is in the attribute ``rules`` of the widget; this object stays as
        it is. It needs the extra ``irenic[notebook]``.

        Parameters
        ----------
        properties : str or iterable of str
            Properties that the page checks after every change, as :func:`irenic.proving.prove`
            takes them.
        cases : tuple of (table, sequence of hashable), optional
            Test cases and their expected outcomes, which the page checks, too.

        Returns
        -------
        anywidget.AnyWidget
            With the attribute ``rules``: a RuleSet, or a RuleList if the order decides.

        Raises
        ------
        ImportError
            If anywidget is not installed.

        Examples
        --------
        >>> from irenic import Rule, RuleSet
        >>> rules = RuleSet([Rule({"age": (0, 9)}, then="child")])
        >>> widget = rules.edit()  # doctest: +SKIP
        >>> widget.rules  # doctest: +SKIP
        """
        # by name, because views are above the model
        return import_module("irenic.reporting.widget").editor(self, properties, cases)
