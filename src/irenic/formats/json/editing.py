"""Change the rules of a JSON file, and keep everything else that it says."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from irenic.errors import FormatError
from irenic.formats.json.rules import assemble, block, encode_rule, line, load_document, parts
from irenic.formats.parsed import Parsed
from irenic.model.decision_table import DecisionTable
from irenic.model.rule import Rule


def edit_json(parsed: Parsed, before: DecisionTable, after: DecisionTable) -> bytes:
    """Return a file of rules with other rules; unchanged ones, and all other keys, stay."""
    if parsed.is_model:
        raise FormatError(
            "a model cannot be changed in place; write its rules to a file of their own with"
            " irenic convert, and edit that",
            path=parsed.name,
        )
    text = parsed.content.decode(parsed.encoding or "utf-8-sig")
    old: dict[str, Any] = load_document(text)
    entries: dict[tuple[Any, Hashable, float], list[Any]] = {}
    for row, entry in enumerate(old["rules"]):
        for place in before.places(row)[:1]:
            entries.setdefault(_key(before.rules[place]), []).append(entry)
    texts = {text.split(":")[0].strip('"'): text for text in parts(after.as_rules())}
    if "space" not in old and before.space == after.space:
        del texts["space"]
    rules = []
    for rule in after.rules:
        same = entries.get(_key(rule))
        rules.append(same.pop(0) if same else encode_rule(rule))
    texts["rules"] = f'"rules": {block(rules)}'
    for key, value in old.items():
        if key not in texts and key != "default":
            texts[key] = f"{line(key)}: {line(value)}"
    if "space" in old and before.space == after.space:
        texts["space"] = f'"space": {block(old["space"])}'
    ordered = [*(key for key in old if key in texts), *(key for key in texts if key not in old)]
    return assemble([texts[key] for key in ordered]).encode("utf-8")


def _key(rule: Rule) -> tuple[Any, Hashable, float]:
    return rule.region, rule.then, rule.weight
