"""The space of features, and tables encoded as numbers."""

from __future__ import annotations

import reprlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from irenic.arrays import Bools, Bytes, Codes, Floats, Ints, Words, distinct
from irenic.boxes import Boxes
from irenic.errors import ConditionError, DataError, SpaceError, did_you_mean
from irenic.model.columns import encode_codes, encode_floats, field_names, infer_feature, take_apart
from irenic.model.features import LOWEST, UNWRITTEN, Categorical, Continuous, Feature
from irenic.model.literals import counted, is_missing
from irenic.model.records import Records

if TYPE_CHECKING:
    from irenic.model.region import Region

Point: TypeAlias = Mapping[str, Any]

_MAX_MEMO = 100_000


class Space:
    """The ordered features that rules can test.

    Parameters
    ----------
    features : iterable of Continuous and Categorical
        Their names must be unique.
    impossible : iterable of mapping or Region, optional
        Combinations of values that cannot occur. Rules do not contradict each other there, and no
        rule needs to cover them.

    Raises
    ------
    SpaceError
        If a name appears twice, or if an item is not a feature.
    ConditionError
        If an impossible combination does not fit the features, or has no condition.

    Examples
    --------
    >>> space = Space([Continuous("f1"), Categorical("color", ["yellow", "blue"])])
    >>> space.names
    ('f1', 'color')
    >>> space["color"].values
    ('yellow', 'blue')
    >>> Space(space, impossible=[{"f1": (5, None), "color": "blue"}]).impossible
    (f1 >= 5 and color in {blue},)
    """

    def __init__(
        self, features: Iterable[Feature], impossible: Iterable[Mapping[str, Any] | Region] = ()
    ) -> None:
        self.features: tuple[Feature, ...] = tuple(features)
        for feature in self.features:
            if not isinstance(feature, Continuous | Categorical):
                raise SpaceError(
                    "features must be Continuous(name) or Categorical(name, values),"
                    f" got {feature!r}"
                )
        self.names: tuple[str, ...] = tuple(f.name for f in self.features)
        self._place = {name: i for i, name in enumerate(self.names)}
        if len(self._place) != len(self.names):
            duplicate = next(n for n in self.names if self.names.count(n) > 1)
            raise SpaceError(f"two features are named {duplicate!r}; names must be unique")
        self.continuous: tuple[Continuous, ...] = tuple(
            f for f in self.features if isinstance(f, Continuous)
        )
        self.categorical: tuple[Categorical, ...] = tuple(
            f for f in self.features if isinstance(f, Categorical)
        )
        self.places_of_continuous = tuple(self._place[f.name] for f in self.continuous)
        self.places_of_categorical = tuple(self._place[f.name] for f in self.categorical)
        self._memos: dict[str, dict[Any, Any]] = {}
        self._row = {f.name: i for i, f in enumerate(self.continuous)}
        self._row |= {f.name: i for i, f in enumerate(self.categorical)}
        self.impossible: tuple[Region, ...] = ()
        """The combinations of values that cannot occur."""
        self._excluded: frozenset[bytes] = frozenset()
        listed = tuple(impossible)
        if listed:
            regions = (self._impossible_region(item) for item in listed)
            distinct = {region.box.simplified().keys().tobytes(): region for region in regions}
            self.impossible, self._excluded = tuple(distinct.values()), frozenset(distinct)

    def _impossible_region(self, item: Mapping[str, Any] | Region) -> Region:
        from irenic.model.region import Region  # regions are made of a space

        if not isinstance(item, Mapping | Region):
            raise ConditionError(
                "what is impossible must be a mapping {feature: condition} or a Region, got"
                f" {item!r}"
            )
        if isinstance(item, Region) and item.space.features == self.features:
            # not cast(), which returns the region itself while nothing is impossible here
            bounds = item.lower, item.upper, item.masks, item.written
            region = Region.from_packed(self, *bounds)
        else:
            region = Region(self, item.conditions() if isinstance(item, Region) else item)
        if not region.n_conditions:
            raise ConditionError("what is impossible must have a condition, or no case is possible")
        return region

    @cached_property
    def impossible_boxes(self) -> Boxes:
        """The impossible regions as simplified boxes."""
        none = Boxes.none(self)
        return none.concat(*(region.box.simplified() for region in self.impossible))

    # --- as a value

    def __len__(self) -> int:
        return len(self.features)

    def __iter__(self) -> Iterator[Feature]:
        return iter(self.features)

    def __contains__(self, name: object) -> bool:
        return name in self._place

    def __getitem__(self, name: str) -> Feature:
        return self.features[self.index(name)]

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Space):
            return NotImplemented
        return self.features == other.features and self._excluded == other._excluded

    def __hash__(self) -> int:
        return hash(self.features)

    def __reduce__(self) -> Any:
        if not self.impossible:
            return type(self), (self.features,)
        plain = Space(self.features)  # regions of this space would contain it again
        return type(self), (self.features, [region.cast(plain) for region in self.impossible])

    def __repr__(self) -> str:
        excluded = f", impossible=[{', '.join(map(str, self.impossible))}]"
        listed = ", ".join(map(repr, self.features))
        return f"Space([{listed}]{excluded if self.impossible else ''})"

    def index(self, name: str) -> int:
        """Return the index of a feature."""
        try:
            return self._place[name]
        except (KeyError, TypeError):
            hint = did_you_mean(name, self.names)
            raise ConditionError(f"unknown feature {name!r}{hint}") from None

    def row(self, name: str) -> int:
        """Return the index of a feature among those of its type, as in packed arrays."""
        self.index(name)
        return self._row[name]

    def memo(self, kind: str) -> dict[Any, Any]:
        """Return a cache for results of converting conditions, which many regions share.

        It is cleared when it grows too large.
        """
        memo = self._memos.setdefault(kind, {})
        if len(memo) > _MAX_MEMO:
            memo.clear()
        return memo

    # --- layout and the domain

    @cached_property
    def starts(self) -> Ints:
        """The index of the first word of each categorical feature, and the end of the last."""
        return np.cumsum([0, *(f.n_words for f in self.categorical)], dtype=np.int64)

    @cached_property
    def n_codes(self) -> Ints:
        """The number of codes of each categorical feature."""
        return np.array([len(f.values) + 2 for f in self.categorical], dtype=np.int64)

    @cached_property
    def sets(self) -> tuple[slice, ...]:
        """The words of each categorical feature, as slices."""
        return tuple(slice(a, b) for a, b in pairwise(self.starts.tolist()))

    @property
    def n_words(self) -> int:
        """The number of 64-bit words of all categorical features together."""
        return int(self.starts[-1])

    @cached_property
    def lowest(self) -> Floats:
        """The least non-missing value of each continuous feature."""
        return np.array([f.lowest for f in self.continuous], dtype=np.float64)

    @property
    def domain(self) -> tuple[Ints, Words, Floats]:
        """Where words start, all values, and the lowest values, as rules of kernels have them."""
        return self.starts, self.everything, self.lowest

    @cached_property
    def bottom(self) -> Floats:
        """The lower bound of each continuous feature that excludes only missing values."""
        return np.where(self.may_be_missing, LOWEST, -np.inf)

    @cached_property
    def end(self) -> Floats:
        """The cut just above the greatest value of each continuous feature."""
        return np.array([f.end for f in self.continuous], dtype=np.float64)

    @cached_property
    def may_be_missing(self) -> Bools:
        """Whether each continuous feature may be missing."""
        return np.array([f.missing for f in self.continuous], dtype=np.bool_)

    @cached_property
    def axes(self) -> Ints:
        """The axis of each feature in kernels: continuous features first, then categorical."""
        shift = {True: 0, False: len(self.continuous)}
        rows = [self._row[f.name] + shift[isinstance(f, Continuous)] for f in self.features]
        return np.array(rows, dtype=np.int64)

    @cached_property
    def unwritten(self) -> Bytes:
        """Marks all bounds as computed; see :mod:`irenic.model.condition`."""
        marks = np.full(len(self.continuous), UNWRITTEN, dtype=np.uint8)
        marks.flags.writeable = False
        return marks

    @cached_property
    def everything(self) -> Words:
        """The words of all values that can occur: no condition on any categorical feature."""
        words = [w for f in self.categorical for w in to_words(f.everything, f.n_words)]
        return np.array(words, dtype=np.uint64)

    def words_of(self, codes: Codes) -> Words:
        """Return the words of the set of all codes of instances."""
        words = np.zeros(self.n_words, dtype=np.uint64)
        for part, row in zip(self.sets, codes, strict=True):
            for code in distinct(row).tolist():
                words[part.start + (code >> 6)] |= np.uint64(1) << np.uint64(code & 63)
        return words

    # --- tables

    @classmethod
    def infer(cls, table: Any, *, names: Sequence[str] | None = None) -> Space:
        """Infer a space from a table, with one feature per column.

        Numbers, integers, dates and times become continuous features; booleans, text and
        categories become categorical ones. A feature allows missing values if its column has any.
        Text and categories also allow values that the table does not contain.

        Parameters
        ----------
        table : pandas, polars or pyarrow frame, 2-D array, mapping of columns, list of points
            Points are mappings, tuples or lists; named tuples and Spark rows name the columns.
        names : sequence of str, optional
            Names of the columns (default: those of the table, or ``x0``, ``x1``, …).

        Returns
        -------
        Space

        Raises
        ------
        SpaceError
            If a column has values of an unsupported type, or if ``names`` has the wrong length.

        Examples
        --------
        >>> Space.infer({"age": [31, None, 45], "job": ["nurse", "clerk", "nurse"]})
        Space([Continuous('age', missing=True, kind='integer'),
               Categorical('job', ['clerk', 'nurse'], other=True)])
        """
        if isinstance(table, Instances):
            return table.space
        taken = take_apart(table)
        n = len(taken.columns)
        if names is None:
            names = taken.names or [f"x{i}" for i in range(n)]
        if len(names) != n:
            raise SpaceError(f"names must have one name per column, got {len(names)} for {n}")
        return cls(map(infer_feature, names, taken.columns))

    def opened_to(self, other: Space) -> Space:
        """Return this space with additional values that another space declares.

        Values are added to categorical features with ``other=True``, or with a prefix that they
        begin with; other features stay as they are, and so do features that are continuous in one
        of the spaces. Additional values follow the existing ones.
        """
        features: list[Feature] = []
        for feature in self:
            if isinstance(feature, Categorical) and feature.name in other:
                values = getattr(other[feature.name], "values", ())  # () if it is continuous
                unseen = [value for value in values if value not in feature.codes]
                admitted = (v for v in unseen if feature.admits(feature.class_of(v)))
                feature = replace(feature, values=(*feature.values, *admitted))
            features.append(feature)
        return Space(features, self.impossible)

    def encode(self, table: Any) -> Instances:
        """Return a table as numbers.

        Parameters
        ----------
        table : pandas, polars or pyarrow frame, 2-D array, mapping of columns, list of points
            Columns are matched by name, and additional ones are ignored. Instances of this space
            are returned unchanged.

        Returns
        -------
        Instances

        Raises
        ------
        DataError
            If a column is missing or a value does not fit its feature.

        Examples
        --------
        >>> space = Space([Continuous("f1"), Categorical("color", ["yellow", "blue"])])
        >>> space.encode([{"f1": 3, "color": "blue"}]).values
        array([[3.]])
        """
        if isinstance(table, Instances):
            if table.space != self:
                raise DataError("the instances belong to another space; encode the table instead")
            return table
        is_record = type(table) is list and len(table) == 1 and type(table[0]) is dict
        if is_record and (numbers := self.records.usual(table[0])):
            return self._one_instance(*numbers)
        if isinstance(table, list | tuple) and not table:
            columns: list[Any] = [np.empty(0, dtype=object) for _ in self.features]
            length = 0
        else:
            taken = take_apart(table)
            columns, length = taken.select(self.names), taken.length
        values = np.empty((len(self.continuous), length), dtype=np.float64)
        codes = np.empty((len(self.categorical), length), dtype=np.int32)
        for feature, column in zip(self.features, columns, strict=True):
            row = self._row[feature.name]
            if isinstance(feature, Continuous):
                values[row] = encode_floats(column, feature)
            else:
                codes[row] = encode_codes(column, feature)
        return Instances(self, values, codes)

    def encode_point(self, point: Any) -> Instances:
        """Return a point as instances of length 1.

        Parameters
        ----------
        point : mapping, sequence or Instances of length 1
            Values by name, where omitted features are missing, or in the order of the features.
            Named tuples, Spark rows and rows of pandas, such as ``frame.iloc[0]``, are read by
            name.

        Returns
        -------
        Instances

        Raises
        ------
        DataError
            If a value does not fit its feature.

        Examples
        --------
        >>> Space([Continuous("f1"), Continuous("f2")]).encode_point({"f1": 5.5, "f2": 6}).values
        array([[5.5],
               [6. ]])
        """
        return self._one_instance(*self.numbers_of(point))

    def _one_instance(self, values: list[float], codes: list[int]) -> Instances:
        instance = Instances.__new__(Instances)  # without checks: the numbers fit the space
        instance.space = self
        instance.values = np.array(values, dtype=np.float64)[:, None]
        instance.codes = np.array(codes, dtype=np.int32)[:, None]
        return instance

    def numbers_of(self, point: Any) -> tuple[list[float], list[int]]:
        """Return a point as numbers, without arrays."""
        if isinstance(point, Instances):
            if len(point) != 1:
                raise DataError(f"expected one point, got {len(point)}")
            instances = self.encode(point)
            return instances.values[:, 0].tolist(), instances.codes[:, 0].tolist()
        by_name = point if type(point) is dict else self._by_name(point)
        if len(by_name) == len(self) and (numbers := self.records.usual(by_name)):
            return numbers
        by_name = self._by_name(by_name)
        values: list[float] = []
        codes: list[int] = []
        for feature in self.continuous:
            value = feature.encode_value(by_name.get(feature.name))
            if not feature.admits(value):
                raise self._not_admitted(feature, by_name)
            values.append(value)
        for category in self.categorical:
            code = category.encode_value(by_name.get(category.name))
            if not category.admits(code):
                raise self._not_admitted(category, by_name)
            codes.append(code)
        return values, codes

    @cached_property
    def records(self) -> Records:
        """The encoder of single records."""
        return Records(self)

    def _by_name(self, point: Any) -> Mapping[str, Any]:
        names = field_names(point)
        if names is not None:
            point = dict(zip(names, point, strict=True))
        if isinstance(point, Mapping):
            for name in point:
                if name not in self._place:
                    self.index(name)  # raises
            return point
        if isinstance(point, str | bytes) or not isinstance(point, Sequence | np.ndarray):
            shown = reprlib.repr(point)
            raise DataError(f"a point must be a mapping {{feature: value}}, got {shown}")
        if len(point) != len(self):
            raise DataError(f"a point must have {counted(len(self), 'value')}, got {len(point)}")
        values = point.tolist() if isinstance(point, np.ndarray) else point
        return dict(zip(self.names, values, strict=True))

    def _not_admitted(self, feature: Feature, point: Mapping[str, Any]) -> DataError:
        name, value = feature.name, point.get(feature.name)
        if name not in point:
            return DataError(f"the point has no value for {name!r}, which is never missing")
        if is_missing(value):
            return DataError(f"{name!r} is missing in the point, but never missing in the space")
        if isinstance(feature, Categorical):
            return DataError(
                f"feature {name!r}: {value!r} is not among its values ({feature.show_values()});"
                " declare it with other=True to allow others"
            )
        low, high = feature.bounds
        return DataError(f"feature {name!r}: {value!r} is outside its bounds ({low}, {high})")


