"""``irenic lsp`` as an editor uses it: a client of the protocol over standard streams."""

from __future__ import annotations

import asyncio
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams
from pygls.lsp.client import LanguageClient
from pygls.workspace import PositionCodec, TextDocument

from irenic.serving.editors import _text_edit, _Version

DMN = """<?xml version="1.0" encoding="ISO-8859-1"?>
<definitions xmlns="https://www.omg.org/spec/DMN/20191111/MODEL/" name="m" namespace="n">
  <decision name="Größe" id="risk"><decisionTable id="t1">
    <input><inputExpression typeRef="number"><text>age</text></inputExpression></input>
    <output name="risk"/>
    <rule><inputEntry><text>&lt; 30</text></inputEntry>
      <outputEntry><text>"low"</text></outputEntry></rule>
    <rule><inputEntry><text>&gt;= 29</text></inputEntry>
      <outputEntry><text>"high"</text></outputEntry></rule>
  </decisionTable></decision>
</definitions>
"""
JSON = """{"version": 1, "space": [{"name": "age", "kind": "integer", "bounds": [0, 120]}],
 "rules": [
  {"if": {"age": {"<": 18}}, "then": "free"},
  {"if": {"age": {">=": 17}}, "then": "full"}
 ]}
"""


class Editor:
    """A client that keeps the last diagnostics of each file."""

    def __init__(self, folder, *, resolves=True):
        self.folder, self.resolves = folder, resolves
        self.texts, self.versions = {}, {}
        self.client = LanguageClient("test", "1")

        @self.client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def publish(params):
            self.published.put_nowait(params)

    async def start(self):
        self.published = asyncio.Queue()
        await self.client.start_io(sys.executable, "-m", "irenic", "lsp")
        support = types.ClientCodeActionResolveOptions(["edit"]) if self.resolves else None
        fixes = types.CodeActionClientCapabilities(resolve_support=support)
        text = types.TextDocumentClientCapabilities(code_action=fixes)
        capabilities = types.ClientCapabilities(text_document=text)
        root = types.InitializeParams(capabilities, root_uri=self.folder.as_uri())
        self.features = (await self.client.initialize_async(root)).capabilities
        self.client.initialized(types.InitializedParams())

    async def stop(self):
        await self.client.shutdown_async(None)
        self.client.exit(None)
        return await asyncio.wait_for(self.client._server.wait(), 20)

    def uri(self, name):
        return (self.folder / name).as_uri()

    async def open(self, name, text):
        self.texts[name], self.versions[name] = text, 1
        item = types.TextDocumentItem(self.uri(name), "plaintext", 1, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return await self.diagnostics(name)

    async def type(self, name, text):
        whole = types.TextDocumentContentChangeWholeDocument(text)
        self._change(name, text, whole)

    def _change(self, name, text, change):
        self.texts[name] = text
        self.versions[name] += 1
        document = types.VersionedTextDocumentIdentifier(self.versions[name], self.uri(name))
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(document, [change]))

    async def replace(self, name, start, end, new):
        """Replace a part of a text, as the server wants to be told: as an edit, or by the text."""
        old = self.texts[name]
        whole = old[:start] + new + old[end:]
        if self.features.text_document_sync.change is types.TextDocumentSyncKind.Full:
            await self.type(name, whole)
        else:
            span = version(old).range((start, end))
            self._change(name, whole, types.TextDocumentContentChangePartial(span, new))

    async def diagnostics(self, name):
        while True:
            params = await asyncio.wait_for(self.published.get(), 20)
            if params.uri == self.uri(name) and params.version == self.versions[name]:
                return params.diagnostics

    def shown(self, name, span):
        """Return what a range marks."""
        lines = self.texts[name].split("\n")
        a, b = span.start, span.end
        if a.line == b.line:
            return _units(lines[a.line], a.character, b.character)
        middle = lines[a.line + 1 : b.line]
        first = _units(lines[a.line], a.character, None)
        return "\n".join([first, *middle, _units(lines[b.line], 0, b.character)])

    async def actions(self, name, span, diagnostics=()):
        document = types.TextDocumentIdentifier(self.uri(name))
        context = types.CodeActionContext(list(diagnostics))
        params = types.CodeActionParams(document, span, context)
        found = await self.client.text_document_code_action_async(params)
        if self.resolves:
            assert not any(action.edit for action in found)  # not before one is chosen
            found = [await self.client.code_action_resolve_async(action) for action in found]
        return {action.title: action for action in found}

    async def hover(self, name, line, character):
        document = types.TextDocumentIdentifier(self.uri(name))
        params = types.HoverParams(document, types.Position(line, character))
        return await self.client.text_document_hover_async(params)

    def applied(self, name, action):
        """Return the text after an action, edited as a client does."""
        [edit] = action.edit.changes[self.uri(name)]
        lines = self.texts[name].split("\n")
        a, b = edit.range.start, edit.range.end
        before = "\n".join([*lines[: a.line], _units(lines[a.line], 0, a.character)])
        after = "\n".join([_units(lines[b.line], b.character, None), *lines[b.line + 1 :]])
        return before + edit.new_text + after


