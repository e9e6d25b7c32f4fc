"""Files of rules: one module a format, chosen by the file's suffix."""

from irenic.formats._reading import SUFFIXES, holds_several, read, read_tables, the_table
from irenic.formats.models import (
    from_imodels,
    from_orange,
    from_rulekit,
    from_sklearn,
    from_wittgenstein,
)
from irenic.formats.python.source import to_python
from irenic.formats.sql.source import to_sql
from irenic.formats.tables.read_tables import ReadTables
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
