"""Characters that look alike or cannot be seen: what they mean in rules and tables.

The page has the same two functions in ``values/characters.js``.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from irenic.model.patterns import lazy

# Soft hyphens, marks of direction, zero-width spaces and byte order marks.
UNSEEN: Final = "\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff"
SPACES: Final = "\u00a0\u2000-\u200a\u202f\u205f\u3000"
# Joiners are spelling in Persian and in Indic scripts, and make one picture of several emojis.
_LATIN: Final = "\x00-\u036f\u1e00-\u1eff"
_JOINERS: Final = lazy(rf"(?<![^{_LATIN}])[\u200c\u200d]+|[\u200c\u200d]+(?![^{_LATIN}])")
_MEANINGLESS: Final = lazy(rf"[{UNSEEN}]|(?P<space>[{SPACES}])|(?P<hyphen>[\u2010\u2011])")
_QUOTED: Final = lazy(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_WORD: Final = lazy(r"[^\W\d_]{2,}")
# Letters that look like those of the Latin script below them.
_ALIKE: Final = str.maketrans(
    "АВСЕНІЈКМОРЅТХУԚԜҮаеіјорѕсхуһԁԛԝүΑΒΕΖΗΙΚΜΝΟΡΤΥΧο",
    "ABCEHIJKMOPSTXYQWYaeijopscxyhdqwyABEZHIKMNOPTYXo",
)


def cleaned(text: str) -> str:
    """Return a text in NFC, without characters that carry no meaning.

    Soft hyphens, marks of direction and zero-width spaces are dropped. No-break spaces, and spaces
    of other widths, become blanks, and no-break hyphens become hyphens.

    >>> cleaned("Zu\\u0308rich\\u00a0So\\u00adfort\\u200e")
    'Zürich Sofort'
    """
    if text.isascii():
        return text
    text = _JOINERS.sub("", _MEANINGLESS.sub(_replacement, text))
    return unicodedata.normalize("NFC", text)


def _replacement(match: re.Match[str]) -> str:
    return " " if match["space"] else "-" if match["hyphen"] else ""


def is_lasting(letter: str) -> bool:
    """Return whether :func:`cleaned` keeps a character, whatever is next to it."""
    return cleaned(letter) == letter and not unicodedata.combining(letter)


def is_plain(text: str) -> bool:
    """Return whether a text without quotes is read as it is, and without a doubt."""
    if text.isascii():
        return True
    return cleaned(text) == text and not two_scripts(text) and not like_latin(text)


def two_scripts(text: str) -> str:
    """Return what is wrong with a word of letters of two scripts, "" if there is none.

    Text in quotes is meant as it is. Greek letters next to Latin ones are only doubtful if they
    look like these: ``kΩ`` and ``μg`` are units.

    >>> two_scripts("Gоld")[:72]
    "'Gоld' has letters of two scripts: Latin 'G' (U+0047) and Cyrillic 'о' ("
    >>> two_scripts("Gold"), two_scripts("золото"), two_scripts("kΩ"), two_scripts('"Gоld"')
    ('', '', '', '')
    """
    if text.isascii():
        return ""
    for word in _WORD.findall(_QUOTED.sub(" ", text)):
        scripts: dict[str, str] = {}
        for letter in word:
            if script := _script(letter):
                scripts.setdefault(script, letter)
        if len(scripts) > 1:
            (one, first), (other, second) = list(scripts.items())[:2]
            alike = word.translate(_ALIKE)
            instead = f"type {alike!r}" if alike.isascii() else "type it in one of them"
            return (
                f"{word!r} has letters of two scripts: {one} {first!r} (U+{ord(first):04X}) and"
                f" {other} {second!r} (U+{ord(second):04X}); {instead}"
            )
    return ""


def like_latin(text: str) -> str:
    """Return a text whose letters of other scripts all look like Latin ones as these; else "".

    >>> like_latin("АВ 1"), like_latin("AB 1"), like_latin("Да")
    ('AB 1', '', '')
    """
    alike = "" if text.isascii() else text.translate(_ALIKE)
    return alike if alike.isascii() else ""


_LATIN_LETTER: Final = lazy("[A-Za-z\u00aa-\u024f\u1e00-\u1eff]")
_CYRILLIC: Final = lazy("[\u0400-\u052f]")


def _script(letter: str) -> str:
    """Return the script of a letter that may be confused with those of other scripts."""
    if _CYRILLIC.match(letter):
        return "Cyrillic"
    if ord(letter) in _ALIKE:
        return "Greek"
    return "Latin" if _LATIN_LETTER.match(letter) else ""
