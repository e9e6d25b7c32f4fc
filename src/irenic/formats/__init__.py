"""Files of rules: one module a format, chosen by the file's suffix."""

from irenic.formats.held import ReadTables
from irenic.formats.models import (
    from_imodels,
    from_orange,
    from_rulekit,
    from_sklearn,
    from_wittgenstein,
)
from irenic.formats.python_source import to_python
from irenic.formats.reading import SUFFIXES, holds_several, read, read_tables, the_table
from irenic.formats.sql import to_sql
from irenic.formats.writing import read_model, write

__all__ = [
    "SUFFIXES",
    "ReadTables",
    "from_imodels",
    "from_orange",
    "from_rulekit",
    "from_sklearn",
    "from_wittgenstein",
    "holds_several",
    "read",
    "read_model",
    "read_tables",
    "the_table",
    "to_python",
    "to_sql",
    "write",
]
