"""Prove or refute properties of rules, and write what was proved as certificates."""

from __future__ import annotations

import reprlib
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from irenic.budget import Budget, StoppedBy
from irenic.errors import ConditionError, FormatError, IrenicError
from irenic.model.literals import counted, display, show_point
from irenic.model.notation import ParsedProperty, lines_in, parse_property, without_comment
from irenic.model.region import Region
from irenic.proving import checker
from irenic.proving.answering import answer
from irenic.proving.asking import PreparedRules, Read
from irenic.proving.cutting import Answer
from irenic.proving.question import Question, Rules

VERSION: Final = 1


class CertificateError(IrenicError, ValueError):
    """A certificate that does not prove its claim for the rules at hand.

    Examples
    --------
    >>> issubclass(CertificateError, ValueError)
    True
    """


@dataclass(frozen=True)
class Verdict:
    """Whether a property of rules was proved or refuted.

    Properties are written in the notation of rules:

    ::

        NEVER outcome [WHERE conditions]        no such case has the outcome
        ALWAYS outcome [WHERE conditions]       all such cases have the outcome
        outcome ONLY IF conditions              no other case has the outcome
        name INCREASES WITH feature [WHERE …]   a greater value never lowers the outcome
        name DECREASES WITH feature [WHERE …]   a greater value never raises the outcome
        name INCREASES WITH feature FROM values, lowest first, if the feature is a category
        name DOES NOT DEPEND ON feature [WHERE …]
        SAME AS file [WHERE …]                  both decide the same
        NOTHING NEW AGAINST file [WHERE …]      what is decided, the file decides the same
        NO NEW outcome AGAINST file [WHERE …]   only cases that have the outcome there

    An outcome is a value, several joined by OR, NOTHING (no rule and no default decides), or a
    test of a named output such as ``premium > 100``.

    Parameters
    ----------
    claim : str
        The property.
    holds : bool or None
        True if it is proved, False if it is refuted, None if the budget was used up first.
    cases : tuple of dict
        A case that refutes it, or two that differ in one feature.
    outcomes : tuple of hashable
        What is decided: for each case, or for one case by the rules and by the other file.
    rules : tuple of tuple of int
        For each outcome, the indices of the rules that decide; empty for the default or none.
    nodes : int
        Number of cells that were examined.
    stopped_by : str or None
        The limit that stopped the search; None if it finished.
    note : str
        A remark, such as that no rule has the outcome.
    certificate : mapping, optional
        Why it holds, if that was recorded; see :func:`certificate_document`.

    Examples
    --------
    >>> from irenic import Rule, RuleSet
    >>> from irenic.proving import prove
    >>> rules = RuleSet([Rule({"age": (None, 20)}, then="refuse")], default="accept")
    >>> print(prove(rules, ["NEVER refuse WHERE age >= 18"])[0])
    refuted: NEVER refuse WHERE age >= 18: refuse (rule 1) at age = 19
    """

    claim: str
    holds: bool | None
    cases: tuple[Mapping[str, Any], ...] = ()
    outcomes: tuple[Hashable | None, ...] = ()
    rules: tuple[tuple[int, ...], ...] = ()
    nodes: int = 0
    stopped_by: StoppedBy | None = None
    note: str = ""
    certificate: Mapping[str, Any] | None = field(default=None, repr=False, compare=False)

    @property
    def verdict(self) -> Literal["proved", "refuted", "unknown"]:
        """The answer in a word."""
        return "unknown" if self.holds is None else "proved" if self.holds else "refuted"

    @property
    def text(self) -> str:
        """The answer in words, with rules numbered from 1."""
        if self.holds is None:
            seen = counted(self.nodes, "cell")
            return f"unknown: {self.claim}: stopped by {self.stopped_by} after {seen}"
        remark = f" ({self.note})" if self.note else ""
        if self.holds:
            return f"proved: {self.claim}{remark}"
        decided = [decided_text(*each) for each in zip(self.outcomes, self.rules, strict=True)]
        points = [show_point(case) for case in self.cases]
        if len(points) == len(decided):
            parts = [f"{what} at {where}" for what, where in zip(decided, points, strict=True)]
            return f"refuted: {self.claim}: {', but '.join(parts)}{remark}"
        return f"refuted: {self.claim}: {', but there '.join(decided)} at {points[0]}{remark}"

    def __str__(self) -> str:
        return self.text


def decided_text(outcome: Any, rules: tuple[int, ...]) -> str:
    """Return what was decided, and by which rules."""
    if outcome is None:
        return "nothing is decided"
    shown = display(outcome)
    if isinstance(outcome, list):
        shown = f"[{', '.join(map(display, outcome))}]"
    if not rules:
        return f"{shown} (by default)"
    numbers = ", ".join(str(rule + 1) for rule in rules[:5]) + (", …" if len(rules) > 5 else "")
    return f"{shown} (rule{'s' if len(rules) > 1 else ''} {numbers})"


