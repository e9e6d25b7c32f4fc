"""A file of rules that is edited on the page: opened, written in place, and watched."""

from __future__ import annotations

import hashlib
import json
import os
import warnings
from collections.abc import Callable, Hashable
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from irenic.errors import FormatError, FormatWarning
from irenic.formats import Parsed, parse
from irenic.formats.editing import EDITED, edited
from irenic.formats.json.editing import edit_json
from irenic.frames.files import write_file
from irenic.model.decision_table import DecisionTable
from irenic.model.rule import Rule
from irenic.model.ruleset import RuleSet
from irenic.reporting.page import Report
from irenic.reporting.summarize import summarize

# The page checks rules by itself, so it should open soon.
_SECONDS: Final = 2.0


class EditedFile:
    """A table in a file, with the content that the page was made from.

    ``read`` parses the file. ``expect`` returns the properties and test cases of the table as
    options of :func:`summarize`, and ``show`` the table as the page shows it with instances and
    labels; both are called again after every change.
    """

    _noun = "the file"

    def __init__(
        self,
        path: str | os.PathLike[str],
        table: str | None = None,
        read: Callable[[Path], Parsed] = parse,
        expect: Callable[[Parsed, DecisionTable], dict[str, Any]] | None = None,
        show: Callable[[Parsed], tuple[Any, Any, Any]] | None = None,
    ) -> None:
        self.path, self.name, self._read, self._expect = Path(path), table, read, expect
        self._show = show
        self._shown: tuple[Any, Any, Any]
        self.reload()

    def reload(self) -> None:
        """Read the file again; what was read before stays if this fails."""
        parsed = self._read(self.path)
        if parsed.is_model or parsed.format not in (*EDITED, "json"):
            what = "a model" if parsed.is_model else f"a .{parsed.format} file"
            way_out = "write its rules to a .json or .xlsx file with irenic convert, and edit that"
            raise FormatError(f"{what} cannot be changed in place; {way_out}", path=parsed.name)
        table = parsed.bind().table(self.name)
        self._shown = (table, None, None) if self._show is None else self._show(parsed)
        self._expected = {} if self._expect is None else self._expect(parsed, table)
        self.table = table
        self.parsed, self.digest = parsed, self._digest(parsed.content)

    def refresh(self) -> None:
        """Read the file again if it was changed on disk."""
        if self.changed_on_disk:
            self.reload()

    @property
    def changed_on_disk(self) -> bool:
        """Whether the file has another content than the one that was read or written last."""
        return self.changed_since(self.digest)

    def changed_since(self, digest: str) -> bool:
        """Return whether the file has another content than the one with a digest."""
        return self._on_disk() != digest

    def _on_disk(self) -> str:
        """Return the digest of the file, "" if it was deleted."""
        try:
            return self._digest(self.path.read_bytes())
        except FileNotFoundError:
            return ""
        except OSError:  # being replaced at this moment, on Windows
            return self.digest if self.path.exists() else ""

    def _digest(self, content: bytes) -> str:
        return hashlib.sha256(content).hexdigest()

    def _check_unchanged(self, digest: str) -> None:
        """Raise an error if the file has another content than the one with a digest."""
        now = self._on_disk()
        if digest and not now:
            raise FormatError(f"{self._noun} was deleted; keep this version to write it again")
        if now != digest:
            raise FormatError(f"{self._noun} was changed on disk; reload it, or keep your version")

    def page(self) -> Report:
        """Return the page about the table, with all values that its columns declare."""
        name = self.table.name or self.path.stem
        return Report(summarize(*self._shown, name=name, budget=_SECONDS, **self._expected))

    def save(self, rules: str | bytes, *, keep: bool = False, seen: str = "") -> str:
        """Write rules to the file, change nothing else in it, and return its new digest.

        ``seen`` is the digest of the content that was edited (default: of the one that was read
        last); a file that has another one by now is only overwritten to ``keep`` the rules.
        """
        before_save = self._before_save(keep=keep, seen=seen)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FormatWarning)  # the page shows what is doubtful
            # as bytes, which are content; text may be the name of a file
            raw = rules.encode("utf-8", "surrogatepass") if isinstance(rules, str) else rules
            before, after = self._tables(parse(raw, format="json", name="the edited rules"))
            content = (
                edit_json(self.parsed, before, after)
                if self.parsed.format == "json"
                else edited(self.parsed, before, after, command=None)
            )
            if content != self.parsed.content or keep:
                self._check_clear(content)
                write_file(self.path, content, lambda: self._check_unchanged(before_save))
            self.reload()
        return self._digest(content)  # whatever was written to the file since

    def _check_clear(self, content: bytes) -> None:
        """Raise an error if it would be unclear what the columns of the edited file are."""
        again = self.parsed.again(content) if self.parsed.again else self.parsed
        doubts = [doubt for draft in again.drafts for doubt in getattr(draft, "doubts", ())]
        if doubts:
            raise FormatError(f"the file would not be read as intended ({doubts[0]})")

    def _before_save(self, *, keep: bool, seen: str) -> str:
        """Return the digest of the content to replace; an error if it was not the edited one."""
        now = self._on_disk()
        if not keep:
            self._check_unchanged(seen or self.digest)
            self.refresh()
        return now

    def _tables(self, new: Parsed) -> tuple[DecisionTable, DecisionTable]:
        """Return the table of the file and the edited one, in one space."""
        before = self.table
        own = new.bind().table()
        space = before.space.opened_to(own.space)
        if space != before.space:  # new values of categories
            before = self.parsed.bound(space).table(self.name)
        rules = new.bind(before.space).table().rules
        if own.is_ordered and not before.is_ordered:
            raise FormatError(
                "the file contains rules without an order, so it cannot contain ordered ones;"
                " choose a hit policy such as FIRST in the file, or cut rules that overlap"
            )
        if rules.default != before.rules.default and self.parsed.format != "json":
            raise FormatError("the default can be changed only in .json files here")
        return before, _with_rules(before, rules)


