"""The server of ``irenic edit``: who may use it, what it writes, and when it ends."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

import pytest
from typer.testing import CliRunner

import irenic
from irenic.cli import app
from irenic.frames.files import write_file
from irenic.reporting import editing, serving
from irenic.reporting.editing import EditedFile
from irenic.reporting.serving import EditingServer

TEXT = "# by age\nIF age < 18 THEN free\nIF age >= 18 THEN full\n"


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "fares.rules"
    path.write_text(TEXT)
    return path


@contextmanager
def running(path):
    with EditingServer(EditedFile(path)) as server:
        thread = threading.Thread(target=server.serve)
        thread.start()
        try:
            yield server
        finally:
            server.stop()
            thread.join(10)
            assert not thread.is_alive()


@pytest.fixture
def server(path):
    with running(path) as server:
        yield server


def ask(server, method, what, body=None, token=None, **headers):
    """Send a request as the page would, with other headers if given (None: without)."""
    sent = {"Host": server.host, "Sec-Fetch-Site": "same-origin"}
    if method == "POST":
        sent["Origin"] = f"http://{server.host}"
    sent |= {name.replace("_", "-"): value for name, value in headers.items()}
    connection = HTTPConnection(server.host, timeout=10)
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


def rules_of(text):
    return irenic.dumps(irenic.loads(text, format="rules"), format="json")


def test_the_page_is_served_and_rules_are_saved(server, path):
    answer, page = ask(server, "GET", "", Sec_Fetch_Site="none")
    assert answer.status == 200
    assert "connect-src 'self'" in page
    assert '<meta name="irenic-saves-to" content="server">' in page
    assert server.token not in page
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    assert not [name for name in answer.headers if name.startswith("Access-Control")]
    answer, content = ask(server, "POST", "save?page=1", rules_of(TEXT.replace("< 18", "< 16")))
    told = json.loads(content)
    assert (answer.status, told["changed"]) == (200, False)
    assert path.read_text() == TEXT.replace("< 18", "< 16")
    assert json.loads(ask(server, "GET", f"status?seen={told['seen']}")[1]) == {"changed": False}


def test_refused_rules_have_a_reason_and_a_place(server, path):
    answer, content = ask(server, "POST", "save", '{"format": "irenic rules",\n "version": 1, "x"')
    told = json.loads(content)
    assert answer.status == 422
    assert told["problem"]["line"] == 2
    assert told["error"].startswith("the edited rules, line 2")
    assert path.read_text() == TEXT


def test_changes_on_disk_are_noticed(server, path):
    assert json.loads(ask(server, "GET", "status")[1]) == {"changed": False}
    path.write_text(TEXT.replace("free", "gratis"))
    assert json.loads(ask(server, "GET", "status")[1]) == {"changed": True}
    edit = rules_of(TEXT.replace("< 18", "< 16"))
    answer, content = ask(server, "POST", "save", edit)
    assert (answer.status, json.loads(content)["changed"]) == (409, True)
    assert "changed on disk" in json.loads(content)["error"]
    assert json.loads(ask(server, "POST", "reload", "")[1]) == {"changed": False}
    assert "gratis" in ask(server, "GET", "")[1]
    path.write_text(TEXT)
    assert ask(server, "POST", "save?keep=true", edit)[0].status == 200
    assert "free" not in path.read_text()[:9]
    assert "< 16" in path.read_text()


def digest_in(page):
    return re.search(r'<meta name="irenic-digest" content="(\w+)">', page)[1]


def test_a_page_does_not_overwrite_what_another_page_saved(server, path):
    first, second = (digest_in(ask(server, "GET", "")[1]) for _ in range(2))
    saved = TEXT.replace("< 18", "< 16").replace(">= 18", ">= 16")
    answer, content = ask(server, "POST", f"save?seen={second}", rules_of(saved))
    assert answer.status == 200
    later = TEXT.replace("free", "gratis")
    answer, refusal = ask(server, "POST", f"save?seen={first}", rules_of(later))
    assert answer.status == 409
    assert "changed on disk; reload it" in json.loads(refusal)["error"]
    assert path.read_text() == saved
    # the page that saved may save again
    again = f"save?seen={json.loads(content)['seen']}"
    assert ask(server, "POST", again, rules_of(saved.replace("full", "half")))[0].status == 200
    assert path.read_text() == saved.replace("full", "half")


def test_a_new_page_does_not_hide_a_change_on_disk_from_others(server, path):
    old = digest_in(ask(server, "GET", "")[1])
    path.write_text(TEXT.replace("free", "gratis"))
    new = digest_in(ask(server, "GET", "")[1])
    assert json.loads(ask(server, "GET", f"status?seen={old}")[1]) == {"changed": True}
    assert json.loads(ask(server, "GET", f"status?seen={new}")[1]) == {"changed": False}
    assert ask(server, "POST", f"save?seen={old}", rules_of(TEXT))[0].status == 409
    assert path.read_text() == TEXT.replace("free", "gratis")


@pytest.mark.parametrize("keep", ["", "&keep=true"])
def test_a_change_on_disk_while_a_page_saves_is_kept(server, path, monkeypatch, keep):
    seen = digest_in(ask(server, "GET", "")[1])
    other = TEXT.replace("free", "gratis")

    def slowly(*arguments, **options):
        content = formats_edited(*arguments, **options)
        path.write_text(other)
        return content

    formats_edited = editing.edited
    monkeypatch.setattr(editing, "edited", slowly)
    edit = rules_of(TEXT.replace("< 18", "< 16"))
    answer, content = ask(server, "POST", f"save?seen={seen}{keep}", edit)
    assert (answer.status, json.loads(content)["changed"]) == (409, True)
    assert path.read_text() == other
    assert [each.name for each in path.parent.iterdir()] == [path.name]


def test_a_change_on_disk_right_after_saving_is_noticed(server, path, monkeypatch):
    seen = digest_in(ask(server, "GET", "")[1])
    other = TEXT.replace("free", "gratis")

    def write(*arguments):
        write_file(*arguments)
        path.write_text(other)

    monkeypatch.setattr(editing, "write_file", write)
    answer, content = ask(server, "POST", f"save?seen={seen}", rules_of(TEXT.replace("18", "16")))
    told = json.loads(content)
    assert (answer.status, told["changed"]) == (200, True)
    again = ask(server, "POST", f"save?seen={told['seen']}", rules_of(TEXT))[0]
    assert again.status == 409
    assert path.read_text() == other


@pytest.mark.parametrize(
    ("method", "headers", "status"),
    [
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
    ],
)
def test_others_are_refused(server, path, method, headers, status):
    headers = dict(headers)
    token = headers.pop("token", None)
    body = rules_of(TEXT.replace("< 18", "< 16")) if method == "POST" else None
    what = "save" if method == "POST" else "status"
    answer, content = ask(server, method, what, body, token, **headers)
    assert answer.status == status
    assert "changed" not in content
    assert path.read_text() == TEXT


def test_unknown_addresses_and_sizes_are_refused(server):
    assert ask(server, "GET", "../../etc/passwd")[0].status == 404
    assert ask(server, "POST", "other", "")[0].status == 404
    assert ask(server, "POST", "save", None)[0].status == 411
    assert ask(server, "POST", "save", None, Content_Length=str(2**40))[0].status == 413
    assert ask(server, "POST", "save", None, Content_Length="-1")[0].status == 411
    assert ask(server, "POST", "save", None, Content_Length="9" * 5000)[0].status == 413
    connection = HTTPConnection(server.host, timeout=10)
    connection.request("OPTIONS", "/")  # no page of another site learns what is allowed
    assert connection.getresponse().status == 501
    connection.close()


@pytest.mark.parametrize("address", ["http://[", "http://[::1", "http://]/"])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_invalid_addresses_are_refused(server, capsys, method, address):
    with socket.create_connection(server.server_address, timeout=10) as connection:
        connection.sendall(f"{method} {address} HTTP/1.1\r\n\r\n".encode())
        assert connection.recv(100).split(b"\r\n")[0].split()[1] == b"400"
    assert capsys.readouterr().err == ""


def test_it_listens_on_this_machine_only(server):
    assert server.server_address[0] == "127.0.0.1"
    assert urlsplit(server.url).hostname == "127.0.0.1"
    assert len(server.token) >= 43


def test_it_ends_with_the_last_page(path, monkeypatch):
    monkeypatch.setattr(serving, "_AFTER_GOODBYE", 0.3)
    with EditingServer(EditedFile(path)) as server:
        thread = threading.Thread(target=server.serve)
        thread.start()
        ask(server, "GET", "status?page=a")
        ask(server, "GET", "status?page=b")
        ask(server, "POST", "goodbye?page=a", "")
        thread.join(1)
        assert thread.is_alive()  # the other one is open
        ask(server, "POST", "goodbye?page=b", "")
        ask(server, "GET", "status?page=c")  # a page that is loaded again
        thread.join(1)
        assert thread.is_alive()
        ask(server, "POST", "goodbye?page=c", "")
        ask(server, "GET", "status?page=c")  # asked before it was closed, answered after
        thread.join(10)
        assert not thread.is_alive()


def test_it_ends_if_the_page_is_silent(path, monkeypatch):
    monkeypatch.setattr(serving, "_AFTER_SILENCE", 0.2)
    with EditingServer(EditedFile(path)) as server:
        thread = threading.Thread(target=server.serve)
        thread.start()
        ask(server, "GET", "status?page=a")
        thread.join(10)
        assert not thread.is_alive()


def test_a_page_is_open_as_long_as_its_connection(path, monkeypatch):
    """A browser that is closed may not say goodbye, and one in the background may be silent."""
    monkeypatch.setattr(serving, "_AFTER_GOODBYE", 0.3)
    monkeypatch.setattr(serving, "_AFTER_SILENCE", 1.5)
    with EditingServer(EditedFile(path)) as server:
        thread = threading.Thread(target=server.serve)
        thread.start()
        url = urlsplit(server.url)
        for _ in range(2):  # a connection that breaks is made again
            connection = HTTPConnection(url.netloc, timeout=10)
            connection.request("GET", f"{url.path}open?page=a")
            answer = connection.getresponse()
            assert answer.status == 200
            answer.close()
            connection.close()
        connection.request("GET", f"{url.path}open?page=a")
        answer = connection.getresponse()
        thread.join(2.5)
        assert thread.is_alive()
        answer.close()
        connection.close()
        ask(server, "GET", "status?page=a")  # asked before it was closed, answered after
        thread.join(10)
        assert not thread.is_alive()


def test_a_page_whose_new_connection_is_made_before_the_old_one_ends_is_open(path, monkeypatch):
    monkeypatch.setattr(serving, "_AFTER_GOODBYE", 0.3)
    monkeypatch.setattr(serving, "_AFTER_SILENCE", 1.5)
    with EditingServer(EditedFile(path)) as server:
        thread = threading.Thread(target=server.serve)
        thread.start()
        url = urlsplit(server.url)
        old, new = (HTTPConnection(url.netloc, timeout=10) for _ in range(2))
        answers = []
        for connection in (old, new):
            connection.request("GET", f"{url.path}open?page=a")
            answers.append(connection.getresponse())
        answers[0].close()
        old.close()
        thread.join(2.5)
        assert thread.is_alive()
        answers[1].close()
        new.close()
        thread.join(10)
        assert not thread.is_alive()


# --- the command


def test_the_command_prints_the_address_and_ends_with_the_page(path):
    command = [sys.executable, "-m", "irenic", "edit", str(path), "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        first = process.stdout.readline()
        assert first.startswith(f"Editing {path} at http://127.0.0.1:")
        url = urlsplit(first.split()[-1])
        connection = HTTPConnection(url.netloc, timeout=10)
        connection.request(
            "POST", f"{url.path}goodbye?page=1", "", {"Origin": f"http://{url.netloc}"}
        )
        assert connection.getresponse().status == 200
        connection.close()
        assert process.wait(60) == 0


def test_the_token_is_no_argument_of_the_browser(path, monkeypatch):
    """All users of a machine can see the arguments of programs."""
    monkeypatch.setattr(serving, "_AFTER_GOODBYE", 0.1)
    opened = []

    def visit(url):  # as a browser does that opens the file
        answers = []
        connection = HTTPConnection(url.netloc, timeout=10)
        own = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
        connection.request("GET", url.path, headers=own)
        answers.append(connection.getresponse().read().decode())
        connection.close()
        origin = {"Origin": f"http://{url.netloc}"}
        connection.request("POST", f"{url.path}goodbye?page=1", "", origin)
        answers.append(connection.getresponse().read().decode())
        connection.close()
        return answers

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
        page, _ = visiting.result()
    assert done.exit_code == 0
    assert f" at {url}" in done.output
    assert '<meta name="irenic-saves-to" content="server">' in page
    assert address.startswith("file://")
    assert url.rstrip("/").rpartition("/")[2] not in address
    assert os.name != "posix" or mode == 0o600
    assert not file.exists()


def test_a_label_without_data_is_refused(path):
    done = CliRunner().invoke(app, ["edit", str(path), "--label", "fare", "--no-browser"])
    message = "--label needs a table: irenic edit FILE --data DATA --label COLUMN"
    assert str(done.exception) == message


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("-", "FILE must be a file that can be written, got -"),
        ("none.rules", "cannot read none.rules: No such file or directory"),
        ("a.md", "a .md file cannot be changed in place; write its rules to a .json or .xlsx file"),
    ],
)
def test_what_cannot_be_edited_is_refused(tmp_path, name, message):
    (tmp_path / "a.md").write_text("| age | fare |\n|---|---|\n| < 18 | free |\n| >= 18 | full |\n")
    command = [sys.executable, "-m", "irenic", "edit", name, "--no-browser"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert message in done.stderr
