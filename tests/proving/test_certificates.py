"""Certificates: the checker accepts what was proved, and rejects everything else."""

from __future__ import annotations

import copy
import json
import random
import sys
from importlib.resources import files
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import strategies as sts
from irenic import Categorical, Continuous, FormatError, Region, Rule, RuleList, RuleSet, Space
from irenic.proving import CertificateError, certify, prove, verify

SPACE = Space([Continuous("a"), Continuous("b", kind="integer"), Categorical("c", ["x", "y", "z"])])


def partition(seed, n=24):
    """Return rules that cover the space and do not overlap, with 3 outcomes."""
    rng = random.Random(seed)
    regions = [Region(SPACE)]
    while len(regions) < n:
        region = regions.pop(rng.randrange(len(regions)))
        name = rng.choice(SPACE.names)
        test = {"<": rng.randrange(20)} if name != "c" else {"in": [rng.choice("xyz")]}
        part = region & Region(SPACE, {name: test})
        rest = [] if part.is_empty else region - part
        regions += [part, *rest] if len(rest) == 1 else [region]
    return RuleSet([Rule(region, then=rng.choice("ABC")) for region in regions], SPACE)


EMPTY = {"format": "irenic certificate", "version": 1, "certificates": []}
CLAIMS = ["CONSISTENT", "COMPLETE", "NEVER nothing WHERE a < 5", "ALWAYS A OR B OR C"]


def mutated(rng, nodes):
    """Return the nodes of a certificate with one change that makes them say something else."""
    nodes = copy.deepcopy(nodes)
    place = rng.randrange(len(nodes))
    node = nodes[place]
    kind = rng.randrange(4)
    if kind == 0:  # a node is lost
        del nodes[place]
    elif kind == 1:  # a node is repeated or left over
        nodes.append(copy.deepcopy(node))
    elif isinstance(node, list) and len(node) == 4 and not isinstance(node[0], list):
        if kind == 2:  # both parts swap their places
            node[2], node[3] = node[3], node[2]
        else:  # a cut becomes a leaf
            nodes[place] = -1
    elif isinstance(node, int):
        nodes[place] = node + rng.choice([-1, 1, 5])
    elif node:
        node[0][rng.randrange(3)] += 1
    else:
        nodes[place] = [[0, 1, 0]]
    return nodes


@pytest.mark.parametrize("seed", sts.seeds(6, of=20))
def test_mutated_certificates_are_rejected(seed):
    rng = random.Random(seed)
    rules = partition(seed)
    document = json.loads(json.dumps(certify(rules, CLAIMS)))
    assert verify(document, rules) == CLAIMS
    for _ in range(50):
        certificate = rng.choice(document["certificates"])
        wrong = {"claim": certificate["claim"], "nodes": mutated(rng, certificate["nodes"])}
        with pytest.raises(CertificateError, match=certificate["claim"]):
            verify(document | {"certificates": [wrong]}, rules)


def test_certificates_of_other_rules_are_rejected():
    """A bound of a rule is moved, so that two rules contradict each other or a gap opens."""
    rng = np.random.default_rng(0)
    changed = 0
    for seed in range(90):
        rules = partition(seed, n=8)
        document = certify(rules, CLAIMS[:2])
        lower, upper = rules.lower.copy(), rules.upper.copy()
        row, column = rng.integers(2), rng.integers(len(rules))
        bounds = upper if rng.random() < 0.5 else lower
        if not np.isfinite(bounds[row, column]):
            continue
        bounds[row, column] += rng.choice([-1.0, 1.0])
        if (lower >= upper).any():
            continue
        masks = rules.masks.copy()
        other = RuleSet.from_arrays(SPACE, lower=lower, upper=upper, masks=masks, then=rules.thens)
        holds = [other.is_consistent, other.is_complete]
        for certificate, truth in zip(document["certificates"], holds, strict=True):
            if not truth:
                changed += 1
                with pytest.raises(CertificateError):
                    verify(document | {"certificates": [certificate]}, other)
    assert changed > 20


