"""Tables whose columns only their cells, or an answer, can tell apart, and what they must decide.

A table is written as in :mod:`corpus.tables`. ``answer`` is what its author would say if asked:
None if no question is needed, "suggested" if the first way out of each message is meant, else the
roles. Each case is written as ``value, value -> decision`` in the order of ``names``.
"""

# ruff: noqa: E501 (a table is one text)
from __future__ import annotations

from typing import Any, NamedTuple


class Told(NamedTuple):
    """A table, what its author answers, and cases with their decisions."""

    name: str
    text: str
    names: str
    cases: str
    answer: Any = None


def _roles(**by_kind: str) -> dict[str, str]:
    """Return roles from columns by kind, separated by semicolons."""
    return {name: kind for kind, names in by_kind.items() for name in names.split(";")}


S = "suggested"

SECOND_OUTCOMES = [
    Told(
        "triage",
        "Pain score | Conscious | Triage level | Target minutes\n"
        ">= 8 | yes | orange | 10\n>= 8 | no | red | 1\n4-7 | yes | yellow | 60\n"
        "4-7 | no | orange | 10\n<4 | yes | green | 120\n<4 | no | yellow | 60",
        "Pain score, Conscious",
        "9, yes -> orange 10; 9, no -> red 1; 5, yes -> yellow 60; 2, no -> yellow 60",
    ),
    Told(
        "triage, not every pair",
        "Pain score | Conscious | Triage level | Target minutes\n"
        ">= 8 | yes | orange | 10\n- | no | red | 1\n4-7 | yes | yellow | 60\n"
        "<4 | yes | green | 120",
        "Pain score, Conscious",
        "9, yes -> orange 10; 5, no -> red 1; 2, yes -> green 120",
        _roles(condition="Conscious", outcome="Triage level;Target minutes"),
    ),
    Told(
        "fee and desk",
        "Age | Fee | Desk\n<18 | 5 | A\n18-64 | 10 | B\n65+ | 7 | A",
        "Age",
        "17 -> 5 A; 18 -> 10 B; 65 -> 7 A",
    ),
    Told(
        "three outcomes",
        "Amount | Approver | Days | Form\n<1000 | clerk | 2 | F1\n1000-5000 | lead | 5 | F2\n"
        ">5000 | board | 10 | F3",
        "Amount",
        "999 -> clerk 2 F1; 1000 -> lead 5 F2; 5001 -> board 10 F3",
    ),
    Told(
        "overlapping second outcome",
        "Income | Level | Rate\n> 1000 | low | 5\n> 5000 | high | 9\n<= 1000 | none | 0",
        "Income",
        "500 -> none 0; 2000 -> low 5",
        S,
    ),
    Told(
        "same outcome twice",
        "Days late | Fee | Letter\n1-7 | 0 | no\n8-30 | 5 | no\n31+ | 20 | yes",
        "Days late",
        "3 -> 0 no; 8 -> 5 no; 31 -> 20 yes",
    ),
    Told(
        "price and desk",
        "Age | Price | Desk\n<18 | 5 | A\n18+ | 10 | B",
        "Age",
        "17 -> 5 A; 18 -> 10 B",
    ),
    Told(
        "result and job",
        "age | Result | job\n< 5 | a | x\n>= 5 | b | y",
        "age",
        "4 -> a x; 5 -> b y",
    ),
    Told(
        "grades",
        "subject | points | Note\nart | >90 | 1\nart | <=90 | 2",
        "subject, points",
        "art, 91 -> 1; art, 90 -> 2",
    ),
    Told(
        "constant second outcome",
        "Age | Fee | Currency\n<18 | 5 | EUR\n18+ | 10 | EUR",
        "Age",
        "17 -> 5 EUR; 18 -> 10 EUR",
    ),
    Told(
        "constant condition",
        "Age | Product | Fee\n<18 | basic | 5\n18+ | basic | 10",
        "Age, Product",
        "17, basic -> 5; 18, basic -> 10",
        _roles(condition="Product", outcome="Fee"),
    ),
    Told(
        "region beside overlapping ages",
        "Age | Region | Fee\n<18 | north | 5\n<18 | south | 6\n18+ | north | 7",
        "Age, Region",
        "17, north -> 5; 17, south -> 6; 18, north -> 7",
        _roles(condition="Region", outcome="Fee"),
    ),
    Told(
        "product beside ages",
        "Age | Region | Fee\n<18 | north | 5\n<18 | south | 6\n18+ | north | 7\n18+ | south | 8",
        "Age, Region",
        "17, north -> 5; 17, south -> 6; 18, north -> 7; 18, south -> 8",
    ),
    Told(
        "two products beside ages",
        "Age | Member | Region | Fee\n<18 | yes | north | 1\n<18 | no | north | 2\n"
        "18+ | yes | north | 3\n18+ | no | north | 4\n<18 | yes | south | 5\n"
        "<18 | no | south | 6\n18+ | yes | south | 7\n18+ | no | south | 8",
        "Age, Member, Region",
        "17, yes, south -> 5; 18, no, north -> 4",
    ),
]

