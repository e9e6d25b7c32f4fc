from __future__ import annotations

import json

import numpy as np
import pytest

import irenic
from irenic.frames.columns import Table
from irenic.reporting import learned


@pytest.fixture(scope="module")
def model():
    X = Table({"age": np.arange(40.0), "n": np.arange(40) % 3})
    y = np.array(["child" if age < 18 else "adult" for age in range(40)])
    return irenic.RuleSetClassifier(generations=1, moves=200, random_state=0).fit(X, y)


def test_the_summary_is_plain_data(model):
    counts = {"adult": 22, "child": 18}
    found = learned.summary(model, data="people.csv", target="group", counts=counts)
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert found["data"] == {
        "name": "people.csv",
        "rows": 40,
        "features": 2,
        "target": "group",
        "classes": [{"label": "adult", "rows": 22}, {"label": "child", "rows": 18}],
    }
    assert [entry["text"] for entry in found["rules"]] == [str(rule) for rule in model.rules_]
    assert sum(entry["chosen"] for entry in found["front"]) == 1
    assert found["size"]["rules"] == len(found["rules"]) == len(model.rules_)
    assert found["certificate"]["consistent"] is True
    assert found["certificate"]["text"] == str(model.certificate_)
    assert found["cross_validation"] is None
    supports = [entry["support"] for entry in (*found["rules"], found["default"])]
    assert sum(supports) >= 40
