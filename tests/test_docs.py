"""The documentation: links resolve, and generated parts are what the code gives."""

from __future__ import annotations

import importlib.util
import re
from importlib.machinery import SourceFileLoader
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
SHELL = [page for page in PAGES if re.search(r"(?m)^```\w*\n\$ ", page.read_text("utf-8"))]


def name(path):
    return str(path.relative_to(ROOT))


def script(name):
    loader = SourceFileLoader(f"script_{name}", str(ROOT / "scripts" / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


def without_code(path):
    return re.sub(r"(?ms)^```.*?^```$", "", path.read_text(encoding="utf-8"))


def anchors(path):
    """Return the anchors that GitHub gives to the headings of a page."""
    found = {}
    for heading in re.findall(r"(?m)^#+ (.*)$", without_code(path)):
        slug = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        before = sum(of == slug for of in found.values())
        found[f"{slug}-{before}" if before else slug] = slug
    return found


def broken_links(page):
    """Return the relative links of a page that lead to no file or no heading."""
    text = re.sub(r"`[^`\n]*`", "", without_code(page))
    broken = []
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        target, _, anchor = link.partition("#")
        path = page.parent / target if target else page
        if re.match(r"\w+:", link):
            continue
        if not path.exists() or (anchor and anchor not in anchors(path)):
            broken.append(link)
    return broken


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_lead_somewhere(page):
    assert broken_links(page) == []


def test_a_link_that_leads_nowhere_is_found(tmp_path):
    page = tmp_path / "page.md"
    links = " ".join(f"[x]({to})" for to in ("#a-b-c", "#a-1", "#a-2", "no.md", "https://x.org"))
    page.write_text(f"# A `b`, c\n## A\n## A\n{links}\n", "utf-8")
    assert broken_links(page) == ["#a-2", "no.md"]


def test_every_page_is_linked_from_the_index():
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    pages = {str(page.relative_to(ROOT / "docs")) for page in PAGES if "docs" in page.parts}
    assert pages - {"index.md"} == set(re.findall(r"\]\(([^)#]+\.md)\)", index))


@pytest.mark.parametrize("page", [page for page in PAGES if "api" not in page.parts], ids=name)
def test_lines_are_short(page):
    lines = without_code(page).splitlines()
    assert [line for line in lines if len(line) > 120 and not line.startswith(("|", "!["))] == []


def test_the_reference_is_what_the_code_says():
    written = script("reference").pages()
    on_disk = {*(ROOT / "docs" / "reference" / "api").glob("*.md")}
    assert on_disk < set(written)
    for path, text in written.items():
        assert path.read_text(encoding="utf-8") == text, f"{name(path)}: run scripts/reference"


@pytest.mark.parametrize("page", SHELL, ids=name)
def test_a_page_shows_what_its_commands_print(page):
    text = page.read_text(encoding="utf-8")
    assert script("outputs").rerun(text) == text, f"{name(page)}: run scripts/outputs"


def test_a_command_that_a_page_shows_is_run_again():
    outputs = script("outputs")
    shown = (
        "```console\n$ cat a.txt\nIF x < 1 THEN a\n\n$ irenic gaps a.txt\n{}\n$ echo $?\n{}\n```"
    )
    page = outputs.rerun(shown.format("stale", "7"))
    assert page == shown.format("x >= 1\n\nNot complete: no rule covers 1 region.\n", "1")
    with pytest.raises(ValueError, match="the command must be cat, echo"):
        outputs.rerun("```console\n$ rm a.txt\n```")
