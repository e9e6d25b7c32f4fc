"""The interpreter of FEEL: expressions and cells become functions of the names that they use.

It evaluates whole DMN models, and conditions that are computed from other data. Whoever reads
decision tables imports it only for cells that are more than literals.
"""

from irenic.formats.feel.interpreter._functions import FUNCTIONS, call, text_of
from irenic.formats.feel.interpreter._grammar import parse_expression, parse_tests
from irenic.formats.feel.interpreter._running import (
    Formula,
    Item,
    Run,
    Scope,
    Tests,
    condition,
    context,
    filtered,
    function,
    inside,
    listed,
    loop,
    quantified,
)
from irenic.formats.feel.interpreter._values import Range, compare, equal, from_feel, to_feel

__all__ = [
    "FUNCTIONS", "Formula", "Item", "Range", "Run", "Scope", "Tests", "call", "compare",
    "condition", "context", "equal", "filtered", "from_feel", "function", "inside", "listed",
    "loop", "parse_expression", "parse_tests", "quantified", "text_of", "to_feel",
]  # fmt: skip
