"""The pre-commit hook, the GitHub Action and the container file, as far as they run here."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
yaml = pytest.importorskip("yaml")
GOOD = "IF age < 18 THEN free\nIF age >= 18 THEN full\n"
BAD = "IF age < 18 THEN free\nIF age >= 17 THEN full\n"


@pytest.fixture
def folder(tmp_path):
    """A folder with rules, and a command irenic that runs this source."""
    command = tmp_path / "runner" / "irenic" / "bin" / "irenic"
    command.parent.mkdir(parents=True)
    command.write_text(f"#!{sys.executable}\nfrom irenic.cli import main\n\nmain()\n")
    command.chmod(0o755)
    work = tmp_path / "work"
    work.mkdir()
    (work / "good.rules").write_text(GOOD)
    (work / "bad rules.rules").write_text(BAD)
    (work / "other.txt").write_text("no rules\n")
    return work


@pytest.fixture
def environment(folder):
    runner = folder.parent / "runner"
    return {
        **os.environ,
        "PATH": f"{runner / 'irenic' / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join(sys.path),
        "RUNNER_TEMP": str(runner),
        "PRE_COMMIT_HOME": str(folder.parent / "hooks"),
    }


def call(*words, **options):
    return subprocess.run([*words], capture_output=True, text=True, **options)


# --- pre-commit


def test_the_hook_checks_the_files_that_it_selects(folder, environment):
    pytest.importorskip("pre_commit")
    [hook] = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    tool = [sys.executable, "-m", "pre_commit"]
    manifest = call(*tool, "validate-manifest", ROOT / ".pre-commit-hooks.yaml", env=environment)
    assert manifest.returncode == 0, manifest.stdout
    # with the command of this source: pre-commit would install the repository, which takes minutes
    local = {"repos": [{"repo": "local", "hooks": [hook | {"language": "system"}]}]}
    (folder / ".pre-commit-config.yaml").write_text(yaml.safe_dump(local))
    call("git", "init", "-q", cwd=folder)
    call("git", "add", "good.rules", "other.txt", cwd=folder)
    passed = call(*tool, "run", "--all-files", cwd=folder, env=environment)
    assert passed.returncode == 0, passed.stdout
    call("git", "add", "-A", cwd=folder)
    failed = call(*tool, "run", "--all-files", cwd=folder, env=environment)
    assert failed.returncode == 1
    assert "age = 17: rule 1 says free, rule 2 says full" in failed.stdout
    assert "other.txt" not in failed.stdout


# --- the action


def step(name):
    """Return a step of the action, as GitHub reads it."""
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    assert action["runs"]["using"] == "composite"
    [found] = [each for each in action["runs"]["steps"] if each["name"] == name]
    return action["inputs"], found


def run_step(name, environment, cwd, **inputs):
    """Run the script of a step as GitHub does, with its variables and the defaults of inputs."""
    declared, found = step(name)
    assert inputs.keys() <= declared.keys()
    values = {key: each.get("default", "") for key, each in declared.items()} | inputs

    def value(match):
        expression = match[1]
        if expression == "github.action_path":
            return str(ROOT)
        return values[expression.removeprefix("inputs.")]

    variables = {
        key: re.sub(r"\$\{\{ (\S+) \}\}", value, text) for key, text in found["env"].items()
    }
    assert "${{" not in found["run"]  # no input is a part of the script
    words = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", found["run"]]
    return call(*words, env=environment | variables, cwd=cwd)


bash = pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")


@bash
def test_the_action_annotates_and_writes_sarif_and_still_fails(folder, environment):
    inputs = {"files": "good.rules\n\nbad rules.rules", "sarif": "out file.sarif"}
    bad = run_step("Check rules", environment, folder, **inputs)
    assert bad.returncode == 1
    assert bad.stdout.startswith("::error file=bad rules.rules,line=2,title=irenic%3A conflict::")
    assert '"ruleId": "conflicts"' in (folder / "out file.sarif").read_text()
    options = "--fail-on=nothing\n--budget=5"
    kept = run_step("Check rules", environment, folder, files="bad rules.rules", options=options)
    assert kept.returncode == 0


@bash
def test_the_action_ends_with_the_status_of_the_check(folder, environment, tmp_path):
    irenic = tmp_path / "runner" / "irenic" / "bin" / "irenic"
    irenic.write_text('#!/bin/sh\necho "$@"\nexit 2\n')
    for inputs, report in ({"files": "a b\n"}, None), ({"files": "a b", "sarif": "s"}, "s"):
        result = run_step("Check rules", environment, folder, **inputs)
        assert (result.returncode, result.stdout) == (2, "check --format github -- a b\n")
        assert report is None or "--format sarif -- a b" in (folder / report).read_text()


@bash
def test_no_input_of_the_action_is_run(folder, environment):
    evil = '$(touch evil)\n`touch evil`\n"; touch evil; "\n-o'
    result = run_step(
        "Check rules", environment, folder, files=evil, options="--limit=$(touch evil)"
    )
    assert result.returncode == 2
    assert not (folder / "evil").exists()


@bash
def test_the_action_installs_its_own_source(folder, environment, tmp_path):
    # a python3 and a pip that write down how they are called
    fake = tmp_path / "fake"
    fake.mkdir()
    for path in (fake / "python3", tmp_path / "runner" / "irenic" / "bin" / "pip"):
        path.write_text(f'#!/bin/sh\necho "$(basename "$0") $*" >> {tmp_path}/calls\n')
        path.chmod(0o755)
    path = f"{fake}{os.pathsep}{environment['PATH']}"
    result = run_step("Install irenic", environment | {"PATH": path}, folder, extras="xlsx,sql")
    assert result.returncode == 0, result.stderr
    assert (tmp_path / "calls").read_text().splitlines() == [
        f"python3 -m venv {tmp_path}/runner/irenic",
        f"pip install --quiet {ROOT}[xlsx,sql]",
    ]


# --- the container


def test_the_container_installs_what_exists():
    text = re.sub(r"\\\n", " ", (ROOT / "Containerfile").read_text())
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    for extras in re.findall(r"\[([a-z,]+)\]'", text):
        assert {*extras.split(",")} <= project["optional-dependencies"].keys()
    assert 'ENTRYPOINT ["irenic"]' in lines
    assert "irenic" in project["scripts"]
    assert lines.index("USER 1000") < lines.index('ENTRYPOINT ["irenic"]')
    known = ("FROM", "WORKDIR", "COPY", "RUN", "USER", "ENTRYPOINT", "CMD")
    assert {line.split()[0] for line in lines} <= {*known}


@pytest.mark.skipif(shutil.which("hadolint") is None, reason="hadolint is not installed")
def test_the_container_file_is_free_of_warnings():
    result = call("hadolint", "--no-color", ROOT / "Containerfile")
    assert (result.returncode, result.stdout) == (0, "")
