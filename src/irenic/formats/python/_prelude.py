"""The functions at the beginning of exported Python source, which read the values of a case.

They accept the same values as :class:`irenic.Space` and import only the standard library. Only
those that the features need are written.
"""

from __future__ import annotations

from typing import Final

HEADER: Final = '''\
"""Rules as plain Python, written by irenic. {note}

A case is a mapping from feature names to values. A value that is absent, None or NaN is missing.
An invalid value raises a ValueError.
"""

'''

COMMON: Final = '''\
def _value(case, name, missing):
    """Return a value of the case, None if it is missing; numpy scalars become Python values."""
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
        raise ValueError(f"{name!r} must not be missing")
    return value


'''

CONTINUOUS: Final = '''\
def _within(name, value, low, high):
    """Return the value if it is within the bounds of its feature."""
    if (low is not None and value < low) or (high is not None and value > high):
        raise ValueError(f"{name!r} must be within the bounds ({low}, {high}), got {value!r}")
    return value


'''

NUMBER: Final = '''\
def _number(case, name, missing=False, low=None, high=None, whole=False):
    """Return a number as a float, exactly; None if it is missing."""
    value = _value(case, name, missing)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (numbers.Real, decimal.Decimal)):
        raise ValueError(f"{name!r} must be a number, got {value!r}")
    if (whole or not isinstance(value, float)) and abs(value) > 2**53:
        raise ValueError(f"{name!r} must be at most 2**53 in absolute value, got {value!r}")
    if math.isinf(value):
        raise ValueError(f"{name!r} must be finite, got {value!r}")
    if whole and value != int(value):
        raise ValueError(f"{name!r} must be an integer, got {value!r}")
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
        if utc and isinstance(value, datetime.datetime) and value.tzinfo is None:
            value = value.replace(tzinfo=datetime.timezone.utc)
    if getattr(value, "tzinfo", None) is not None:
        if not utc or not isinstance(value, datetime.datetime):
            raise ValueError(f"{name!r} must not have a time zone, got {value!r}")
        value = value.astimezone(datetime.timezone.utc).replace(tzinfo=None)
    elif utc and isinstance(value, datetime.datetime):
        raise ValueError(f"{name!r} must have a time zone, got {value!r}")
    if kind is datetime.datetime and type(value) is datetime.date:
        value = datetime.datetime(value.year, value.month, value.day)
    elif kind is datetime.date and isinstance(value, datetime.datetime):
        if value.time() == datetime.time():
            value = value.date()
    if type(value) is not kind:
        raise ValueError(f"{name!r} must be a datetime.{kind.__name__}, got {value!r}")
    return _within(name, value, low, high)


'''

DURATION: Final = '''\
def _duration(case, name, missing=False, low=None, high=None):
    """Return a duration; None if it is missing."""
    value = _value(case, name, missing)
    if value is None:
        return None
    if not isinstance(value, datetime.timedelta):
        raise ValueError(f"{name!r} must be a datetime.timedelta, got {value!r}")
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
def _category(case, name, missing=False, values=None, prefixes=()):
    """Return a categorical value; None if it is missing."""
    value = _value(case, name, missing)
    try:
        hash(value)
    except TypeError:
        raise ValueError(f"{name!r} must be hashable, got {value!r}") from None
    begins = isinstance(value, str) and value.startswith(prefixes)
    if values is not None and value is not None and value not in values and not begins:
        raise ValueError(f"{name!r} must be one of its listed values, got {value!r}")
    return value


'''

BEGINS: Final = '''\
def _begins(value, text):
    """Return whether a value is a text that begins with another one."""
    return isinstance(value, str) and value.startswith(text)


'''
