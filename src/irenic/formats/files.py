"""Files as bytes: read with clear errors, written whole or not at all."""

from __future__ import annotations

import errno
import os
import secrets
from pathlib import Path
from typing import Final

from irenic.errors import FileError, FormatError

MOST_BYTES: Final = 64 * 2**20
"""Larger files of decision tables are refused before they are read."""


def read_bytes(path: Path, most: int | None = None) -> bytes:
    """Return what a file holds; refuse one of more bytes than ``most``."""
    try:
        if most is not None and path.stat().st_size > most:
            raise too_large(path.stat().st_size).at(path=str(path))
        return path.read_bytes()
    except OSError as error:
        raise FileError(f"cannot read {path}: {error.strerror or error}") from None


def too_large(size: int) -> FormatError:
    """Return the error for a file of decision tables that is larger than MOST_BYTES."""
    return FormatError(
        f"{size / 2**20:.0f} MB; decision tables are read up to {MOST_BYTES / 2**20:.0f} MB"
    )


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
