"""The tables of two pages of the documentation are those of ``python -m benchmarks.paper``."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("benchmarks", reason="benchmarks/ is not on the path")

from benchmarks import paper

PAGES = Path(__file__).parents[2] / "docs" / "explanation"


TABLES = [
    (paper.relevant_regions, (5, 2), "algorithms.md"),
    (paper.first_regions, (5, 2), "algorithms.md"),
    (paper.random_regions, (3, 2), "algorithms.md"),
    (paper.maximal_cuts, (5, 6), "learner.md"),
]


@pytest.mark.parametrize(("table", "size", "page"), TABLES)
def test_the_first_row_of_each_table_is_on_the_page(table, size, page, capsys):
    table([size])
    start = f"| {size[0]} x {size[1]} |"
    (row,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith(start)]
    lines = (PAGES / page).read_text(encoding="utf-8").splitlines()
    assert row in [line.strip() for line in lines]


def test_a_region_cut_rival_by_rival_contains_its_seed_and_is_free():
    rng = np.random.default_rng(0)
    rules = paper.open_rules(5, 6, rng)
    X = rng.random((100, 6))
    free = X[~rules.covering(X).any(axis=1)]
    assert len(free) > 10
    for seed in free:
        region = paper.cut_rival_by_rival(rules, seed, rng)
        assert region.contains([seed])[0]
        assert not len(rules.rivals_of(region))