def parse_properties(text: str, *, name: str = "") -> list[tuple[str, ParsedProperty]]:
    """Return the properties in a text, one per line; ``#`` starts a comment.

    Parameters
    ----------
    text : str
        The properties; see :class:`Verdict`.
    name : str
        Name of the file, for error messages.

    Returns
    -------
    list of (str, ParsedProperty)
        Each with its text.

    Raises
    ------
    FormatError
        If a line is not a property.

    Examples
    --------
    >>> [line for line, _ in parse_properties("# minors\\nNEVER refuse WHERE age < 18\\n")]
    ['NEVER refuse WHERE age < 18']
    """
    properties = []
    for number, line in enumerate(lines_in(text), 1):
        try:
            parsed = parse_property(line)
        except FormatError as error:
            raise error.at(path=name, line=number) from None
        if parsed is not None:
            properties.append((line.strip(), parsed))
    return properties


def prove(
    rules: Rules,
    properties: str | Iterable[str],
    *,
    read: Read | None = None,
    budget: Budget | float | None = None,
    certificates: bool = False,
) -> list[Verdict]:
    """Prove or refute properties of rules, exactly and over the whole space.

    Parameters
    ----------
    rules : RuleSet, RuleList, DecisionTable or fitted classifier
        Unordered rules must not contradict each other.
    properties : str or iterable of str
        The properties, one per line or item; see :class:`Verdict` for how they are written.
    read : callable, optional
        Returns the rules that a property compares with, given their name (default: read the file).
    budget : Budget or float (seconds), optional
        Limit per property (default: unlimited).
    certificates : bool, default False
        Record why each proved property holds; see :func:`verify`.

    Returns
    -------
    list of Verdict

    Raises
    ------
    ConflictError
        If unordered rules contradict each other.
    FormatError
        If a text is not a property.
    ConditionError
        If a property does not fit the rules.

    Examples
    --------
    >>> from irenic import Rule, RuleSet
    >>> from irenic.proving import prove
    >>> rules = RuleSet([Rule({"age": (None, 25)}, then=300), Rule({"age": (25, 60)}, then=200),
    ...                  Rule({"age": (60, None)}, then=250)])
    >>> for verdict in prove(rules, '''
    ...     ALWAYS premium >= 200
    ...     premium DECREASES WITH age
    ...     premium DECREASES WITH age WHERE age < 60
    ... '''):
    ...     print(verdict)
    proved: ALWAYS premium >= 200
    refuted: premium DECREASES WITH age: 200 (rule 2) at age = 40, but 250 (rule 3) at age = 90
    proved: premium DECREASES WITH age WHERE age < 60
    """
    prepared = PreparedRules(rules, read)
    lines = lines_in(properties) if isinstance(properties, str) else list(properties)
    verdicts = []
    for text, parsed in _parsed(lines):
        try:
            question = prepared.question(parsed)
            result = answer(question, budget, record=certificates)
        except ConditionError as error:
            raise ConditionError(f"{text}: {error}") from None
        except FormatError as error:
            if error.path:  # of another file
                raise
            raise FormatError(f"{text}: {error.message}") from None
        verdicts.append(_verdict(text, question, result))
    return verdicts


def _parsed(lines: Iterable[str]) -> Iterator[tuple[str, ParsedProperty]]:
    for line in lines:
        if not isinstance(line, str):
            raise ConditionError(f"a property must be a text, got {line!r}")
        if (parsed := parse_property(line)) is not None:
            yield line.strip(), parsed


def _verdict(text: str, question: Question, result: Answer) -> Verdict:
    certificate = None
    if result.tree is not None:
        certificate = _certificate(text, result)
    if result.cell is None:
        return Verdict(
            text,
            result.holds,
            nodes=result.nodes,
            stopped_by=result.stopped_by,
            note=question.note,
            certificate=certificate,
        )
    point = Region.from_box(result.cell).witness()
    decided = [side.decide(question.space.encode_point(point)) for side in question.sides]
    return Verdict(
        text,
        False,
        tuple(question.cases(point)),
        tuple(question.outcomes.values[code] for code, _ in decided),
        tuple(rules for _, rules in decided),
        result.nodes,
        note=question.note,
    )


# --- certificates


def _certificate(claim: str, result: Answer) -> dict[str, Any]:
    tree = result.tree
    assert tree is not None
    nodes = [tree.cuts.get(node, tree.leaves.get(node)) for node in range(tree.n_nodes)]
    return {"claim": claim, "nodes": nodes}


