"""Limits for compressed files: what they hold is counted before anything else reads it.

A few kilobytes can unpack to gigabytes, and to millions of XML elements, each of which takes far
more memory than its text. What an archive declares about sizes may be wrong, so it is unpacked.
"""

from __future__ import annotations

import io
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from typing import Final

from irenic.errors import FormatError

MOST_UNPACKED: Final = 128 * 2**20
_CHUNK: Final = 2**18
_LOCAL: Final = struct.Struct("<4s22xHH")  # the header before a file: signature, two lengths
# Tables that programs write have at most 3 tags per packed byte, even if all cells are the same.
_TAGS_PER_BYTE: Final = 5
_FEW_TAGS: Final = 400_000
_BYTES_PER_TAG: Final = 13
_ROW_TAGS: Final = 400_000
_DECLARES: Final = re.compile(rb"<!(?:DOCTYPE|ENTITY)")
# Sources of a gzip file rarely shrink to less than a hundredth.
_MOST_RATIO: Final = 100
_FEW_BYTES: Final = 8 * 2**20


def check_archive(raw: bytes, what: str, limit: int = MOST_UNPACKED) -> None:
    """Reject a zip archive that unpacks to more than ``limit`` bytes, or to too many XML tags.

    Afterwards, the sizes that the archive declares are true. ``zipfile.BadZipFile`` is raised for
    damaged archives.
    """
    n_bytes = n_tags = 0
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        parts = archive.infolist()
    declared = sum(part.file_size for part in parts)
    if declared > limit:
        raise _too_large(what, limit, f"{declared / 2**20:,.0f} MB")
    most_tags = min(_FEW_TAGS + _TAGS_PER_BYTE * len(raw), limit // _BYTES_PER_TAG)
    for part in parts:
        size, tail, in_row, in_sheet = 0, b"", 0, False
        for chunk in _chunks(raw, part):
            size += len(chunk)
            if n_bytes + size > limit:
                raise _too_large(what, limit, "more")
            tags = chunk.count(b"<")
            n_tags += tags
            in_sheet = in_sheet or b"sheetData" in tail + chunk
            in_row = in_row + tags if in_sheet and b"row" not in chunk else tags
            if n_tags > most_tags or in_row > _ROW_TAGS:
                raise FormatError(
                    f"{what} of {len(raw) / 2**20:,.1f} MB must have at most {most_tags:,} XML tags"
                    f" ({_ROW_TAGS:,} per row), got more; save it again, or split it"
                )
            if _DECLARES.search(tail + chunk):
                raise FormatError(
                    "document types and entities are not allowed; save the file again"
                )
            tail = chunk[-16:]
        if size != part.file_size:
            raise zipfile.BadZipFile("a file has another size than declared")
        n_bytes += size


def _too_large(what: str, limit: int, got: str) -> FormatError:
    return FormatError(
        f"{what} must be at most {limit // 2**20} MB when unpacked, got {got}; split it"
    )


def _chunks(raw: bytes, part: zipfile.ZipInfo) -> Iterator[bytes]:
    """Yield what a file of an archive holds, up to its real end."""
    header = raw[part.header_offset : part.header_offset + _LOCAL.size]
    if len(header) < _LOCAL.size or part.compress_type not in (0, zipfile.ZIP_DEFLATED):
        raise zipfile.BadZipFile("a file is cut off, or packed by an unknown method")
    _, name, extra = _LOCAL.unpack(header)
    start = part.header_offset + _LOCAL.size + name + extra
    packed = raw[start : start + part.compress_size]
    if part.compress_type == zipfile.ZIP_DEFLATED:
        yield from unpacked(packed, -15)
    else:
        yield from (packed[at : at + _CHUNK] for at in range(0, len(packed), _CHUNK))


def unpacked(packed: bytes, bits: int) -> Iterator[bytes]:
    """Yield deflated data in chunks; ``bits`` tells zlib its format."""
    stream = zlib.decompressobj(bits)
    rest = packed
    while rest and not stream.eof:
        chunk = stream.decompress(rest, _CHUNK)
        rest = stream.unconsumed_tail
        if chunk:
            yield chunk
    if not stream.eof:
        yield stream.flush()
    if not stream.eof:
        raise EOFError
    if bits > 0 and (rest := stream.unused_data.lstrip(b"\0")):  # several gzip files in a row
        yield from unpacked(rest, bits)


def gunzip(raw: bytes) -> bytes:
    """Return what a gzip file holds; refuse one that is mostly repetition."""
    most = max(_FEW_BYTES, _MOST_RATIO * len(raw))
    chunks = []
    for chunk in unpacked(raw, 31):
        chunks.append(chunk)
        most -= len(chunk)
        if most < 0:
            raise FormatError(
                f"a .gz file must unpack to at most {_MOST_RATIO} times its size, got more; unpack"
                " it with gunzip"
            )
    return b"".join(chunks)
