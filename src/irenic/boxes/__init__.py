"""Boxes in a space: the array type that rules, regions and searches share."""

from irenic.boxes.boxes import Boxes

__all__ = ["Boxes"]
