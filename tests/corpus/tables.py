"""Tables as people write them, each with what a person expects it to decide.

A table is written with one line per row and " | " between its cells; "\\n" in a cell is a line
break, and "¦" a bar. Tables of one meaning decide the same cases. Other tables must be rejected,
with a message that shows the way out.
"""

# ruff: noqa: E501 (a table is one text)
from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

# --- meanings: twenty cases each, and what they must decide

AGES = [0, 1, 5, 12, 16, 17, 18, 19, 24, 30, 42, 50, 63, 64, 65, 66, 70, 80, 90, 99]


def by_age(age: int) -> str:
    return "child" if age < 18 else "adult" if age < 65 else "senior"


AMOUNTS = [0.0, 1.0, 1.5, 2.0, 500.0, 999.0, 999.99, 1000.0, 1000.01, 1200.0,
           1200.5, 1200.51, 1999.99, 2000.0, 2000.01, 2500.0, 2500.5, 9999.0, 1e6, 1e7]  # fmt: skip


def by_amount(amount: float) -> str:
    return "low" if amount < 1000 else "middle" if amount <= 2500.5 else "high"


COUNTRIES = ["DE", "AT", "CH", "FR", "IT", "ES", "PT", "PL", "CZ", "DK",
             "SE", "NO", "FI", "NL", "BE", "LU", "US", "CA", "JP", "BR"]  # fmt: skip


def by_country(country: str) -> str:
    return "home" if country in ("DE", "AT") else "near" if country == "CH" else "far"


DAYS = [dt.date(2026, month, day) for month in (1, 2, 3, 6, 7, 12) for day in (1, 2, 12)]
DAYS += [dt.date(2025, 12, 31), dt.date(2027, 1, 1)]


def by_day(day: dt.date) -> str:
    return "before" if day < dt.date(2026, 2, 1) else "in" if day.year == 2026 else "after"


MEMBERS = [(age, member) for age in (0, 5, 17, 18, 19, 40, 64, 65, 80, 99) for member in (0, 1)]


def by_member(age: int, member: bool) -> str:
    return "free" if member and age < 18 else "half" if member or age < 18 else "full"


RATES = [0.0, 0.01, 0.04, 0.049, 0.05, 0.051, 0.07, 0.09, 0.099, 0.1,
         0.11, 0.12, 0.125, 0.13, 0.2, 0.5, 0.9, 0.99, 1.0, 2.0]  # fmt: skip


def by_rate(rate: float) -> str:
    return "low" if rate < 0.05 else "middle" if rate <= 0.125 else "high"


CLOCK = [dt.time(hour, minute) for hour in (0, 1, 5, 6, 7, 12, 21, 22, 23) for minute in (0, 59)]
CLOCK += [dt.time(5, 59, 30), dt.time(21, 59, 59)]


def by_clock(time: dt.time) -> str:
    return "day" if dt.time(6) <= time < dt.time(22) else "night"


WEEK = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"] * 3


def by_week(day: str) -> str:
    return "rest" if day in ("Sat", "Sun") else "work"


MEANINGS = {
    "age": (AGES, by_age), "amount": (AMOUNTS, by_amount), "country": (COUNTRIES, by_country),
    "day": (DAYS, by_day), "rate": (RATES, by_rate), "time": (CLOCK, by_clock),
    "week": (WEEK[:20], by_week),
}  # fmt: skip
"""Cases and what each of them must decide, by the column that they are in."""


class Table(NamedTuple):
    """A table, the options to read it with, and its meaning or the reason that it is rejected."""

    name: str
    text: str
    meaning: str
    options: Mapping[str, Any] = MappingProxyType({})
    formats: tuple[str, ...] = ("comma", "semicolon", "xlsx")


def _ages(child: str, adult: str, senior: str) -> str:
    return f"age | fare\n{child} | child\n{adult} | adult\n{senior} | senior"


