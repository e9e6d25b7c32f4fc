"""The outputs of the commands, and the files that they reject."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest

import irenic

RULES = "IF age < 10 THEN child\nIF age >= 10 THEN adult\n"
DATA = "age,group\n5,child\n40,adult\n"
TABLE = "age,group\n< 10,child\n>= 10,adult\n"
SAME = "are the same file, but inputs are never overwritten; write to a new file"
LOOP = "Too many levels of symbolic links"
EMPTY = "no rules in the file; was it truncated?"
ONLY_DEFAULT = "no rules in the file, only a default; was it truncated?"


@pytest.fixture(autouse=True)
def files(file, here):
    """Work in a folder with rules, their space, and a table."""
    for name, text in {"rules.txt": RULES, "rules.csv": TABLE, "data.csv": DATA}.items():
        file(text, name)
    irenic.write(irenic.read("rules.txt"), "space.json")


def contents(folder):
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.is_file()}


@pytest.fixture
def refused(refused, here):
    """Run an invalid command, which changes no file either."""

    def call(line, *words):
        before = contents(here)
        message = refused(line, *words)
        assert contents(here) == before
        return message

    return call


# --- an output is never an input


@pytest.mark.parametrize(
    ("command", "source", "option", "name"),
    [
        ("predict rules.txt data.csv -o OUT", "data.csv", "--output", "DATA"),
        ("predict rules.csv data.csv -o OUT", "rules.csv", "--output", "RULES"),
        ("repair rules.txt -o OUT", "rules.txt", "--output", "IN"),
        ("repair rules.txt --data data.csv -o OUT", "data.csv", "--output", "--data"),
        ("repair rules.txt --space space.json -o OUT", "space.json", "--output", "--space"),
        ("complete rules.txt -o OUT", "rules.txt", "--output", "IN"),
        ("complete rules.txt --data data.csv -o OUT", "data.csv", "--output", "--data"),
        ("merge rules.txt -o OUT", "rules.txt", "--output", "IN"),
        ("convert rules.txt OUT", "rules.txt", "OUT", "IN"),
        ("convert rules.txt OUT --space space.json", "space.json", "OUT", "--space"),
    ],
)
def test_an_output_that_is_an_input_is_rejected(refused, here, command, source, option, name):
    suffix = Path(source).suffix
    Path(f"link{suffix}").symlink_to(source)
    Path(f"hard{suffix}").hardlink_to(source)
    for out in (source, f"./{source}", here / source, f"link{suffix}", f"hard{suffix}"):
        shown = str(out).removeprefix("./")
        message = f"{option} {shown} and {name} {source} {SAME}"
        assert refused(command.replace("OUT", str(out))) == message


@pytest.mark.parametrize(
    ("command", "link", "name"),
    [
        ("learn data.csv -o OUT", "m.json", "DATA data.csv"),
        ("report rules.txt data.csv -o OUT", "r.html", "DATA data.csv"),
        ("report rules.txt -o OUT", "r.html", "RULES rules.txt"),
    ],
)
def test_a_link_of_another_suffix_is_an_input_too(refused, command, link, name):
    Path(link).symlink_to(name.split()[1])
    assert refused(command.replace("OUT", link)) == f"--output {link} and {name} {SAME}"


def test_a_page_never_overwrites_an_input(refused):
    Path("rules.html").write_text(RULES)
    Path("link.txt").symlink_to("rules.html")
    message = f"--output rules.html and RULES link.txt {SAME}"
    assert refused("report link.txt -o rules.html") == message


MODEL = """<definitions xmlns="https://www.omg.org/spec/DMN/20191111/MODEL/" namespace="urn:main">
  <import name="lib" namespace="urn:types" {location}/>
  <decision name="Fare"><decisionTable>
    <input><inputExpression typeRef="lib.tAge"><text>age</text></inputExpression></input>
    <output name="fare"/>
    <rule><inputEntry><text>&lt; 10</text></inputEntry>
      <outputEntry><text>"free"</text></outputEntry></rule>
  </decisionTable></decision>
</definitions>
"""
TYPES = """<definitions xmlns="https://www.omg.org/spec/DMN/20191111/MODEL/" namespace="urn:types">
  <itemDefinition name="tAge"><typeRef>number</typeRef></itemDefinition>