def _units(line, start, end):
    """Return a part of a line that is given in code units of UTF-16."""
    raw = line.encode("utf-16-le")
    return raw[2 * start : None if end is None else 2 * end].decode("utf-16-le")


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with asyncio.Runner() as runner:
        editor = Editor(tmp_path_factory.mktemp("edited"))
        runner.run(editor.start())
        yield runner, editor
        assert runner.run(editor.stop()) == 0


def session(test):
    """Return a test that runs with the editor, whose files are in a folder of their own."""

    def run(server, tmp_path):
        runner, editor = server
        editor.folder = tmp_path
        runner.run(test(editor))

    run.__name__, run.__doc__ = test.__name__, test.__doc__
    return run


RULES = "# fares 🚌\nIF age < 18 THEN free\nIF age >= 17 THEN full\n"
CSV = 'age,job,fare\n< 18,nurse 🚑,free\n>= 17,"clerk, nurse 🚑",full\n'


@session
async def test_findings_are_shown_where_they_are(editor):
    assert editor.features.hover_provider
    [conflict] = await editor.open("fares.rules", RULES)
    assert conflict.message.startswith("age = 17: rule 1 says free, rule 2 says full")
    assert (conflict.code, conflict.source) == ("conflicts", "irenic")
    assert conflict.severity == types.DiagnosticSeverity.Error
    assert editor.shown("fares.rules", conflict.range) == "IF age >= 17 THEN full"
    [other] = conflict.related_information
    assert editor.shown("fares.rules", other.location.range) == "IF age < 18 THEN free"

    found = await editor.open("fares.csv", CSV)
    [conflict] = [each for each in found if each.code == "conflicts"]
    assert editor.shown("fares.csv", conflict.range) == '>= 17,"clerk, nurse 🚑",full'

    [conflict] = await editor.open("fares.json", JSON)
    assert editor.shown("fares.json", conflict.range).startswith('{"if": {"age": {">=": 17}}')

    found = await editor.open("risk.dmn", DMN)
    [conflict] = [each for each in found if each.code in ("conflicts", "overlaps")]
    shown = editor.shown("risk.dmn", conflict.range)
    assert shown.startswith("<rule><inputEntry><text>&gt;= 29")
    assert shown.endswith("</rule>")


@session
async def test_what_cannot_be_read_is_shown_at_its_cell_or_column(editor):
    [error] = await editor.open("a.rules", "IF age < 18 THEN free\nIF age > THEN full\n")
    assert (error.code, editor.shown("a.rules", error.range)) == ("cannot be read", "THEN full")
    errors = await editor.open("a.csv", "age,fare\n< 18,free\n[20..,full\n>= 30,half\n")
    shown = [editor.shown("a.csv", each.range) for each in errors if each.severity == 1]
    assert shown == ["[20.."]
    [error] = await editor.open("a.json", '{"version": 1,\n "rules": [}')
    assert "not JSON" in error.message
    assert error.range.start == types.Position(1, 11)
    [error] = await editor.open("a.xlsx", "PK")
    assert "a.xlsx" in error.message


@session
async def test_typing_is_followed_and_only_the_last_version_is_checked(editor):
    assert await editor.open("fares.rules", RULES)
    for end in range(1, 5):
        await editor.type("fares.rules", RULES[:-end])
    await editor.type("fares.rules", RULES.replace("17", "18"))
    assert not await editor.diagnostics("fares.rules")
    assert editor.published.empty()
    document = types.TextDocumentIdentifier(editor.uri("fares.rules"))
    editor.client.text_document_did_close(types.DidCloseTextDocumentParams(document))
    closed = await asyncio.wait_for(editor.published.get(), 20)
    assert (closed.uri, tuple(closed.diagnostics)) == (editor.uri("fares.rules"), ())


FREE = {
    "fares.rules": (RULES, "# fares 🚌\nIF age < 18 THEN free\nIF age >= 18 THEN full\n"),
    "fares.csv": (CSV, CSV.replace('>= 17,"clerk', '>= 18,"clerk')),
    "risk.dmn": (DMN, DMN.replace("&gt;= 29", "&gt;= 30")),
}


@session
async def test_a_rule_is_cut_back_to_its_free_part(editor):
    for name, (text, expected) in FREE.items():
        found = await editor.open(name, text)
        [conflict] = [each for each in found if each.code in ("conflicts", "overlaps")]
        actions = await editor.actions(name, conflict.range, [conflict])
        action = actions["Cut rule 2 back to its free part"]
        assert list(action.diagnostics) == [conflict]
        new = editor.applied(name, action)
        if name == "fares.csv":  # the rule is free for clerks of any age
            assert new.startswith("age,job,fare\n< 18,nurse 🚑,free\n")
        else:
            assert new == expected
        await editor.type(name, new)
        left = await editor.diagnostics(name)
        assert not [each for each in left if each.severity == types.DiagnosticSeverity.Error]


