"""The server of ``irenic edit``: who may use it, what it writes, and when it ends."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from http.client import HTTPConnection
from itertools import product
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

import pytest
from typer.testing import CliRunner

import irenic
from irenic.cli import app
from irenic.frames.files import write_file
from irenic.reporting import edited_file, serving
from irenic.reporting.edited_file import EditedFile
from irenic.reporting.serving import EditingServer

TEXT = "# by age\nIF age < 18 THEN free\nIF age >= 18 THEN full\n"


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "fares.rules"
    path.write_text(TEXT)
    return path


@contextmanager
def serving_alone(path):
    """Serve a file until its last page is gone; yield the server and its thread."""
    with EditingServer(EditedFile(path)) as server:
        thread = threading.Thread(target=server.serve)
        thread.start()
        try:
            yield server, thread
            thread.join(60)
            assert not thread.is_alive()
        finally:
            server.stop()
            thread.join(60)


@pytest.fixture
def server(path):
    with serving_alone(path) as (server, _):
        yield server
        server.stop()


def ask(server, method, what, body=None, token=None, **headers):
    """Send a request as the page would, with other headers if given (None: without)."""
    sent = {"Host": server.host, "Sec-Fetch-Site": "same-origin"}
    if method == "POST":
        sent["Origin"] = f"http://{server.host}"
    sent |= {name.replace("_", "-"): value for name, value in headers.items()}
    connection = HTTPConnection(server.host, timeout=60)
    connection.putrequest(method, f"/{token or server.token}/{what}", skip_host=True)
    for name, value in sent.items():
        if value is not None:
            connection.putheader(name, value)
    data = None if body is None else body.encode()
    if data is not None:
        connection.putheader("Content-Length", str(len(data)))
    connection.endheaders(data)
    answer = connection.getresponse()
    content = answer.read().decode()
    connection.close()
    return answer, content


def data_of(answered):
    """Return the status of an answer and its data."""
    answer, content = answered
    return answer.status, json.loads(content)


def rules_of(text):
    return irenic.dumps(irenic.loads(text, format="rules"), format="json")


CUT = TEXT.replace("< 18", "< 16")
GRATIS = TEXT.replace("free", "gratis")


def test_the_page_is_served_and_rules_are_saved(server, path):
    answer, page = ask(server, "GET", "", Sec_Fetch_Site="none")
    assert answer.status == 200
    assert "connect-src 'self'" in page
    assert '<meta name="irenic-saves-to" content="server">' in page
    assert server.token not in page
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    assert not [name for name in answer.headers if name.startswith("Access-Control")]
    status, told = data_of(ask(server, "POST", "save?page=1", rules_of(CUT)))
    assert (status, told["changed"]) == (200, False)
    assert path.read_text() == CUT
    assert data_of(ask(server, "GET", f"status?seen={told['seen']}")) == (200, {"changed": False})
    # refused rules have a reason and a place
    wrong = '{"format": "irenic rules",\n "version": 1, "x"'
    status, told = data_of(ask(server, "POST", "save", wrong))
    assert (status, told["problem"]["line"]) == (422, 2)
    assert told["error"].startswith("the edited rules, line 2")
    assert path.read_text() == CUT


def test_changes_on_disk_are_noticed(server, path):
    assert data_of(ask(server, "GET", "status")) == (200, {"changed": False})
    path.write_text(GRATIS)
    assert data_of(ask(server, "GET", "status")) == (200, {"changed": True})
    status, told = data_of(ask(server, "POST", "save", rules_of(CUT)))
    assert (status, told["changed"]) == (409, True)
    assert "changed on disk" in told["error"]
    assert data_of(ask(server, "POST", "reload", "")) == (200, {"changed": False})
    assert "gratis" in ask(server, "GET", "")[1]
    path.write_text(TEXT)
    assert ask(server, "POST", "save?keep=true", rules_of(CUT))[0].status == 200
    assert "free" not in path.read_text()[:9]
    assert "< 16" in path.read_text()


def digest_in(page):
    return re.search(r'<meta name="irenic-digest" content="(\w+)">', page)[1]


def test_a_page_does_not_overwrite_what_another_page_saved(server, path):
    first, second = (digest_in(ask(server, "GET", "")[1]) for _ in range(2))
    saved = CUT.replace(">= 18", ">= 16")
    status, told = data_of(ask(server, "POST", f"save?seen={second}", rules_of(saved)))
    assert status == 200
    status, refusal = data_of(ask(server, "POST", f"save?seen={first}", rules_of(GRATIS)))
    assert status == 409
    assert "changed on disk; reload it" in refusal["error"]
    assert path.read_text() == saved
    # the page that saved may save again
    half = saved.replace("full", "half")
    assert ask(server, "POST", f"save?seen={told['seen']}", rules_of(half))[0].status == 200
    assert path.read_text() == half


def test_a_new_page_does_not_hide_a_change_on_disk_from_others(server, path):
    old = digest_in(ask(server, "GET", "")[1])
    path.write_text(GRATIS)
    new = digest_in(ask(server, "GET", "")[1])
    for seen, changed in (old, True), (new, False):
        found = ask(server, "GET", f"status?seen={seen}")
        assert data_of(found) == (200, {"changed": changed})
    assert ask(server, "POST", f"save?seen={old}", rules_of(TEXT))[0].status == 409
    assert path.read_text() == GRATIS


@pytest.mark.parametrize("keep", ["", "&keep=true"])
def test_a_change_on_disk_while_a_page_saves_is_kept(server, path, monkeypatch, keep):
    seen = digest_in(ask(server, "GET", "")[1])

    def slowly(*arguments, **options):
        content = formats_edited(*arguments, **options)
        path.write_text(GRATIS)
        return content

    formats_edited = edited_file.edited
    monkeypatch.setattr(edited_file, "edited", slowly)
    status, told = data_of(ask(server, "POST", f"save?seen={seen}{keep}", rules_of(CUT)))
    assert (status, told["changed"]) == (409, True)
    assert path.read_text() == GRATIS
    assert [each.name for each in path.parent.iterdir()] == [path.name]


def test_a_change_on_disk_right_after_saving_is_noticed(server, path, monkeypatch):
    seen = digest_in(ask(server, "GET", "")[1])

    def write(*arguments):
        write_file(*arguments)
        path.write_text(GRATIS)

    monkeypatch.setattr(edited_file, "write_file", write)
    status, told = data_of(ask(server, "POST", f"save?seen={seen}", rules_of(CUT)))
    assert (status, told["changed"]) == (200, True)
    assert ask(server, "POST", f"save?seen={told['seen']}", rules_of(TEXT))[0].status == 409
    assert path.read_text() == GRATIS


REFUSED = [
    ("GET", {"token": "x" * 43}, 404),
    ("GET", {"token": "%C3%BC"}, 404),
    ("GET", {"Host": "evil.example"}, 403),
    ("GET", {"Host": None}, 403),
    ("GET", {"Sec_Fetch_Site": "cross-site"}, 403),
    ("GET", {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "no-cors"}, 403),
    ("GET", {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "navigate", "token": "x"}, 403),
    ("POST", {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "navigate"}, 403),
    ("GET", {"Origin": "http://evil.example"}, 403),
    ("POST", {"Origin": "http://evil.example"}, 403),
    ("POST", {"Origin": "null"}, 403),
    ("POST", {"Origin": None}, 403),
    ("POST", {"Sec_Fetch_Site": "same-site"}, 403),
    ("POST", {"token": "x"}, 404),
]


def test_others_are_refused(server, path):
    assert server.server_address[0] == urlsplit(server.url).hostname == "127.0.0.1"
    assert len(server.token) >= 43
    for method, headers, status in REFUSED:
        token = headers.get("token")
        headers = {name: value for name, value in headers.items() if name != "token"}
        request = ("save", rules_of(CUT)) if method == "POST" else ("status", None)
        answer, content = ask(server, method, *request, token, **headers)
        assert answer.status == status, (method, headers)
        assert "changed" not in content
        assert path.read_text() == TEXT


def test_unknown_addresses_and_sizes_are_refused(server, capsys):
    assert ask(server, "GET", "../../etc/passwd")[0].status == 404
    assert ask(server, "POST", "other", "")[0].status == 404
    assert ask(server, "POST", "save", None)[0].status == 411
    assert ask(server, "POST", "save", None, Content_Length=str(2**40))[0].status == 413
    assert ask(server, "POST", "save", None, Content_Length="-1")[0].status == 411
    assert ask(server, "POST", "save", None, Content_Length="9" * 5000)[0].status == 413
    connection = HTTPConnection(server.host, timeout=60)
    connection.request("OPTIONS", "/")  # no page of another site learns what is allowed
    assert connection.getresponse().status == 501
    connection.close()
    for method, address in product(["GET", "POST"], ["http://[", "http://[::1", "http://]/"]):
        with socket.create_connection(server.server_address, timeout=60) as connection:
            connection.sendall(f"{method} {address} HTTP/1.1\r\n\r\n".encode())
            assert connection.recv(100).split(b"\r\n")[0].split()[1] == b"400"
    assert capsys.readouterr().err == ""


class Clock:
    """The clock of a server, which stands still unless a test moves it."""

    def __init__(self):
        self.now, self.looks = 0.0, Counter()

    def monotonic(self):
        self.looks[threading.current_thread()] += 1
        return self.now

    def leaves_open(self, thread):
        """Whether a server with at most three open pages goes on after it looked at the clock."""
        enough = self.looks[thread] + 4
        while thread.is_alive() and self.looks[thread] < enough:
            thread.join(0.05)
        return thread.is_alive()


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(serving, "time", clock)
    return clock


def test_it_ends_with_the_last_page(path, clock):
    with serving_alone(path) as (server, thread):
        ask(server, "GET", "status?page=a")
        ask(server, "GET", "status?page=b")
        ask(server, "POST", "goodbye?page=a", "")
        clock.now += serving._AFTER_GOODBYE + 1
        assert clock.leaves_open(thread)  # the other one is open
        ask(server, "POST", "goodbye?page=b", "")
        ask(server, "GET", "status?page=c")  # a page that is loaded again
        clock.now += serving._AFTER_GOODBYE + 1
        assert clock.leaves_open(thread)
        ask(server, "POST", "goodbye?page=c", "")
        ask(server, "GET", "status?page=c")  # asked before it was closed, answered after
        assert clock.leaves_open(thread)
        clock.now += serving._AFTER_GOODBYE + 1


def test_it_ends_if_the_page_is_silent(path, clock):
    with serving_alone(path) as (server, thread):
        ask(server, "GET", "status?page=a")
        clock.now += serving._AFTER_SILENCE - 1
        assert clock.leaves_open(thread)
        clock.now += 2


@contextmanager
def connected(server):
    """Be a page that is connected to its server."""
    url = urlsplit(server.url)
    connection = HTTPConnection(url.netloc, timeout=60)
    connection.request("GET", f"{url.path}open?page=a")
    answer = connection.getresponse()
    assert answer.status == 200
    yield
    answer.close()
    connection.close()


def test_a_page_is_open_as_long_as_its_connection(path, clock):
    """A browser that is closed may not say goodbye, and one in the background may be silent."""
    with serving_alone(path) as (server, thread), ExitStack() as new:
        with connected(server):
            wait_until(lambda: server._connections["a"] == 1)
        wait_until(lambda: "a" in server._closed)
        with connected(server):  # a connection that breaks is made again
            new.enter_context(connected(server))  # before the old one ends
            wait_until(lambda: server._connections["a"] == 2)
        wait_until(lambda: server._connections["a"] == 1)
        for _ in range(2):
            clock.now += serving._AFTER_SILENCE - 1
            wait_until(lambda: server._pages["a"] == clock.now + serving._AFTER_SILENCE)
        assert clock.leaves_open(thread)
        new.close()
        wait_until(lambda: server._pages["a"] == clock.now + serving._AFTER_GOODBYE)
        ask(server, "GET", "status?page=a")  # asked before it was closed, answered after
        clock.now += serving._AFTER_GOODBYE + 1


def wait_until(condition):
    for _ in range(600):
        if condition():
            return
        threading.Event().wait(0.1)
    raise AssertionError("not within a minute")


# --- the command


def request(url, method, what, headers):
    connection = HTTPConnection(url.netloc, timeout=60)
    connection.request(method, url.path + what, "" if method == "POST" else None, headers)
    answer = connection.getresponse()
    assert answer.status == 200
    content = answer.read().decode()
    connection.close()
    return content


def test_the_command_prints_the_address_and_ends_with_the_page(path):
    command = [sys.executable, "-m", "irenic", "edit", str(path), "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        first = process.stdout.readline()
        assert first.startswith(f"Editing {path} at http://127.0.0.1:")
        url = urlsplit(first.split()[-1])
        request(url, "POST", "goodbye?page=1", {"Origin": f"http://{url.netloc}"})
        assert process.wait(60) == 0


def test_the_token_is_no_argument_of_the_browser(path, monkeypatch):
    """All users of a machine can see the arguments of programs."""
    monkeypatch.setattr(serving, "_AFTER_GOODBYE", 0.1)
    opened = []

    def visit(url):  # as a browser does that opens the file
        own = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
        try:
            return request(url, "GET", "", own)
        finally:  # else the server would wait for a page forever
            request(url, "POST", "goodbye?page=1", {"Origin": f"http://{url.netloc}"})

    def open_page(address):
        file = Path(url2pathname(urlsplit(address).path))
        url = re.search(r'content="0; url=([^"]*)"', file.read_text("utf-8"))[1]
        visiting = pool.submit(visit, urlsplit(url))
        opened.append((address, file, file.stat().st_mode & 0o777, url, visiting))
        return True

    monkeypatch.setattr("webbrowser.open", open_page)
    with ThreadPoolExecutor(1) as pool:
        done = CliRunner().invoke(app, ["edit", str(path)])
        ((address, file, mode, url, visiting),) = opened
        page = visiting.result()
    assert done.exit_code == 0
    assert f" at {url}" in done.output
    assert '<meta name="irenic-saves-to" content="server">' in page
    assert address.startswith("file://")
    assert url.rstrip("/").rpartition("/")[2] not in address
    assert os.name != "posix" or mode == 0o600
    assert not file.exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-"], "FILE must be a file that can be written, got -"),
        (["none.rules"], "cannot read none.rules: No such file or directory"),
        (["a.md"], "a .md file cannot be changed in place; write its rules to a .json or .xlsx"),
        (["a.md", "--label", "fare"], "needs a table: irenic edit FILE --data DATA --label COLUMN"),
    ],
)
def test_what_cannot_be_edited_is_refused(run, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.md").write_text("| age | fare |\n|---|---|\n| < 18 | free |\n| >= 18 | full |\n")
    status, _, err = run("edit", *arguments, "--no-browser")
    assert status == 2
    assert message in err
