"""What a file of rules says: parsed without a space, then bound to one."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from irenic.errors import ConditionError, FormatError, FormatWarning, SpaceError, did_you_mean
from irenic.model.condition import infer_features
from irenic.model.decision_table import DecisionTable, HitPolicy
from irenic.model.literals import counted
from irenic.model.notation import ParsedRule
from irenic.model.rule import Rule
from irenic.model.rulelist import RuleList
from irenic.model.ruleset import RuleSet
from irenic.model.space import Space

if TYPE_CHECKING:
    from irenic.learn import RuleSetClassifier


@dataclass(frozen=True, eq=False)
class Tables:
    """The decision tables of a source in a space, with every error and warning.

    An error in one table does not keep the others from being bound: ``tables`` are those without
    errors, ``errors`` says what is wrong with the rest and where. ``warnings`` names what was read
    but may mean something else. ``imports`` are the other files that were read: the models that a
    DMN model imports. ``name`` is what messages call the source.

    Examples
    --------
    >>> import irenic
    >>> tables = irenic.parse("age,fare\\n< 18,reduced\\n>= 18,full\\n", format="csv").bind()
    >>> tables.tables, tables.errors
    ([<DecisionTable '': 2 rows, 1 feature>], [])
    """

    tables: list[DecisionTable] = field(default_factory=list)
    errors: list[FormatError] = field(default_factory=list)
    warnings: list[FormatError] = field(default_factory=list)
    imports: list[Path] = field(default_factory=list)
    name: str = ""

    def table(self, name: str | None = None) -> DecisionTable:
        """Return the only table, or the one with a given name or id.

        Parameters
        ----------
        name : str, optional
            Required where there are several tables.

        Raises
        ------
        FormatError
            If there is no such table, several, or an error in the source; with a name only the
            errors of a source without that table count.

        Examples
        --------
        >>> import irenic
        >>> irenic.parse("IF age < 18 THEN free\\n", format="rules").bind().table().rules
        <RuleSet: 1 rule, 1 feature>
          1. IF age < 18 THEN free
        """
        tables = self.tables
        if name is not None:
            tables = [table for table in tables if name in (table.name, table.id)]
            if not tables and not self.errors:
                named = [table.name for table in self.tables if table.name]
                hint = did_you_mean(name, named) if named else "; its one table has no name"
                raise FormatError(f"there is no table {name!r}{hint}", path=self.name)
        if self.errors and (name is None or not tables):
            raise self.errors[0]
        if len(tables) == 1:
            return tables[0]
        if not tables:
            raise FormatError("there is no table of rules in it", path=self.name)
        names = ", ".join(repr(table.name) for table in tables[:8])
        raise FormatError(
            f"there are {len(tables)} tables in it ({names}{', …' if len(tables) > 8 else ''});"
            " name one (table=…, --table …), or bind them all with irenic.parse(…).bind()",
            path=self.name,
        )


def _no_table(draft: Any, space: Space | None) -> Tables:
    """Return no table, for sources that are wrong as a whole."""
    return Tables()


@dataclass(frozen=True, eq=False)
class Parsed:
    """What a source of rules says, parsed once and not yet held against a space.

    :func:`parse` makes it. :meth:`bind` makes decision tables of it, in any number of spaces.

    Examples
    --------
    >>> import irenic
    >>> parsed = irenic.parse("IF age < 18 THEN free\\nIF age > THEN full\\n", format="rules")
    >>> parsed
    <Parsed rules '': 1 error>
    >>> parsed.errors[0].line, parsed.errors[0].column
    (2, 10)
    """

    format: str
    """The format, named after the suffix of its files: ``"csv"``, ``"json"``, …"""
    drafts: list[Any] = field(default_factory=list)
    """The tables as they were read, for ``assemble``."""
    assemble: Callable[[Any, Space | None], Tables] = _no_table
    """Binds one of the drafts to a space; None infers it from the draft."""
    notes: list[FormatError] = field(default_factory=list)
    """Warnings that belong to none of the drafts."""
    failures: list[FormatError] = field(default_factory=list)
    """Errors that belong to none of the drafts."""
    imports: list[Path] = field(default_factory=list)
    declared: Space | None = None
    """The space that a JSON source holds."""
    document: Mapping[str, Any] | None = None
    """The object that a JSON source holds."""
    hit_policy: HitPolicy | None = None
    name: str = ""
    """What messages call the source: its path, if it has one."""

    def __repr__(self) -> str:
        errors = counted(len(self.errors), "error")
        return f"<Parsed {self.format} {self.name!r}: {errors}>"

    @property
    def errors(self) -> list[FormatError]:
        """The errors that need no space to be found, in the order of the source."""
        noted = [sorted(d.errors, key=lambda error: error.line or 0) for d in self.drafts]
        return self._located([*self.failures, *(error for errors in noted for error in errors)])

    @property
    def warnings(self) -> list[FormatError]:
        """What may mean something else; some of it is settled by a space with the same names."""
        return self._located([*(w for draft in self.drafts for w in draft.warnings), *self.notes])

    @property
    def declares_space(self) -> bool:
        """Whether the source declares its features, so that they need not be inferred."""
        return self.declared is not None or self.format == "dmn"

    @property
    def holds_several(self) -> bool:
        """Whether sources of this format can hold several tables."""
        return self.format in ("csv", "dmn", "xlsx")

    @property
    def is_model(self) -> bool:
        """Whether the source is a fitted classifier rather than rules alone."""
        return self.document is not None and "model" in self.document

    def bind(self, space: Space | None = None) -> Tables:
        """Return the decision tables in a space, and all errors and warnings.

        Parameters
        ----------
        space : Space, optional
            By default the space that the source declares, else the one inferred from its tests.

        Returns
        -------
        Tables
            Each of its warnings is issued as a :class:`FormatWarning`, too.

        Examples
        --------
        >>> import irenic
        >>> parsed = irenic.parse('age,fare\\n"< 18, >= 60",reduced\\n', format="csv")
        >>> parsed.bind().tables[0].rules
        <RuleSet: 2 rules, 1 feature>
          1. IF age < 18 THEN reduced
          2. IF age >= 60 THEN reduced
        >>> ages = irenic.Space([irenic.Continuous("age", bounds=(0, 59))])
        >>> parsed.bind(ages).tables[0].rules
        <RuleSet: 1 rule, 1 feature>
          1. IF age < 18 THEN reduced
        """
        tables = self.bound(space)
        for told in tables.warnings:
            warnings.warn(str(told), FormatWarning, stacklevel=2)
        return tables

    def bound(self, space: Space | None) -> Tables:
        """Return what :meth:`bind` returns, without warnings being issued."""
        space = self.declared if space is None else space
        bound = [self.assemble(draft, space) for draft in self.drafts]
        tables = [table for one in bound for table in one.tables]
        if self.hit_policy is not None:
            tables = [table.under(self.hit_policy) for table in tables]
        return Tables(
            tables,
            self._located([*self.failures, *(e for one in bound for e in one.errors)]),
            self._located([*(w for one in bound for w in one.warnings), *self.notes]),
            self.imports,
            self.name,
        )

    def _located(self, errors: list[FormatError]) -> list[FormatError]:
        return [error.at(path=self.name) for error in errors]

    def rules(self, space: Space | None = None, *, table: str | None = None) -> RuleSet | RuleList:
        """Return the rules of one table in a space: ``bind(space).table(table)`` as rules.

        Parameters
        ----------
        space : Space, optional
            As for :meth:`bind`.
        table : str, optional
            Which table, by its name or id, where the source holds several.

        Returns
        -------
        RuleSet or RuleList
            A list where the order decides. Warnings, and rows that can never hold, are issued as
            :class:`FormatWarning`.

        Raises
        ------
        FormatError
            If there is an error in the source.

        Examples
        --------
        >>> import irenic
        >>> irenic.parse("IF age < 18 THEN free\\nDEFAULT full\\n", format="rules").rules()
        <RuleSet: 1 rule, 1 feature>
          1. IF age < 18 THEN free
          DEFAULT full
        """
        return self._rules(space, table)

    def _rules(self, space: Space | None, name: str | None) -> RuleSet | RuleList:
        tables = self.bound(space)
        table = tables.table(name)
        never = [FormatError(table.say_never(row)) for row in table.never_hold]
        for told in (*tables.warnings, *self._located(never)):
            # where the caller of the public function is
            warnings.warn(str(told), FormatWarning, stacklevel=3)
        return table.as_rules()

    def space(self, data: Any = None, *, table: str | None = None) -> Space:
        """Return the space that the rules are about.

        Parameters
        ----------
        data : table or Space, optional
            Instances that tell the kinds and values of features. A space that the source declares
            takes precedence. Values that only rules name are added: see :meth:`open`.
        table : str, optional
            The table to take, where the source holds several.

        Returns
        -------
        Space
            Declared by the source, else that of ``data``, else inferred from the tests.

        Raises
        ------
        FormatError
            If it has to be inferred and there is an error in the source.

        Examples
        --------
        >>> import irenic
        >>> parsed = irenic.parse("IF job in {nurse} THEN low\\n", format="rules")
        >>> parsed.space()["job"]
        Categorical('job', ['nurse'], other=True)
        >>> parsed.space({"job": ["clerk", "cook"]})["job"]
        Categorical('job', ['clerk', 'cook', 'nurse'], other=True)
        """
        if data is None or self.declares_space:
            return self.bound(None).table(table).space
        return self.open(data if isinstance(data, Space) else Space.infer(data))

    def open(self, space: Space) -> Space:
        """Return a space in which open categories also list the values that only rules name.

        Categories without ``other`` stay as they are: they say that no other value occurs.

        Parameters
        ----------
        space : Space

        Returns
        -------
        Space

        Examples
        --------
        >>> import irenic
        >>> parsed = irenic.parse("IF job in {nurse} THEN low\\n", format="rules")
        >>> parsed.open(irenic.Space([irenic.Categorical("job", ["cook"], other=True)])).features
        (Categorical('job', ['cook', 'nurse'], other=True),)
        """
        for table in self.bound(None).tables:
            space = space.opened_to(table.space)
        return space

    def model(self) -> RuleSetClassifier:
        """Return the fitted classifier that the source holds; see :func:`read_model`.

        Raises
        ------
        FormatError
            If it holds none, or there is an error in it.
        """
        if self.format != "json":
            raise FormatError("a model is read from a .json file", path=self.name)
        from irenic.formats.json import model as json_model

        try:
            if self.document is None:
                raise self.failures[0]
            if not self.is_model:
                raise FormatError(
                    'there is no "model" in it; irenic.read reads files of rules, and'
                    " irenic.write(clf, path) writes models"
                )
            return json_model.decode(self.document["model"], self.bound(None).table().as_rules())
        except FormatError as error:
            raise error.at(path=self.name) from None


@dataclass
class RuleDraft:
    """One list of rules, as text and JSON hold it, before its space is known."""

    rules: list[ParsedRule] = field(default_factory=list)
    default: Hashable | None = None
    ordered: bool = False
    places: list[int] = field(default_factory=list)
    """The line of each rule, or its number where lines are not known."""
    has_lines: bool = False
    errors: list[FormatError] = field(default_factory=list)
    warnings: list[FormatError] = field(default_factory=list)

    def bind(self, space: Space | None = None) -> Tables:
        """Return the rules as one table, or all errors."""
        errors = list(self.errors)
        rules: list[Rule] = []
        if space is None:
            if errors:
                return Tables(errors=errors)
            try:
                space = self._infer()
            except FormatError as error:
                return Tables(errors=[error])
        for place, rule in zip(self.places, self.rules, strict=True):
            try:
                rules.append(Rule.from_parsed(rule, space))
            except FormatError as error:
                errors.append(self.at(place, error))
        if errors:
            return Tables(errors=sorted(errors, key=lambda error: error.line or 0))
        made = RuleSet(rules, space, default=self.default)
        table = DecisionTable.of(RuleList.of(made) if self.ordered else made)
        return Tables([replace(table, lines=tuple(self.places))] if self.has_lines else [table])

    def at(self, place: int, error: FormatError) -> FormatError:
        """Return an error in a rule with its place."""
        if self.has_lines:
            return error.at(line=place)
        return FormatError(f"rule {place}: {error.message}")

    def _infer(self) -> Space:
        """Return the space that the tests tell of; if they contradict each other, say where."""

        def attempt(count: int) -> Space:
            tests = [(c.name, c.operators) for rule in self.rules[:count] for c in rule.conditions]
            return Space(infer_features(tests))

        try:
            return attempt(len(self.rules))
        except (ConditionError, SpaceError) as error:
            low, high = 0, len(self.rules)  # the first `low` rules agree, the first `high` do not
            while high - low > 1:
                middle = (low + high) // 2
                try:
                    attempt(middle)
                    low = middle
                except (ConditionError, SpaceError):
                    high = middle
            raise self.at(self.places[high - 1], FormatError(str(error))) from None
