"""The tables of docs/explanation/algorithms.md are those of ``python -m benchmarks.paper``."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("benchmarks", reason="benchmarks/ is not on the path")

from benchmarks import paper

PAGE = Path(__file__).parents[2] / "docs" / "explanation" / "algorithms.md"


TABLES = {
    paper.relevant_regions: (5, 2),
    paper.first_regions: (5, 2),
    paper.random_regions: (3, 2),
}


@pytest.mark.parametrize(("table", "size"), TABLES.items())
def test_the_first_row_of_each_table_is_on_the_page(table, size, capsys):
    table([size])
    start = f"| {size[0]} x {size[1]} |"
    (row,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith(start)]
    assert row in [line.strip() for line in PAGE.read_text(encoding="utf-8").splitlines()]