AGE = {
    "feel": _ages("< 18", "[18..65)", ">= 65"), "dashes": _ages("0-17", "18-64", "65-120"),
    "long dashes": _ages("0–17", "18 – 64", "65—120"), "plus": _ages("under 18", "18 to 64", "65+"),
    "words": _ages("less than 18", "between 18 and 64", "65 or more"),
    "older": _ages("younger than 18", "from 18 to 64", "65 and older"),
    "over": _ages("up to 17", "over 17 and under 65", "over 64"),
    "at least": _ages("at most 17", "at least 18 but less than 65", "at least 65"),
    "minimum": _ages("max. 17", "min 18 and max 64", "min. 65"),
    "wrong signs": _ages("=<17", "=> 18 and =<64", "=>65"),
    "pretty signs": _ages("≤ 17", "≥ 18 and < 65", "≥ 65"),
    "chains": _ages("age < 18", "18 <= age < 65", "age >= 65"),
    "reversed chains": _ages("18 > age", "65 > age >= 18", "65 <= age"),
    "x": _ages("x < 18", "18 ≤ x ≤ 64", "x > 64"),
    "joined": _ages("age <= 17", "age >= 18 and age <= 64", "age > 64"),
    "brackets": _ages("[0-17]", "[18;64]", "[65..120]"),
    "dots": _ages("0..17", "18...64", "65..999"),
    "negation": _ages("not >= 18", "18-64", "not < 65"),
    "german": _ages("unter 18", "18 bis 64", "ab 65"),
    "german words": _ages("höchstens 17", "zwischen 18 und 64", "mindestens 65"),
    "else": "age | fare\nunder 18 | child\n65+ | senior\nelse | adult",
    "otherwise": "age | job | fare\n< 18 | any | child\n65+ | * | senior\notherwise | - | adult",
    "default": "age | fare\n< 18 | child\n>= 65 | senior\nDEFAULT | adult",
    "any": "age | job | fare\n<18 | any | child\n18-64 | all | adult\n65+ | * | senior",
    "row numbers": ("No | age | fare\n1 | <18 | child\n2 | 18-64 | adult\n3 | 65+ | senior", {"roles": {"No": "note"}}),
    "rule names": ("Rule | age | fare\nR1 | <18 | child\nR2 | 18-64 | adult\nR9 | 65+ | senior", {"roles": {"Rule": "note"}}),
    "numbers and else": ("# | age | fare\n1 | <18 | child\n2 | 65+ | senior\n3 | else | adult", {"roles": {"#": "note"}}),
    "last id": ("age | ID | fare\n<18 | a7 | child\n18-64 | b3 | adult\n65+ | c1 | senior", {"roles": {"ID": "note", "fare": "outcome"}}),
    "notes": ("age | fare | Comment\n<18 | child | > 5 only?\n18-64 | adult |\n65+ | senior | =A1", {"roles": {"Comment": "note"}}),
    "remarks": ("Remarks | age | fare\nsee § 5 | <18 | child\n| 18-64 | adult\n1.5 | 65+ | senior", {"roles": {"Remarks": "note"}}),
    "from to": ("Age from | Age to | fare\n | 17 | child\n18 | 64 | adult\n65 | | senior", {"roles": {"Age from": "Age >=", "Age to": "Age <="}}),
    "min max": ("Min age | Max age | fare\n0 | 17 | child\n18 | 64 | adult\n65 | 120 | senior", {"roles": {"Min age": "age >=", "Max age": "age <="}}),
    "operators": "age >= | age < | fare\n | 18 | child\n18 | 65 | adult\n65 | | senior",
    "title": "Fares\n\nage | fare\n<18 | child\n18-64 | adult\n65+ | senior",
    "titles": "Fares\nvalid in 2026\n\nage | fare\n<18 | child\n18-64 | adult\n65+ | senior",
    "blank rows": "age | fare\n\n<18 | child\n\n\n18-64 | adult\n65+ | senior",
    "page breaks": "age | fare\n<18 | child\nAge | Fare\n18-64 | adult\nage | fare\n65+ | senior",
    "policy": "F | age | fare\n1 | <18 | child\n2 | <65 | adult\n3 | - | senior",
    "lists": "age | fare\n0-9, 10-17 | child\n18-30; 31-64 | adult\n65-90 or 91+ | senior",
    "lines": "age | fare\n0-9\\n10-17 | child\n18-30\\n31-64 | adult\n65+ | senior",
    "years": _ages("under 18 years", "18-64 years", "65+ years"),
    "short years": _ages("< 18 yrs", "18 - 64 yrs", "> 64 yrs"),
    "spaced signs": _ages("< 18", "> = 18 and < = 64", "> = 65"),
    "two signs": _ages("<18", ">=18 <65", ">=65"),
    "to under": _ages("under 18", "18 to under 65", "65 or older"),
    "open dots": _ages("..17", "18..64", "65.."),
    "bis unter": _ages("unter 18", "18 bis unter 65", "ab 65"),
    "bis": _ages("bis 17", "von 18 bis 64", "älter als 64"),
    "jahre": _ages("jünger als 18 Jahre", "18 bis 64 Jahre", "65 Jahre und älter"),
    "french": _ages("moins de 18 ans", "de 18 à 64 ans", "65 ans et plus"),
    "french words": _ages("jusqu’à 17", "entre 18 et 64", "à partir de 65"),
    "spanish": _ages("menos de 18", "de 18 a 64 años", "65 o más"),
    "spanish words": _ages("hasta 17", "entre 18 y 64", "mayores de 64"),
    "footnote": "age | fare\n<18 | child\n18-64 | adult\n65+ | senior\n\n* valid from 2026 on",
    "source": "age | fare\n<18 | child\n18-64 | adult\n65+ | senior\nSource: tariff office",
    "begins with 0": _ages("0-17", "18-64", "65+"),
    "hidden else": "age | fare\n0-17 | child\n65+ | senior\nsonst | adult",
    "dutch": _ages("onder 18 jaar", "18 t/m 64 jaar", "65 jaar en ouder"),
    "dutch words": _ages("jonger dan 18", "van 18 tot en met 64", "vanaf 65 jaar"),
    "french plus": _ages("en dessous de 18 ans", "18–64 ans", "65 ans et +"),
    "bis zu": _ages("bis zu 17 Jahren", "über 17 bis 64", "über 64 Jahre"),
    "over up to": ("Age over | Age up to | fare\n | 17 | child\n17 | 64 | adult\n64 | | senior", {"roles": {"Age over": "Age >", "Age up to": "Age <="}}),
    "short min max": ("Min. age | Max. age | fare\n0 | 17 | child\n18 | 64 | adult\n65 | | senior", {"roles": {"Min. age": "age >=", "Max. age": "age <="}}),
    "policy above": "Hit policy: First\n\nage | fare\n<18 | child\n<65 | adult\n- | senior",
    "policy in two cells": "Hit policy | F\nage | fare\n<18 | child\n<65 | adult\n- | senior",
    "outcome name": "age | Result\nunder 18 | child\n18-64 | adult\n65+ | senior",
}  # fmt: skip
AMOUNT = {
    "decimal comma": ("< 1.000", "1.000 - 2.500,50", "> 2.500,50"),
    "decimal point": ("< 1,000", "1,000 - 2,500.50", "> 2,500.50"),
    "plain": ("< 1000", "[1000..2500.5]", "> 2500.5"),
    "euros": ("under € 1.000", "€ 1.000 - € 2.500,50", "over € 2.500,50"),
    "euros after": ("< 1.000 €", "1.000 € to 2.500,50 €", "more than 2.500,50 €"),
    "dollars": ("< $1,000", "$1,000-$2,500.50", "> $2,500.50"),
    "codes": ("< 1000 EUR", "1000 EUR - 2500.50 EUR", "> 2500.50 EUR"),
    "spaces": ("< 1 000", "1 000 - 2 500.50", "> 2 500.50"),
    "apostrophes": ("< 1'000", "1'000 - 2'500.50", "> 2'500.50"),
    "chain": ("amount < 1.000", "1.000 <= amount <= 2.500,50", "amount > 2.500,50"),
    "k": ("< 1k", "1k - 2.5005k", "> 2.5005k"),
    "dollars k": ("under $1k", "$1k - $2,500.50", "over $2,500.50"),
    "codes first": ("up to EUR 999.99", "EUR 1,000.00 to EUR 2,500.50", "> EUR 2,500.50"),
    "swiss": ("< 1'000.-", "1'000.- bis 2'500.50", "> 2'500.50"),
    "dashes after": ("bis 999,99 €", "1.000,- € bis 2.500,50 €", "über 2.500,50 €"),
    "tsd": ("< 1 Tsd. €", "1 Tsd. € - 2.500,50 €", "> 2.500,50 €"),
    "locale de": ("< 1.000", "[1.000..2.500,5]", "> 2.500,5", {"locale": "de"}),
    "locale en": ("< 1,000", "1,000 to 2,500.5", "> 2,500.5", {"locale": "en"}),
}
COUNTRY = {
    "feel": ("DE, AT", "CH", "not(DE, AT, CH)"), "or": ("DE or AT", "CH", "not(DE, AT, CH)"),
    "semicolons": ("DE; AT", "CH", "not(DE, AT, CH)"), "bars": ("DE¦AT", "CH", "not(DE, AT, CH)"),
    "either": ("either DE or AT", "CH", "not(DE, AT, CH)"),
    "line breaks": ("DE\\nAT", "CH", "not(DE, AT, CH)"),
    "quotes": ("“DE” or “AT”", "'CH'", "not(DE, AT, CH)"),
    "straight quotes": ('"DE", "AT"', '"CH"', "not(DE, AT, CH)"),
    "oder": ("DE oder AT", "CH", "not(DE, AT, CH)"),
    "comma or": ("DE, or AT", "CH", "not(DE, AT, CH)"), "otherwise": ("AT, DE", "CH", "otherwise"),
    "everything else": ("AT; DE", "CH", "everything else"),
    "unequal": ("DE, AT", "CH", "not(DE, AT, CH)"), "capitals": ("DE ODER AT", "CH", "sonst"),
    "ou": ("DE ou AT", "CH", "sinon"),
}  # fmt: skip
TIME = {
    "feel": ("[06:00..22:00)", "< 06:00, >= 22:00"), "minutes": ("06:00-21:59", "22:00-05:59"),
    "over midnight": ("6:00 to < 22:00", "22:00 to < 6:00"),
    "am and pm": ("6am - 9:59pm", "10 p.m. - 5:59 a.m."), "uhr": ("6-21.59 Uhr", "22 - 5.59 Uhr"),
    "end of the day": ("6:00 - 21:59", "0:00-5:59, 22:00-24:00"),
}  # fmt: skip
DAYS_OF_WEEK = {
    "weekdays": "weekdays | work\nSat | rest\nSun | rest",
    "weekend": "Mon | work\nTue-Fri | work\nweekend | rest",
    "both": "Working days | work\nWeekend | rest\nMon | work",
    "list": "Mon, Tue | work\nWed to Fri | work\nnot(weekdays) | rest",
}
DAY = {
    "iso": ("< 2026-02-01", "2026-02-01 - 2026-12-31", "> 2026-12-31"),
    "dots": ("before 1.2.2026", "1.2.2026 - 31.12.2026", "after 31.12.2026"),
    "slashes": ("before 01/02/2026", "01/02/2026 - 31/12/2026", "after 31/12/2026"),
    "american": ("before 02/01/2026", "02/01/2026 - 12/31/2026", "after 12/31/2026"),
    "on or after": ("before 2026-02-01", "2026-02-01 to 2026-12-31", "on or after 2027-01-01"),
    "named months": ("before 1 Feb 2026", "1 Feb 2026 - 31 Dec 2026", "after 31-Dec-2026"),
    "german months": ("vor dem 1. Februar 2026", "1. Februar 2026 bis 31. Dezember 2026",
                      "nach dem 31. Dezember 2026"),
    "between": ("< 01.02.2026", "between 01.02.2026 and 31.12.2026", "> 31.12.2026"),
    "locale": ("< 01/02/2026", "[01/02/2026..12/12/2026], > 12/12/2026 and < 01/01/2027",
               ">= 01/01/2027", {"locale": "en-GB"}),
}  # fmt: skip
MEMBER = {
    "yes": ("yes", "no"), "Yes": ("Yes", "No"), "Y": ("Y", "N"), "ja": ("ja", "nein"),
    "oui": ("oui", "non"), "true": ("TRUE", "FALSE"), "sí": ("sí", "no"),
}  # fmt: skip
RATE = {
    "percent": ("< 5%", "5%-12.5%", "> 12.5%"),
    "space": ("under 5 %", "5 % to 12.5 %", "over 12.5 %"), "once": ("< 5%", "5-12.5%", "> 12.5%"),
    "comma": ("< 5%", "5% - 12,5%", "> 12,5%"),
}  # fmt: skip

