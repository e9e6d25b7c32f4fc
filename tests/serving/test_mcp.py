"""``irenic mcp`` as an agent uses it: a client of the protocol over standard streams."""

from __future__ import annotations

import asyncio
import json
import os
import queue
import sys
import threading

import pytest
from mcp import Client, StdioServerParameters

from documents import NETWORK, validated

FARES = "age,job,fare\n< 18,-,free\n>= 17,nurse,full\n"
MENDED = "age,job,fare\n< 18,-,free\n>= 18,nurse,full\n"
MODEL = """<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="https://www.omg.org/spec/DMN/20191111/MODEL/" name="m" namespace="n">
  <import name="other" namespace="o" locationURI="{outside}"
    importType="https://www.omg.org/spec/DMN/20191111/MODEL/"/>
  <decision name="Risk" id="risk"><decisionTable id="t1">
    <input><inputExpression typeRef="other.tAge"><text>age</text></inputExpression></input>
    <output name="risk"/>
    <rule><inputEntry><text>-</text></inputEntry><outputEntry><text>1</text></outputEntry></rule>
  </decisionTable></decision>
</definitions>
"""


class Agent(threading.Thread):
    """A client in a thread of its own: its connection lives in one task, tests come and go."""

    def __init__(self, folder):
        super().__init__(daemon=True)
        environment = {"PYTHONPATH": os.pathsep.join(sys.path)}
        arguments = ["-m", "irenic", "mcp", str(folder)]
        self.server = StdioServerParameters(command=sys.executable, args=arguments, env=environment)
        self.calls, self.answers = queue.Queue(), queue.Queue()

    def run(self):
        try:
            asyncio.run(self.serve())
        except BaseException as error:
            self.answers.put(error)

    async def serve(self):
        async with Client(self.server) as client:
            while (call := await asyncio.to_thread(self.calls.get)) is not None:
                name, arguments = call
                if name is None:
                    self.answers.put(await client.list_tools())
                else:
                    self.answers.put(await client.call_tool(name, arguments))

    def ask(self, name, **arguments):
        assert self.is_alive(), "the server ended in an earlier test"
        self.calls.put((name, arguments))
        answer = self.answers.get(timeout=60)
        if isinstance(answer, BaseException):
            raise answer
        return answer


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("agents") / "rules"
    folder.mkdir()
    (folder / "fares.csv").write_text(FARES)
    (folder / "mended.csv").write_text(MENDED)
    secret = folder.parent / "secret.csv"
    secret.write_text("age,fare\n< 18,SECRET\n")
    (folder / "link.csv").symlink_to(secret)
    (folder / "inner.csv").symlink_to(folder / "fares.csv")
    (folder / "loop.csv").symlink_to(folder / "loop.csv")
    (folder / "up").symlink_to(folder.parent)
    (folder / "network.dmn").write_text(NETWORK)
    (folder / "model.dmn").write_text(MODEL.format(outside="../secret.dmn"))
    (folder.parent / "secret.dmn").write_text(MODEL.format(outside="none.dmn"))
    return folder


@pytest.fixture(scope="module")
def agent(folder):
    agent = Agent(folder)
    agent.start()
    yield agent
    agent.calls.put(None)
    agent.join(30)
    assert not agent.is_alive()


@pytest.fixture
def command(run, monkeypatch, folder):
    def call(*arguments):
        monkeypatch.chdir(folder)
        return json.loads(run(*arguments, "--json")[1])

    return call


def test_the_tools_say_what_they_do_and_change_nothing(agent):
    tools = {tool.name: tool for tool in agent.ask(None).tools}
    assert [*tools] == ["check", "prove", "diff", "enlarge", "decide", "explain"]
    for tool in tools.values():
        assert tool.annotations.read_only_hint
        assert tool.description
        assert all("description" in p for p in tool.input_schema["properties"].values())


