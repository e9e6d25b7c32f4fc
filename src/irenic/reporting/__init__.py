"""One document that describes rules, findings and counts, and the views that show it."""

from irenic.reporting.card import card_markdown, model_card
from irenic.reporting.page import Report, report
from irenic.reporting.summarize import summarize

__all__ = ["Report", "card_markdown", "model_card", "report", "summarize"]
