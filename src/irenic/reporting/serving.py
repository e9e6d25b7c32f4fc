"""A server on this machine that shows a page to edit a file, writes it, and ends with the page.

Only the browser that was opened can use it: it listens on the loopback address alone, on a free
port, and every request needs a token that is made for this run and is a part of the address. The
browser is opened with a file that only the user can read, because all users of the machine can see
the arguments of programs. Other sites cannot reach it: the host and the origin of requests are
checked, and no header admits others.
"""

from __future__ import annotations

import hmac
import html
import json
import os
import secrets
import select
import socket
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

from irenic.errors import FormatError, IrenicError
from irenic.reporting.documents import problem
from irenic.reporting.edited_file import EditedFile

ADDRESS: Final = "127.0.0.1"
_MOST_BYTES: Final = 64 * 2**20
_MOST_DIGITS: Final = 20  # Python reads no number of thousands of digits
# Seconds after which a page that said goodbye is gone: a reload opens it again.
_AFTER_GOODBYE: Final = 3.0
# Seconds without a sign of life; browsers slow down pages in the background to one call a minute.
_AFTER_SILENCE: Final = 300.0
_HEADERS: Final = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}


class EditingServer(ThreadingHTTPServer):
    """Serves the page of a file until all pages that were opened are closed."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, file: EditedFile) -> None:
        self.file = file
        self.token = secrets.token_urlsafe(32)
        self.writing = threading.Lock()
        self._pages: dict[str, float] = {}
        """When each page is gone, unless it is heard of again."""
        self._closed: set[str] = set()
        """Pages that said goodbye, or whose connection ended; questions may arrive later."""
        self._connections: Counter[str] = Counter()
        """How many connections each page has: a new one may be made before the old one ends."""
        self._ended = threading.Event()
        super().__init__((ADDRESS, 0), _Handler)

    @property
    def host(self) -> str:
        """The host and port, as browsers send them."""
        return f"{ADDRESS}:{self.server_address[1]}"

    @property
    def url(self) -> str:
        """The address of the page, with the token."""
        return f"http://{self.host}/{self.token}/"

    def serve(self) -> None:
        """Answer requests until the last page is closed, or :meth:`stop` is called."""
        thread = threading.Thread(target=self.serve_forever, args=(0.1,), daemon=True)
        thread.start()
        try:
            while not self._ended.wait(0.2):
                if self._pages and all(t < time.monotonic() for t in [*self._pages.values()]):
                    break
        finally:
            self.shutdown()
            thread.join()

    def stop(self) -> None:
        """End :meth:`serve`."""
        self._ended.set()

    def heard_of(self, page: str, *, goodbye: bool = False) -> None:
        """Remember that a page is open, or that it is being closed, which it stays."""
        if page in self._closed:
            return
        if goodbye:
            self._closed.add(page)
        self._pages[page] = time.monotonic() + (_AFTER_GOODBYE if goodbye else _AFTER_SILENCE)

    def stay_connected(self, page: str, connection: socket.socket) -> None:
        """Wait until a page ends its connection: browsers that close it may not say goodbye."""
        with self.writing:
            self._connections[page] += 1
            self._closed.discard(page)
        while not self._ended.is_set():
            self.heard_of(page)
            if select.select([connection], [], [], 1)[0]:
                break  # nothing is sent on it
        with self.writing:
            self._connections[page] -= 1
            if not self._connections[page]:
                self.heard_of(page, goodbye=True)

    def answer(self, path: str, body: bytes, query: dict[str, list[str]]) -> dict[str, Any]:
        """Return the answer to a request of the page, as JSON."""
        page = query.get("page", [""])[0]
        if page:
            self.heard_of(page, goodbye=path == "goodbye")
        with self.writing:
            seen = query.get("seen", [self.file.digest])[0]
            if path == "save":
                seen = self.file.save(body, keep=query.get("keep") == ["true"], seen=seen)
                return {**self.disk(seen), "seen": seen}
            if path == "reload":
                self.file.reload()
                seen = self.file.digest
            return {"changed": False} if path == "goodbye" else self.disk(seen)

    def disk(self, seen: str) -> dict[str, Any]:
        """Return whether the file has another content than a page, and whether it was deleted."""
        changed = self.file.changed_since(seen)
        deleted = changed and not self.file.path.exists()
        return {"changed": changed, **({"deleted": True} if deleted else {})}

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Print errors, except that the browser broke a connection off."""
        if not isinstance(sys.exception(), ConnectionError | TimeoutError):
            super().handle_error(request, client_address)


