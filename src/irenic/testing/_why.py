"""Why a case is decided as it is."""

from __future__ import annotations

from typing import Any

from irenic.model.explanation import Explanation
from irenic.model.space import Instances
from irenic.proving.question import Rules, as_table, check_undisputed
from irenic.searching.explaining import Deciding, explained
from irenic.testing._nearly import one_case


def why(rules: Rules, case: Any) -> Explanation:
    """Return why a case has its outcome, also where only the default decides.

    It is the reason that ``explain`` gives, but rules that contradict each other elsewhere do not
    matter.

    Parameters
    ----------
    rules : RuleSet, RuleList, DecisionTable or fitted classifier
        The rules.
    case : mapping, sequence, row or frame of one row, or Instances of length 1
        The values of the case.

    Returns
    -------
    Explanation

    Raises
    ------
    ConflictError
        If unordered rules contradict each other for this case.
    DataError
        If the case does not fit the rules.

    Examples
    --------
    >>> from irenic import Rule, RuleList
    >>> from irenic.testing import why
    >>> rules = RuleList([Rule({"age": (None, 18)}, then="free"),
    ...                   Rule({"pass": {True}}, then="half")], default="full")
    >>> print(why(rules, {"age": 40, "pass": True}))
    half, by rule 2, because age >= 18 and pass in {true}
    >>> print(why(rules, {"age": 40, "pass": False}))
    full, by default, because age >= 18 and pass in {false}
    """
    table = as_table(rules)
    point = table.encode(case) if isinstance(case, Instances) else one_case(table.space, case)
    model: Any = rules
    if hasattr(model, "chosen_"):
        (explanation,) = model._explained(point).each()
    else:
        check_undisputed(table, point)
        (explanation,) = explained(Deciding.of_table(table), point).each()
    return explanation  # type: ignore[no-any-return]
