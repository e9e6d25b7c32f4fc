"""Hostile and broken models cause a clear error with its location, and nothing else."""

from __future__ import annotations

from xml.sax.saxutils import escape

import pytest
from dmn_models import model
from hypothesis import example, given
from hypothesis import strategies as st
from test_dmn import CAMUNDA, ITEMS, LOAN, TIMES

from bound import loads_dmn
from irenic import FormatError, IrenicError
from irenic.formats.dmn import _xml as dmn_xml

ENTITY = "document types and entities are not allowed; remove the <!DOCTYPE …>"
LAUGHS = (
    '<?xml version="1.0"?>\n<!DOCTYPE definitions [\n <!ENTITY a "ha">\n'
    + "\n".join(f' <!ENTITY {b} "{f"&{a};" * 10}">' for a, b in zip("abcdefgh", "bcdefghi"))  # noqa: B905
    + "\n]>\n<definitions>&i;</definitions>"
)


def refused(raw):
    with pytest.raises(FormatError) as caught:
        loads_dmn(raw)
    return str(caught.value)


def start(text):
    return b'<?xml version="1.0"?>\n' + text


TYPES = [
    LAUGHS.encode(),
    start(b'<!DOCTYPE d SYSTEM "file:///etc/passwd">\n<definitions/>'),
    start(b'<!DOCTYPE d [<!ENTITY x SYSTEM "http://example.org/">]><d>&x;</d>'),
    start(b'<!DOCTYPE d [<!ENTITY % p SYSTEM "x.dtd"> %p;]><definitions/>'),
    b"\n<!DOCTYPE definitions>\n<definitions/>",
]
COLUMN = "<input><inputExpression><text>f</text></inputExpression></input>"
TABLE = '<definitions xmlns="urn:x"><decision><decisionTable>'
END = "</decisionTable></decision></definitions>"
ROW = "<rule><inputEntry/><inputEntry/><inputEntry/><inputEntry/></rule>"


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        *((raw, f"line 2: {ENTITY}") for raw in TYPES),
        (b"<definitions>&x;</definitions>", "line 1, column 14: not XML: undefined entity"),
        (b"", "line 1, column 1: not XML: no element found"),
        (b"age,then\n5,A\n", "line 1, column 1: not XML: syntax error"),
        (b"<definitions>\n<a></b>", "line 2, column 6: not XML: mismatched tag"),
        (LOAN.encode()[:900], "line 14, column 5: not XML: unclosed token"),
        (b"<html/>", "line 1: not DMN: the root element must be <definitions>, got <html>"),
        (b'<Definitions xmlns="http://www.omg.org/spec/DMN/20130901"/>',
         "line 1: the version must be DMN 1.1 or later, got 1.0; save the model in a newer"
         " version"),
        (b"<definitions>\n\xff</definitions>",
         "line 2, column 1: not XML: not well-formed (invalid token)"),
        ("<definitions>ä</definitions>".encode("latin-1"),
         "line 1, column 14: not XML: not well-formed (invalid token)"),
        (b'<?xml version="1.0" encoding="martian"?><definitions/>',
         "line 1: not XML: unknown encoding: martian"),
        (b"\xff\xfe<\x00d", "line 1, column 2: not XML: unclosed token"),
        (b"<definitions>" + b"<a>" * 300, "line 1: elements must be nested at most 200 deep"),
        (b"<definitions>" + b"x" * (65 * 2**20),
         "a file of rules must be at most 64 MB, got 65 MB; split it"),
        ((TABLE + COLUMN * 10_001 + END).encode(),
         "line 1: a table must have at most 1,000 columns"),
        ((TABLE + ROW * 250_001).encode(), "a model must have at most 1,000,000 cells; split it"),
        (b"<definitions>" + b"<a/>" * 2_500_001,
         "a model must have at most 2,500,000 elements; split it"),
    ],
    ids=lambda value: str(value[:20]),
)  # fmt: skip
def test_what_is_no_model_is_rejected(raw, message):
    assert refused(raw) == message


def test_limits_hold_where_nothing_is_counted_in_advance(monkeypatch):
    monkeypatch.setattr(dmn_xml, "_MOST_ELEMENTS", 1000)
    monkeypatch.setattr(dmn_xml, "MOST_CELLS", 1000)
    many = ("<definitions>" + "<a></a>" * 1001).encode("utf-16")
    assert refused(many) == "line 1: a model must have at most 1,000 elements; split it"
    cells = ("<definitions><rule>" + "<inputEntry/>" * 1001).encode("utf-16")
    assert refused(cells).startswith("line 1: a model must have at most 1,000 ")


def test_a_table_of_1_500_columns_is_rejected_and_others_are_read():
    found = loads_dmn(model([(f"f{i}", "number") for i in range(1500)], []).encode())
    message = "line 1: table 'D': a table must have at most 1,000 columns"
    assert [str(e) for e in found.errors] == [message]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "iso-8859-1", "windows-1252"])
