"""The documentation: links resolve, and generated parts are what the code gives."""

from __future__ import annotations

import importlib.util
import json
import re
import shlex
import tomllib
from importlib.machinery import SourceFileLoader
from pathlib import Path

import pytest

from irenic.cli import COMMANDS, load
from irenic.cli.settings import _check_keys
from irenic.formats.json.rules import _KEYS

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


def test_links_lead_somewhere():
    assert {name(page): links for page in PAGES if (links := broken_links(page))} == {}


def test_a_link_that_leads_nowhere_is_found(tmp_path):
    page = tmp_path / "page.md"
    links = " ".join(f"[x]({to})" for to in ("#a-b-c", "#a-1", "#a-2", "no.md", "https://x.org"))
    page.write_text(f"# A `b`, c\n## A\n## A\n{links}\n", "utf-8")
    assert broken_links(page) == ["#a-2", "no.md"]


def test_every_page_is_linked_from_the_index():
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    pages = {str(page.relative_to(ROOT / "docs")) for page in PAGES if "docs" in page.parts}
    assert pages - {"index.md"} == set(re.findall(r"\]\(([^)#]+\.md)\)", index))


def test_lines_are_short():
    long = [
        (name(page), line)
        for page in PAGES
        for line in without_code(page).splitlines()
        if len(line) > 120 and not line.startswith(("|", "![")) and "api" not in page.parts
    ]
    assert long == []


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


# --- every line that shows output is generated or tested

WRITTEN = [*PAGES, ROOT / "site" / "index.md"]
GENERATED = [ROOT / "docs" / "reference" / "command-line.md"]
INPUT = ("json", "lisp", "lua", "python", "sh", "toml", "yaml")
"""Languages of what people type or write to files."""
LAYOUTS = {"CONTRIBUTING.md": 1, "docs/reference/files.md": 2, "docs/explanation/study.md": 1}
"""How many blocks of a page are neither: layouts of files or packages, and pseudocode."""


def blocks(page):
    """Return the language and the text of each block of code."""
    return re.findall(r"(?ms)^ *```([\w-]*)\n(.*?)^ *```$", page.read_text(encoding="utf-8"))


def untested(page):
    """Return the blocks that may show output but are neither run nor doctests."""
    return [
        body
        for language, body in blocks(page)
        if not body.startswith("$ ") and ">>> " not in body and language not in INPUT
    ]


def test_blocks_that_show_output_are_run():
    for page in WRITTEN:
        if page not in GENERATED and "api" not in page.parts:
            found = untested(page)
            assert len(found) == LAYOUTS.get(name(page), 0), (name(page), found)


def test_a_block_that_is_not_run_is_found(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("```\nNot complete\n```\n\n```sh\nirenic x\n```\n\n```console\n$ irenic\n```\n")
    assert untested(page) == ["Not complete\n"]


def commands_in(page):
    """Yield the words after ``irenic`` of all commands in blocks and in code between words."""
    prose = re.findall(r"`(irenic [^`\n]+)`", without_code(page))
    typed = [body for language, body in blocks(page) if language == "sh"]
    shown = re.findall(r"(?m)^\$ (irenic .*)$", page.read_text(encoding="utf-8"))
    for line in (*prose, *"\n".join(typed).split("\n"), *shown):
        for part in re.split(r" (?:\||>|&&) ", line):
            words = shlex.split(part, comments=True) if part.startswith("irenic ") else []
            if len(words) > 1:
                yield [word for word in words[1:] if "…" not in word]


def test_commands_of_pages_exist_and_so_do_their_options():
    known = {
        name: {o for p in load(name).params for o in (*p.opts, *p.secondary_opts)}
        | {"--help", "-h"}
        for name in COMMANDS
    }
    for page in WRITTEN:
        if "CHANGELOG" in page.name:
            continue
        for command, *words in commands_in(page):
            place = name(page), command, words
            if command in COMMANDS:
                options = {word.split("=")[0] for word in words if re.match("--?[a-z]", word)}
                assert options <= known[command], place
            else:
                is_format = page.name in ("document.md", "files.md")  # such as "irenic rules"
                assert is_format or command.startswith("--") or command == "COMMAND", place


def test_files_of_pages_are_valid():
    seen = 0
    for page in WRITTEN:
        for language, body in blocks(page):
            if language == "json" and not body.startswith("$ "):
                seen += bool(json.loads(body))
            elif language == "toml":
                document = tomllib.loads(body)
                _check_keys(document.get("tool", {}).get("irenic", {}))
                seen += 1
    assert seen >= 3


def test_the_layout_of_json_files_has_all_keys():
    layout = untested(ROOT / "docs" / "reference" / "files.md")[0]
    assert set(re.findall(r'(?m)^  "(\w+)":', layout)) == set(_KEYS) - {"model"}


# --- pictures

DRAWN = {
    "plot-": "scripts/plot-figures",
    "report-": "scripts/report-figures",
    "region-": "examples/paper_figures.py",
    "study_": "study/report.py",
    "learner_growth": "benchmarks/learning.py",
}
"""What draws the pictures whose names begin so."""


def test_every_picture_is_shown_and_drawn_by_a_program():
    text = "".join(page.read_text("utf-8") for page in WRITTEN)
    for picture in sorted((ROOT / "docs").rglob("figures/*")):
        assert f"figures/{picture.name}" in text, f"{picture.name} is on no page"
        start = next(start for start in DRAWN if picture.stem.startswith(start))
        program = (ROOT / DRAWN[start]).read_text("utf-8")
        words = picture.stem.removeprefix(start).split("-")
        assert all(word in program for word in words), f"{picture.name}: what draws it?"
