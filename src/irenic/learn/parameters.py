"""Groups of parameters of a learner: what users know, and how rule sets evolve."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Final, TypeVar

from irenic.errors import ConditionError, FormatError, did_you_mean
from irenic.frames.files import as_text, read_bytes

_Group = TypeVar("_Group", bound="Parameters")


class Parameters:
    """A group of parameters, which scikit-learn can copy and vary as ``name__parameter``."""

    @classmethod
    def of(cls: type[_Group], given: Any) -> _Group:
        """Return a copy of the group that is given as such, as a mapping, or as None."""
        if isinstance(given, cls):
            return replace(given)  # type: ignore[type-var]
        return cls().set_params(**({} if given is None else given))

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return all parameters by name."""
        return {each.name: getattr(self, each.name) for each in fields(self)}  # type: ignore[arg-type]

    def set_params(self: _Group, **params: Any) -> _Group:
        """Change parameters, given by name."""
        known = self.get_params()
        for name, value in params.items():
            if name not in known:
                raise ConditionError(
                    f"{type(self).__name__} has no parameter {name!r}"
                    f"{did_you_mean(str(name), known)}"
                )
            setattr(self, name, value)
        return self

    def given(self) -> dict[str, Any]:
        """Return the parameters that differ from their defaults."""
        usual = type(self)().get_params()
        return {
            name: value
            for name, value in self.get_params().items()
            if not (value is usual[name] or repr(value) == repr(usual[name]))
        }

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in self.given().items())
        return f"{type(self).__name__}({shown})"

    def __sklearn_clone__(self: _Group) -> _Group:
        return replace(self)  # type: ignore[type-var]  # rules of a fitted classifier stay fitted


@dataclass(eq=False, repr=False, kw_only=True)
class Evolution(Parameters):
    """How rule sets evolve, for those who compare learners.

    Parameters
    ----------
    init : {"trees", "seeds"}, default "trees"
        Start from the leaves of decision trees, or from random rules around uncovered rows, cut
        until they overlap no rival.
    conflicts : {"avoid", "vote", "best"}, default "avoid"
        "avoid" keeps every rule set consistent. The others allow conflicts, and decide by majority
        vote or by the best rule.
    smoothing : float, default 0.5
        Weight, between 0 and 1, of the out-of-bag predictions of a random forest relative to the
        labels themselves. More smoothing means less noise and fewer rules.

    Examples
    --------
    >>> from irenic import RuleSetClassifier
    >>> from irenic.learn import Evolution
    >>> RuleSetClassifier(evolution=Evolution(smoothing=0.0)).get_params()["evolution__smoothing"]
    0.0
    """

    init: str = "trees"
    conflicts: str = "avoid"
    # the row's own label and the forest's prediction count half each: among 0, 0.35, 0.5, 0.65 and
    # 0.8 one of the best on twelve small data sets, one percentage point above 0 with a third fewer
    # rules
    smoothing: float = 0.5