</definitions>
"""


@pytest.mark.parametrize("location", ['locationURI="types.dmn"', ""])
@pytest.mark.parametrize("command", ["convert main.dmn OUT", "repair main.dmn -o OUT"])
def test_an_imported_model_is_an_input_too(run, refused, file, here, command, location):
    file(MODEL.replace("{location}", location), "main.dmn")
    imported = file(TYPES, "types.dmn")
    file("<definitions namespace='urn:other'/>", "other.dmn")
    option = "OUT" if command.startswith("convert") else "--output"
    message = f"{option} types.dmn and the import of main.dmn, {imported} {SAME}"
    assert refused(command.replace("OUT", "types.dmn")) == message
    assert run(command.replace("OUT", "other.dmn"))[0] == 0  # not imported


def test_a_file_that_is_not_read_is_replaced(run, file):
    file("old", "out.csv")
    assert run("predict rules.txt data.csv -o out.csv")[0] == 0
    assert Path("out.csv").read_text() == "age,group,prediction\n5,child,child\n40,adult,adult\n"


# --- invalid outputs


@pytest.mark.parametrize(
    "line", ["repair IN -o OUT", "complete IN -o OUT", "merge IN -o OUT", "convert IN OUT"]
)
def test_an_invalid_output_is_rejected_before_any_work(refused, monkeypatch, line):
    Path("folder").mkdir()
    Path("loop.json").symlink_to("loop.json")
    monkeypatch.setattr(irenic, "parse", None)  # reading would raise
    for out, message in {
        '""': "cannot write .: Is a directory",
        "folder": "cannot write folder: Is a directory",
        "none/x.json": "cannot write none/x.json: No such file or directory",
        "rules.txt/x.json": "cannot write rules.txt/x.json: Not a directory",
        "loop.json": f"cannot write loop.json: {LOOP}",
        "x.jsn": "x.jsn: no format for files that end in '.jsn'; did you mean '.json'?",
        "x": "x: no format for files that end in '' (known: '.csv', '.dmn', ",
        "a.docx": "a.docx: no format for files that end in '.docx'",
    }.items():
        assert refused(line.replace("IN", "rules.txt").replace("OUT", out)).startswith(message)


@pytest.mark.parametrize(
    ("line", "suffix"),
    [("predict rules.txt data.csv", ".csv"), ("learn data.csv", ".json"), ("report", ".html")],
)
def test_other_invalid_outputs_are_rejected(refused, line, suffix):
    Path(f"folder{suffix}").mkdir()
    Path(f"loop{suffix}").symlink_to(f"loop{suffix}")
    assert refused(line, "-o", "") == "cannot write .: Is a directory"
    for name, reason in {f"folder{suffix}": "Is a directory", f"loop{suffix}": LOOP}.items():
        assert refused(line, "-o", name) == f"cannot write {name}: {reason}"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
@pytest.mark.parametrize(
    "line",
    ["predict rules.txt data.csv -o OUT.csv", "convert rules.txt OUT.json", "report -o OUT.html"],
)
def test_a_pipe_gets_what_a_file_would(run, here, line):
    pipe = here / line.split()[-1]
    os.mkfifo(pipe)
    parts = []
    thread = threading.Thread(target=lambda: parts.append(pipe.read_bytes()), daemon=True)
    thread.start()
    status, out, err = run(line)
    thread.join(10)
    assert (status, "Traceback" in err) == (0, False)
    assert pipe.name in out
    assert "0.0 MB" not in out
    assert stat.S_ISFIFO(pipe.lstat().st_mode)
    assert len(parts[0]) >= 50


def test_a_title_that_is_not_unicode_is_rejected(refused, here):
    message = "name must be a string of Unicode characters, got 'a\\udcff'"
    assert refused("report --title", "a\udcff") == message
    assert refused("convert rules.txt x.sql --sql-table", "a\udcff")
    assert not list(here.glob("*.html")) + list(here.glob(".irenic*"))


# --- invalid inputs


def test_errors_about_invalid_inputs_are_one_line(refused):
    for name in ("loop.txt", "loop.csv"):
        Path(name).symlink_to(name)
    Path("folder.csv").mkdir()
    for line, message in {
        "check loop.txt": f"cannot read loop.txt: {LOOP}",
        "check loop.txt/x.txt": f"cannot read loop.txt/x.txt: {LOOP}",
        "gaps loop.txt": f"cannot read loop.txt: {LOOP}",
        "convert loop.txt x.json": f"cannot read loop.txt: {LOOP}",
        "diff rules.txt loop.txt": f"cannot read loop.txt: {LOOP}",
        "predict rules.txt loop.csv": f"cannot read loop.csv: {LOOP}",
        "predict rules.txt folder.csv": "cannot read folder.csv: Is a directory",
        "learn folder.csv": "cannot read folder.csv: Is a directory",
        "report loop.txt": f"cannot read loop.txt: {LOOP}",
        "check rules.txt --space loop.json": "cannot read loop.json: No such file or directory",
    }.items():
        assert refused(line).startswith(message)


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_a_name_that_is_too_long_is_reported(refused, suffix):
    name = "x" * 300 + suffix
    for line in ("check rules.txt --data", "learn", "predict rules.txt"):
        assert refused(line, name) == f"cannot read {name}: File name too long"


def test_broken_links_in_a_folder_are_reported(run, file):
    Path("policies/folder.txt").mkdir(parents=True)
    file(RULES, "policies/good.txt")
    Path("policies/gone.txt").symlink_to("nothing.txt")
    Path("policies/loop.txt").symlink_to("loop.txt")
    status, _, err = run("check policies")
    assert (status, err.splitlines()) == (
        2,
        [
            "irenic: cannot read policies/gone.txt: No such file or directory",
            f"irenic: cannot read policies/loop.txt: {LOOP}",
        ],
    )


def test_the_error_about_an_inaccessible_folder_is_one_line(run, monkeypatch):
    real = os.stat

    def refuse(path, **options):
        if "secret" in os.fspath(path):
            raise PermissionError(13, "Permission denied", os.fspath(path))
        return real(path, **options)

    monkeypatch.setattr(os, "stat", refuse)
    monkeypatch.setattr("io.open", lambda path, *_, **__: refuse(path))
    for line, place in {
        "check secret/x.txt": "read secret/x.txt",
        "check secret/x": "read secret/x",
        "convert rules.txt secret/x.json": "write secret/x.json",
    }.items():
        assert run(line) == (2, "", f"irenic: cannot {place}: Permission denied\n")


# --- files without rules


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.txt", "", EMPTY),
        ("a.rules", "# nothing but a comment\n\n", EMPTY),
        ("a.txt", "\ufeff", EMPTY),
        ("a.json", '{"version": 1, "rules": []}', EMPTY),
        ("a.json", '{"version": 1, "ordered": true, "space": [{"name": "a"}], "rules": []}', EMPTY),
        ("a.txt", "DEFAULT low\n", ONLY_DEFAULT),
        ("a.json", '{"version": 1, "rules": [], "default": "low"}', ONLY_DEFAULT),
        ("a.csv", "age,fare\n", "table 'a' has no rules"),
    ],
)
def test_a_file_without_rules_does_not_pass(run, refused, file, name, text, message):
    file(text, name)
    assert refused(f"check {name}") == f"{name}: {message}"
    for form in ("json", "github", "sarif"):
        status, out, _ = run(f"check {name} --format {form}")
        assert (status, message in out) == (2, True), form


@pytest.mark.parametrize(
    "line",
    [
        "repair none.txt",
        "complete none.txt",
        "merge none.txt",
        "convert none.txt b.json",
        "report none.txt -o b.html",
        "diff none.txt rules.txt",
        "predict none.txt data.csv -o out.csv",
    ],
)
def test_other_commands_reject_a_file_without_rules(refused, file, line):
    file("# cut off\n", "none.txt")
    assert refused(line) == f"none.txt: {EMPTY}"


def test_rules_without_features_predict_the_same_for_every_row(run, file):
    for text, then in {"IF anything THEN A\n": "A", "DEFAULT B\n": "B"}.items():
        file(text, "all.txt")
        out = f"age,group,prediction\n5,child,{then}\n40,adult,{then}\n"
        assert run("predict all.txt data.csv")[:2] == (0, out)


def test_an_empty_rule_set_can_be_written_and_read():
    rules = irenic.RuleSet([])
    for name in ("a.json", "a.txt"):
        irenic.write(rules, name)
        assert len(irenic.read(name)) == 0
    assert irenic.check(rules).is_consistent
