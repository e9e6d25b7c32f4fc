"""A language server: findings while typing, repairs as code actions, and rules in words.

It speaks the Language Server Protocol on standard input and output. :mod:`irenic.serving.opened`
knows the rules; this module turns its answers into messages.
"""

from __future__ import annotations

import asyncio
import logging
import reprlib
from bisect import bisect_right
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path
from pygls.workspace import TextDocument

import irenic
from irenic.errors import IrenicError
from irenic.formats.places import Span
from irenic.serving.opened import SECONDS, Note, OpenedFile

_PAUSE: Final = 0.2
"""Seconds without a keystroke before a file is checked."""
_SEVERITIES: Final = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "note": types.DiagnosticSeverity.Information,
}
_UNNECESSARY: Final = ("columns", "duplicates", "inside", "never_fire")


@dataclass(frozen=True)
class _Version:
    """A version of a text, its file if it has rules, and where lines begin."""

    document: TextDocument
    text: str
    file: OpenedFile | None
    error: str

    def position(self, offset: int) -> types.Position:
        """Return a place in the units of the client, which are UTF-16 unless it prefers others."""
        number = bisect_right(self.starts, offset) - 1
        prefix = self.text[self.starts[number] : offset]
        return types.Position(number, self.document.position_codec.client_num_units(prefix))

    def offset(self, position: types.Position) -> int:
        """Return the place of a position; beyond the end of a line it is its end."""
        if position.line >= len(self.starts):
            return len(self.text)
        at: int = self.starts[position.line]
        stop = [*self.starts, len(self.text) + 1][position.line + 1] - 1
        left: int = position.character
        while at < stop and left > 0:
            left -= self.document.position_codec.client_num_units(self.text[at])
            at += 1
        return at

    @cached_property
    def starts(self) -> list[int]:
        """Where lines begin; lines end as the protocol says."""
        lines = self.text.replace("\r\n", "\0\n").replace("\r", "\n")
        return [0, *(at + 1 for at, sign in enumerate(lines) if sign == "\n")]

    def range(self, span: Span) -> types.Range:
        return types.Range(self.position(span[0]), self.position(span[1]))


def make_server(
    seconds: float = SECONDS, reading: Callable[[Path], Mapping[str, Any]] = lambda _: {}
) -> LanguageServer:
    """Return a language server for files of rules.

    Each search for findings takes at most ``seconds``, and ``reading`` returns the options of
    :func:`irenic.parse` for a file.
    """
    # pygls counts form feeds and other signs as ends of lines, which the protocol does not, so
    # clients send the whole text instead of edits of lines
    server = LanguageServer(
        "irenic", irenic.__version__, text_document_sync_kind=types.TextDocumentSyncKind.Full
    )
    logging.getLogger("pygls.protocol.json_rpc").addFilter(_without_traceback)
    versions: dict[str, _Version] = {}

    def latest(uri: str) -> _Version:
        """Return the current version of an open document; equal texts are checked once."""
        if uri not in server.workspace.text_documents:  # pygls would read the file, or wait for it
            raise JsonRpcInvalidParams(f"the document must be open, got {uri}")
        document = server.workspace.get_text_document(uri)
        text, known = document.source, versions.get(uri)
        if known is not None and known.text == text:
            return known
        file, error = None, ""
        try:
            path = Path(to_fs_path(uri) or uri)
            file = OpenedFile(text, path, seconds, reading(path))
        except IrenicError as problem:
            error = str(problem)
        versions[uri] = version = _Version(document, text, file, error)
        return version

    async def check(uri: str, pause: float = 0.0) -> None:
        before = server.workspace.get_text_document(uri).version
        await asyncio.sleep(pause)
        document = server.workspace.get_text_document(uri)
        is_open = uri in server.workspace.text_documents
        if not is_open or document.version != before:  # the check of a later version follows
            return
        version = await asyncio.to_thread(latest, uri)
        found = await asyncio.to_thread(_diagnostics, uri, version)
        if uri not in server.workspace.text_documents or document.source != version.text:
            return
        server.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(uri, found, document.version)
        )

    async def opened(params: types.DidOpenTextDocumentParams) -> None:
        await check(params.text_document.uri)

    async def changed(params: types.DidChangeTextDocumentParams) -> None:
        await check(params.text_document.uri, _PAUSE)

    def closed(params: types.DidCloseTextDocumentParams) -> None:
        uri = params.text_document.uri
        versions.pop(uri, None)
        server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))

    async def hover(params: types.HoverParams) -> types.Hover | None:
        version = await asyncio.to_thread(latest, params.text_document.uri)
        offset = version.offset(params.position)
        words = None if version.file is None else version.file.words(offset)
        if words is None:
            return None
        span, text = words
        contents = types.MarkupContent(types.MarkupKind.Markdown, text)
        return types.Hover(contents, version.range(span))

    def resolves() -> bool:
        """Return whether the client asks for the edit of an action once it is chosen."""
        text = server.client_capabilities.text_document
        support = text and text.code_action and text.code_action.resolve_support
        return bool(support and "edit" in support.properties)

    async def actions(params: types.CodeActionParams) -> list[types.CodeAction]:
        only = params.context.only
        if only is not None and types.CodeActionKind.QuickFix not in only:
            return []
        uri = params.text_document.uri
        version = await asyncio.to_thread(latest, uri)
        if version.file is None:
            return []
        span = version.offset(params.range.start), version.offset(params.range.end)
        offered = [
            types.CodeAction(
                action.title,
                types.CodeActionKind.QuickFix,
                [d for d in params.context.diagnostics if d.code in action.kinds],
                data={"uri": uri, "version": version.document.version, "span": span},
            )
            for action in version.file.actions(*span)
        ]
        if resolves():
            return offered
        return [each for each in [await resolve(each) for each in offered] if each.edit]

    async def resolve(action: types.CodeAction) -> types.CodeAction:
        """Return an action with its edit, which can take a while to find."""
        uri, number, span = _data_of(action)
        version = await asyncio.to_thread(latest, uri)
        if version.file is None or version.document.version != number:
            return action
        edits = {each.title: each.edit for each in version.file.actions(*span)}
        if action.title not in edits:
            raise JsonRpcInvalidParams(f"the code action must be one of {[*edits]}")
        text = await asyncio.to_thread(edits[action.title])
        if text is not None:
            action.edit = types.WorkspaceEdit({uri: [_text_edit(version, text)]})
        elif resolves():
            message = f"{action.title}: the file cannot be edited so; irenic repair says why"
            show = types.ShowMessageParams(types.MessageType.Info, message)
            server.window_show_message(show)
        return action

    server.feature(types.TEXT_DOCUMENT_DID_OPEN)(opened)
    server.feature(types.TEXT_DOCUMENT_DID_CHANGE)(changed)
    server.feature(types.TEXT_DOCUMENT_DID_CLOSE)(closed)
    server.feature(types.TEXT_DOCUMENT_HOVER)(hover)
    options = types.CodeActionOptions([types.CodeActionKind.QuickFix], resolve_provider=True)
    server.feature(types.TEXT_DOCUMENT_CODE_ACTION, options)(actions)
    server.feature(types.CODE_ACTION_RESOLVE)(resolve)
    return server