BOUNDS = [
    Told(
        "low and high",
        "Age low | Age high | Fare\n0 | 17 | child\n18 | 64 | adult\n65 | 120 | old",
        "Age",
        "0 -> child; 17 -> child; 18 -> adult; 64 -> adult; 65 -> old",
        S,
    ),
    Told(
        "german bounds",
        "Untergrenze | Obergrenze | Klasse\n0 | 9 | A\n10 | 49 | B\n50 | 99 | C",
        "grenze",
        "0 -> A; 9 -> A; 10 -> B; 50 -> C",
        S,
    ),
    Told(
        "open ends",
        "Min income | Max income | Rate\n | 9999 | 0\n10000 | 49999 | 10\n50000 | | 20",
        "income",
        "5 -> 0; 9999 -> 0; 10000 -> 10; 60000 -> 20",
        S,
    ),
    Told(
        "shared bounds",
        "From (kg) | To (kg) | Price\n0 | 5 | 10\n5 | 10 | 15\n10 | 20 | 30",
        "kg",
        "0 -> 10; 5 -> 15; 10 -> 30",
        S,
    ),
    Told(
        "bounds of dates",
        "Valid from | Valid until | Rate\n2026-01-01 | 2026-06-30 | 5\n2026-07-01 | 2026-12-31 | 6",
        "Valid",
        "2026-01-01 -> 5; 2026-06-30 -> 5; 2026-07-01 -> 6",
        S,
    ),
    Told(
        "bounds beside a word",
        "Region | Age low | Age high | Fee\nDE | 0 | 17 | 5\nDE | 18 | 99 | 9\nAT | 0 | 99 | 7",
        "Region, Age",
        "DE, 17 -> 5; DE, 18 -> 9; AT, 50 -> 7",
        S,
    ),
    Told(
        "two pairs",
        "Age low | Age high | Income low | Income high | Risk\n0 | 30 | 0 | 999 | high\n"
        "0 | 30 | 1000 | 9999 | low\n31 | 99 | 0 | 999 | low\n31 | 99 | 1000 | 9999 | none",
        "Age, Income",
        "5, 500 -> high; 5, 1000 -> low; 31, 999 -> low; 40, 2000 -> none",
        S,
    ),
    Told(
        "bounds and two outcomes",
        "Start | End | Fee | Desk\n0 | 9 | 5 | A\n10 | 19 | 7 | B\n20 | 29 | 9 | A",
        "value",
        "0 -> 5 A; 10 -> 7 B; 29 -> 9 A",
        S,
    ),
    Told(
        "bounds in the header",
        "Age >= | Age < | Fare\n | 18 | child\n18 | 65 | adult\n65 | | old",
        "Age",
        "17 -> child; 18 -> adult; 65 -> old",
    ),
    Told(
        "two measures",
        "Height | Weight | Size\n150 | 200 | S\n160 | 300 | M\n170 | 400 | L",
        "Height, Weight",
        "150, 200 -> S; 170, 400 -> L",
        {"Height": "condition", "Weight": "condition"},
    ),
    Told(
        "bounds of hours",
        "Opens | Closes | Shift\n06:00 | 13:59 | early\n14:00 | 21:59 | late",
        "value",
        "06:00 -> early; 13:59 -> early; 14:00 -> late",
        S,
    ),
]