NEVER = "NEVER full WHERE age < 18"
CALLS = {
    "check": ({"files": ["fares.csv", "mended.csv"]}, ["check", "fares.csv", "mended.csv"]),
    "prove": (
        {"rules": "mended.csv", "properties": [NEVER, "SAME AS mended.csv"]},
        ["prove", "mended.csv", NEVER, "SAME AS mended.csv"],
    ),
    "diff": ({"before": "mended.csv", "after": "mended.csv"}, ["diff", "mended.csv", "mended.csv"]),
    "enlarge": (
        {"rules": "mended.csv", "seed": "age = 30, job = clerk"},
        ["enlarge", "mended.csv", "--seed", "age = 30, job = clerk"],
    ),
    "explain": (
        {"rules": "mended.csv", "case": "age = 30, job = nurse", "fixed": ["job"]},
        ["why", "mended.csv", "age = 30, job = nurse", "--fixed", "job"],
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_answers_are_the_documents_of_the_command(agent, command, name):
    arguments, words = CALLS[name]
    answer = agent.ask(name, **arguments)
    assert not answer.is_error, answer.content[0].text
    expected = command(*words)
    assert answer.structured_content == expected
    assert validated(answer.content[0].text) == expected


def test_a_case_is_decided(agent):
    answer = agent.ask("decide", rules="mended.csv", case="age = 3, job = clerk")
    decided = answer.structured_content["case"]
    assert (decided["outcome"]["value"], decided["rules"]) == ("free", [1])
    answer = agent.ask("decide", rules="network.dmn", case="risk = low", table="answer")
    assert not answer.is_error


OUTSIDE = {
    "../secret.csv": "without '..'",
    "up/../secret.csv": "without '..'",
    "link.csv": "it is outside the folder",
    "up/secret.csv": "it is outside the folder",
    "loop.csv": "cannot read loop.csv",
    "-": "must name a file in the folder",
    "": "must name a file in the folder",
    "no.csv": "No such file",
}


def refusal(agent, tool, **arguments):
    """Return the error that a tool answers with."""
    answer = agent.ask(tool, **arguments)
    assert answer.is_error
    assert "SECRET" not in str(answer)
    return answer.content[0].text


def test_no_file_outside_the_folder_is_read(agent, folder):
    for path, error in OUTSIDE.items():
        assert error in refusal(agent, "decide", rules=path, case="age = 3")
        assert error in refusal(agent, "diff", before="mended.csv", after=path)
    absolute = refusal(agent, "check", files=[str(folder / "fares.csv")])
    assert "a path must be relative to the folder" in absolute
    # nor files that others name
    for other in ("../secret.csv", str(folder.parent / "secret.csv"), "link.csv"):
        same = [f'SAME AS "{other}"']
        error = refusal(agent, "prove", rules="mended.csv", properties=same)
        assert "it is outside the folder" in error
    answer = agent.ask("check", files=["model.dmn"])
    assert "must be a file in the folder of the model" in answer.content[0].text
    refusal(agent, "check", files=["up"])
    assert "SECRET" not in str(agent.ask("check", files=["."]))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no such pipes")
def test_a_pipe_is_not_waited_for(agent, folder):
    os.mkfifo(folder / "pipe.csv")
    try:
        for name, arguments in (
            ("check", {"files": ["pipe.csv"]}),
            ("diff", {"before": "mended.csv", "after": "pipe.csv"}),
            ("prove", {"rules": "mended.csv", "properties": ["SAME AS pipe.csv"]}),
        ):
            answer = agent.ask(name, **arguments)
            assert "cannot read pipe.csv: it is a pipe or a device; name a file" in str(answer)
    finally:
        (folder / "pipe.csv").unlink()


def test_no_value_is_taken_for_an_option(agent, folder):
    before = sorted(folder.iterdir())
    answer = agent.ask("check", files=["--certificate=proof.json", "mended.csv"])
    assert answer.is_error or answer.structured_content["files"][0]["errors"]
    refusal(agent, "decide", rules="mended.csv", case="--json")
    refusal(agent, "prove", rules="mended.csv", properties=["--certificate=proof.json"])
    assert sorted(folder.iterdir()) == before


@pytest.mark.parametrize(
    ("tool", "arguments", "error"),
    [
        ("prove", {"properties": []}, "properties must not be empty; try 'NEVER outcome WHERE …'"),
        ("enlarge", {"seed": "age = 3"}, "the point has no value for 'job'"),
        ("check", {"files": []}, "files must not be empty"),
        ("check", {"files": ["mended.csv"], "hit_policy": "FRIST"}, "did you mean"),
        # fares.csv contradicts itself, so it decides nothing
        ("diff", {"before": "fares.csv", "after": "mended.csv"}, "rule 1 says free, rule 2 says f"),
        ("prove", {"properties": ["SAME AS inner.csv"]}, "rule 1 says free, rule 2 says full"),
        (
            "decide",
            {"rules": "network.dmn", "case": "age = 20"},
            "choose one with --table … and give the values of its own inputs",
        ),
        (
            "explain",
            {"rules": "network.dmn", "case": "age = 20", "table": "answer"},
            "give the values of the inputs of 'answer'",
        ),
    ],
)
def test_errors_say_what_to_do(agent, tool, arguments, error):
    if tool in ("prove", "enlarge"):
        arguments = {"rules": "mended.csv"} | arguments
    assert error in refusal(agent, tool, **arguments)


def test_the_folder_must_exist(run, file):
    status, _, err = run("mcp", file("", "rules.csv"))
    assert status == 2
    assert "FOLDER must be a folder, got" in err
