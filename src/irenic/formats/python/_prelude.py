"""What the Python source of rules begins with: the functions that take a value out of a case.

They say which values there are as :class:`irenic.Space` does, and import nothing but the standard
library. Only those that the features need are written.
"""

from __future__ import annotations

from typing import Final

HEADER: Final = '''\
"""Rules as plain Python, written by irenic. {note}

A case is a mapping from the names of features to values. A value that is left out, None or NaN is
missing. A value that cannot be is a ValueError.
"""

'''

COMMON: Final = '''\
def _value(case, name, missing):
    """Return a value of the case, None if it is missing; scalars of numpy as Python's own."""
    value = case.get(name)
    if type(value).__name__ in ("NaTType", "NAType"):
        value = None
    elif hasattr(value, "dtype") and hasattr(value, "item"):
        if value.dtype.kind in "mM":
            value = value.astype(value.dtype.kind + "8[us]")
        value = None if value != value else value.item()
    elif hasattr(value, "to_pydatetime"):
        value = value.to_pydatetime(warn=False)
    elif hasattr(value, "to_pytimedelta"):
        value = value.to_pytimedelta()
    if isinstance(value, float) and math.isnan(value):
        value = None
    elif isinstance(value, decimal.Decimal) and value.is_nan():
        value = None
    if value is None and not missing:
        raise ValueError(f"{name!r} is missing, but is declared never to be")
    return value


'''

CONTINUOUS: Final = '''\
def _within(name, value, low, high):
    """Return the value if it lies within the bounds of its feature."""
    if (low is not None and value < low) or (high is not None and value > high):
        raise ValueError(f"{name!r}: {value!r} is outside its bounds ({low}, {high})")
    return value


'''

NUMBER: Final = '''\
def _number(case, name, missing=False, low=None, high=None, whole=False):
    """Return a number as a float, exactly; None if it is missing."""
    value = _value(case, name, missing)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (numbers.Real, decimal.Decimal)):
        raise ValueError(f"{name!r}: {value!r} is not a number")
    if (whole or not isinstance(value, float)) and abs(value) > 2**53:
        raise ValueError(f"{name!r}: {value!r} is beyond 2**53")
    if math.isinf(value):
        raise ValueError(f"{name!r}: {value!r} is infinite")
    if whole and value != int(value):
        raise ValueError(f"{name!r}: {value!r} is not a whole number")
    return _within(name, float(value), low, high)


'''

TEMPORAL: Final = '''\
def _moment(case, name, kind, missing=False, low=None, high=None, utc=False):
    """Return a date, a date and time, or a time of day; None if it is missing."""
    value = _value(case, name, missing)
    if value is None:
        return None
    if isinstance(value, str):
        time = datetime.time if ":" in value else datetime.date
        value = (datetime.datetime if "T" in value else time).fromisoformat(value)
    if getattr(value, "tzinfo", None) is not None:
        if not utc or not isinstance(value, datetime.datetime):
            raise ValueError(f"{name!r}: {value!r} has a time zone; drop it")
        value = value.astimezone(datetime.timezone.utc).replace(tzinfo=None)
    if kind is datetime.datetime and type(value) is datetime.date:
        value = datetime.datetime(value.year, value.month, value.day)
    elif kind is datetime.date and isinstance(value, datetime.datetime):
        if value.time() == datetime.time():
            value = value.date()
    if type(value) is not kind:
        raise ValueError(f"{name!r}: {value!r} is not a {kind.__name__}")
    return _within(name, value, low, high)


'''

DURATION: Final = '''\
def _duration(case, name, missing=False, low=None, high=None):
    """Return a duration; None if it is missing."""
    value = _value(case, name, missing)
    if value is None:
        return None
    if not isinstance(value, datetime.timedelta):
        raise ValueError(f"{name!r}: {value!r} is not a datetime.timedelta")
    return _within(name, value, low, high)


'''

MONTHS: Final = '''\
def _months(case, name, missing=False, low=None, high=None):
    """Return a duration of years and months as its number of months; None if it is missing."""
    value = _value(case, name, missing)
    months = getattr(value, "count", value) if not isinstance(value, str) else value
    return _number({name: months}, name, missing, low, high, whole=True)


'''

CATEGORY: Final = '''\
def _category(case, name, missing=False, values=None):
    """Return a value that is told apart and no more; None if it is missing."""
    value = _value(case, name, missing)
    try:
        hash(value)
    except TypeError:
        raise ValueError(f"{name!r}: {value!r} is not hashable") from None
    if values is not None and value is not None and value not in values:
        raise ValueError(f"{name!r}: {value!r} is not among its values")
    return value


'''
