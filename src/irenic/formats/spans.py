"""Where the elements of an XML document are, to change some of them and keep all other bytes."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple
from xml.parsers import expat
from xml.sax.saxutils import escape

from irenic.errors import FormatError

_ENCODING: Final = re.compile(rb"""^<\?xml[^>]*?\bencoding\s*=\s*["']([\w.:-]+)["']""")
_NOT_IN_XML: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


@dataclass
class Element:
    """An element: its local name, its prefix, and the bytes of its tags."""

    tag: str
    prefix: str
    attributes: dict[str, str]
    start: int
    opened: int
    """The end of the opening tag."""
    closing: int = 0
    """The start of the closing tag; equal to ``opened`` for an empty element."""
    end: int = 0
    children: list[Element] = field(default_factory=list)

    @property
    def is_empty_tag(self) -> bool:
        """Whether it is written as ``<tag/>``."""
        return self.end == self.opened

    def all(self, tag: str) -> list[Element]:
        """Return the children with a local name."""
        return [child for child in self.children if child.tag == tag]

    def name(self, tag: str) -> str:
        """Return a local name with the prefix of this element."""
        return f"{self.prefix}:{tag}" if self.prefix else tag


class Patch(NamedTuple):
    """New bytes for a part of a document."""

    start: int
    end: int
    new: bytes


def elements(
    raw: bytes,
    wanted: Callable[[str, dict[str, str]], bool],
    skipped: Iterable[str] = (),
) -> list[Element]:
    """Return the outermost elements that are wanted, with everything inside them.

    Elements with a local name in ``skipped``, and those inside them, are passed over.
    """
    return _Spans(raw, wanted, frozenset(skipped)).run()


class _Spans:
    def __init__(self, raw: bytes, wanted: Any, skipped: frozenset[str]) -> None:
        self.raw, self.wanted, self.skipped = raw, wanted, skipped
        self.parser = expat.ParserCreate()
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
        self.found: list[Element] = []
        self.stack: list[Element] = []
        self.skipping = 0

    def run(self) -> list[Element]:
        encoding_of(self.raw)
        try:
            self.parser.Parse(self.raw, True)
        except expat.ExpatError as error:
            raise FormatError(f"not XML: {expat.ErrorString(error.code)}") from None
        except (LookupError, ValueError) as error:  # an encoding that expat cannot read
            if isinstance(error, FormatError):
                raise
            raise FormatError(f"not XML: {error}") from None
        return self.found

    def start(self, name: str, attributes: dict[str, str]) -> None:
        prefix, _, tag = name.rpartition(":")
        if self.skipping or tag in self.skipped:
            self.skipping += 1
            return
        if not self.stack and not self.wanted(tag, attributes):
            return
        at = self.parser.CurrentByteIndex
        element = Element(tag, prefix, attributes, at, _tag_end(self.raw, at))
        (self.stack[-1].children if self.stack else self.found).append(element)
        self.stack.append(element)

    def end(self, _: str) -> None:
        if self.skipping:
            self.skipping -= 1
            return
        if not self.stack:
            return
        element = self.stack.pop()
        at = self.parser.CurrentByteIndex
        if self.raw[element.opened - 2 : element.opened] == b"/>":
            element.closing = element.end = element.opened
        else:
            element.closing, element.end = at, self.raw.index(b">", at) + 1


def _tag_end(raw: bytes, start: int) -> int:
    """Return the end of the tag that begins at a place; quoted attributes may contain ``>``."""
    match = _TAG.match(raw, start)
    assert match is not None  # the parser has accepted it
    return match.end()


_TAG: Final = re.compile(rb"""<(?:[^<>"']|"[^"]*"|'[^']*')*>""")


def encoding_of(raw: bytes) -> str:
    """Return the encoding of a document; raise an error if it is not an extension of ASCII."""
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise FormatError("the encoding is UTF-16; save the file as UTF-8")
    if raw.startswith(codecs.BOM_UTF8):
        return "utf-8"
    declared = _ENCODING.match(raw)
    return "utf-8" if declared is None else declared.group(1).decode("ascii").lower()


def encoded(text: str, raw: bytes) -> bytes:
    """Return XML as bytes in the encoding of a document."""
    return text.encode(encoding_of(raw), "xmlcharrefreplace")


def escaped(text: str) -> str:
    """Return text as character data; characters that XML does not allow are replaced."""
    return escape(_NOT_IN_XML.sub("\ufffd", text), {"\r": "&#13;"})


def patched(raw: bytes, patches: Iterable[Patch]) -> bytes:
    """Return a document with some parts replaced; patches at one place are made in their order."""
    return b"".join(_pieces(raw, sorted(patches, key=lambda patch: patch[:2])))


def _pieces(raw: bytes, patches: list[Patch]) -> Iterator[bytes]:
    at = 0
    for start, end, new in patches:
        assert at <= start, "patches must not overlap"
        yield raw[at:start]
        yield new
        at = end
    yield raw[at:]
