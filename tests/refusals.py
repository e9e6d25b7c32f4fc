"""Calls that must raise an error."""

from __future__ import annotations

import pytest


def refuses(error, pattern, call, /, *args, **options):
    """Assert that a call raises an error in whose text a pattern is found."""
    with pytest.raises(error, match=pattern):
        call(*args, **options)


def rejects(error, text, call, /, *args, **options):
    """Assert that a call raises an error with exactly this text."""
    with pytest.raises(error) as caught:
        call(*args, **options)
    assert str(caught.value) == text
