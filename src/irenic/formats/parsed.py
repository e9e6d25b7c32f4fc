"""Parsed sources of rules: read without a space, then bound to one."""

from __future__ import annotations

import gc
import warnings
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from irenic.errors import (
    ConditionError,
    DataError,
    FormatError,
    FormatWarning,
    SpaceError,
    did_you_mean,
)
from irenic.model.columns import as_records
from irenic.model.condition import infer_features
from irenic.model.decision_table import DecisionTable, HitPolicy
from irenic.model.explanation import common_type
from irenic.model.features import Feature
from irenic.model.literals import counted
from irenic.model.notation import ParsedCondition, ParsedRule
from irenic.model.provenance import Provenance
from irenic.model.region import Region
from irenic.model.rule import Rule
from irenic.model.rulelist import RuleList
from irenic.model.ruleset import RuleSet
from irenic.model.space import Space

if TYPE_CHECKING:
    from irenic.formats.tables.reading import Reading
    from irenic.learn import RuleClassifier


@dataclass(frozen=True, eq=False)
class Tables:
    """The decision tables of a source in a space, with every error and warning.

    Parameters
    ----------
    tables : list of DecisionTable
        The tables without errors; an error in one table does not affect the others.
    errors : list of FormatError
        What is wrong with the other tables, each with its location.
    warnings : list of FormatError
        Input that may have been meant differently.
    imports : list of Path
        The other files that were read: the models that a DMN model imports.
    name : str
        The name of the source in messages.
    readings : list of Reading
        How the tables of a csv or xlsx source were read, column by column.

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
    readings: list[Reading] = field(default_factory=list)

    def table(self, name: str | None = None) -> DecisionTable:
        """Return the only table, or the one with a given name or id.

        An error of the source is raised as a :class:`FormatError`, with a note on how many there
        are; those of other tables do not matter if the named one was read.
        """
        tables = self.tables
        if name is not None:
            tables = [table for table in tables if name in (table.name, table.provenance.id)]
            if not tables and not self.errors:
                named = [table.name for table in self.tables if table.name]
                hint = did_you_mean(name, named) if named else "; the only table has no name"
                raise FormatError(f"unknown table {name!r}{hint}", path=self.name)
        if self.errors and (name is None or not tables):
            error, n_others = self.errors[0], len(self.errors) - 1
            if n_others and not hasattr(error, "__notes__"):
                others = counted(n_others, "more error")
                error.add_note(f"{others}; irenic check and irenic.parse(…).bind().errors list all")
            raise error
        if len(tables) == 1:
            return tables[0]
        if not tables:
            raise FormatError("the source contains no decision table", path=self.name)
        names = ", ".join(repr(table.name) for table in tables[:8])
        raise FormatError(
            f"the source contains {len(tables)} tables"
            f" ({names}{', …' if len(tables) > 8 else ''}); choose one with table=… (--table …), or"
            " read them all with irenic.parse(…).bind()",
            path=self.name,
        )


@contextmanager
def no_collections() -> Iterator[None]:
    """Pause the search for cyclic garbage.

    A long table consists of millions of small objects without cycles, which it would visit again
    and again.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            if not gc.get_freeze_count():
                # moves all objects to the oldest generation, without visiting them
                gc.freeze()
                gc.unfreeze()
            gc.enable()


def _no_table(draft: Any, space: Space | None) -> Tables:
    """Return no tables, for a source that could not be parsed at all."""
    return Tables()


