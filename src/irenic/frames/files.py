"""Sources and targets as bytes: files, written whole or not at all, and file objects."""

from __future__ import annotations

import codecs
import errno
import io
import os
import re
import secrets
import stat
from collections.abc import Callable, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final, TypeAlias, cast

from irenic.errors import FileError, FormatError, did_you_mean

try:
    import fcntl
except ImportError:  # on Windows
    fcntl = None  # type: ignore[assignment]

if TYPE_CHECKING:
    from collections.abc import Iterator

File: TypeAlias = str | os.PathLike[str] | IO[str] | IO[bytes]
"""A path, or a file object of text or bytes."""

MOST_BYTES: Final = 64 * 2**20
"""Larger files of rules are rejected before they are read."""
_MOST_STREAMED: Final = 256 * 2**20  # from pipes and devices, which may be endless
_CHUNK: Final = 2**20

_FOLDER: Final[ContextVar[Path | None]] = ContextVar("folder", default=None)


@contextmanager
def reading_only(folder: Path) -> Iterator[None]:
    """Read files inside a folder only, wherever links lead, and write none."""
    token = _FOLDER.set(folder)
    try:
        yield
    finally:
        _FOLDER.reset(token)


def check_readable(path: Path) -> None:
    """Raise an error if a file is outside the folder of :func:`reading_only`, or no plain file.

    A server would wait for the other end of a pipe, and read without end from a device.
    """
    folder = _FOLDER.get()
    if folder is None:
        return
    with _as_file_error("read", path):
        try:
            is_inside = path.resolve().is_relative_to(folder.resolve())
        except RuntimeError:  # links form a loop
            raise _os_error(errno.ELOOP) from None
    if not is_inside:
        raise FileError(f"cannot read {path}: it is outside the folder {folder}")
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise FileError(f"cannot read {path}: it is a pipe or a device; name a file")


def _check_written(path: Path) -> None:
    if _FOLDER.get() is not None:
        raise FileError(f"cannot write {path}: files are only read here")


def is_stream(file: object) -> bool:
    """Return whether this is a file object rather than a path."""
    return hasattr(file, "read") or hasattr(file, "write")


def name_of(file: File) -> str:
    """Return what messages call a file: its path, and of a file object its name, if it has one."""
    if isinstance(file, str | os.PathLike):
        return str(Path(file))
    if not is_stream(file):
        raise FileError(f"a file must be a path or a file object, got {type(file).__name__}")
    name = getattr(file, "name", "")
    return name if isinstance(name, str) else ""  # that of a file descriptor is a number


def format_of(name: str, format: str | None, known: Sequence[str]) -> str:
    """Return a format that is given by its name, else the one that the suffix of a file names."""
    if format is not None:
        if format not in known:
            hint = did_you_mean(format, known)
            raise FormatError(f"format must be one of {', '.join(known)}, got {format!r}{hint}")
        return format
    suffix = Path(name).suffix.lower()
    if not name or (not suffix and name.startswith("<")):  # as Python names standard streams
        raise FormatError(
            "the format must be given where there is no file name to tell it:"
            f" format={' or '.join(map(repr, known))}",
            path=name,
        )
    for one in known:
        if suffix and name.lower().endswith(f".{one}"):
            return one
    hint = did_you_mean(suffix, [f".{one}" for one in known])
    raise FormatError(f"no format for files that end in {suffix!r}{hint}", path=name)


def read_bytes(file: File, limit: int | None = None) -> bytes:
    """Return what a file holds; refuse one of more bytes than ``limit``."""
    if is_stream(file):
        return _read_stream(file, limit)
    path = Path(file)  # type: ignore[arg-type]
    check_readable(path)
    with _as_file_error("read", path), path.open("rb") as stream:
        return cast("bytes", _read(stream, limit, str(path)))


def _read_stream(stream: Any, limit: int | None) -> bytes:
    name = name_of(stream)
    with _as_file_error("read", name or "the file object"):
        try:
            data = _read(stream, limit, name)
        except UnicodeDecodeError as error:
            raise FormatError(
                f"not {error.encoding} text (byte {error.start}); open the file in binary mode",
                path=name,
            ) from None
    if not isinstance(data, str | bytes):
        raise FormatError(f"a file object must give str or bytes, got {type(data).__name__}")
    return as_bytes(data)


def _read(stream: Any, limit: int | None, name: str) -> Any:
    """Return what a file holds; stop as soon as it is too much, whatever size it declares."""
    mode, size = _status(stream)
    if limit is not None and size > limit:
        raise too_large(f"{size / 2**20:.0f} MB", limit).at(path=name)
    if limit is None and not (stat.S_ISFIFO(mode) or stat.S_ISCHR(mode)):
        return stream.read()
    if not isinstance(stream, io.IOBase):  # its method may have no argument
        data = stream.read()
        if limit is not None and isinstance(data, str | bytes) and len(as_bytes(data)) > limit:
            raise too_large("more", limit).at(path=name)
        return data
    most = _MOST_STREAMED if limit is None else limit
    chunks: list[Any] = []
    n_read = 0
    while chunk := stream.read(_CHUNK):
        chunks.append(chunk)
        n_read += len(chunk) if isinstance(chunk, bytes) else len(as_bytes(chunk)) - 3
        if n_read > most:
            raise too_large("more", limit).at(path=name)
    return chunks[0][:0].join(chunks) if chunks else b""