@contextmanager
def opening_file(url: str) -> Iterator[Path]:
    """Yield a file that opens a page whose address is secret, and that only the user can read."""
    number, name = tempfile.mkstemp(prefix="irenic-edit-", suffix=".html")
    path = Path(name)
    try:
        os.close(number)
        path.write_text(_OPENING.format(url=html.escape(url)), encoding="utf-8")
        yield path
    finally:
        path.unlink(missing_ok=True)


_OPENING: Final = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url={url}">
<title>irenic edit</title>
<p><a href="{url}">Open the editor</a></p>
"""


class _Handler(BaseHTTPRequestHandler):
    server: EditingServer
    timeout = 30

    def do_GET(self) -> None:
        path, query = self._admitted()
        if path == "":
            with self.server.writing:
                with suppress(IrenicError):  # the page then says that the file was changed
                    self.server.file.refresh()
                file = self.server.file
                page = file.page().editing_html("server", file.digest)
            self._send(HTTPStatus.OK, page.encode("utf-8"), "text/html; charset=utf-8")
        elif path == "status":
            self._answer(path, b"", query)
        elif path == "open" and "page" in query:
            self._send(HTTPStatus.OK, b"", "text/plain; charset=utf-8", ends=False)
            self.server.stay_connected(query["page"][0], self.connection)
        elif path is not None:
            self._refuse(HTTPStatus.NOT_FOUND)

    def do_POST(self) -> None:
        path, query = self._admitted()
        if path is None:
            return
        origin, size = self.headers.get("Origin"), self.headers.get("Content-Length", "")
        if origin != f"http://{self.server.host}":
            self._refuse(HTTPStatus.FORBIDDEN)
        elif path not in ("save", "reload", "goodbye"):
            self._refuse(HTTPStatus.NOT_FOUND)
        elif not size.isdecimal():
            self._refuse(HTTPStatus.LENGTH_REQUIRED)
        elif len(size) > _MOST_DIGITS or int(size) > _MOST_BYTES:
            self._refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        else:
            self._answer(path, self.rfile.read(int(size)), query)

    def _admitted(self) -> tuple[str | None, dict[str, list[str]]]:
        """Return the path after the token, None if the request was refused."""
        try:
            parts = urlsplit(self.path)
        except ValueError:  # such as http://[
            self._refuse(HTTPStatus.BAD_REQUEST)
            return None, {}
        _, token, *rest = [*parts.path.split("/"), ""]
        same = hmac.compare_digest(token.encode("utf-8", "replace"), self.server.token.encode())
        site = self.headers.get("Sec-Fetch-Site", "none")
        origin = self.headers.get("Origin", f"http://{self.server.host}")
        # the file that opens the page is of another site; no other one knows the token
        is_opened = self.command == "GET" and self.headers.get("Sec-Fetch-Mode") == "navigate"
        is_ours = site in ("none", "same-origin") or (same and is_opened)
        is_ours = is_ours and origin == f"http://{self.server.host}"
        if not is_ours or self.headers.get("Host") != self.server.host:
            self._refuse(HTTPStatus.FORBIDDEN)
        elif not same:
            self._refuse(HTTPStatus.NOT_FOUND)
        else:
            return "/".join(rest).rstrip("/"), parse_qs(parts.query)
        return None, {}

    def _answer(self, path: str, body: bytes, query: dict[str, list[str]]) -> None:
        status = HTTPStatus.OK
        try:
            answer = self.server.answer(path, body, query)
        except IrenicError as error:
            located = error if isinstance(error, FormatError) else FormatError(str(error))
            disk = self.server.disk(query.get("seen", [self.server.file.digest])[0])
            answer = {"error": str(error), **disk, "problem": problem(located)}
            status = HTTPStatus.CONFLICT if disk["changed"] else HTTPStatus.UNPROCESSABLE_ENTITY
        self._send(status, json.dumps(answer).encode("ascii"), "application/json")

    def _refuse(self, status: HTTPStatus) -> None:
        self.close_connection = True
        self._send(status, f"{status.phrase}\n".encode("ascii"), "text/plain; charset=utf-8")

    def _send(self, status: HTTPStatus, content: bytes, kind: str, *, ends: bool = True) -> None:
        self.send_response(status)
        for name, value in _HEADERS.items():
            self.send_header(name, value)
        self.send_header("Content-Type", kind)
        if ends:
            self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def version_string(self) -> str:
        return "irenic"

    def log_message(self, format: str, *arguments: Any) -> None:
        """Print nothing: addresses contain the token."""