STEPS = [
    Told(
        "weight up to",
        "Weight up to (kg) | Price\n5 | 10\n10 | 15\n20 | 30",
        "Weight up to (kg)",
        "0.5 -> 10; 5 -> 10; 5.1 -> 15; 10 -> 15; 20 -> 30",
        S,
    ),
    Told(
        "maximum age",
        "Max age | Group\n17 | child\n64 | adult\n120 | senior",
        "Max age",
        "0 -> child; 17 -> child; 18 -> adult; 65 -> senior",
        S,
    ),
    Told(
        "points from",
        "Points from | Grade\n0 | F\n50 | C\n75 | B\n90 | A",
        "Points from",
        "0 -> F; 49 -> F; 50 -> C; 89 -> B; 95 -> A",
        S,
    ),
    Told(
        "falling points",
        "Min points | Grade\n90 | A\n75 | B\n50 | C\n0 | F",
        "Min points",
        "95 -> A; 90 -> A; 89 -> B; 10 -> F",
        S,
    ),
    Told(
        "children",
        "Children | Bonus\n0 | 0\n1 | 100\n2 | 150\n3 | 180",
        "Children",
        "0 -> 0; 2 -> 150",
        {"Children": "condition"},
    ),
    Told(
        "steps by region",
        "Region | Up to km | Fee\nnorth | 5 | 1\nnorth | 10 | 2\nsouth | 5 | 3\nsouth | 20 | 4",
        "Region, Up to km",
        "north, 5 -> 1; north, 6 -> 2; south, 6 -> 4; south, 20 -> 4",
        S,
    ),
    Told(
        "dates from",
        "Valid from | Rate\n2024-01-01 | 5\n2025-01-01 | 6\n2026-01-01 | 7",
        "Valid from",
        "2024-05-05 -> 5; 2025-01-01 -> 6; 2027-01-01 -> 7",
        S,
    ),
    Told(
        "steps and a range",
        "Age | Income up to | Rate\n<18 | 1000 | 1\n<18 | 5000 | 2\n18+ | 1000 | 3\n18+ | 5000 | 4",
        "Age, Income up to",
        "17, 1000 -> 1; 17, 1001 -> 2; 18, 5000 -> 4",
        S,
    ),
    Told("codes of numbers", "Zone | Fee\n7 | 5\n3 | 6\n5 | 7", "Zone", "7 -> 5; 3 -> 6; 5 -> 7"),
]

CROSS = [
    Told(
        "zones",
        "Weight | Zone 1 | Zone 2 | Zone 3\n0-5 | 5 | 7 | 9\n6-10 | 8 | 11 | 14",
        "Weight, Zone",
        "0, Zone 1 -> 5; 5, Zone 3 -> 9; 6, Zone 2 -> 11",
        S,
    ),
    Told(
        "risk matrix",
        "Likelihood | Minor | Major | Severe\nrare | low | low | medium\n"
        "likely | low | medium | high\ncertain | medium | high | high",
        "Likelihood, column",
        "rare, Minor -> low; likely, Severe -> high; certain, Major -> high",
        S,
    ),
    Told(
        "risk matrix of scores",
        "Probability | Low | Medium | High\n1-2 | green | green | yellow\n3-4 | green | yellow | red",
        "Probability, column",
        "1, Low -> green; 3, Medium -> yellow; 4, High -> red",
        S,
    ),
    Told(
        "years",
        "Age | 2024 | 2025 | 2026\n<18 | 5 | 6 | 7\n18+ | 8 | 9 | 10",
        "Age, Year",
        "17, 2024 -> 5; 18, 2026 -> 10",
        dict.fromkeys(("2024", "2025", "2026"), "value of Year"),
    ),
    Told(
        "ranges above",
        "Age | 0-5 km | 6-10 km\n<18 | 1 | 2\n18+ | 3 | 4",
        "Age, Distance",
        "17, 3 -> 1; 18, 6 -> 4",
        dict.fromkeys(("0-5 km", "6-10 km"), "value of Distance"),
    ),
    Told(
        "cross table beside a word",
        "Weight | Service | Zone A | Zone B | Zone C\n0-5 | basic | 5.5 | 7.5 | 9\n"
        "0-5 | express | 8 | 11 | 14\n6-10 | basic | 6 | 9 | 12\n6-10 | express | 9 | 13 | 17",
        "Weight, Service, Zone",
        "3, basic, Zone A -> 5.5; 7, express, Zone C -> 17",
        S,
    ),
    Told(
        "three prices",
        "Age | Gold | Silver | Bronze\n<18 | 9 | 8 | 7\n18+ | 12 | 11 | 10",
        "Age",
        "17 -> 9 8 7; 18 -> 12 11 10",
        dict.fromkeys(("Gold", "Silver", "Bronze"), "outcome"),
    ),
    Told(
        "answers",
        "Claim | Covered | Refundable\n<500 | yes | yes\n500+ | yes | no",
        "Claim",
        "10 -> yes yes; 500 -> yes no",
        dict.fromkeys(("Covered", "Refundable"), "outcome"),
    ),
]