REFUSED = [
    ("shared bound", "age from | age to | f\n0 | 18 | a\n18 | 65 | b", "roles={'age from': 'age >=', 'age to': 'age <'}"),
    ("thousands", "amount | f\n< 1.000 | a\n>= 1.000 | b", "'1.000' is ambiguous",
     ("semicolon", "xlsx")),
    ("comma", "amount | f\n< 1,000 | a\n>= 1,000 | b", "'1,000' is ambiguous; write 1000 or 1.000"),
    ("decimal comma alone", "amount | f\n< 1,5 | a\n>= 1,5 | b", "'1,5' is ambiguous; write 1.5",
     ("comma", "xlsx")),
    ("list or number", "zone | f\n1,2 | a\n3,4 | b", "'1,2' is ambiguous; write 1.2"),
    ("five or six days", "day | f\nMo | a\nWerktage | b", "write Mo,Di,Mi,Do,Fr or Mo,"),
    ("dutch until", "age | f\ntot 18 jaar | a", "write < 18 jaar or <= 18 jaar"),
    ("dutch range", "age | f\n18 tot 65 | a", "write >= 18 and < 65 or >= 18 and <= 65"),
    ("am or pm", "time | f\n6-10pm | a", "write 6am-10pm or 6pm-10pm"),
    ("no such hour", "time | f\n13pm | a", "'13pm' is not a time; write times as 18:30"),
    ("24:00", "time | f\n<= 24:00 | a", "'24:00' is not a time of day; write 23:59"),
    ("two units", "tenure | f\n6 months - 2 years | a", "write 6-24 months"),
    ("days and years", "tenure | f\n6 days - 2 years | a", "write both in one unit"),
    ("bounds of nothing", "From | To | f\n1 | 5 | a\n6 | 9 | b", "roles={'From': 'value >=', 'To': 'value <='}"),
    ("lonely minimum", "Min. order | f\n50 | a\n100 | b", "roles={'Min. order': 'from'}"),
    ("over midnight", "Time from | Time to | f\n06:00 | 21:59 | a\n22:00 | 05:59 | b",
     "the range from 22:00 to 05:59 goes over midnight",
     ("comma",), {"roles": {"Time from": "Time >=", "Time to": "Time <="}}),
    ("priced column", "size | North | South\n<5 | € 5 | € 6\n5+ | free | € 8\n9+ | € 7 | € 9",
     "roles={'North': "),
    ("priced columns", "size | North | South | West\n<5 | € 5 | € 6 | € 1\n5+ | € 7 | € 8 | € 2",
     "may be values of one condition in a cross table"),
    ("prices without a sign", "kg | Zone A | Zone B | C\n0-1 | 5.00 | 7.5 | 9\n2-5 | 8 | 9.50 | 1",
     "'Zone B': 'value of "),
    ("named total", "Rule | age | f\nR1 | <18 | 5\nR2 | 18+ | 7\nTotal | | 12", "like a total", ("comma",),
     {"roles": {"Rule": "note"}}),
    ("unknown policy", "Hit policy: Frist\nage | f\n<18 | a\n18+ | b", "did you mean 'FIRST'"),
    ("next name", "class | f\nSF 0 | a\nSF 1 | b\nab SF 2 | c", "because 'SF 2' is a value of"),
    ("two notations", "amount | f\n< 1.200,50 | a\n>= 2.5 | b", "numbers are written in two ways"),
    ("dates", "day | f\n< 01/02/2026 | a\n>= 01/02/2026 | b",
     "write it as 2026-02-01 or 2026-01-02"),
    ("two dates", "day | f\n< 31/12/2026 | a\n>= 12/31/2026 | b", "dates are written in two ways"),
    ("impossible date", "day | f\n< 31.02.2026 | a", "'31.02.2026' is not a date"),
    ("reversed", "age | f\n25-18 | a", "the range ends before it begins"),
    ("until", "age | f\nuntil 18 | a", "write <= 18 for a comparison"),
    ("currencies", "amount | f\n€ 5 | a\n$ 6 | b", "the column mixes $ and €"),
    ("percentages", "rate | f\n< 5% | a\n>= 5 | b", "write all of them with % or none"),
    ("negated list", "job | f\nnot cook or clerk | a", "write not(a, b) for every value except"),
    ("other column", "age | income | f\nincome > 5 | - | a", "the cell compares 'income'"),
    ("early else", "age | f\nelse | a\n< 18 | b", "'else' is ambiguous; write DEFAULT"),
    ("partial else", "age | job | f\n< 5 | cook | a\n< 5 | else | b", "'else' is ambiguous"),
    ("not a value", "job | f\ncook | a\nnot specified | b", "write not(specified) for every"),
    ("list of digits", "age | f\n5,6,7 | a", "as 5, 6, 7,"),
    ("short year", "day | f\n01.02.26 | a", "dates as 2026-01-31"),
    ("short years", "day | f\n01.04.26 – 30.09.26 | a", "has a year of two digits"),
    ("letters", "grade | f\nA-C | a\nD-F | b", "write A, B, C for all values from A to C"),
    ("sizes", "size | f\nS-L | a\nXL | b", "write S, M, L for all values from S to L"),
    ("roman", "stage | f\nI-III | a\nIV | b", "write I, II, III for all values"),
    ("ordinals", "grade | f\n1st-3rd | a", "quote it if it is text"),
    ("two numbers", "level | f\n1 & 2 | a\n3 | b", "write 1, 2 for either value"),
    ("any number", "orders | f\n1-10 | a\nany no. | b", "write - for any value"),
    ("points in commas", "amount | f\n0 - 2.500 kWh | a\n> 2.500 kWh | b", "'2.500' is ambiguous"),
    ("priorities", "level | f\nP1-P3 | a", "write P1, P2, P3 for all values"),
    ("zones of words", "zone | f\nZone 1-3 | a", "write Zone 1, Zone 2, Zone 3 for all values"),
    ("mixed days", "day | f\nMon-Friday | a", "mixes short and long names"),
    ("months", "start | f\nbefore Jan 2026 | a\nafter Jan 2026 | b", "as < 2026-01-01"),
    ("after a month", "start | f\nafter Jan 2026 | a", "as >= 2026-02-01"),
    ("range of months", "start | f\nJan 2026 - Mar 2026 | a", "as [2026-01-01..2026-04-01)"),
    ("iso month", "start | f\n2026-01 | a", "write [2026-01-01..2026-02-01) for its days"),
    ("trailing minus", "age | f\n<30 | a\n30- | b", "write >= 30 for at least 30, or -30"),
    ("leading minus", "age | f\n-18 | a\n19-65 | b\n66+ | c", "write <= 18 for at most 18"),
    ("fraction", "length | f\n1/2 | a", "write 0.5 for the number"),
    ("two values", "age | f\n18,25 | a", "or 18, 25 with a space for two values"),
    ("except", "area | f\nDE | a\nEU except DE | b", "values that it includes one by one"),
    ("forgotten outcome", "age | f\n<18 | a\n\nbetween 18 and 25 |", "the outcome is empty"),
    ("or better", "grade | f\ngood | a\ngood or better | b", "it includes one by one"),
    ("combined", "area | f\nDE | a\nAT | b\nDE and AT | c", "'DE' and 'AT' are values of the"),
    ("span of values", "risk | f\nlow | a\nhigh | b\nlow-high | c", "'low' and 'high' are values"),
    ("above a value", "tier | f\nGold | a\nabove Gold | b", "because 'Gold' is a value of the"),
    ("cross table", "age | DE | AT | FR\n<18 | 1 | 2 | 3\n18+ | 4 | 5 | 6", "'AT': 'value of column'"),
    ("cross table of days", "km | Mon-Fri | Sat | Sun\n0-5 | 3 | 4 | 5\n6+ | 6 | 7 | 8",
     "'Sat': 'value of column'"),
    ("money with thousands", "age | fee\n<18 | €1.200\n18+ | (500)", "'1.200' is ambiguous"),
    ("outcome with thousands", "age | fee\n<18 | 1,000\n18+ | 2,500", "write 1000 or 1.000"),
    ("total", "age | job | fee\n<18 | - | 5\n18+ | - | 7\nTotal | | 12", "looks like a total"),
    ("total of words", "area | fee\nDE | 5\nAT | 7\nTotal | 12", "looks like a total"),
    ("default", "area | fee\nDE | 5\nAT | 7\nDefault | 12", "write DEFAULT in capitals"),
    ("other number", "age | fee\n<18 | 5\nother | 12", "write DEFAULT in the first column"),
    ("missing number", "age | fee\n<18 | 5\nMissing | 12", "write null for a missing value"),
    ("two headers", "Age | | Price\nfrom | to | EUR\n0 | 17 | 5\n18 | 64 | 6",
     "if lines 1 and 2 are both headers"),
    ("units", "weight | f\n< 500 g | a\n1 kg | b", "the column mixes g and kg"),
    ("unit of the header", "Weight (kg) | f\n< 500 g | a", "the column mixes g and kg"),
    ("months and years", "age | f\n0-23 months | a\n2-17 | b", "numbers without a unit"),
    ("millions", "amount | f\n5m | a", "write 5000000 for millions, or 5 for meters"),
    ("error", "age | f\n#N/A | a", "replace it with a value"),
    ("words and numbers", "age | f\n< 18 | a\nold | b", "\"old\" is not a whole number"),
    ("zones", "zone | age | f\n1 | < 5 | a\n2 | >= 3 | b", "roles={'zone': 'note'} (--role zone=note), or with roles={'zone': 'condition'}"),
    ("lonely bound", "Age from | f\n18 | a\n26 | b", "roles={'Age from': 'from'}"),
    ("currencies of outcomes", "age | fee\n< 5 | $ 649\n>= 5 | 649 €", "mixes $ and €"),
    ("percentages of outcomes", "age | fee\n< 5 | 10%\n>= 5 | 0.2", "mixes percentages"),
    ("notations of outcomes", "age | fee\n< 5 | 1.000\n>= 5 | 1,000.50", "'1,000.50' and '1.000'"),
    ("two answers", "vip | age | f\nyes | < 5 | a\nno | < 5 | b\nY | >= 5 | c\nno | >= 5 | d", "'yes' and 'Y'"),
    ("short and", "to | f\nDE | a\nAT | b\nDE u. AT | c", "the values that it means"),
    ("without and", "to | f\nDE | a\nAT | b\nDE AT | c", "the values that it means"),
    ("excluded code", "to | f\nDE | a\nAT | b\nnon-DE | c", "write not(DE) for every other value"),
    ("ranges in the header", "age | under 5 | 5-10\n< 9 | A | B\n>= 9 | B | C", "'5-10': 'value of column'"),
    ("regions in the header",
     "age | North | South | West\n< 9 | 900 | 950 | 990\n>= 9 | 600 | 650 | 640", "'South': 'value of column'"),
    ("two tables", "age | f\n< 5 | a\n\nincome | g\n< 9 | b\n>= 9 | c",
     "choose one with cells='A1:B2'"),
    ("side by side", "age | f | | income | g\n< 5 | a | | < 9 | b",
     "choose one with cells='A1:B2'"),
    ("unnamed", "age | | f\n< 5 | x | a", "column 2 has no name"),
    ("no outcome", "age | f\n< 5 | a\n>= 5 |", "the outcome is empty"),
    ("twice", "age | age | f\n< 5 | > 9 | a", "age"),
    ("question", "age | f\n? | a", "write null for a missing value"),
    ("formula", "age | f\n=SUM(A1:A3) | a", "formula"),
    ("range of words", "age | f\n[18..] | a", "expected a value"),
]  # fmt: skip


