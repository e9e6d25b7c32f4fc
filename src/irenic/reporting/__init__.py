"""One document that describes a rule set, and its views."""

from irenic.reporting.page import Report, report
from irenic.reporting.summarise import summarise

__all__ = ["Report", "report", "summarise"]
