"""Files of rules: one module or package per format."""

from irenic.formats._reading import READ, loads, parse, read, read_model
from irenic.formats.editing import edited
from irenic.formats.models import (
    from_imodels,
    from_orange,
    from_rulekit,
    from_sklearn,
    from_wittgenstein,
)
from irenic.formats.parsed import Parsed, Tables
from irenic.formats.python.source import to_python
from irenic.formats.sql.registering import register
from irenic.formats.sql.source import to_sql
from irenic.formats.tables.reading import Reading
from irenic.formats.writing import dumps, write

__all__ = [
    "READ",
    "Parsed",
    "Reading",
    "Tables",
    "dumps",
    "edited",
    "from_imodels",
    "from_orange",
    "from_rulekit",
    "from_sklearn",
    "from_wittgenstein",
    "loads",
    "parse",
    "read",
    "read_model",
    "register",
    "to_python",
    "to_sql",
    "write",
]
