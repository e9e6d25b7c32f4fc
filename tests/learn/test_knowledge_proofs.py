"""What models must keep, checked by z3 and by ``irenic prove``, which share no code with fits."""

from __future__ import annotations

import numpy as np
import pytest
from fitting import quick
from typer.testing import CliRunner

import irenic
from irenic.cli import app
from tests.learn.test_knowledge import applicants
from tests.proving.property_grid import by_z3

KEPT = "IF age < 21 THEN no\nIF age >= 21 AND income >= 100 AND debt < 10 THEN yes"
OPTIONS = {
    "rules": {"rules": KEPT},
    "never": {"never": ["yes WHERE debt > 50 AND income < 60", "yes WHERE job is missing"]},
    "always": {"always": "no WHERE age < 18 OR job in {king}"},
    "monotone": {"monotonic_cst": {"income": 1, "debt": -1}},
    "all of it": {
        "rules": KEPT,
        "never": "yes WHERE debt > 50 AND income < 60",
        "always": "no WHERE age < 18",
        "monotonic_cst": {"income": 1},
    },
    "ordered category": {
        "monotonic_cst": {"income": 1, "job": -1},
        "ordered": {"job": ["none", "cook", "clerk", "nurse"]},
    },
    "ordered category and properties": {
        "always": "no WHERE job in {none, cook} AND income < 30",
        "never": "yes WHERE job is missing",
        "monotonic_cst": {"job": 1},
        "ordered": {"job": ["none", "cook", "clerk", "nurse", "king"]},
    },
}
CLAIMS_OF_KEPT = ["ALWAYS no WHERE age < 21"]
CLAIMS_OF_KEPT += ["ALWAYS yes WHERE age >= 21 AND income >= 100 AND debt < 10"]


@pytest.fixture(scope="module", params=OPTIONS)
def model(request):
    X, y = applicants(250, seed=3)
    X["income"][::9] = np.nan
    options = OPTIONS[request.param]
    clf = quick(**options, moves=800).fit(X, y)
    claims = [*clf.certificate_.proved, *(CLAIMS_OF_KEPT if "rules" in options else ())]
    assert len(clf.pareto_front_) > 1
    assert claims
    return clf, claims


def test_z3_finds_no_case_that_breaks_a_promise(model):
    clf, claims = model
    for index in range(len(clf.pareto_front_)):
        rules = clf.select(index=index).rules_
        assert all(by_z3(rules, claim) for claim in claims)


def test_z3_finds_a_case_where_nothing_was_promised(model):
    """The oracle can say no: other predictions occur somewhere."""
    clf, _ = model
    present = {*clf.rules_.thens, clf.rules_.default}
    assert [by_z3(clf.rules_, f"NEVER {then}") for then in sorted(present)] == [False, False]


def test_the_command_proves_the_model_that_was_written(model, tmp_path):
    clf, claims = model
    path = tmp_path / "model.json"
    irenic.write(clf, path)
    result = CliRunner().invoke(app, ["prove", str(path), *claims])
    assert result.exit_code == 0, result.output
    assert [line for line in result.output.splitlines() if line.startswith("proved: ")] == [
        f"proved: {claim}" for claim in claims
    ]
    refuted = CliRunner().invoke(app, ["prove", str(path), "NEVER yes"])
    assert refuted.exit_code == 1
    assert refuted.output.startswith("refuted: NEVER yes")
