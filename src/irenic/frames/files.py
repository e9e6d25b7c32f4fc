"""Reading files with clear errors, and writing them atomically."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from irenic.errors import FileError, FormatError

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_BYTES: Final = 64 * 2**20
"""Larger files of decision tables are rejected before they are read."""


def read_bytes(path: Path, limit: int | None = None) -> bytes:
    """Return the contents of a file, or raise an error if it has more than ``limit`` bytes."""
    with _as_file_error("read", path):
        if limit is not None and path.stat().st_size > limit:
            raise too_large(path.stat().st_size).at(path=str(path))
        return path.read_bytes()


def too_large(size: int) -> FormatError:
    """Return the error for a file of decision tables that is larger than MOST_BYTES."""
    return FormatError(
        f"a file of decision tables must be at most {MOST_BYTES / 2**20:.0f} MB,"
        f" got {size / 2**20:.0f} MB"
    )


def read_text(path: Path) -> str:
    """Return the text of a UTF-8 file, with or without a byte-order mark."""
    try:
        return as_text(read_bytes(path)).replace("\r\n", "\n").replace("\r", "\n")
    except FormatError as error:
        raise error.at(path=str(path)) from None


def as_text(raw: bytes) -> str:
    """Decode UTF-8 text, with or without a byte-order mark."""
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError(f"not UTF-8 text (byte {error.start}); save it as UTF-8") from None


def write_text(path: Path, text: str) -> None:
    """Write a text as UTF-8, in the same way as :func:`write_bytes`."""
    write_bytes(path, text.encode("utf-8"))


def write_bytes(path: Path, data: bytes) -> None:
    """Write a file atomically; a pipe or character device is written to directly."""
    with _as_file_error("write", path):
        target = _target(path)
        if target is None:
            _stream(path, data)
        else:
            _replace(target, data)


def check_target(path: Path) -> None:
    """Raise an error if a file cannot be written, before its contents are computed."""
    with _as_file_error("write", path):
        _target(path)


@contextmanager
def _as_file_error(verb: str, path: Path) -> Iterator[None]:
    if "\0" in str(path):
        raise FileError(f"cannot {verb} {str(path)!r}: names must not contain a null character")
    try:
        yield
    except OSError as error:
        raise FileError(f"cannot {verb} {path}: {error.strerror or error}") from None


def _target(path: Path) -> Path | None:
    """Follow links to the file to create or replace; return None for a pipe or device."""
    try:
        mode = path.stat().st_mode  # before resolving links, which may form a loop
    except FileNotFoundError:
        mode = stat.S_IFREG
    if stat.S_ISDIR(mode):
        raise _os_error(errno.EISDIR)
    if stat.S_ISFIFO(mode) or stat.S_ISCHR(mode):
        _check_writable(path)
        return None
    if not stat.S_ISREG(mode):
        raise OSError(f"it is {_kind(mode)}; write to a file or a pipe")
    target = path.resolve()
    folder = target.parent
    open_but_deleted = path.exists() and not target.exists()
    if not folder.exists() or open_but_deleted:
        raise _os_error(errno.ENOENT)
    if not folder.is_dir():
        raise _os_error(errno.ENOTDIR)
    if target.exists():
        _check_writable(target)
    if not os.access(folder, os.W_OK):
        raise OSError(f"the folder {folder} is not writable")
    return target


def _check_writable(path: Path) -> None:
    if not os.access(path, os.W_OK):
        raise _os_error(errno.EACCES)


def _os_error(number: int) -> OSError:
    return OSError(number, os.strerror(number))


def _kind(mode: int) -> str:
    if stat.S_ISBLK(mode):
        return "a block device"
    return "a socket" if stat.S_ISSOCK(mode) else "not a regular file"


def _replace(target: Path, data: bytes) -> None:
    temporary = target.with_name(f".irenic-{secrets.token_hex(8)}")
    try:
        with temporary.open("xb") as file:
            if target.exists():
                temporary.chmod(target.stat().st_mode & 0o777)
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


def _stream(path: Path, data: bytes) -> None:
    # do not create or truncate: a regular file may have replaced the pipe in the meantime
    with os.fdopen(os.open(path, os.O_WRONLY), "wb") as stream:
        stream.write(data)