def test_encodings_that_a_file_declares_are_read(encoding):
    text = model([("größe", "number", "")], [("> 5", '"süß"')])
    raw = f'<?xml version="1.0" encoding="{encoding.removesuffix("-sig")}"?>{text}'.encode(encoding)
    [table] = loads_dmn(raw).tables
    assert (table.space.names, table.rules[0].then) == (("größe",), "süß")


NO_ROW = "a row number must be an integer from 1 to 1,000,000, got"
WHOLE = '<decisionTable id="t" >'
INVALID = [
    ("feature", "<input>", "{", "Expecting property name"),
    ("feature", "<input>", "[]", 'must be an object with a "name", got []'),
    ("feature", "<input>", '{"name": ""}', "the name of a feature must be a non-empty string"),
    ("test", "<inputEntry>", "5", "a condition must be an object such as"),
    ("test", "<inputEntry>", '{"<": []}', ""),
    ("weight", "<rule>", '"heavy"', "could not convert string to float"),
    ("row", "<rule>", "0", f"{NO_ROW} 0"),
    ("row", "<rule>", "1e99", f"{NO_ROW} 1e+99"),
    ("then", "<rule>", '{"tuple": 5}', '"tuple" must be a list, got 5'),
    ("then", "<rule>", "[[[" * 500, ""),
    ("rows", WHOLE, "-1", f"{NO_ROW} -1"),
    ("ranking", WHOLE, "5", "the value must be a list, got 5"),
    ("name", WHOLE, "5", "the value must be text, got 5"),
    ("impossible", WHOLE, "[5]", "a region must be an object of conditions, got 5"),
    ("impossible", WHOLE, '[{"g": {"<": 5}}]', "unknown feature 'g'"),
]


def test_invalid_irenic_attributes_are_errors():
    text = model([("f", "number")], [("1", "2")]).replace(
        "<definitions ", '<definitions xmlns:irenic="urn:irenic:dmn" '
    )
    for name, place, value, message in INVALID:
        changed = text.replace(place, f"{place[:-1]} irenic:{name}='{escape(value)}'>")
        assert changed != text
        found = loads_dmn(changed.encode())
        assert found.tables == [], (name, value)
        assert any(message in str(error) for error in found.errors), (name, found.errors)


PIECES = [
    b"<", b">", b"&", b"</text>", b"<text>", b'"', b"[", b"..", b"-", b"not(", b"\x00", b"\xff",
    b"<rule>", b"</rule>", b"<input>", b'typeRef="', b"tBase", b"date(", b"isCollection='true'",
    b"<!DOCTYPE x>", b"hitPolicy=", b"1e999", b"P1Y", b"itemDefinition", b"inputValues", b"  ",
]  # fmt: skip
MODELS = [
    m.encode()
    for m in (LOAN, TIMES, CAMUNDA, model([("a", "tOwn"), ("b", "number", "[0..9]")],
                                          [('"a"', "> 5", "1")], before=ITEMS))
]  # fmt: skip


@given(
    st.sampled_from(MODELS),
    st.lists(
        st.tuples(st.integers(0, 4000), st.integers(0, 20), st.sampled_from(PIECES)), max_size=4
    ),
)
def test_a_damaged_model_is_read_or_rejected(raw, damages):
    for at, length, piece in damages:
        at %= len(raw)
        raw = raw[:at] + piece + raw[at + length :]
    try:
        found = loads_dmn(raw)
    except IrenicError:
        return
    assert all(isinstance(error, FormatError) for error in found.errors)


WORDS = st.sampled_from(
    ["definitions", "decision", "decisionTable", "input", "output", "rule", "inputEntry", "text",
     "outputEntry", "inputExpression", "itemDefinition", "typeRef", "allowedValues", "variable",
     "import", "inputData", "itemComponent", "contextEntry", "context", "inputValues",
     "defaultOutputEntry", "outputValues", "formalParameter"]
)  # fmt: skip
ATTRIBUTES = st.dictionaries(
    st.sampled_from(["name", "typeRef", "label", "hitPolicy", "isCollection", "namespace",
                     "locationURI", "id", "aggregation"]),
    st.sampled_from(["", "a", "number", "t:a", "a.a", "string", "UNIQUE", "true", "urn:a"]),
    max_size=3,
)  # fmt: skip
TEXTS = st.sampled_from(["", "a", "5", "[0..9]", '"a"', "string", "a.a", "not(", "date"])


@st.composite
def elements(draw, depth=3):
    tag, text = draw(WORDS), draw(TEXTS)
    said = "".join(f' {k}="{v}"' for k, v in draw(ATTRIBUTES).items())
    inner = "".join(draw(st.lists(elements(depth - 1), max_size=3))) if depth else ""
    return f"<{tag}{said}>{text}{inner}</{tag}>"


@given(st.lists(elements(), max_size=4))
@example(['<import name="" namespace="urn:a"/><decision><decisionTable><input/></decisionTable>'
          "</decision>"])  # fmt: skip
def test_any_elements_are_read_or_rejected(inner):
    text = f'<definitions xmlns="urn:x" namespace="urn:a">{"".join(inner)}</definitions>'
    for table in loads_dmn(text.encode()).tables:
        assert len(table.rows) == len(table.rules)
