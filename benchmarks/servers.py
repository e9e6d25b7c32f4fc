"""Database servers for benchmarks, each started with a folder of its own and stopped afterwards."""

from __future__ import annotations

import getpass
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def programs(*names: str) -> list[str]:
    """Return the paths of programs; ImportError if one is not installed."""
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    path = os.pathsep.join([os.environ.get("PATH", ""), *map(str, folders), "/usr/sbin"])
    found = [shutil.which(name, path=path) for name in names]
    if lacking := [name for name, place in zip(names, found, strict=True) if place is None]:
        raise ImportError(f"{', '.join(lacking)} is not installed")
    return [str(place) for place in found]


@contextmanager
def _running(
    command: list[str], socket: Path, stop: signal.Signals, **options: object
) -> Iterator[None]:
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    server = subprocess.Popen(command, **quiet, **options)  # type: ignore[call-overload]
    try:
        deadline = time.monotonic() + 120
        while not socket.exists():
            if server.poll() is not None or time.monotonic() > deadline:
                raise ImportError(f"{command[0]} did not start")
            time.sleep(0.1)
        yield
    finally:
        server.send_signal(stop)
        server.wait(60)


@contextmanager
def postgres() -> Iterator[str]:
    """Start a PostgreSQL server, and yield its address."""
    install, server = programs("initdb", "postgres")
    with tempfile.TemporaryDirectory(prefix="irenic") as folder:
        who = {}
        if os.geteuid() == 0:  # the server refuses to run as root
            who = {"user": "postgres"}
            shutil.chown(folder, "postgres")
        making = [install, "-D", f"{folder}/data", "-A", "trust", "-E", "UTF8", "-U", "irenic"]
        subprocess.run(making, check=True, capture_output=True, cwd=folder, **who)
        command = [server, "-D", f"{folder}/data", "-k", folder]
        command += ["-c", "listen_addresses=", "-c", "fsync=off"]
        # which also ends open connections
        with _running(command, Path(folder, ".s.PGSQL.5432"), signal.SIGINT, cwd=folder, **who):
            yield f"host={folder} user=irenic dbname=postgres"


@contextmanager
def mariadb() -> Iterator[str]:
    """Start a MariaDB server, and yield the path of its socket."""
    server, install = programs("mariadbd", "mariadb-install-db")
    with tempfile.TemporaryDirectory(prefix="irenic") as folder:
        options = ["--no-defaults", f"--datadir={folder}/data", f"--user={getpass.getuser()}"]
        normal = "--auth-root-authentication-method=normal"
        subprocess.run([install, *options, normal], check=True, capture_output=True)
        command = [server, *options, f"--socket={folder}/socket", "--skip-networking"]
        with _running(
            [*command, f"--pid-file={folder}/pid"], Path(folder, "socket"), signal.SIGTERM
        ):
            yield f"{folder}/socket"