@dataclass(eq=False, repr=False, kw_only=True)
class Knowledge(Parameters):
    """What users know before a fit: rules to keep, properties to prove, and what columns mean.

    Parameters
    ----------
    rules : RuleSet, fitted classifier, str or Path, optional
        Rules to keep: they are part of every rule set of the front, with the same conditions and
        outcomes, and so is their default if they have one. Other rules are learned where these
        decide nothing, and contradict none of them. Text has one rule per line, and so has the file
        of a Path; ``irenic.read(path)`` reads other formats.
    never, always : str or list of str, optional
        Outcomes that cases must not have, or must have, such as ``"accept WHERE age < 18"``, in the
        notation of :func:`irenic.proving.prove`. Every rule set of the front is proved to keep
        them; where the default would not, a rule is added.
    monotonic_cst : dict or array of int, optional
        1 where predictions must not fall if a number rises, -1 where they must not rise, 0
        elsewhere: by name, or one number per column. It is proved for all cases, not only for rows.
        Categories can be named if they are ordered, by pandas or in ``ordered``.
        Labels must be two, of which the second in ``classes_`` is the higher one, or numbers, or an
        ordered category of pandas. Missing values are neither high nor low.
    cost : dict of dict or array of shape (n_labels, n_labels), optional
        Cost of predicting a label (inner key, or column) for each true label (outer key, or row),
        in the order of ``classes_``; 1 for errors that a dict does not list. Scores are then 1
        minus the share of the highest cost.
    describe : label, optional
        A label that only rules predict, never the default, so that each prediction of it has its
        rule: the denials of a credit model, or a diagnosis.
    forbidden : list of str, optional
        Columns that learned rules must not test. Nor do they test columns that number the rows
        (different whole numbers from 0 to at most twice the number of rows) or have a different
        text in every row, which say nothing about new rows: a warning names them. An empty list
        lets rules test every column, and naming a column in ``space``, ``ordered`` or
        ``monotonic_cst`` lets them test that one.
    ordered : list of str or dict, optional
        Categories whose values have an order, so that learned conditions are ranges: the values by
        name, lowest first, also those that no row has; or names of columns whose values ``space``
        has in order. Ordered categories of pandas are always treated like this.
    max_values : int, optional
        Maximum number of values that a learned condition lists after ``in`` or ``not in``.
    space : Space, optional
        The features of the columns, as far as they are not to be inferred: bounds, values, and
        combinations that cannot occur. Rules may overlap there, and none is needed.

    Examples
    --------
    >>> from irenic import RuleSetClassifier
    >>> from irenic.learn import Knowledge
    >>> known = Knowledge(rules="IF age < 18 THEN deny", forbidden=["sex"])
    >>> RuleSetClassifier(knowledge=known).knowledge.forbidden
    ['sex']
    """

    rules: Any = None
    never: str | Sequence[str] | None = None
    always: str | Sequence[str] | None = None
    monotonic_cst: Any = None
    cost: Any = None
    describe: Hashable | None = None
    forbidden: str | Sequence[str] | None = None
    ordered: Any = None
    max_values: int | None = None
    space: Any = None

    def decides(self) -> list[str]:
        """Return the parameters given that decide cases, whatever their rows say."""
        names = ("rules", "never", "always", "monotonic_cst", "cost")
        return [name for name in names if getattr(self, name) is not None]

    @classmethod
    def of(cls, given: Any) -> Knowledge:
        """Return what is known, also if it is in a file."""
        return cls.load(given) if isinstance(given, str | os.PathLike) else super().of(given)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Knowledge:
        """Return what a file of JSON says, such as the one that the editor of a model writes.

        :meth:`parse` explains what it contains.
        """
        return cls.parse(read_bytes(Path(path)), str(path))

    @classmethod
    def parse(cls, content: bytes, name: str = "") -> Knowledge:
        """Return what the content of a file says.

        Parameters
        ----------
        content : bytes
            JSON with the keys ``rules`` (text, one rule per line), ``never``, ``always`` and
            ``forbidden`` (lists of text), ``monotonic_cst`` (1 or -1 by column), ``ordered`` (lists
            of values by column, lowest first), ``cost`` (numbers by label by label), ``describe``
            (a label) and ``max_values`` (a number), all of them optional.
        name : str
            Name of the file, for error messages.

        Returns
        -------
        Knowledge
            What is known.

        Raises
        ------
        FormatError
            If it is something else.

        Examples
        --------
        >>> from irenic.learn import Knowledge
        >>> Knowledge.parse(b'{"forbidden": ["sex"]}')
        Knowledge(forbidden=['sex'])
        """
        try:
            read = json.loads(as_text(content))
        except ValueError as error:
            raise FormatError(f"not valid JSON ({error})", path=name) from None
        if not isinstance(read, dict):
            raise FormatError(
                f"knowledge must be an object with the keys {', '.join(_IN_FILES)}, got"
                f" {type(read).__name__}",
                path=name,
            )
        for key, value in read.items():
            if key not in _IN_FILES:
                raise FormatError(f"unknown key {key!r}{did_you_mean(key, _IN_FILES)}", path=name)
            is_right, wanted = _IN_FILES[key]
            if not is_right(value):
                raise FormatError(f"{key!r} must be {wanted}, got {value!r}", path=name)
        return cls(**read)


def forbidden_columns(forbidden: Any) -> tuple[Any, ...]:
    """Return the columns that learned rules must not test, by name or by index."""
    if forbidden is None:
        return ()
    return (forbidden,) if isinstance(forbidden, str) else tuple(forbidden)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_list_of_text(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def _each(is_item: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, dict) and all(map(is_item, value.values()))


# What the keys of a file must have, and how to say it.
_IN_FILES: Final[Mapping[str, tuple[Callable[[Any], bool], str]]] = {
    "rules": (lambda value: isinstance(value, str), "text, one rule per line"),
    "never": (_is_list_of_text, "a list of text"),
    "always": (_is_list_of_text, "a list of text"),
    "forbidden": (_is_list_of_text, "a list of text"),
    "monotonic_cst": (
        _each(lambda sign: _is_number(sign) and sign in (1, -1, 0)),
        "an object of 1, -1 or 0 by column",
    ),
    "ordered": (_each(lambda values: isinstance(values, list)), "an object of lists by column"),
    "cost": (_each(_each(_is_number)), "an object of numbers by label by label"),
    "describe": (lambda value: isinstance(value, str | int | float), "a label"),
    "max_values": (lambda value: _is_number(value) and value == int(value), "a whole number"),
}
