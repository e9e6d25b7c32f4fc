"""The compiled library: which build of it to load, and how its functions are declared."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final, Self

import numpy as np
import numpy.typing as npt

FOLDER: Final = Path(__file__).parent / "lib"
_NO_MEMORY: Final = -2
_SUFFIXES: Final = (".so", ".dylib", ".dll")


@cache
def library() -> ctypes.CDLL:
    """Return the build for the instructions of this processor.

    The environment variable IRENIC_LIBRARY names another build, such as one with sanitizers.
    """
    if path := os.environ.get("IRENIC_LIBRARY"):
        return ctypes.CDLL(path)
    builds = {path.stem: path for path in FOLDER.glob("*.*") if path.suffix in _SUFFIXES}
    try:
        base = ctypes.CDLL(str(builds["base"]))
    except (KeyError, OSError) as error:
        reason = "are missing" if isinstance(error, KeyError) else f"cannot be loaded ({error})"
        raise ImportError(
            f"the compiled kernels of irenic {reason} in {FOLDER}; install irenic again with pip,"
            " or run python hatch_build.py in a checkout"
        ) from None
    if _is_stale(builds["base"]):
        raise ImportError(
            f"the kernels of irenic in {FOLDER} were compiled before their sources changed; run"
            " python hatch_build.py in the checkout"
        )
    level = base.cpu_level()
    if level == 1:
        raise ImportError("irenic needs a processor with SSE4.2 (x86-64-v2), which this one lacks")
    for name in (f"v{known}" for known in (4, 3) if known <= level):
        if name in builds:
            return ctypes.CDLL(str(builds[name]))
    return base


def _is_stale(build: Path) -> bool:
    """Return whether a source, which only checkouts have, is newer than a build."""
    built = build.stat().st_mtime
    return any(path.stat().st_mtime > built for path in FOLDER.parent.glob("c/*.[ch]"))


@cache
def _locked_library() -> ctypes.PyDLL:
    """Return the same build, whose functions keep Python's global lock."""
    return ctypes.PyDLL(library()._name, handle=library()._handle)


class _Passed:
    """What ctypes passes for a struct, made when it is asked for the first time."""

    def __get__(self, struct: Struct, owner: type[Struct]) -> Any:
        layout, elements = owner._layout()
        fields = struct.__dict__
        values: list[Any] = []
        held = []
        for name, element in elements:
            value = fields[name]
            if element is None:
                values.append(value)
            elif element is Struct:
                held.append(value._as_parameter_)
                values.append(_addressof(held[-1]._obj))
            else:
                values += _described(value, element)
        if held:  # what another thread makes of the same structs is elsewhere
            fields["_held"] = held
        return struct._pass_as(layout(*values))


class Scalars(ctypes.Structure):
    """Scalars that kernels change, passed to C as one struct with the fields of a subclass."""

    @property
    def _as_parameter_(self) -> Any:
        return ctypes.byref(self)


