from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from irenic.cli import app

ROOT = Path(__file__).parent.parent
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    links = re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_the_readme_shows_what_check_prints(tmp_path, monkeypatch):
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    table, shown = re.search(
        r"\$ cat fares\.csv\n(.*?)\n\n\$ irenic check fares\.csv\n(.*?)\n```", text, re.DOTALL
    ).groups()
    (tmp_path / "fares.csv").write_text(table + "\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, ["check", "fares.csv"], env={"COLUMNS": "200"})
    assert result.exit_code == 1
    assert [line.rstrip() for line in result.output.splitlines()] == shown.splitlines()
