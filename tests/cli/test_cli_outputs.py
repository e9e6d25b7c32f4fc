"""The outputs of the commands, the files they reject, and their exit status."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import irenic

RULES = "IF age < 10 THEN child\nIF age >= 10 THEN adult\n"
CONTRADICTING = "IF age < 20 THEN child\nIF age >= 10 THEN adult\n"
DATA = "age,group\n5,child\n40,adult\n"

unix = pytest.mark.skipif(os.name == "nt", reason="streams are closed by a shell")


@pytest.fixture
def here(tmp_path, monkeypatch):
    """Work in a folder with rules, their space, and a table."""
    monkeypatch.chdir(tmp_path)
    Path("rules.txt").write_text(RULES)
    Path("data.csv").write_text(DATA)
    irenic.write(irenic.read("rules.txt"), "space.json")
    return tmp_path


def contents(folder):
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.is_file()}


# --- an output is never an input


@pytest.mark.parametrize("form", ["same", "./", "absolute", "link", "hard link"])
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
def test_an_output_that_is_an_input_is_rejected(run, here, command, source, option, name, form):
    Path("rules.csv").write_text("age,group\n< 10,child\n>= 10,adult\n")
    out = Path("other").with_suffix(Path(source).suffix)
    if form == "link":
        out.symlink_to(source)
    elif form == "hard link":
        out.hardlink_to(source)
    shown = {"same": source, "./": source, "absolute": here / source}.get(form, out)
    before = contents(here)
    given = f"./{source}" if form == "./" else shown
    status, said, err = run(*command.replace("OUT", str(given)).split())
    assert (status, said) == (2, "")
    assert err == (
        f"irenic: {option} {shown} and {name} {source} are the same file, but inputs are never"
        " overwritten; write to a new file\n"
    )
    assert contents(here) == before


@pytest.mark.parametrize(
    ("command", "link", "name"),
    [
        ("learn data.csv -o OUT", "m.json", "DATA"),
        ("report rules.txt data.csv -o OUT", "r.html", "DATA"),
        ("report rules.txt -o OUT", "r.html", "RULES"),
    ],
)
def test_a_link_of_another_suffix_is_an_input_too(run, here, command, link, name):
    source = "rules.txt" if name == "RULES" else "data.csv"
    Path(link).symlink_to(source)
    before = contents(here)
    status, out, err = run(*command.replace("OUT", link).split())
    assert (status, out) == (2, "")
    assert err.startswith(f"irenic: --output {link} and {name} {source} are the same file, but")
    assert contents(here) == before


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
def test_an_imported_model_is_an_input_too(run, here, command, location):
    Path("main.dmn").write_text(MODEL.replace("{location}", location))
    Path("types.dmn").write_text(TYPES)
    Path("other.dmn").write_text("<definitions namespace='urn:other'/>")
    before = contents(here)
    status, out, err = run(*command.replace("OUT", "types.dmn").split())
    assert (status, out) == (2, "")
    option = "OUT" if command.startswith("convert") else "--output"
    imported = here / "types.dmn"
    assert err == (
        f"irenic: {option} types.dmn and the import of main.dmn, {imported} are the same file, but"
        " inputs are never overwritten; write to a new file\n"
    )
    assert contents(here) == before
    assert run(*command.replace("OUT", "other.dmn").split())[0] == 0  # not imported


def test_a_file_that_is_not_read_is_replaced(run, here):
    Path("out.csv").write_text("old")
    assert run("predict", "rules.txt", "data.csv", "-o", "out.csv")[0] == 0
    assert Path("out.csv").read_text() == "age,group,prediction\n5,child,child\n40,adult,adult\n"


# --- invalid outputs


@pytest.mark.parametrize("command", ["repair IN -o OUT", "complete IN -o OUT", "merge IN -o OUT",
                                     "convert IN OUT"])  # fmt: skip
@pytest.mark.parametrize(
    ("out", "message"),
    [
        ("", "cannot write .: Is a directory"),
        ("folder", "cannot write folder: Is a directory"),
        ("none/x.json", "cannot write none/x.json: No such file or directory"),
        ("rules.txt/x.json", "cannot write rules.txt/x.json: Not a directory"),
        ("loop.json", "cannot write loop.json: Too many levels of symbolic links"),
        ("x.jsn", "x.jsn: no format for files that end in '.jsn'; did you mean '.json'?"),
        ("x", "x: no format for files that end in '' (known: '.csv', '.dmn', "),
    ],
)
def test_an_invalid_output_is_rejected_before_any_work(
    run, here, monkeypatch, command, out, message
):
    Path("folder").mkdir()
    Path("loop.json").symlink_to("loop.json")
    before = contents(here)
    monkeypatch.setattr(irenic, "parse", None)  # reading would raise
    status, said, err = run(*(out if a == "OUT" else a.replace("IN", "rules.txt")
                              for a in command.split()))  # fmt: skip
    assert (status, said) == (2, "")
    assert err.startswith(f"irenic: {message}")
    assert err.count("\n") == 1
    assert contents(here) == before


@pytest.mark.parametrize("command", ["predict rules.txt data.csv", "learn data.csv", "report"])
@pytest.mark.parametrize("out", ["", "folder", "loop"])
def test_other_invalid_outputs_are_rejected(run, here, command, out):
    suffix = {"learn": ".json", "predict": ".csv"}.get(command.split()[0], ".html")
    Path(f"folder{suffix}").mkdir()
    Path(f"loop{suffix}").symlink_to(f"loop{suffix}")
    status, said, err = run(*command.split(), "-o", f"{out}{suffix}" if out else "")
    assert (status, said) == (2, "")
    message = {
        "": "cannot write .: Is a directory",
        "folder": f"cannot write folder{suffix}: Is a directory",
        "loop": f"cannot write loop{suffix}: Too many levels of symbolic links",
    }[out]
    assert err == f"irenic: {message}\n"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
@pytest.mark.parametrize(
    "command",
    [
        "predict rules.txt data.csv -o OUT.csv",
        "convert rules.txt OUT.json",
        "report -o OUT.html",
    ],
)
def test_a_pipe_gets_what_a_file_would(run, here, command):
    pipe = here / command.split()[-1]
    os.mkfifo(pipe)
    parts = []
    thread = threading.Thread(target=lambda: parts.append(pipe.read_bytes()), daemon=True)
    thread.start()
    status, out, err = run(*command.split())
    thread.join(10)
    assert (status, "Traceback" in err) == (0, False)
    assert pipe.name in out
    assert "0.0 MB" not in out
    assert stat.S_ISFIFO(pipe.lstat().st_mode)
    assert len(parts[0]) >= 50


def test_a_title_that_is_not_unicode_is_rejected(run, here):
    status, out, err = run("report", "--title", "a\udcff")
    assert (status, out) == (2, "")
    assert err == "irenic: name must be a string of Unicode characters, got 'a\\udcff'\n"
    status, _, err = run("convert", "rules.txt", "x.sql", "--sql-table", "a\udcff")
    assert status == 2
    assert err.count("\n") == 1
    assert not list(here.glob("*.html")) + list(here.glob(".irenic*")) + list(here.glob("x*"))


# --- invalid inputs


def test_errors_about_invalid_inputs_are_one_line(run, here):
    Path("loop.txt").symlink_to("loop.txt")
    Path("loop.csv").symlink_to("loop.csv")
    Path("folder.csv").mkdir()
    for command, message in {
        "check loop.txt": "cannot read loop.txt: Too many levels of symbolic links",
        "check loop.txt/x.txt": "cannot read loop.txt/x.txt: Too many levels of symbolic links",
        "gaps loop.txt": "cannot read loop.txt: Too many levels of symbolic links",
        "convert loop.txt x.json": "cannot read loop.txt: Too many levels of symbolic links",
        "diff rules.txt loop.txt": "cannot read loop.txt: Too many levels of symbolic links",
        "predict rules.txt loop.csv": "cannot read loop.csv: Too many levels of symbolic links",
        "predict rules.txt folder.csv": "cannot read folder.csv: Is a directory",
        "learn folder.csv": "cannot read folder.csv: Is a directory",
        "report loop.txt": "cannot read loop.txt: Too many levels of symbolic links",
        "check rules.txt --space loop.json": "cannot read loop.json: No such file or directory",
    }.items():
        status, out, err = run(*command.split(" "))
        assert (status, out, err.count("\n")) == (2, "", 1), command
        assert err.startswith(f"irenic: {message}"), command


def test_broken_links_in_a_folder_are_reported(run, here):
    folder = here / "policies"
    folder.mkdir()
    (folder / "good.txt").write_text(RULES)
    (folder / "gone.txt").symlink_to("nothing.txt")
    (folder / "loop.txt").symlink_to("loop.txt")
    (folder / "folder.txt").mkdir()
    status, _, err = run("check", "policies")
    assert status == 2
    assert err.splitlines() == [
        "irenic: cannot read policies/gone.txt: No such file or directory",
        "irenic: cannot read policies/loop.txt: Too many levels of symbolic links",
    ]


def test_the_error_about_an_inaccessible_folder_is_one_line(run, here, monkeypatch):
    real = os.stat

    def refuse(path, **options):
        if "secret" in os.fspath(path):
            raise PermissionError(13, "Permission denied", os.fspath(path))
        return real(path, **options)

    monkeypatch.setattr(os, "stat", refuse)
    monkeypatch.setattr("io.open", lambda path, *_, **__: refuse(path))
    for path in ("secret/x.txt", "secret/x"):
        status, out, err = run("check", path)
        assert (status, out) == (2, "")
        assert err == f"irenic: cannot read {path}: Permission denied\n"
    status, _, err = run("convert", "rules.txt", "secret/x.json")
    assert (status, err) == (2, "irenic: cannot write secret/x.json: Permission denied\n")


# --- files without rules


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.txt", ""),
        ("a.rules", "# nothing but a comment\n\n"),
        ("a.txt", "\ufeff"),
        ("a.json", '{"version": 1, "rules": []}'),
        ("a.json", '{"version": 1, "ordered": true, "space": [{"name": "age"}], "rules": []}'),
    ],
)
@pytest.mark.parametrize("form", ["text", "json", "github", "sarif"])
def test_a_file_without_rules_does_not_pass(run, file, name, text, form):
    path = file(text, name)
    status, out, err = run("check", path, "--format", form)
    assert status == 2
    message = "no rules in the file; was it truncated?"
    assert message in (err if form == "text" else out)
    if form == "text":
        assert (out, err) == ("", f"irenic: {path}: {message}\n")


@pytest.mark.parametrize(
    "command",
    [
        ("repair",),
        ("complete",),
        ("merge",),
        ("convert", "b.json"),
        ("report", "-o", "b.html"),
        ("diff", "other.txt"),
    ],
)
def test_other_commands_reject_a_file_without_rules(run, file, tmp_path, command):
    file("IF age < 18 THEN free\n", "other.txt")
    path = file("# cut off\n", "a.txt")
    status, out, err = run(command[0], path, *command[1:])
    assert (status, out) == (2, "")
    assert err == f"irenic: {path}: no rules in the file; was it truncated?\n"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.txt", "other.txt"]


@pytest.mark.parametrize(
    ("name", "text"),
    [("a.txt", "DEFAULT low\n"), ("a.json", '{"version": 1, "rules": [], "default": "low"}')],
)
def test_a_default_alone_does_not_pass(run, file, name, text):
    path = file(text, name)
    assert run("check", path) == (
        2,
        "",
        f"irenic: {path}: no rules in the file, only a default; was it truncated?\n",
    )


def test_an_empty_table_is_not_called_consistent(run, file):
    path = file("age,fare\n", "fares.csv")
    assert run("check", path) == (2, "", f"irenic: {path}: table 'fares' has no rules\n")


def test_rules_without_features_predict_the_same_for_every_row(run, here):
    for text, column in {"IF anything THEN A\n": "A", "DEFAULT B\n": "B"}.items():
        Path("all.txt").write_text(text)
        status, out, _ = run("predict", "all.txt", "data.csv")
        assert status == 0
        assert out == f"age,group,prediction\n5,child,{column}\n40,adult,{column}\n"


def test_a_file_without_rules_predicts_nothing(run, here):
    Path("none.txt").write_text("")
    assert run("predict", "none.txt", "data.csv", "-o", "out.csv") == (
        2,
        "",
        "irenic: none.txt: no rules in the file; was it truncated?\n",
    )
    assert not Path("out.csv").exists()


def test_an_empty_rule_set_can_be_written_and_read(tmp_path):
    rules = irenic.RuleSet([])
    for name in ("a.json", "a.txt"):
        irenic.write(rules, tmp_path / name)
        assert len(irenic.read(tmp_path / name)) == 0
    assert irenic.check(rules).is_consistent


# --- closed and unread standard streams


def shell(script, folder):
    """Run a shell command that can call irenic: exit status, output, errors."""
    command = f'irenic() {{ "{sys.executable}" -m irenic "$@"; }}; {script}'
    done = subprocess.run(
        ["/bin/sh", "-c", command], capture_output=True, text=True, cwd=folder, check=False
    )
    return done.returncode, done.stdout, done.stderr


@unix
@pytest.mark.parametrize(
    "command", ["check rules.txt", "check rules.txt --json", "convert rules.txt x.json",
                "predict rules.txt data.csv", "--version"]
)  # fmt: skip
def test_a_closed_output_is_an_error(here, command):
    status, _, err = shell(f"irenic {command} >&-", here)
    assert (status, err.splitlines()[-1]) == (
        2,
        "irenic: cannot write the output: standard output is closed",
    )
    assert "Traceback" not in err


@unix
def test_help_on_a_closed_output_is_an_error(here):
    status, _, err = shell("irenic --help >&-", here)
    assert (status, err) == (2, "irenic: [Errno 9] Bad file descriptor\n")


@unix
def test_closed_errors_do_not_reach_the_output(here):
    assert shell("irenic check none.txt 2>&-", here) == (2, "", "")
    status, out, _ = shell("irenic predict rules.txt data.csv 2>&-", here)
    assert (status, out) == (0, "age,group,prediction\n5,child,child\n40,adult,adult\n")


@unix
def test_a_file_is_written_even_if_all_streams_are_closed(here):
    assert shell("irenic convert rules.txt x.json <&- >&- 2>&-", here)[0] == 2
    assert irenic.read("x.json") == irenic.read("rules.txt")


def with_no_reader(*arguments, stream="stdout"):
    """Run the command with one unread stream: exit status, text of the other stream."""
    reader, writer = os.pipe()
    os.close(reader)
    other = "stderr" if stream == "stdout" else "stdout"
    try:
        process = subprocess.run(
            [sys.executable, "-m", "irenic", *arguments],
            **{stream: writer, other: subprocess.PIPE},
            check=False,
        )
    finally:
        os.close(writer)
    return process.returncode, getattr(process, other)


@unix
@pytest.mark.parametrize(
    "command",
    ["check rules.txt", "check rules.txt --json", "convert rules.txt x.json", "--version"],
)
def test_the_command_exits_quietly_without_a_reader(here, command):
    assert with_no_reader(*command.split()) == (141, b"")


@unix
def test_the_exit_status_is_kept_if_nobody_reads_the_errors(here):
    assert with_no_reader("check", "none.txt", "--json", stream="stderr")[0] == 2
    assert with_no_reader("gaps", "none.txt", stream="stderr") == (2, b"")