class Struct:
    """Arrays and numbers that belong together, passed to C as one struct.

    A subclass is a dataclass whose fields have the types ``Floats``, ``Words``, … of
    ``irenic.arrays``, ``int`` or ``float``, or are structs themselves. In C, an array is a pointer
    with two sizes (a vector has one column), as ``c/irenic.h`` declares, and a struct is a pointer.
    The pointers are taken once, when the struct is first passed, so that nothing must be replaced
    after that.
    """

    __dataclass_fields__: dict[str, Any]

    _as_parameter_ = _Passed()

    def _pass_as(self, struct: Any) -> Any:
        self.__dict__["_struct"] = struct
        self.__dict__["_as_parameter_"] = pointer = ctypes.byref(struct)
        return pointer

    @classmethod
    @cache
    def _layout(cls) -> Any:
        """Return the struct, and the name and elements of each field.

        They are None if it is a number, and ``Struct`` if it is a struct.
        """
        fields: list[tuple[str, Any]] = []
        elements: list[tuple[str, Any]] = []
        for name, field in cls.__dataclass_fields__.items():
            if field.type in _NUMBERS:
                fields.append((name, _NUMBERS[field.type]))
                elements.append((name, None))
                continue
            fields.append((name, ctypes.c_void_p))
            elements.append((name, ELEMENTS.get(field.type, Struct)))
            if field.type in ELEMENTS:
                fields += [(f"{name}_0", _INT), (f"{name}_1", _INT)]
        return type(cls.__name__, (ctypes.Structure,), {"_fields_": fields}), elements

    def changed(self, **numbers: int | float) -> Self:
        """Return the same arrays with other numbers; what runs on this struct keeps its own."""
        other = type(self)(**self.__getstate__() | numbers)
        if "_struct" in self.__dict__:
            struct = self._layout()[0].from_buffer_copy(self.__dict__["_struct"])
            for name, value in numbers.items():
                setattr(struct, name, value)
            other._pass_as(struct)
        return other

    def __iter__(self) -> Iterator[Any]:
        return iter(self.__getstate__().values())

    def __getstate__(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


ELEMENTS: Final[dict[str, Any]] = {
    "Floats": np.dtype(np.float64),
    "Singles": np.dtype(np.float32),
    "Words": np.dtype(np.uint64),
    "Ints": np.dtype(np.int64),
    "Codes": np.dtype(np.int32),
    "Shorts": np.dtype(np.int16),
    "Tallies": np.dtype(np.uint16),
    "Bytes": np.dtype(np.uint8),
    "Bools": np.dtype(np.bool_),
}
_INT: Final = ctypes.c_int64
_NUMBERS: Final[dict[str, Any]] = {"int": _INT, "float": ctypes.c_double}
_RESULTS: Final[dict[str, Any]] = {**_NUMBERS, "pointer": ctypes.c_void_p, "": None}


def _described(array: npt.NDArray[Any], element: np.dtype[Any]) -> tuple[int, int, int]:
    """Return the address and the two sizes of an array."""
    shape = array.shape
    return _address(array, element), shape[0], shape[1] if len(shape) == 2 else 1


def _address(array: Any, element: np.dtype[Any]) -> int:
    if array.dtype is element:
        try:
            return _addressof(_char_at(array))  # several times as fast as what follows
        except (TypeError, ValueError):
            pass  # it is not contiguous, read-only or empty
    if array.dtype != element or not array.flags.c_contiguous:
        raise TypeError(
            f"a kernel must be given a contiguous array of {element}, got {array.dtype} with"
            f" strides {array.strides}"
        )
    return int(array.ctypes.data) if array.size else _NOWHERE


_addressof: Final = ctypes.addressof
_char_at: Final = ctypes.c_char.from_buffer
_ROOM: Final = ctypes.c_int64()
_NOWHERE: Final = ctypes.addressof(_ROOM)


class _Array(ctypes.Structure):
    _fields_ = (("at", ctypes.c_void_p), ("rows", _INT), ("columns", _INT))


@cache
def _pointer_to(name: str) -> Any:
    """Return the type of an argument that is an array of known size."""
    element = ELEMENTS[name]

    class Pointer:
        @staticmethod
        def from_param(array: Any) -> Any:
            flags = array.flags
            if flags.writeable and flags.c_contiguous and array.dtype == element and array.size:
                return ctypes.byref(ctypes.c_char.from_buffer(array))  # the fastest way
            return ctypes.c_void_p(_address(array, element))

    return Pointer


@cache
def _array_of(name: str) -> Any:
    """Return the type of an argument that is an array with its sizes."""
    element = ELEMENTS[name]

    class Array:
        @staticmethod
        def from_param(array: npt.NDArray[Any]) -> Any:
            return ctypes.byref(_Array(*_described(array, element)))

    return Array


def _check_memory(result: int, *_: Any) -> int:
    if result == _NO_MEMORY:
        raise MemoryError("a kernel of irenic ran out of memory")
    return result


def function(declaration: str, *, allocates: bool = False, keeps_lock: bool = False) -> Any:
    """Return a function of the library, such as ``"voting(struct, struct, int, Ints*) -> int"``.

    ``Ints*`` is a pointer to the elements of an array, ``Ints`` an array with its sizes,
    ``pointer`` anything that ctypes can pass as one, such as bytes. A function that ``allocates``
    returns ``NO_MEMORY`` if there is not enough. Calls that keep Python's global lock take less
    time than releasing it, and other threads that compute cannot delay them.
    """
    head, _, result = declaration.partition(" -> ")
    name, _, arguments = head.rstrip(")").partition("(")
    compiled: Any = (_locked_library() if keeps_lock else library())[name]
    compiled.argtypes = [_argument(kind) for kind in arguments.split(", ")]
    compiled.restype = _RESULTS[result]
    if allocates:
        compiled.errcheck = _check_memory
    return compiled


def _argument(kind: str) -> Any:
    if kind in ("struct", "pointer"):
        return ctypes.c_void_p
    if kind in _NUMBERS:
        return _NUMBERS[kind]
    return _pointer_to(kind[:-1]) if kind.endswith("*") else _array_of(kind)