def test_a_moved_cut_proves_nothing_wrong():
    """Whatever the cuts are, an accepted certificate is about a true claim."""
    rng = random.Random(1)
    rules = partition(3)
    wrong = RuleList([Rule({"a": (None, 5)}, then="D"), *rules], SPACE)
    document = certify(rules, ["NEVER outcome in {D}"])
    nodes = document["certificates"][0]["nodes"]
    for _ in range(100):
        moved = copy.deepcopy(nodes)
        for node in moved:
            if isinstance(node, list) and type(node[1]) is float:
                node[1] += rng.choice([-1, 0, 0.5, 1])
        certificate = {"claim": "NEVER outcome in {D}", "nodes": moved}
        with pytest.raises(CertificateError):
            verify(document | {"certificates": [certificate]}, wrong)


@given(st.data())
def test_a_certificate_never_proves_what_is_wrong(data):
    """A certificate for some rules is accepted for others only if the claim is true for them."""
    space = data.draw(sts.spaces(2))
    pool = st.lists(sts.rules(space), max_size=4)
    first, second = (RuleList(data.draw(pool), space, default="A") for _ in range(2))
    (verdict,) = prove(first, ["NEVER outcome in {B}"], certificates=True)
    if verdict.holds:
        try:
            verify(EMPTY | {"certificates": [verdict.certificate]}, second)
        except CertificateError:
            return
        assert prove(second, ["NEVER outcome in {B}"])[0].holds


def test_documents_that_are_no_certificates():
    for document, message in [
        ([], 'a certificate must have "format": "irenic certificate"'),
        (EMPTY | {"version": None}, "the version of a certificate must be 1, got None"),
        (EMPTY | {"version": True}, "the version of a certificate must be 1, got True"),
        (EMPTY | {"certificates": [{}]}, 'every certificate must have a "claim"'),
        (
            EMPTY,
            '"certificates" must be a list of at least one claim, got .*; a claim that does not'
            " hold is not certified",
        ),
    ]:
        with pytest.raises(FormatError, match=message):
            verify(document, partition(0))
    document = certify(partition(0), ["COMPLETE"])
    document["certificates"][0]["nodes"] = None
    with pytest.raises(CertificateError, match="COMPLETE: nodes must be a list, got NoneType"):
        verify(document, partition(0))


def parts(node, path=()):
    """Yield the path to each part of a JSON document."""
    yield path
    items = {dict: dict.items, list: enumerate}.get(type(node), lambda _: ())(node)
    for key, part in items:
        yield from parts(part, (*path, key))


def replaced(document, path, value):
    """Return a JSON document with another value at a path."""
    if not path:
        return value
    document = copy.deepcopy(document)
    node = document
    for key in path[:-1]:
        node = node[key]
    node[path[-1]] = value
    return document


WRONG = [None, [], 10**400, -(10**400), 1e308, float("nan"), -1, 0.5, True, "x", {"a": {"b": [1]}}]
WRONG += [[[]], [[[]]], [None] * 4, [0, 10**400, 1, 2], [10**400, 1, 1, 2], [0, 0, 10**400, 2]]


def test_a_wrong_value_anywhere_is_rejected_by_an_error_of_irenic():
    rules = partition(0, 4)
    document = json.loads(json.dumps(certify(rules, ["CONSISTENT", "COMPLETE", "NEVER nothing"])))
    for path, value in product(parts(document), WRONG):
        with pytest.raises((FormatError, CertificateError)) as caught:
            verify(replaced(document, path, value), rules)
        assert len(str(caught.value)) < 200, (path, value)


def test_the_checker_is_short_and_uses_the_standard_library_only():
    source = (files("irenic.proving") / "checker.py").read_text(encoding="utf-8")
    lines = source.splitlines()
    assert len(lines) < 200
    imports = [line.split()[1] for line in lines if line.startswith(("import", "from"))]
    assert set(imports) <= set(sys.stdlib_module_names)
    assert "import_module" not in source


def test_overlaps_that_cannot_occur_are_no_contradictions():
    features = [Categorical("sex", ["f", "m"]), Categorical("pregnant", [True, False])]
    rules = [Rule({"sex": "m"}, then="A"), Rule({"pregnant": True}, then="B")]
    plain = RuleSet(rules, Space(features))
    assert certify(plain, ["CONSISTENT"])["certificates"] == []
    space = Space(features, impossible=[{"sex": "m", "pregnant": True}])
    document = certify(RuleSet(rules, space), ["CONSISTENT"])
    assert verify(document, RuleSet(rules, space)) == ["CONSISTENT"]
    with pytest.raises(CertificateError):
        verify(document, plain)
