"""Characters that cannot be seen, or look like others, in tables, models, cases and rules."""

from __future__ import annotations

import json
import shutil
import subprocess
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import irenic
from bound import (
    book_of,
    column,
    loads_csv,
    loads_dmn,
    loads_xlsx,
    messages,
    reasons,
    rules_of,
    run,
    saved,
)
from irenic.errors import FormatError
from irenic.model.characters import cleaned, is_plain, two_scripts

SOFT, LEFT, ZERO, NO_BREAK, NARROW = "\u00ad", "\u200e", "\u200b", "\u00a0", "\u202f"
NFD = unicodedata.normalize("NFD", "Zürich")
SCRIPTS = Path(irenic.__file__).parent / "reporting" / "assets" / "scripts"


@pytest.mark.parametrize(
    ("cell", "meaning"),
    [
        (NFD, "a = Zürich"),
        (f"Sofort{SOFT}hilfe", "a = Soforthilfe"),
        (f"{LEFT}nurse{LEFT}", "a = nurse"),
        (f"fire{NO_BREAK}fighter", 'a = "fire fighter"'),
        (f">{SOFT}={NO_BREAK}1{NARROW}000", "a >= 1000"),
        (f"{LEFT}18{NO_BREAK}to{NO_BREAK}25", "18 <= a <= 25"),
        ("x\u2011ray", "a = x-ray"),
    ],
)
def test_characters_that_nobody_sees_carry_no_meaning(cell, meaning):
    plain = rules_of(column(cleaned(cell)))
    assert rules_of(column(cell)) == plain
    book = saved(book_of(["a", "then"], [cell, "row 0"]))
    assert rules_of(loads_xlsx(book)) == plain
    assert meaning.split()[-1].strip('"')[-3:] in plain[0]


def test_names_of_columns_have_no_characters_that_nobody_sees():
    table = loads_csv(f"Max{NO_BREAK}a{SOFT}ge,{NFD},f\n1,2,x\n").tables[0]
    assert table.space.names == ("Max age", "Zürich")


def test_cells_of_models_have_no_characters_that_nobody_sees():
    rules = irenic.loads('IF town = "Zürich" THEN "fire fighter"', format="rules")
    model = irenic.dumps(rules, format="dmn")
    changed = model.replace("Zürich", NFD).replace("fire fighter", f"fire{NO_BREAK}fighter")
    assert changed != model
    assert loads_dmn(changed.encode()).tables[0].rules == loads_dmn(model.encode()).tables[0].rules
    found = loads_dmn(model.replace("Zürich", "Zоo").encode())
    [warning] = reasons(found.warnings)
    assert found.tables
    assert "Latin 'Z' (U+005A) and Cyrillic 'о' (U+043E); type 'Zoo'" in warning


def test_rules_and_cases_have_no_characters_that_nobody_sees(tmp_path):
    rules = irenic.loads(f"IF {LEFT}{NFD}{NO_BREAK}> 5 THEN j{SOFT}a", format="rules")
    assert rules == irenic.loads("IF Zürich > 5 THEN ja", format="rules")
    exact = irenic.loads(f'IF "{NFD}" > 5 THEN "j{SOFT}a"', format="rules")  # in quotes
    assert exact.space.names == (NFD,)
    (tmp_path / "rules.csv").write_text("größe,fee\ngrün,low\nblau,high\n", encoding="utf-8")
    cases = unicodedata.normalize("NFD", "größe\ngrün\n") + f"bl{SOFT}au{LEFT}\n"
    (tmp_path / "cases.csv").write_text(cases, encoding="utf-8")
    output = run("predict", tmp_path / "rules.csv", tmp_path / "cases.csv").stdout
    assert [line.split(",")[-1] for line in output.splitlines()] == ["prediction", "low", "high"]


MIXED = "Gоld"  # with a Cyrillic о