@dataclass(frozen=True, eq=False)
class Parsed:
    """A parsed source of rules, not yet bound to a space.

    Created by :func:`parse`. :meth:`bind` turns it into decision tables, in any number of spaces.

    Parameters
    ----------
    format : str
        The format, named after the suffix of its files: ``"csv"``, ``"json"``, …
    drafts : list
        The tables as they were read, for ``assemble``.
    assemble : callable
        Binds one of the drafts to a space; None infers the space from the draft.
    notes, failures : list of FormatError
        Warnings and errors that belong to none of the drafts.
    imports : list of Path
        The other files that were read.
    declared : Space, optional
        The space that a JSON source contains.
    document : mapping, optional
        The object that a JSON source contains.
    hit_policy : str, optional
        The hit policy of all tables, instead of the one in the source.
    name : str
        The name of the source in messages: its path, if it has one.
    decisions : Decisions, optional
        The decisions of a DMN model, for :meth:`predict`.
    content : bytes
        The source.
    encoding : str
        The encoding of the source, if it was given.
    again : callable, optional
        Parses other content with the same options.

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
    drafts: list[Any] = field(default_factory=list)
    assemble: Callable[[Any, Space | None], Tables] = field(default_factory=lambda: _no_table)
    notes: list[FormatError] = field(default_factory=list)
    failures: list[FormatError] = field(default_factory=list)
    imports: list[Path] = field(default_factory=list)
    declared: Space | None = None
    document: Mapping[str, Any] | None = None
    hit_policy: HitPolicy | None = None
    name: str = ""
    decisions: Any = None
    content: bytes = b""
    encoding: str = ""
    again: Callable[[bytes], Parsed] | None = None

    def __repr__(self) -> str:
        errors = counted(len(self.errors), "error")
        return f"<Parsed {self.format} {self.name!r}: {errors}>"

    @property
    def errors(self) -> list[FormatError]:
        """The errors that can be found without a space, in the order of the source."""
        errors = [e for d in self.drafts for e in sorted(d.errors, key=lambda e: e.line or 0)]
        return self._located([*self.failures, *errors])

    @property
    def warnings(self) -> list[FormatError]:
        """Input that may have been meant differently; binding to a space can settle some of it."""
        return self._located([*(w for draft in self.drafts for w in draft.warnings), *self.notes])

    @property
    def declares_space(self) -> bool:
        """Whether the source declares its features, so that they need not be inferred."""
        return self.declared is not None or self.format == "dmn"

    @property
    def holds_several(self) -> bool:
        """Whether sources of this format can contain several tables."""
        return self.format not in ("json", "rules")

    @property
    def is_model(self) -> bool:
        """Whether the source is a fitted classifier rather than rules alone."""
        return self.document is not None and "model" in self.document

    def bind(self, space: Space | None = None) -> Tables:
        """Return the decision tables in a space, and all errors and warnings.

        The default space is the one that the source declares, else one inferred from its
        conditions. Each warning is also issued as a :class:`FormatWarning`.
        """
        tables = self.bound(space)
        for warning in tables.warnings:
            warnings.warn(str(warning), FormatWarning, stacklevel=2)
        return tables

    def bound(self, space: Space | None) -> Tables:
        """Return what :meth:`bind` returns, without issuing its warnings."""
        space = self.declared if space is None else space
        with no_collections():
            parts = [self.assemble(draft, space) for draft in self.drafts]
        tables = [table for part in parts for table in part.tables]
        if self.hit_policy is not None:
            tables = [table.under(self.hit_policy) for table in tables]
        return Tables(
            tables,
            self._located([*self.failures, *(e for part in parts for e in part.errors)]),
            self._located([*(w for part in parts for w in part.warnings), *self.notes]),
            self.imports,
            self.name,
            [reading for part in parts for reading in part.readings],
        )

    def _located(self, errors: list[FormatError]) -> list[FormatError]:
        return [error.at(path=self.name) for error in errors]

    def rules(self, space: Space | None = None, *, table: str | None = None) -> RuleSet | RuleList:
        """Return the rules of one table in a space: ``bind(space).table(table)`` as rules.

        They are a list if the order decides. Warnings, and rows that can never apply, are issued as
        :class:`FormatWarning`.
        """
        return self._rules(space, table)

    def _rules(self, space: Space | None, name: str | None) -> RuleSet | RuleList:
        tables = self.bound(space)
        table = tables.table(name)
        never = [FormatError(table.say_never(row)) for row in table.never_hold]
        for warning in (*tables.warnings, *self._located(never)):
            # blames the caller of the public function
            warnings.warn(str(warning), FormatWarning, stacklevel=3)
        return table.as_rules()

    def open_to_missing(self, table: str | None = None) -> DecisionTable:
        """Return a table, bound so that every value can be missing.

        Most files do not say which values can be missing, and data may have empty cells. The table
        is bound again because ``not in`` covers missing values only if there can be any. If rows
        contradict each other only where a value is missing, values cannot be missing.
        """
        bound = self.bound(None).table(table)
        space = Space(
            [_opened(feature, bound.computed.get(feature.name)) for feature in bound.space]
        )
        opened = self.bound(space).table(table)
        one_decides = not (opened.is_ordered or opened.collects)
        return bound if one_decides and opened.first_conflict() else opened

    def predict(self, X: Any, *, table: str | None = None) -> npt.NDArray[Any]:
        """Return the outcome of each instance, according to the hit policy.

        In a DMN model with several decisions, everything that the chosen one requires is computed
        (default: the decision that no other one requires). ``X`` then has a column per required
        input data, such as ``Applicant.Age``, and several outputs are a dict.
        """
        decisions = self.decisions
        tables = (
            {name for draft in self.drafts for name in (draft.name, draft.id)} if decisions else ()
        )
        alone = table in tables and table not in decisions.decisions
        if decisions is None or not decisions.is_network or alone:
            return self.open_to_missing(table).predict(X)
        try:
            decision = decisions.chosen(table)
            cases = as_records(X)
            if cases:
                self._check_inputs(decision, cases[0])
            outcomes = [decisions.decide(decision, case) for case in cases]
        except FormatError as error:
            raise error.at(path=self.name) from None
        dtype = common_type(outcomes) if outcomes else None
        predictions: npt.NDArray[Any] = np.empty(len(outcomes), dtype=dtype or object)
        for i, outcome in enumerate(outcomes):
            predictions[i] = outcome
        return predictions

    def _check_inputs(self, decision: str, case: Mapping[str, Any]) -> None:
        for name in self.decisions.inputs(decision):
            if name not in case and not any(column.startswith(f"{name}.") for column in case):
                raise DataError(
                    f"the table must have a column {name!r}, which decision {decision!r}"
                    f" requires{did_you_mean(name, case)}"
                )

    def space(self, data: Any = None, *, table: str | None = None) -> Space:
        """Return the space of the rules: declared by the source, else of ``data``, else inferred.

        ``data`` is a table or a space. Values that only rules name are added: see :meth:`open`.
        """
        if data is None or self.declares_space:
            return self.bound(None).table(table).space
        return self.open(data if isinstance(data, Space) else Space.infer(data))

    def open(self, space: Space) -> Space:
        """Return a space in which open categories also list the values that only rules name.

        Categories without ``other`` are not changed, because no other value can occur.
        """
        for table in self.bound(None).tables:
            space = space.opened_to(table.space)
        return space

    def model(self) -> RuleClassifier:
        """Return the fitted classifier that the source contains; see :func:`read_model`."""
        if self.format != "json":
            raise FormatError(f"a model must be a .json file, got {self.format}", path=self.name)
        from irenic.formats.json import model as json_model

        try:
            if self.document is None:
                raise self.failures[0]
            if not self.is_model:
                raise FormatError(
                    'the file contains rules but no "model"; read them with irenic.read, or write a'
                    " model with irenic.write(clf, path)"
                )
            return json_model.decode(self.document["model"], self.bound(None).table().as_rules())
        except FormatError as error:
            raise error.at(path=self.name) from None


def _opened(feature: Feature, computed: Any) -> Feature:
    """Return a feature whose values can be missing; a computed one knows what that means."""
    opened = getattr(computed, "opened", None)
    return replace(feature, missing=True) if opened is None else opened(feature)


def _rules_of(alternatives: list[ParsedRule], space: Space) -> list[Rule]:
    """Return the rules of a line; if there are several, those that can never hold are left out."""
    rules, never = [], []
    for parsed in alternatives:
        try:
            rules.append(Rule.from_parsed(parsed, space))
        except FormatError as error:
            if len(alternatives) == 1 or not _excluding(parsed, space):
                raise
            never.append(error)
    if not rules:
        raise never[0]
    return rules


def _excluding(rule: ParsedRule, space: Space) -> bool:
    """Return whether the conditions of a rule are valid one by one."""
    for condition in rule.conditions:
        Region.from_parsed([condition], space)
    return True


@dataclass
class RuleDraft:
    """The rules of a text or JSON source, before their space is known."""

    rules: list[ParsedRule] = field(default_factory=list)
    default: Hashable | None = None
    impossible: list[tuple[int, list[ParsedCondition]]] = field(default_factory=list)
    """The combinations that cannot occur, with their places."""
    ordered: bool = False
    places: list[int] = field(default_factory=list)
    """The line of each rule, or its number if lines are not known."""
    has_lines: bool = False
    accepts: list[tuple[int | None, str]] = field(default_factory=list)
    """Findings that the source accepts, as texts, and the place of the rule beside each."""
    outputs: tuple[str, ...] = ("then",)
    errors: list[FormatError] = field(default_factory=list)
    warnings: list[FormatError] = field(default_factory=list)

    def bind(self, space: Space | None = None) -> Tables:
        """Return the rules as one table, or all errors in them."""
        errors = list(self.errors)
        rules: list[Rule] = []
        places, warnings = [], list(self.warnings)
        if space is None:
            warnings += self._untested()
            if errors:
                return Tables(errors=errors)
            try:
                space = self._infer()
            except FormatError as error:
                return Tables(errors=[error])
        try:
            space = self._excluding(space)
        except FormatError as error:
            errors.append(error)
        for place, group in groupby(zip(self.places, self.rules, strict=True), lambda p: p[0]):
            alternatives = [rule for _, rule in group]
            try:
                made = _rules_of(alternatives, space)
            except FormatError as error:
                errors.append(self.at(place, error))
                continue
            rules += made
            places += [place] * len(made)
            if len(made) > 1:
                text = f"OR, NOT or ELSE makes {len(made)} rules of this line"
                warnings.append(self.at(place, FormatError(text)))
        if errors:
            return Tables(errors=sorted(errors, key=lambda error: error.line or 0))
        rule_set = RuleSet(rules, space, default=self.default)
        try:
            table = DecisionTable.from_rules(
                RuleList.from_rules(rule_set) if self.ordered else rule_set
            )
        except ConditionError as error:  # rules of a list decide everything
            return Tables(errors=[FormatError(str(error))])
        accepts = [
            (tuple(row for row, p in enumerate(places) if p == place), text)
            for place, text in self.accepts
        ]
        lines = tuple(places) if self.has_lines else ()
        provenance = Provenance(lines=lines, accepts=tuple(accepts))
        table = replace(table, outputs=self.outputs, provenance=provenance)
        return Tables([table], warnings=warnings)

    def _excluding(self, space: Space) -> Space:
        """Return a space without what is declared as impossible."""
        regions: list[Region] = []
        for place, conditions in self.impossible:
            try:
                region = Region.from_parsed(conditions, space)
                regions += Space(space.features, [region]).impossible
            except FormatError as error:
                raise self._impossible_at(place, error) from None
            except ConditionError as error:
                raise self._impossible_at(place, FormatError(str(error))) from None
        return Space(space, (*space.impossible, *regions)) if regions else space

    def _untested(self) -> Iterator[FormatError]:
        """Warn of features of impossible combinations that no rule tests, often misspelled."""
        tested = {condition.name for rule in self.rules for condition in rule.conditions}
        for place, conditions in self.impossible:
            for name in (c.name for c in conditions if c.name not in tested):
                hint = did_you_mean(name, tested)
                text = f"what is impossible names {name!r}, which no rule tests{hint}"
                yield self._impossible_at(place, FormatError(text))

    def _impossible_at(self, place: int, error: FormatError) -> FormatError:
        if self.has_lines:
            return error.at(line=place)
        return FormatError(f'"impossible", entry {place}: {error.message}')

    def at(self, place: int, error: FormatError) -> FormatError:
        """Return an error in a rule with its location."""
        if self.has_lines:
            return error.at(line=place)
        return FormatError(f"rule {place}: {error.message}")

    def _infer(self) -> Space:
        """Infer the space from the conditions; raise at the first rule that contradicts others."""

        def attempt(count: int) -> Space:
            tests = [(c.name, c.operators) for rule in listed[:count] for c in rule]
            return Space(infer_features(tests))

        listed = [rule.conditions for rule in self.rules] + [each for _, each in self.impossible]
        places = [*self.places, *(place for place, _ in self.impossible)]

        try:
            return attempt(len(listed))
        except (ConditionError, SpaceError) as error:
            low, high = 0, len(listed)  # the first `low` rules agree, the first `high` do not
            while high - low > 1:
                middle = (low + high) // 2
                try:
                    attempt(middle)
                    low = middle
                except (ConditionError, SpaceError):
                    high = middle
            raise self.at(places[high - 1], FormatError(str(error))) from None
