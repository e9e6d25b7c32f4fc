"""What there is to say of a rule set, as plain data that any view can show."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from irenic.checking import Finding, Findings, Kind
from irenic.errors import FormatError
from irenic.formats.json.rules import encode_point, encode_region, encode_rules, encode_value
from irenic.formats.tables.drafts import TableError
from irenic.mend import Difference, Differences
from irenic.model.region import Region
from irenic.model.ruleset import RuleSet
from irenic.reporting.checked import CheckedFile
from irenic.searching import Gaps, Search


def check(found: Findings) -> dict[str, Any]:
    """Return what ``irenic check`` reports of one set of rules: verdicts, counts and findings.

    Rules are numbered from 1, as people count; regions have the form of "if" in JSON files. What
    is counted may be more than what is listed. "complete" says whether the rules cover everything,
    None where the budget ended the search before that was known, and "unfinished" names all
    searches that it ended.

    >>> import irenic
    >>> rules = irenic.RuleSet([irenic.Rule({"age": (0, 30)}, then="low"),
    ...                         irenic.Rule({"age": (29, 60)}, then="high")])
    >>> found = check(irenic.check(rules))
    >>> found["consistent"], found["conflicts"][0]["witness"]
    (False, {'age': 29})
    """
    table = found.table
    pairs: dict[int, dict[str, Any]] = {}  # conflicts are among the overlaps, region by region
    return {
        "rules": table.n_rows,
        "features": len(table.space),
        "conditions": table.rules.n_conditions,
        "consistent": found.is_consistent,
        "complete": found.is_complete,
        **{f"{kind.removesuffix('s')}_count": found.count(kind) for kind in _COUNTED},
        "conflicts": [pairs.setdefault(id(f.region), _pair(f)) for f in found.of("conflicts")],
        "overlaps": [pairs.get(id(f.region)) or _pair(f) for f in found.of("overlaps")],
        "gaps": [encode_region(_region(finding)) for finding in found.of("gaps")],
        "gap_witnesses": [encode_point(finding.witness or {}) for finding in found.of("gaps")],
        "gaps_finished": found.gaps.finished,
        **{kind: [_rows(finding) for finding in found.of(kind)] for kind in _OF_ROWS},
        "columns": [{"column": f.column, "text": f.text} for f in found.of("columns")],
        "unfinished": list(found.unfinished),
    }


_COUNTED: Final[tuple[Kind, ...]] = ("conflicts", "overlaps", "gaps")
_OF_ROWS: Final[tuple[Kind, ...]] = ("never_fire", "duplicates", "inside", "mergeable")


def checked_file(file: CheckedFile) -> dict[str, Any]:
    """Return what ``irenic check`` reports of a file that can hold several tables."""
    return {
        "tables": [_table(found) for found in file.tables],
        "errors": [_error(error) for error in file.errors],
        "warnings": [_error(warning) for warning in file.warnings],
    }


def checked_files(files: Iterable[CheckedFile]) -> dict[str, Any]:
    """Return what ``irenic check`` reports of several files, or of a folder."""
    return {"files": [{"path": file.path, **checked_file(file)} for file in files]}


def _table(found: Findings) -> dict[str, Any]:
    table = found.table
    named = {"name": table.name, "id": table.id, "hit_policy": table.hit_policy}
    return named | check(found)


def _error(error: FormatError) -> dict[str, Any]:
    place: dict[str, Any] = {"line": error.line, "column": error.column}
    if isinstance(error, TableError):
        named = {"table": error.table, "rule": error.rule, "header": error.header}
        place |= named | {"text": error.text}
    return {"message": error.message} | place


def uncovered(found: Gaps, most: int | None = None) -> dict[str, Any]:
    """Return what ``irenic gaps`` reports."""
    gaps = _gaps(found, most)
    return {"complete": found.is_complete, **gaps, "stopped_by": found.stopped_by}


def search(found: Search, regions: list[Region]) -> dict[str, Any]:
    """Return what ``irenic search`` reports: the regions, and how the search ended."""
    return {
        "regions": [encode_region(region) for region in regions],
        "finished": found.finished,
        "stopped_by": found.stopped_by,
        "nodes": found.nodes,
    }


def enlarged(seed: Mapping[str, Any], region: Region) -> dict[str, Any]:
    """Return what ``irenic enlarge`` reports."""
    return {"seed": encode_point(seed), "region": encode_region(region), "text": str(region)}


def mended(rules: RuleSet, told: list[str]) -> dict[str, Any]:
    """Return what the commands that mend report: what they changed, in words, and the rules."""
    return {"changes": told, "rules": encode_rules(rules)}


def differences(found: Differences) -> dict[str, Any]:
    """Return what ``irenic diff`` reports."""
    return {
        "same": found.same,
        "finished": found.finished,
        "differences": [_difference(difference) for difference in found],
    }


def _difference(found: Difference) -> dict[str, Any]:
    return {
        "region": encode_region(found.region),
        "before": encode_value(found.before),
        "after": encode_value(found.after),
        "rules_before": numbers(found.rules_before),
        "rules_after": numbers(found.rules_after),
        "witness": encode_point(found.witness),
        "text": found.text,
    }


def _gaps(found: Gaps, most: int | None) -> dict[str, Any]:
    return {
        "gap_count": len(found),
        "gaps": [encode_region(region) for region in found.regions[:most]],
        "gaps_finished": found.finished,
    }


def _pair(finding: Finding) -> dict[str, Any]:
    return {
        "rules": numbers(finding.rules),
        "then": [encode_value(then) for then in finding.thens],
        "overlap": encode_region(_region(finding)),
        "witness": encode_point(finding.witness or {}),
        "text": finding.text,
    }


def _rows(finding: Finding) -> dict[str, Any]:
    """Return a finding about whole rows, with what it has of other rows and a region."""
    data: dict[str, Any] = {"rules": numbers(finding.rules)}
    if finding.by:
        data["by"] = numbers(finding.by)
    if finding.region is not None:
        data["region"] = encode_region(finding.region)
        data["witness"] = encode_point(finding.witness or {})
    return data | {"text": finding.text}


def numbers(indices: Iterable[int]) -> list[int]:
    """Return the numbers of rules, which documents count from 1, for their indices.

    >>> numbers((0, 4))
    [1, 5]
    """
    return [index + 1 for index in indices]


def _region(finding: Finding) -> Region:
    assert finding.region is not None
    return finding.region