class EditedModel(EditedFile):
    """A learned model, whose page saves what the next fit should keep and what it must not use."""

    _noun = "the model or its knowledge file"

    def __init__(
        self,
        path: str | os.PathLike[str],
        read: Callable[[Path], Parsed] = parse,
        expect: Callable[[Parsed, Any], dict[str, Any]] | None = None,
        show: Callable[[Parsed], tuple[Any, Any, Any]] | None = None,
    ) -> None:
        super().__init__(path, None, read, expect, show)

    @property
    def knowledge(self) -> Path:
        """The file that the page saves, which ``irenic learn --knowledge`` reads."""
        return self.path.with_suffix(".knowledge.json")

    def reload(self) -> None:
        """Read the model again; what was read before stays if this fails."""
        parsed = self._read(self.path)
        self._shown = (parsed.model(), None, None) if self._show is None else self._show(parsed)
        self._expected = {} if self._expect is None else self._expect(parsed, self._shown[0])
        self.parsed, self.digest = parsed, self._digest(parsed.content)

    def _digest(self, content: bytes) -> str:
        """Return the digest of the model together with the file that the page saves."""
        try:
            saved = self.knowledge.read_bytes()
        except FileNotFoundError:
            saved = b""
        return super()._digest(content) + super()._digest(saved)

    def page(self) -> Report:
        """Return the page about the model."""
        name = self.path.stem
        return Report(summarize(*self._shown, name=name, budget=_SECONDS, **self._expected))

    def save(self, rules: str | bytes, *, keep: bool = False, seen: str = "") -> str:
        """Write the knowledge that the learner gets, and return the digest of the files.

        The model stays as it is; ``keep`` and ``seen`` are about a change of it or of the file to
        write.
        """
        before_save = self._before_save(keep=keep, seen=seen)
        from irenic.learn import Knowledge  # scikit-learn takes a second to import

        raw = rules.encode("utf-8", "surrogatepass") if isinstance(rules, str) else rules
        knowledge = Knowledge.parse(raw, "the edited model")
        text = json.dumps(knowledge.given(), indent=2, ensure_ascii=False)
        write_file(self.knowledge, f"{text}\n", lambda: self._check_unchanged(before_save))
        self.digest = self._digest(self.parsed.content)
        return self.digest


def _with_rules(table: DecisionTable, rules: RuleSet) -> DecisionTable:
    """Return a table with other rules; those that made one row of it still do."""
    known: dict[Hashable, int] = {}
    for row in range(table.n_rows):
        places = table.places(row)
        if len(places) > 1:
            known[tuple(_key(table.rules[place]) for place in places)] = len(places)
    keys = [_key(rule) for rule in rules]
    sizes = sorted({*known.values()}, reverse=True)
    rows: list[int] = []
    n = 0
    while len(rows) < len(keys):
        at = len(rows)
        size = next((s for s in sizes if tuple(keys[at : at + s]) in known), 1)
        rows += [n] * size
        n += 1
    never = {row: n + i for i, row in enumerate(table.never_hold)}
    n_rows = n + len(never)
    provenance = table.provenance.renumbered(never, n_rows)
    return replace(table, rules=rules, rows=tuple(rows), n_rows=n_rows, provenance=provenance)


def _key(rule: Rule) -> tuple[Any, Hashable, float]:
    return rule.region, rule.then, rule.weight