NUMBERS = [
    Told(
        "priority",
        "Priority | Age | Member | Fee\n1 | <18 | - | 0\n2 | - | yes | 5\n3 | - | - | 10",
        "Age, Member",
        "17, yes -> 0",
        {"Priority": "note"},
    ),
    Told(
        "numbers",
        "No | Age | Fee\n1 | <18 | 5\n2 | 18-64 | 10\n3 | 65+ | 7",
        "Age",
        "17 -> 5; 18 -> 10; 65 -> 7",
        S,
    ),
    Told(
        "labels",
        "Rule | Age | Fee\nR1 | <18 | 5\nR2 | 18-64 | 10\nR3 | 65+ | 7",
        "Age",
        "17 -> 5; 65 -> 7",
        S,
    ),
    Told(
        "labels with a space",
        "Ref | Age | Fee\nT 10 | <18 | 5\nT 20 | 18+ | 10",
        "Age",
        "17 -> 5; 65 -> 10",
        S,
    ),
    Told(
        "countries",
        "Country | Age | Fee\nDE | <18 | 5\nAT | >=3 | 10\nCH | >=16 | 7",
        "Country, Age",
        "DE, 17 -> 5; CH, 20 -> 7",
        {"Country": "condition"},
    ),
    Told(
        "numbered zones",
        "Zone | Age | Fee\n1 | <18 | 5\n2 | >=3 | 10\n3 | 65+ | 7",
        "Zone, Age",
        "1, 17 -> 5; 3, 70 -> 7",
        {"Zone": "condition"},
    ),
    Told(
        "order at the end",
        "Age | Fee | Order\n<18 | 5 | 3\n18-64 | 10 | 1\n65+ | 7 | 2",
        "Age",
        "17 -> 5; 65 -> 7",
        S,
    ),
    Told(
        "number between",
        "Age | ID | Fee\n<18 | 2 | 5\n18-64 | 1 | 10\n65+ | 3 | 7",
        "Age",
        "17 -> 5; 65 -> 7",
        {"ID": "note", "Fee": "outcome"},
    ),
    Told("hit policy", "F | Age | Fee\n1 | <18 | 5\n2 | - | 10", "Age", "17 -> 5; 18 -> 10"),
    Told(
        "numbers of words only",
        "No | Country | Fee\n1 | DE | 5\n2 | AT | 7\n3 | CH | 9",
        "Country",
        "DE -> 5; CH -> 9",
        {"No": "note", "Country": "condition", "Fee": "outcome"},
    ),
]

NOTES = [
    Told(
        "draft",
        "Status | Age | Fee\ndraft | <18 | 5\ndraft | 18-64 | 10\nfinal | 65+ | 7",
        "Status, Age",
        "draft, 17 -> 5; final, 65 -> 7",
    ),
    Told(
        "draft at the end",
        "Age | Fee | Status\n<18 | 5 | draft\n18+ | 10 | final",
        "Age",
        "17 -> 5 draft; 18 -> 10 final",
    ),
    Told(
        "comments",
        "Age | Fee | Comment\n<18 | 5 |\n18-64 | 10 | see list\n65+ | 7 |",
        "Age",
        "17 -> 5; 65 -> 7",
        S,
    ),
    Told(
        "sentences",
        "Age | Fee | Why\n<18 | 5 | they pay half of it\n18+ | 10 | the usual full fare",
        "Age",
        "17 -> 5; 65 -> 10",
        S,
    ),
    Told(
        "accepted",
        "Age | Fee | X\n<18 | 5 |\n<20 | 7 | accept: conflict: on purpose\n>=20 | 9 |",
        "Age",
        "17 -> 5; 20 -> 9",
    ),
    Told(
        "first remarks",
        "Remark | Age | Fee\nold rule | <18 | 5\n | 18-64 | 10\nnew | 65+ | 7",
        "Age",
        "17 -> 5; 65 -> 7",
        {"Remark": "note"},
    ),
]