def _status(stream: Any) -> tuple[int, int]:
    """Return the mode and the size of an open file; zeros if they are not known."""
    if isinstance(stream, io.BytesIO):
        return stat.S_IFREG, stream.getbuffer().nbytes
    try:
        status = os.fstat(stream.fileno())
    except (AttributeError, OSError, TypeError, ValueError):
        return 0, 0
    return status.st_mode, status.st_size


def as_bytes(data: str | bytes) -> bytes:
    """Return text as UTF-8 with a byte-order mark, which tells that it is, whatever it declares.

    What is not valid Unicode stays invalid, to be refused where it is read.
    """
    if isinstance(data, bytes):
        return data
    return codecs.BOM_UTF8 + data.removeprefix("\ufeff").encode("utf-8", "surrogatepass")


def too_large(got: str, limit: int | None = MOST_BYTES) -> FormatError:
    """Return the error for a file that is larger than ``limit``, or for an endless one."""
    if limit is None:
        most = f"at most {_MOST_STREAMED // 2**20} MB"
        return FormatError(f"a pipe or device must give {most}, got {got}; save it as a file first")
    return FormatError(f"a file of rules must be at most {limit // 2**20} MB, got {got}; split it")


def as_text(raw: bytes) -> str:
    """Decode UTF-8 text, with or without a byte-order mark."""
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError(f"not UTF-8 text (byte {error.start}); save it as UTF-8") from None


def write_file(file: File, data: str | bytes, check: Callable[[], None] = lambda: None) -> None:
    """Write a file whole or not at all; file objects, pipes and devices are written into.

    ``check`` is called at the moment when a file is replaced, which stays if it raises an error.
    """
    if is_stream(file):
        _write_stream(file, data)
        return
    path = Path(file)  # type: ignore[arg-type]
    _check_written(path)
    raw = data.encode("utf-8") if isinstance(data, str) else data
    with _as_file_error("write", path):
        target = _target(path)
        if target is None:
            _stream(path, raw)
        else:
            _replace(target, raw, check)


def _write_stream(stream: Any, data: str | bytes) -> None:
    with _as_file_error("write", name_of(stream) or "to the file object"):
        if not hasattr(stream, "encoding"):  # which files of text have
            stream.write(data.encode("utf-8") if isinstance(data, str) else data)
        elif isinstance(data, str):
            stream.write(data)
        else:
            raise FormatError(
                "this format is bytes, and the file object takes text; open the file in binary"
                " mode: open(path, 'wb')"
            )


def check_target(path: Path) -> None:
    """Raise an error if a file cannot be written, before its contents are computed."""
    _check_written(path)
    with _as_file_error("write", path):
        _target(path)


@contextmanager
def _as_file_error(verb: str, path: Path | str) -> Iterator[None]:
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


def _replace(target: Path, data: bytes, check: Callable[[], None]) -> None:
    with replacing(target, check) as file:
        file.write(data)


@contextmanager
def replacing(target: Path, check: Callable[[], None] = lambda: None) -> Iterator[IO[bytes]]:
    """Yield a file that becomes the target at the end, unless an error is raised, or by a check."""
    _clear_leftovers(target.parent)
    temporary, file = _temporary(target)
    try:
        with file:
            if target.exists():
                temporary.chmod(target.stat().st_mode & 0o777)
            yield file
            file.flush()
            os.fsync(file.fileno())
            if fcntl is not None:
                check()
                temporary.replace(target)  # while it is locked
        if fcntl is None:
            check()
            temporary.replace(target)  # an open file cannot be renamed
    finally:
        temporary.unlink(missing_ok=True)


_TEMPORARY: Final = re.compile(r"\.irenic-[0-9a-f]{16}")


def _temporary(target: Path) -> tuple[Path, IO[bytes]]:
    """Return a new file beside the target; it is locked, so that no other process clears it."""
    while True:
        path = target.with_name(f".irenic-{secrets.token_hex(8)}")
        file = path.open("xb")
        if fcntl is not None:
            with suppress(OSError):  # some file systems have no locks, and nothing is cleared there
                fcntl.flock(file, fcntl.LOCK_EX)
        if path.exists():  # not cleared before it was locked
            return path, file
        file.close()


def _clear_leftovers(folder: Path) -> None:
    """Remove temporary files of killed runs; those of others that still run are locked."""
    if fcntl is None:
        return
    with suppress(OSError), os.scandir(folder) as entries:
        names = [entry.name for entry in entries if _TEMPORARY.fullmatch(entry.name)]
        for name in names:
            with suppress(OSError):
                _remove_unlocked(folder / name)


def _remove_unlocked(path: Path) -> None:
    number = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)  # raises if the process still runs
        if stat.S_ISREG(os.fstat(number).st_mode):
            path.unlink()
    finally:
        os.close(number)


def _stream(path: Path, data: bytes) -> None:
    # do not create or truncate: a regular file may have replaced the pipe in the meantime
    with os.fdopen(os.open(path, os.O_WRONLY), "wb") as stream:
        stream.write(data)
