"""Files as bytes: read with clear errors, written whole or not at all."""

from __future__ import annotations

import errno
import os
import secrets
from pathlib import Path

from irenic.errors import FileError, FormatError


def read_bytes(path: Path) -> bytes:
    """Return what a file holds."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise FileError(f"cannot read {path}: {error.strerror or error}") from None


def read_text(path: Path) -> str:
    """Return a file's text, UTF-8 with or without a byte-order mark."""
    try:
        return as_text(read_bytes(path)).replace("\r\n", "\n").replace("\r", "\n")
    except FormatError as error:
        raise error.at(path=str(path)) from None


def as_text(raw: bytes) -> str:
    """Return bytes as the text that they are, UTF-8 with or without a byte-order mark."""
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError(f"not UTF-8 text (byte {error.start}); save it as UTF-8") from None


def write_text(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    write_bytes(path, text.encode("utf-8"))


def write_bytes(path: Path, data: bytes) -> None:
    """Write a file whole or not at all."""
    try:
        target = path.resolve()  # a link stays a link
        temporary = target.with_name(f".irenic-{secrets.token_hex(8)}")
        _check_target(target)
        try:
            with temporary.open("xb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            if target.exists():
                temporary.chmod(target.stat().st_mode & 0o777)
            temporary.replace(target)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise FileError(f"cannot write {path}: {error.strerror or error}") from None


def check_target(path: Path) -> None:
    """Refuse a file that cannot be written, before what it is to hold is computed."""
    try:
        _check_target(path.resolve())
    except OSError as error:
        raise FileError(f"cannot write {path}: {error.strerror or error}") from None


def _check_target(target: Path) -> None:
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not target.parent.exists():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
    if not target.parent.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
    if not os.access(target if target.exists() else target.parent, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
