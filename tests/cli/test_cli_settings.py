"""Options from irenic.toml and pyproject.toml."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from irenic.cli import load
from irenic.cli.serving import options_of
from irenic.cli.settings import KEYS, READING, defaults, known_keys
from irenic.frames.files import reading_only
from irenic.serving.opened import OpenedFile

RULES = "IF age < 18 THEN free\nIF age >= 17 THEN full\n"  # a conflict, no gap
CHECK = "check project/rules/fares.rules"
TABLE = "project/rules/fares.csv"
DOCS = Path(__file__).parents[2] / "docs" / "reference" / "options.md"


@pytest.fixture
def project(here, file):
    """A folder above the one with rules, which is not the current folder."""
    Path("project/rules").mkdir(parents=True)
    file(RULES, "project/rules/fares.rules")
    file("no,age,fare\n1,< 18,free\n2,>= 18,full\n", TABLE)
    return here / "project"


def test_the_nearest_file_sets_options_and_the_command_line_wins(project, run):
    assert run(CHECK)[0] == 1
    (project / "pyproject.toml").write_text('[tool.irenic.check]\nfail-on = ["gaps", "model"]\n')
    assert run(CHECK)[0] == 0
    assert run(f"{CHECK} --fail-on conflicts")[0] == 1
    assert run(f"--isolated {CHECK}")[0] == 1
    (project / "rules" / "pyproject.toml").write_text("[project]\nname = 'x'\n")  # has no options
    assert run(CHECK)[0] == 0
    (project / "irenic.toml").write_text("[check]\nverbose = true\n")  # wins over pyproject.toml
    status, out, _ = run(CHECK)
    assert (status, "rule  if         then" in out) == (1, True)
    (project / "rules" / "irenic.toml").write_text("")  # nearer, and so the only one
    assert "rule  if" not in run(CHECK)[1]


def test_a_folder_and_no_file_have_options_too(project, document, file, monkeypatch):
    file('[check]\nformat = "json"\nexclude = ["*.csv"]\n', "project/rules/irenic.toml")
    files = document("check project/rules")["files"]
    assert [file["path"] for file in files] == ["project/rules/fares.rules"]
    monkeypatch.chdir(project / "rules")
    assert document("check")["files"][0]["path"] == "example.rules"


def test_options_of_reading_hold_for_all_commands_that_read_rules(project, run):
    (project / "irenic.toml").write_text('ignore = ["no"]\n[prove]\nignore = []\n')
    assert run(f"check {TABLE}")[0] == 0
    assert run(f"diff {TABLE} {TABLE}")[0] == 0
    assert "no" in defaults(load("report"), [TABLE])["ignore"]
    assert defaults(load("prove"), [TABLE])["ignore"] == []  # the table of the command is nearer
    assert defaults(load("learn"), [TABLE]) == {}  # its --ignore is about rows to learn from


def test_paths_are_relative_to_the_file_that_names_them(project, run):
    assert run(f"{CHECK} --write-baseline project/accepted.json")[0] == 1
    (project / "irenic.toml").write_text('[check]\nbaseline = "accepted.json"\n')
    assert run(CHECK)[0] == 0
    shutil.move(project / "accepted.json", project.parent)
    message = "irenic: cannot read project/accepted.json: No such file or directory\n"
    assert run(CHECK)[2] == message


def test_unknown_keys_and_wrong_values_are_refused(project, refused):
    for text, message in {
        "xyz = 1": "unknown key xyz (known: 'check', 'prove', 'test', 'diff', 'report', 'lsp',",
        "hit_policy = 'F'": "unknown key hit_policy; did you mean 'hit-policy'?",
        "budget = 3": "unknown key budget; write it in [check] or [prove] or [diff] or [report]",
        "[chek]\nlimit = 1": "unknown key chek; did you mean 'check'?",
        "[check]\nfail_on = []": "unknown key check.fail_on; did you mean 'fail-on'?",
        "[lsp]\nlocale = 'de'": "unknown key lsp.locale (known: 'budget')",
        "check = 3": "check must be a table, got 3",
        "[check]\nfail-on = 'gaps'": 'check.fail-on must be a list of texts, got "gaps"',
        "[check]\nfail-on = ['gapz']": "--fail-on: unknown kind of finding 'gapz'; use ",
        "[check]\nbudget = 'long'": 'check.budget must be a number, got "long"',
        "[check]\nbudget = -1": "check.budget: -1.0 is not in the range x>=0",
        "[check]\nbudget = 2026-11-17": 'check.budget must be a number, got "2026-11-17"',
        "[check]\nlimit = true": "check.limit must be an integer, got true",
        "[check]\nlimit = 1.5": "check.limit must be an integer, got 1.5",
        "[check]\nverbose = 1": "check.verbose must be true or false, got 1",
        "[check]\nformat = 'xml'": "check.format: 'xml' is not one of 'text', 'json',",
        "ignore = ['a', 3]": 'ignore must be a list of texts, got ["a", 3]',
        "hit-policy = 'FRIST'": "--hit-policy: unknown hit policy 'FRIST'; did you mean 'FIRST'?",
        "[check": "invalid TOML: Expected ']' at the end of a table declaration",
        "check = " + "[" * 5_000: "invalid TOML: ",
        "\0": "invalid TOML: ",
    }.items():
        (project / "irenic.toml").write_text(text)
        assert refused(CHECK).startswith(f"project/irenic.toml: {message}"), text


def test_the_table_of_a_project_is_checked(project, run, refused):
    toml = project / "pyproject.toml"
    toml.write_text("tool = 3")
    assert run(CHECK)[::2] == (1, "")
    for text, message in {
        "[tool]\nirenic = 3": "tool.irenic must be a table, got 3",
        "[tool.irenic]\nlocal = 'de'": "unknown key local; did you mean 'locale'?",
    }.items():
        toml.write_text(text)
        assert refused(CHECK) == f"project/pyproject.toml: {message}"


def test_a_server_for_one_folder_reads_no_options_above_it(project):
    (project / "irenic.toml").write_text("[check]\nlimit = 3\n")
    assert defaults(load("check"), ["project/rules"]) == {"limit": 3}
    with reading_only(project / "rules"):
        assert defaults(load("check"), ["project/rules"]) == {}


def test_every_key_is_an_option_and_is_documented():
    rows = re.findall(r"^\| `([\w-]+)` \| (.+?) \|", DOCS.read_text("utf-8"), flags=re.M)
    documented = {
        (name, key) for key, names in rows for name in re.findall(r"`\[(\w*)\]`|all", names)
    }
    expected = {(name, key) for name, keys in KEYS.items() for key in keys}
    assert documented == expected | {("", key) for key in READING}
    for name in KEYS:
        options = {option.removeprefix("--") for p in load(name).params for option in p.opts}
        assert set(known_keys(name)) <= options


def test_editors_read_a_file_with_its_options(project):
    path = project / "rules" / "fares.csv"
    text = path.read_text().replace("1,", "2,")
    [unread] = OpenedFile(text, path, reading=options_of(path)).tables
    assert "no" in unread.table.space
    (project / "irenic.toml").write_text('ignore = ["no"]\nhit-policy = "f"\nencoding = "cp1252"\n')
    [read] = OpenedFile(text, path, reading=options_of(path)).tables
    assert ("no" in read.table.space, read.table.hit_policy) == (False, "FIRST")