@session
async def test_repairs_mend_all_contradictions(editor):
    [conflict] = await editor.open("fares.json", JSON)
    actions = await editor.actions("fares.json", conflict.range)
    repairs = [a for title, a in actions.items() if title.startswith("Repair all")]
    assert len(repairs) == 3
    for action in repairs:
        await editor.open("new.json", editor.applied("fares.json", action))
        left = await editor.actions("new.json", types.Range(*[types.Position(0, 0)] * 2))
        assert left == {}
    nowhere = types.Range(types.Position(0, 0), types.Position(0, 1))
    assert await editor.actions("fares.json", nowhere) == {}


def test_clients_that_ask_for_no_edits_get_them_at_once(tmp_path):
    async def session():
        editor = Editor(tmp_path, resolves=False)
        await editor.start()
        [conflict] = await editor.open("fares.rules", RULES)
        actions = await editor.actions("fares.rules", conflict.range)
        new = editor.applied("fares.rules", actions["Remove rule 2"])
        assert new == RULES.replace("IF age >= 17 THEN full\n", "")
        assert await editor.stop() == 0

    asyncio.run(session())


@session
async def test_redundant_rules_are_removed_or_merged(editor):
    text = "IF age < 9 THEN free\nIF age < 18 THEN free\nIF age >= 18 THEN free\n"
    found = await editor.open("a.rules", text)
    [inside] = [each for each in found if each.code == "inside"]
    assert list(inside.tags) == [types.DiagnosticTag.Unnecessary]
    actions = await editor.actions("a.rules", inside.range)
    action = actions["Remove rule 1, which is redundant"]
    assert editor.applied("a.rules", action) == text.partition("\n")[2]
    [merge] = [each for each in found if each.code == "mergeable"]
    actions = await editor.actions("a.rules", merge.range)
    title = next(title for title in actions if title.startswith("Merge rules"))
    await editor.type("a.rules", editor.applied("a.rules", actions[title]))
    left = await editor.diagnostics("a.rules")
    assert "mergeable" not in [each.code for each in left]


@session
async def test_hover_shows_the_region_and_a_case(editor):
    await editor.open("fares.csv", CSV)
    hover = await editor.hover("fares.csv", 1, 8)
    assert hover.contents.value == (
        '**Rule 1** says free where `age < 18 and job in {"nurse 🚑"}`, for example at'
        ' `age = 9, job = "nurse 🚑"`.'
    )
    assert editor.shown("fares.csv", hover.range) == "< 18,nurse 🚑,free"
    assert await editor.hover("fares.csv", 0, 2) is None
    await editor.open("two.csv", 'age,fare\n"< 18, >= 60",reduced\n')
    hover = await editor.hover("two.csv", 1, 0)
    assert hover.contents.value.count("\n- where ") == 2


@session
async def test_edits_below_signs_that_end_no_line_are_followed(editor):
    for sign in ("\f", "\v", "\x85", "\u2028"):
        text = f"# one{sign}two\nIF age < 18 THEN free\nIF age >= 17 THEN full\n"
        [conflict] = await editor.open("signs.rules", text)
        assert conflict.range.start.line == 2
        at = text.index("17")
        await editor.replace("signs.rules", at, at + 2, "18")
        assert not await editor.diagnostics("signs.rules")


@session
async def test_wrong_data_of_an_action_is_answered_with_an_error(editor):
    await editor.open("fares.rules", RULES)
    uri, kind = editor.uri("fares.rules"), types.CodeActionKind.QuickFix
    right = {"uri": uri, "version": editor.versions["fares.rules"], "span": [30, 30]}
    wrong = [None, {}, [], "x", 3, {**right, "uri": 3}, {**right, "span": [1]}]
    wrong += [{**right, "span": None}, {**right, "span": ["a", "b"]}, {**right, "version": {}}]
    wrong += [{**right, "uri": "file:///dev/zero"}, {**right, "uri": "x"}]
    for data, title in [*((data, "Remove rule 1") for data in wrong), (right, "Remove all")]:
        action = types.CodeAction(title, kind, data=data)
        with pytest.raises(JsonRpcInvalidParams) as caught:
            await editor.client.code_action_resolve_async(action)
        assert caught.value.data is None  # no traceback
    action = types.CodeAction("Remove rule 1", kind, data=right)
    assert (await editor.client.code_action_resolve_async(action)).edit
    with pytest.raises(JsonRpcInvalidParams, match="the document must be open"):
        await editor.hover("never-opened.rules", 0, 0)


# --- places in the units of the protocol


def version(text):
    document = TextDocument("file:///a.rules", text, position_codec=PositionCodec())
    return _Version(document, text, None, "")


texts = st.text(st.sampled_from("ab🚌é\n\r\u2028\t"), max_size=30)


@given(texts, texts, st.data())
def test_positions_are_places_and_edits_make_the_new_text(old, new, data):
    at = data.draw(st.integers(0, len(old)))
    if old[at - 1 : at + 1] == "\r\n":
        at -= 1
    assert version(old).offset(version(old).position(at)) == at
    old, new = old.replace("\r", ""), new.replace("\r", "")
    edit = _text_edit(version(old), new)
    start, end = version(old).offset(edit.range.start), version(old).offset(edit.range.end)
    assert old[:start] + edit.new_text + old[end:] == new