class Instances:
    """A table as numbers, as returned by :meth:`Space.encode`.

    Every method with a table as its argument also accepts instances. Encode a table once if you
    use it many times.

    Parameters
    ----------
    space : Space
        The features.
    values : array of float64
        ``values[i, n]`` is the value of continuous feature ``i`` of instance ``n``.
    codes : array of int32
        ``codes[j, n]`` is the code of categorical feature ``j`` of instance ``n``.

    Raises
    ------
    DataError
        If the arrays do not fit the space.

    Examples
    --------
    >>> space = Space([Continuous("f1"), Categorical("color", ["yellow", "blue"])])
    >>> instances = space.encode({"f1": [1, 2], "color": ["blue", "yellow"]})
    >>> len(instances), instances[1]
    (2, {'f1': 2.0, 'color': 'yellow'})
    """

    __slots__ = ("codes", "space", "values")

    def __init__(self, space: Space, values: Floats, codes: Codes) -> None:
        shapes = values.shape, codes.shape
        n = values.shape[-1] if space.continuous else codes.shape[-1]
        if shapes != ((len(space.continuous), n), (len(space.categorical), n)):
            raise DataError(
                f"values and codes must have one row per feature and one column per instance, got"
                f" the shapes {shapes[0]} and {shapes[1]}"
            )
        if values.dtype != np.float64 or codes.dtype != np.int32:
            raise DataError(
                f"values must be float64 and codes int32, got {values.dtype} and {codes.dtype}"
            )
        if codes.size and (codes.min() < 0 or (codes.max(axis=1) >= space.n_codes).any()):
            raise DataError("codes must be those of the values of each feature; use space.encode")
        self.space, self.values, self.codes = space, values, codes

    def __len__(self) -> int:
        return int(self.values.shape[1] if self.space.continuous else self.codes.shape[1])

    def __repr__(self) -> str:
        return f"<Instances: {len(self)} x {len(self.space)}>"

    def __getitem__(self, i: int) -> dict[str, Any]:
        if not -len(self) <= i < len(self):
            raise IndexError(f"index {i} is out of range for {counted(len(self), 'instance')}")
        point: dict[str, Any] = {}
        for feature in self.space:
            row = self.space.row(feature.name)
            if isinstance(feature, Continuous):
                point[feature.name] = feature.decode_value(float(self.values[row, i]))
            else:
                point[feature.name] = feature.example(int(self.codes[row, i]))
        return point

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return (self[i] for i in range(len(self)))

    def take(self, rows: Any) -> Instances:
        """Return the instances in the given rows."""
        if isinstance(rows, slice):
            values, codes = self.values[:, rows], self.codes[:, rows]
            return Instances(self.space, np.ascontiguousarray(values), np.ascontiguousarray(codes))
        rows = np.arange(len(self))[rows]  # indexing two axes at once would be much slower
        return Instances(self.space, self.values.take(rows, axis=1), self.codes.take(rows, axis=1))