def certify(
    rules: Rules,
    claims: Sequence[str],
    *,
    read: Read | None = None,
    budget: Budget | float | None = None,
) -> dict[str, Any]:
    """Return certificates for all claims that hold, for :func:`verify` to check.

    Parameters
    ----------
    rules : RuleSet, RuleList, DecisionTable or fitted classifier
        The rules.
    claims : sequence of str
        ``CONSISTENT`` (no two rules contradict each other), ``COMPLETE`` (some rule covers each
        case), or properties; see :class:`Verdict`.
    read : callable, optional
        Returns the rules that a property compares with, given their name (default: read the file).
    budget : Budget or float (seconds), optional
        Limit per claim (default: unlimited).

    Returns
    -------
    dict
        Plain data to write as JSON; claims that do not hold, or stay unknown, are left out.

    Raises
    ------
    ConflictError
        If unordered rules contradict each other, and a property is claimed.
    FormatError
        If a text is not a property.

    Examples
    --------
    >>> from irenic import Rule, RuleSet
    >>> from irenic.proving import certify, verify
    >>> rules = RuleSet([Rule({"age": (None, 18)}, then="free"),
    ...                  Rule({"age": (18, None)}, then="full")])
    >>> document = certify(rules, ["CONSISTENT", "COMPLETE", "ALWAYS free WHERE age < 18"])
    >>> verify(document, rules)
    ['CONSISTENT', 'COMPLETE', 'ALWAYS free WHERE age < 18']
    """
    prepared = PreparedRules(rules, read)
    certificates = []
    for claim in claims:
        result = answer(prepared.question(claim), budget, record=True)
        if result.holds:
            certificates.append(_certificate(claim, result))
    return certificate_document(certificates)


def certificate_document(certificates: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return certificates as a document to write as JSON, for :func:`verify` to check.

    Parameters
    ----------
    certificates : sequence of mapping
        Those of verdicts.

    Returns
    -------
    dict

    Examples
    --------
    >>> from irenic import Rule, RuleSet
    >>> from irenic.proving import certificate_document, prove, verify
    >>> rules = RuleSet([Rule({"age": (None, 18)}, then="free")], default="full")
    >>> verdicts = prove(rules, ["NEVER nothing"], certificates=True)
    >>> verify(certificate_document([verdict.certificate for verdict in verdicts]), rules)
    ['NEVER nothing']
    """
    return {"format": "irenic certificate", "version": VERSION, "certificates": [*certificates]}


def verify(document: Mapping[str, Any], rules: Rules, *, read: Read | None = None) -> list[str]:
    """Check certificates against rules, with code that shares nothing with the search.

    The claims are stated again from the rules; only the trees of cuts are taken from the document.

    Parameters
    ----------
    document : mapping
        What :func:`certify` returned, possibly written as JSON and read again.
    rules : RuleSet, RuleList, DecisionTable or fitted classifier
        The rules.
    read : callable, optional
        Returns the rules that a property compares with, given their name (default: read the file).

    Returns
    -------
    list of str
        The claims without comments, all of which hold.

    Raises
    ------
    CertificateError
        If a certificate does not prove its claim for these rules.
    FormatError
        If the document is not a certificate, or has no claim.

    Examples
    --------
    >>> from irenic import Rule, RuleSet
    >>> from irenic.proving import certify, verify
    >>> free, full = Rule({"age": (None, 18)}, then="free"), Rule({"age": (18, None)}, then="full")
    >>> document = certify(RuleSet([free, full]), ["CONSISTENT"])
    >>> verify(document, RuleSet([free, Rule({"age": (17, None)}, then="full")]))
    Traceback (most recent call last):
    irenic.proving._prove.CertificateError: CONSISTENT: node 0: rules 1 and 2 are not shown to be
    apart
    """
    if not isinstance(document, Mapping) or document.get("format") != "irenic certificate":
        raise FormatError('a certificate must have "format": "irenic certificate"')
    version = document.get("version")
    if type(version) is not int or version != VERSION:
        raise FormatError(
            f"the version of a certificate must be {VERSION}, got {reprlib.repr(version)}"
        )
    certificates = document.get("certificates")
    if not isinstance(certificates, list) or not certificates:
        raise FormatError(
            '"certificates" must be a list of at least one claim, got'
            f" {reprlib.repr(certificates)}; a claim that does not hold is not certified"
        )
    prepared = PreparedRules(rules, read)
    claims = []
    for certificate in certificates:
        if not isinstance(certificate, Mapping) or type(certificate.get("claim")) is not str:
            raise FormatError('every certificate must have a "claim"')
        claim = certificate["claim"]
        try:
            checker.check(prepared.question(claim).plain(), certificate.get("nodes"))
        except checker.CheckError as error:
            raise CertificateError(f"{claim}: {error}") from None
        claims.append(without_comment(claim))  # which is no claim, but could read like one
    return claims
