from __future__ import annotations

from dataclasses import replace

import pytest

from irenic import Budget, Rule, RuleSet, gaps
from irenic.learn import Certificate

COMPLETE = [Rule({"age": (None, 18)}, then="a"), Rule({"age": (18, None)}, then="b")]
CLASH = [Rule({"age": (0, 18)}, then="a"), Rule({"age": (16, 30)}, then="b")]


@pytest.mark.parametrize(
    ("rules", "text"),
    [
        (
            COMPLETE,
            "consistent: 2 rules without conflicts; complete: every case is covered by a rule",
        ),
        (
            COMPLETE[:1],
            "consistent: 1 rule without conflicts;"
            " not complete: other cases are left to the default",
        ),
        (
            CLASH,
            "not consistent: 1 conflict among 2 rules;"
            " not complete: other cases are left to the default",
        ),
    ],
)
def test_a_certificate_in_words(rules, text):
    assert str(Certificate.of(RuleSet(rules))) == text


def test_a_search_for_gaps_that_did_not_finish():
    rules = RuleSet(CLASH[:1])
    some = Certificate(1, 0, gaps(rules, budget=Budget(regions=1)))
    assert str(some).endswith("not complete: other cases are left to the default")
    none = Certificate(1, 0, replace(gaps(rules), regions=[], finished=False))
    assert none.is_complete is None
    assert str(none).endswith("completeness unknown: the search for gaps did not finish")