def test_letters_of_two_scripts_are_a_doubt():
    reason = "'Gоld' has letters of two scripts: Latin 'G' (U+0047) and Cyrillic 'о' (U+043E)"
    for text in (f"a,f\n{MIXED},x\n", f"a,f\n1,{MIXED}\n", f"{MIXED},f\n1,x\n"):
        [error], _ = messages(loads_csv(text))
        assert reason in error
        assert "type 'Gold'" in error
        assert messages(loads_csv(text.replace(MIXED, "Gold"))) == ([], [])
        if not text.startswith(MIXED):  # names have no quotes
            assert f'or "{MIXED}" in quotes if it is meant' in error
            assert messages(loads_csv(text.replace(MIXED, f'"""{MIXED}"""'))) == ([], [])
    with pytest.raises(FormatError, match=r"type 'Gold', or put it in quotes if it is meant"):
        irenic.loads(f"IF a = {MIXED} THEN x", format="rules")
    assert irenic.loads(f'IF a = "{MIXED}" THEN x', format="rules").space["a"].values == (MIXED,)


def test_a_word_of_another_script_is_a_doubt_next_to_latin_ones():
    [error], _ = messages(loads_csv("grade,f\nA,x\nВ,y\n"))
    assert "'В' looks like 'B', but 'В' (U+0412) is not the Latin 'B' (U+0042)" in error
    for text in ("grade,f\nA,x\nB,y\n", 'grade,f\nA,x\n"""В""",y\n', "grade,f\nА,x\nВ,y\n"):
        assert messages(loads_csv(text))[0] == []
    assert messages(loads_csv("город,f\nМосква,ДА\nnurse,НЕТ\nlow,VIP\n"))[0] == []


def test_notes_may_have_letters_of_two_scripts():
    assert messages(loads_csv(f"a,f,Comment\n< 1,x,{MIXED}\n>= 1,y,\n"))[0] == []


def test_units_and_words_with_hyphens_have_one_script():
    for text in ("kΩ", "μg", "USB-порт", "T-shirt", "nürnberg", "東京Tシャツ", "می\u200cخواهم"):
        assert two_scripts(text) == ""
        assert cleaned(text) == text


_LETTERS = st.text(
    alphabet=f'aGо АβΑü\u0308{SOFT}{LEFT}{ZERO}{NO_BREAK}\u200d\U0002f800"-1', max_size=8
)


@given(_LETTERS)
def test_any_text_is_written_so_that_it_is_read_back(text):
    space = irenic.Space([irenic.Categorical("a", [text, "z"])])
    rules = irenic.RuleSet(
        [irenic.Rule(irenic.Region(space, {"a": {"=": text}}), then=text)], space
    )
    for form in ("csv", "dmn", "rules"):
        written = irenic.dumps(rules, format=form)
        assert irenic.loads(written, format=form, space=space) == rules


@given(_LETTERS)
def test_cleaning_twice_changes_nothing(text):
    assert cleaned(cleaned(text)) == cleaned(text)


def test_the_page_reads_the_same_characters():
    node = shutil.which("node")
    if node is None:
        pytest.skip("Node is not installed")
    texts = [chr(code) for code in range(0x20, 0x3100)]
    texts += [f"a{text}b" for text in texts] + [NFD, MIXED, "Яndex", "kΩ", '"Gоld" x', "ΑB"]
    program = f"import * as page from {json.dumps((SCRIPTS / 'values/characters.js').as_uri())};"
    program += """
        import { readFileSync } from "node:fs";
        const texts = JSON.parse(readFileSync(0, "utf8"));
        const read = (t) => [page.cleaned(t), page.twoScripts(t) !== "", page.isPlain(t)];
        console.log(JSON.stringify(texts.map(read)));
    """
    result = subprocess.run(
        [node, "--input-type=module", "-e", program],
        input=json.dumps(texts), capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    for text, page in zip(texts, json.loads(result.stdout), strict=True):
        assert page == [cleaned(text), two_scripts(text) != "", is_plain(text)], ascii(text)