def _data_of(action: types.CodeAction) -> tuple[str, int | None, tuple[int, int]]:
    """Return the document, its version and the part that an action is about."""
    match action.data:
        case {"uri": str(uri), "version": int() | None as number, "span": [int(start), int(end)]}:
            return uri, number, (start, end)
    raise JsonRpcInvalidParams(
        "data of a code action must be as textDocument/codeAction returned it, got"
        f" {reprlib.repr(action.data)}"
    )


def _without_traceback(record: logging.LogRecord) -> bool:
    """Log an error of the client as one line; it is no defect of the server."""
    if record.exc_info and isinstance(record.exc_info[1], JsonRpcException):
        record.msg, record.args = f"{record.getMessage()}: {record.exc_info[1]}", ()
        record.exc_info = None
    return True


def _diagnostics(uri: str, version: _Version) -> list[types.Diagnostic]:
    if version.file is None:
        note = Note((0, 0), "error", "cannot be read", version.error)
        return [_diagnostic(uri, version, note)]
    return [_diagnostic(uri, version, note) for note in version.file.notes()]


def _diagnostic(uri: str, version: _Version, note: Note) -> types.Diagnostic:
    related = [
        types.DiagnosticRelatedInformation(types.Location(uri, version.range(span)), text)
        for span, text in note.others
    ]
    unused = note.kind in _UNNECESSARY
    options: dict[str, Any] = {"tags": [types.DiagnosticTag.Unnecessary]} if unused else {}
    return types.Diagnostic(
        version.range(note.span),
        note.text,
        _SEVERITIES[note.level],
        note.kind,
        source="irenic",
        related_information=related or None,
        **options,
    )


def _text_edit(version: _Version, new: str) -> types.TextEdit:
    """Return the edit of whole lines that turns a text into another one."""
    old, length = version.text, min(len(version.text), len(new))
    start = next((i for i in range(length) if old[i] != new[i]), length)
    start = old.rfind("\n", 0, start) + 1
    rest = length - start
    tail = next((i for i in range(rest) if old[-1 - i] != new[-1 - i]), rest)
    kept = old.find("\n", len(old) - tail) + 1 if tail else 0
    tail = len(old) - kept if kept else 0
    return types.TextEdit(version.range((start, len(old) - tail)), new[start : len(new) - tail])