SHAPES = [
    Told(
        "rules in columns",
        "Condition | Rule 1 | Rule 2 | Rule 3\nAge | <18 | 18-64 | 65+\nMember | - | yes | -\n"
        "Fare | free | half | low",
        "Age, Member",
        "17, no -> free; 18, yes -> half; 70, no -> low",
        S,
    ),
    Told(
        "rules in columns without numbers",
        "Age | <18 | 18-64 | 65+\nMember | - | - | yes\nFare | free | full | half",
        "Age, Member",
        "17, no -> free; 18, yes -> full; 70, yes -> half",
        S,
    ),
    Told(
        "marked actions",
        "Age | Approve | Refer | Reject\n<18 | | | x\n18-64 | x | |\n65+ | | x |",
        "Age",
        "17 -> False False True; 18 -> True False False; 65 -> False True False",
        S,
    ),
    Told(
        "marked with ticks",
        "Amount | Ask | Log\n<10 | | ✓\n10-99 | ✓ | ✓\n100+ | ✓ |",
        "Amount",
        "5 -> False True; 10 -> True True; 100 -> True False",
        S,
    ),
    Told(
        "operators",
        "Op | Age | Fare\n< | 18 | child\n>= | 18 | adult",
        "Age",
        "17 -> child; 18 -> adult",
    ),
    Told(
        "operators without a name",
        "Age | | Income | Fare\n<18 | < | 100 | a\n<18 | >= | 100 | b\n18+ | >= | 0 | c",
        "Age, Income",
        "17, 99 -> a; 17, 100 -> b; 18, 5 -> c",
    ),
    Told(
        "two operators",
        "Op | Age low | Op 2 | Age high | Fare\n>= | 0 | < | 18 | a\n>= | 18 | <= | 65 | b\n"
        "> | 65 | < | 120 | c",
        "Age",
        "0 -> a; 17 -> a; 18 -> b; 66 -> c",
        S,
    ),
    Told(
        "headings of groups",
        "Age | Fee | Desk\nMembers | |\n<18 | 1 | a\n18+ | 2 | b\nGuests | |\n<18 | 3 | a\n18+ | 4 | b",
        "Section, Age",
        "Members, 17 -> 1 a; Guests, 18 -> 4 b",
        {"Section": "heading", "Fee": "outcome", "Desk": "outcome"},
    ),
    Told(
        "headings of parts",
        "Age | Fee\nMinors\n<12 | 1\n12-17 | 2\nAdults\n18+ | 3",
        "Age",
        "5 -> 1; 12 -> 2; 18 -> 3",
        {"Section": "note"},
    ),
]

PLAIN = [
    Told(
        "one word",
        "Country | Zone\nDE | home\nAT | home\nCH | near",
        "Country",
        "DE -> home; CH -> near",
    ),
    Told(
        "two answers",
        "Member | VIP | Fee\nyes | yes | 1\nyes | no | 2\nno | yes | 3\nno | no | 4",
        "Member, VIP",
        "yes, no -> 2; no, no -> 4",
    ),
    Told(
        "product of words",
        "Size | Color | Price\nS | red | 1\nS | blue | 2\nM | red | 3\nM | blue | 4",
        "Size, Color",
        "S, blue -> 2; M, red -> 3",
    ),
    Told(
        "words without all pairs",
        "Size | Color | Price\nS | red | 1\nS | blue | 2\nM | red | 3",
        "Size, Color",
        "S, blue -> 2; M, red -> 3",
        S,
    ),
    Told(
        "list of words",
        "Country | Level | Fee\nDE, AT | gold | 1\nDE | silver | 2\nCH | gold | 3\n"
        "AT | silver | 2\nCH | silver | 4",
        "Country, Level",
        "AT, gold -> 1; CH, silver -> 4",
        {"Level": "condition", "Fee": "outcome"},
    ),
    Told(
        "conditions on the right",
        "Decision | Age\nchild | <18\nadult | 18-64\nsenior | 65+",
        "Age",
        "17 -> child; 65 -> senior",
        {"Decision": "outcome", "Age": "condition"},
    ),
    Told(
        "ranges as outcomes",
        "Risk | Waiting days\nlow | 1-2\nhigh | 5-10",
        "Risk",
        "low -> 1-2; high -> 5-10",
        {"Risk": "condition", "Waiting days": "outcome"},
    ),
    Told(
        "dash for any",
        "Age | Region | Fee\n<18 | - | 5\n18+ | north | 7\n18+ | south | 8",
        "Age, Region",
        "17, north -> 5; 18, south -> 8",
    ),
    Told(
        "blank for any",
        "Age | Region | Fee\n<18 | | 5\n18+ | north | 7\n18+ | south | 8",
        "Age, Region",
        "17, north -> 5; 18, south -> 8",
        {"Region": "condition", "Fee": "outcome"},
    ),
]

TABLES = [*SECOND_OUTCOMES, *BOUNDS, *STEPS, *CROSS, *NUMBERS, *NOTES, *SHAPES, *PLAIN]