def to_list(column: Any) -> list[Any]:
    """Return a column (a list, an array or a series) as a list of Python values."""
    for method in ("to_pylist", "tolist", "to_list"):
        if hasattr(column, method):
            return list(getattr(column, method)())
    return list(column)


def column_values(column: Any, name: str, n: int, each: str = "value per row") -> list[Any]:
    """Return a column, which an argument is, as a list of ``n`` Python values.

    >>> column_values("sex", "by", 303)
    Traceback (most recent call last):
    irenic.errors.DataError: by must be a column with one value per row, got the text 'sex'; pass
    the column itself, such as X['sex']
    """
    if isinstance(column, str | bytes):
        raise DataError(
            f"{name} must be a column with one {each}, got the text {column!r}; pass the column"
            f" itself, such as X[{column!r}]"
        )
    values = to_list(column)
    if len(values) != n:
        rows = each.rpartition(" ")[2]
        raise DataError(f"{name} must have one {each}, got {len(values)} for {counted(n, rows)}")
    return values


def first_text(values: Any) -> str | bytes | None:
    """Return the first text among values that must be numbers; numpy would convert it."""
    if isinstance(values, np.ndarray) and values.dtype.kind in "biuf":
        return None
    listed = to_list(values) if hasattr(values, "__len__") else [values]
    return next((value for value in listed if isinstance(value, str | bytes)), None)


def to_words(bits: int, n_words: int) -> list[int]:
    """Return an integer's lowest bits as 64-bit words, lowest first.

    >>> to_words(2**64 + 5, 2), to_words(2**64 + 5, 1)
    ([5, 1], [5])
    """
    if n_words == 1:
        return [bits & 0xFFFF_FFFF_FFFF_FFFF]
    lowest = bits & ((1 << 64 * n_words) - 1)
    words: list[int] = np.frombuffer(lowest.to_bytes(8 * n_words, "little"), "<u8").tolist()
    return words


def from_words(words: Iterable[Any]) -> int:
    """Return the integer with the given words: the inverse of :func:`to_words`."""
    return int.from_bytes(np.fromiter(words, "<u8").tobytes(), "little")