def _three(header: str, cells: tuple[str, ...], outcomes: str) -> str:
    rows = "\n".join(f"{c} | {o}" for c, o in zip(cells, outcomes.split(), strict=True))
    return f"{header} | f\n{rows}"


def _member(yes: str, no: str) -> str:
    rows = f"<18 | {yes} | free\n<18 | {no} | half\n18+ | {yes} | half\n18+ | {no} | full"
    return f"age | member | f\n{rows}"


def _tables(meaning: str, outcomes: str, entries: Mapping[str, tuple[Any, ...]]) -> list[Table]:
    """Return tables with one column of conditions, whose options may follow the cells."""
    tables = []
    for name, cells in entries.items():
        options = cells[-1] if isinstance(cells[-1], dict) else {}
        text = _three(meaning, cells[: len(outcomes.split())], outcomes)
        tables.append(Table(f"{meaning}: {name}", text, meaning, options))
    return tables


TABLES = [
    *(
        Table(f"age: {name}", entry, "age")
        if isinstance(entry, str)
        else Table(f"age: {name}", entry[0], "age", entry[1])
        for name, entry in AGE.items()
    ),
    *_tables("amount", "low middle high", AMOUNT),
    *_tables("country", "home near far", COUNTRY),
    *_tables("day", "before in after", DAY),
    *_tables("time", "day night", TIME),
    *(Table(f"week: {name}", f"week | f\n{rows}", "week") for name, rows in DAYS_OF_WEEK.items()),
    *(Table(f"member: {name}", _member(*cells), "member") for name, cells in MEMBER.items()),
    *_tables("rate", "low middle high", RATE),
    *(
        Table(f"refused: {name}", text, reason, *([*rest[1:], {}][:1]), *rest[:1])
        for name, text, reason, *rest in REFUSED
    ),
]
