"""Options from irenic.toml and pyproject.toml."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from irenic.cli import load
from irenic.cli.settings import KEYS, READING, defaults, known_keys
from irenic.frames.files import reading_only

RULES = "IF age < 18 THEN free\nIF age >= 17 THEN full\n"  # a conflict, no gap
DOCS = Path(__file__).parents[2] / "docs" / "reference" / "options.md"


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A folder above the one with rules, which is not the current folder."""
    monkeypatch.chdir(tmp_path)
    Path("project/rules").mkdir(parents=True)
    Path("project/rules/fares.rules").write_text(RULES)
    Path("project/rules/fares.csv").write_text("no,age,fare\n1,< 18,free\n2,>= 18,full\n")
    return tmp_path / "project"


def test_the_nearest_file_sets_options_and_the_command_line_wins(project, run):
    rules = "project/rules/fares.rules"
    assert run("check", rules)[0] == 1
    (project / "pyproject.toml").write_text('[tool.irenic.check]\nfail-on = ["gaps", "model"]\n')
    assert run("check", rules)[0] == 0
    assert run("check", rules, "--fail-on", "conflicts")[0] == 1
    assert run("--isolated", "check", rules)[0] == 1
    (project / "rules" / "pyproject.toml").write_text("[project]\nname = 'x'\n")  # has no options
    assert run("check", rules)[0] == 0
    (project / "irenic.toml").write_text("[check]\nverbose = true\n")  # wins over pyproject.toml
    status, out, _ = run("check", rules)
    assert status == 1
    assert "rule  if         then" in out
    (project / "rules" / "irenic.toml").write_text("")  # nearer, and so the only one
    assert "rule  if" not in run("check", rules)[1]


def test_a_folder_and_no_file_have_options_too(project, run, monkeypatch):
    (project / "rules" / "irenic.toml").write_text(
        '[check]\nformat = "json"\nexclude = ["*.csv"]\n'
    )
    document = json.loads(run("check", "project/rules")[1])
    assert [file["path"] for file in document["files"]] == ["project/rules/fares.rules"]
    monkeypatch.chdir(project / "rules")
    assert json.loads(run("check")[1])["files"][0]["path"] == "example.rules"


def test_options_of_reading_hold_for_all_commands_that_read_rules(project, run):
    (project / "irenic.toml").write_text('ignore = ["no"]\n[prove]\nignore = []\n')
    table = "project/rules/fares.csv"
    assert run("check", table)[0] == 0
    assert run("diff", table, table)[0] == 0
    assert "no" in defaults(load("report"), [table])["ignore"]
    assert defaults(load("prove"), [table])["ignore"] == []  # the table of the command is nearer
    assert defaults(load("learn"), [table]) == {}  # its --ignore is about rows to learn from


def test_paths_are_relative_to_the_file_that_names_them(project, run):
    path = "project/rules/fares.rules"
    assert run("check", path, "--write-baseline", "project/accepted.json")[0] == 1
    (project / "irenic.toml").write_text('[check]\nbaseline = "accepted.json"\n')
    assert run("check", path)[0] == 0
    shutil.move(project / "accepted.json", project.parent)
    assert run("check", path)[2] == (
        "irenic: cannot read project/accepted.json: No such file or directory\n"
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("xyz = 1", "unknown key xyz (known: 'check', 'prove', 'test', 'diff', 'report', 'lsp',"),
        ("hit_policy = 'F'", "unknown key hit_policy; did you mean 'hit-policy'?"),
        ("budget = 3", "unknown key budget; write it in [check] or [prove] or [diff] or [report]"),
        ("[chek]\nlimit = 1", "unknown key chek; did you mean 'check'?"),
        ("[check]\nfail_on = []", "unknown key check.fail_on; did you mean 'fail-on'?"),
        ("[lsp]\nlocale = 'de'", "unknown key lsp.locale (known: 'budget')"),
        ("check = 3", "check must be a table, got 3"),
        ("[check]\nfail-on = 'gaps'", 'check.fail-on must be a list of texts, got "gaps"'),
        ("[check]\nfail-on = ['gapz']", "--fail-on: unknown kind of finding 'gapz'; use "),
        ("[check]\nbudget = 'long'", 'check.budget must be a number, got "long"'),
        ("[check]\nbudget = -1", "check.budget: -1.0 is not in the range x>=0"),
        ("[check]\nbudget = 2026-11-17", 'check.budget must be a number, got "2026-11-17"'),
        ("[check]\nlimit = true", "check.limit must be an integer, got true"),
        ("[check]\nlimit = 1.5", "check.limit must be an integer, got 1.5"),
        ("[check]\nverbose = 1", "check.verbose must be true or false, got 1"),
        ("[check]\nformat = 'xml'", "check.format: 'xml' is not one of 'text', 'json',"),
        ("ignore = ['a', 3]", 'ignore must be a list of texts, got ["a", 3]'),
        ("hit-policy = 'FRIST'", "--hit-policy: unknown hit policy 'FRIST'; did you mean 'FIRST'?"),
        ("[check", "invalid TOML: Expected ']' at the end of a table declaration"),
        ("check = " + "[" * 5_000, "invalid TOML: "),
        ("\0", "invalid TOML: "),
    ],
)
def test_unknown_keys_and_wrong_values_are_refused(project, run, text, message):
    (project / "irenic.toml").write_text(text)
    status, out, err = run("check", "project/rules/fares.rules")
    assert (status, out) == (2, "")
    assert err.startswith(f"irenic: project/irenic.toml: {message}")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("tool = 3", None),
        ("[tool]\nirenic = 3", "tool.irenic must be a table, got 3"),
        ("[tool.irenic]\nlocal = 'de'", "unknown key local; did you mean 'locale'?"),
    ],
)
def test_the_table_of_a_project_is_checked(project, run, text, message):
    (project / "pyproject.toml").write_text(text)
    status, _, err = run("check", "project/rules/fares.rules")
    assert status == (1 if message is None else 2)
    assert err == ("" if message is None else f"irenic: project/pyproject.toml: {message}\n")


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
    from irenic.cli.serving import options_of
    from irenic.serving.opened import OpenedFile

    path = project / "rules" / "fares.csv"
    text = path.read_text().replace("1,", "2,")
    [unread] = OpenedFile(text, path, reading=options_of(path)).tables
    assert "no" in unread.table.space
    (project / "irenic.toml").write_text('ignore = ["no"]\nhit-policy = "f"\nencoding = "cp1252"\n')
    [read] = OpenedFile(text, path, reading=options_of(path)).tables
    assert "no" not in read.table.space
    assert read.table.hit_policy == "FIRST"
