"""Small files that are expensive to read, made on the fly: names and functions that write them."""

from __future__ import annotations

import gzip
import io
import zipfile
from pathlib import Path

MB = 2**20
SIZE = 1500 * MB
"""The size of large contents, more than any reader accepts."""
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
RELATED = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
BOOK = "application/vnd.openxmlformats-officedocument.spreadsheetml"
ODS = """<office:document-content
 xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
 xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"
 xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"><office:body><office:spreadsheet>"""
CELL = '<table:table-cell {} office:value-type="string"><text:p>x</text:p></table:table-cell>'


def workbook(path, *rows, before="", after="", sheets=1, **parts):
    """Write a workbook of the given XML; every piece is bytes, or a pair of bytes and a count.

    ``rows`` are the pieces of the sheet data, and ``parts`` replace or add further files.
    """
    titles = "".join(
        f'<sheet name="s{n}" sheetId="{n}" r:id="r{min(n, 1)}"/>' for n in range(1, sheets + 1)
    )
    head = f'<worksheet xmlns="{MAIN}">{before}<sheetData>'.encode()
    files = {
        "[Content_Types].xml": [
            f'<Types xmlns="{PACKAGE}/content-types">'
            '<Default Extension="xml" ContentType="application/xml"/>'
            f'<Override PartName="/xl/workbook.xml" ContentType="{BOOK}.sheet.main+xml"/>'
            f'<Override PartName="/xl/sharedStrings.xml" ContentType="{BOOK}.sharedStrings+xml"/>'
            f'<Override PartName="/xl/styles.xml" ContentType="{BOOK}.styles+xml"/>'
            "</Types>".encode()
        ],
        "_rels/.rels": [
            f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="r1"'
            f' Type="{RELATED}/officeDocument" Target="xl/workbook.xml"/></Relationships>'.encode()
        ],
        "xl/workbook.xml": [
            f'<workbook xmlns="{MAIN}" xmlns:r="{RELATED}"><sheets>{titles}</sheets>'
            "</workbook>".encode()
        ],
        "xl/_rels/workbook.xml.rels": [
            f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="r1"'
            f' Type="{RELATED}/worksheet" Target="worksheets/sheet1.xml"/>'
            f'<Relationship Id="r2" Type="{RELATED}/sharedStrings" Target="sharedStrings.xml"/>'
            f'<Relationship Id="r3" Type="{RELATED}/styles" Target="styles.xml"/>'
            "</Relationships>".encode()
        ],
        "xl/sharedStrings.xml": [f'<sst xmlns="{MAIN}"/>'.encode()],
        "xl/styles.xml": [f'<styleSheet xmlns="{MAIN}"/>'.encode()],
        "xl/worksheets/sheet1.xml": [head, *rows, f"</sheetData>{after}</worksheet>".encode()],
        **{f"xl/{name}.xml": pieces for name, pieces in parts.items()},
    }
    write_zip(path, files)


def write_zip(path, files):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, pieces in files.items():
            with archive.open(name, "w") as part:
                for piece in pieces:
                    write_piece(part, piece)


def write_piece(part, piece):
    text, times = piece if isinstance(piece, tuple) else (piece, 1)
    block = text * max(1, min(times, MB // len(text)))
    whole, rest = divmod(len(text) * times, len(block))
    for _ in range(whole):
        part.write(block)
    part.write(block[:rest])


def with_size(path, name, size):
    """Change the unpacked size that a zip archive declares for a file, in both of its headers."""
    raw = bytearray(path.read_bytes())
    for signature, at_size, at_name in ((b"PK\x03\x04", 22, 30), (b"PK\x01\x02", 24, 46)):
        at = raw.find(signature)
        while raw[at + at_name : at + at_name + len(name)] != name:
            at = raw.find(signature, at + 1)
        raw[at + at_size : at + at_size + 4] = size.to_bytes(4, "little")
    path.write_bytes(raw)


def inline(text, place="A1"):
    return f'<c r="{place}" t="inlineStr"><is><t>{text}</t></is></c>'.encode()


HEADER = b"<row>" + inline("age") + inline("fare", "B1") + b"</row>"
BODY = b'<row><c r="A2"><v>1</v></c>' + inline("x", "B2") + b"</row>"


def one_cell(path, size=SIZE):
    pieces = b"<row>" + inline("@", "A1").split(b"@")[0], (b"x", size), b"</t></is></c></row>"
    workbook(path, *pieces)


def one_cell_lying(path):
    one_cell(path)
    with_size(path, b"xl/worksheets/sheet1.xml", 1000)


def shared_strings(path):
    strings = [f'<sst xmlns="{MAIN}">'.encode(), (b"<si><t>x</t></si>", 6_000_000), b"</sst>"]
    workbook(path, HEADER, BODY, sharedStrings=strings)


def styles(path):
    many = [
        f'<styleSheet xmlns="{MAIN}"><fonts>'.encode(),
        (b'<font><sz val="1"/></font>', 4_000_000),
        b"</fonts></styleSheet>",
    ]
    workbook(path, HEADER, BODY, styles=many)


def long_row(path, cell=b"<c/>"):
    workbook(path, HEADER, b"<row>", (cell, 3_000_000), b"</row>")


def rows_inside_a_row(path):
    other = b'<c><v>1</v></c><y:row xmlns:y="urn:y"/>'
    workbook(path, HEADER, b"<row>", (other, 1_000_000), b"</row>")


def corners(path):
    workbook(path, b"<row>" + inline("age") + b"</row>",
             b'<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>')  # fmt: skip


def wide_rows(path):
    row = b'<row><c r="A1"><v>1</v></c><c r="XFD1"><v>1</v></c></row>'
    workbook(path, HEADER, (row, 100_000))


def far_row(path):
    workbook(path, HEADER, b'<row r="99999999999"><c><v>1</v></c></row>')


def many_rows(path):
    workbook(path, HEADER, (b"<row/>", 15_000_000))


def many_cells(path):
    workbook(path, HEADER, (b"<row><c><v>1</v></c><c><v>1</v></c></row>", 2_500_000))


def many_unknown(path):
    workbook(path, HEADER, BODY, (b"<z/>", 20_000_000))


def many_sheets(path):
    workbook(path, HEADER, (BODY, 20_000), sheets=1_000)


def deep(path):
    workbook(path, HEADER, b"<row><c><is>", (b"<z>", 3_000_000))


def merged(path):
    refs = "<mergeCells>" + '<mergeCell ref="A2:XFD1048576"/>' * 50_000 + "</mergeCells>"
    workbook(path, HEADER, (BODY, 20_000), after=refs)


def entities(path):
    entity = b'<!DOCTYPE z [<!ENTITY a "' + b"x" * 60_000 + b'">]>'
    sheet = [entity, f'<worksheet xmlns="{MAIN}"><sheetData><row><c t="inlineStr"><is><t>'.encode(),
             (b"&a;", 30_000), b"</t></is></c></row></sheetData></worksheet>"]  # fmt: skip
    workbook(path, **{"worksheets/sheet1": sheet})


WORKBOOKS = (
    one_cell,
    one_cell_lying,
    shared_strings,
    styles,
    long_row,
    rows_inside_a_row,
    corners,
    wide_rows,
    far_row,
    many_rows,
    many_cells,
    many_unknown,
    many_sheets,
    deep,
    merged,
    entities,
)


# --- OpenDocument


def spreadsheet(path, *pieces):
    write_zip(path, {
        "mimetype": [b"application/vnd.oasis.opendocument.spreadsheet"],
        "content.xml": [
            ODS.encode(), b'<table:table table:name="t">', *pieces,
            b"</table:table></office:spreadsheet></office:body></office:document-content>",
        ],
    })  # fmt: skip


def ods_one_cell(path):
    start, end = CELL.format("").split(">x<")
    spreadsheet(path, f"<table:table-row>{start}>".encode(), (b"x", SIZE),
                f"<{end}</table:table-row>".encode())  # fmt: skip


def ods_one_cell_lying(path):
    ods_one_cell(path)
    with_size(path, b"content.xml", 1000)


def ods_repeated(path):
    cell = CELL.format('table:number-columns-repeated="10000"')
    row = f'<table:table-row table:number-rows-repeated="400">{cell}</table:table-row>'
    spreadsheet(path, row.encode())


def ods_repeated_often(path):
    cell = CELL.format('table:number-columns-repeated="2"')
    row = f'<table:table-row table:number-rows-repeated="1000000">{cell}</table:table-row>'
    spreadsheet(path, row.encode())


def ods_spanned(path):
    cell = CELL.format('table:number-rows-spanned="1048576" table:number-columns-spanned="16384"')
    spreadsheet(path, f"<table:table-row>{cell}{cell}</table:table-row>".encode())


def ods_elements(path):
    spreadsheet(path, (b"<table:table-row/>", 6_000_000))


def ods_deep(path):
    spreadsheet(path, (b"<text:p>", 2_000_000))


SPREADSHEETS = (
    ods_one_cell,
    ods_one_cell_lying,
    ods_repeated,
    ods_repeated_often,
    ods_spanned,
    ods_elements,
    ods_deep,
)


# --- text


def text(*pieces):
    def write(path):
        with Path(path).open("wb") as file:
            for piece in pieces:
                write_piece(file, piece)

    return write


def zipped(*pieces):
    def write(path):
        with gzip.open(path, "wb", compresslevel=1) as file:
            for piece in pieces:
                write_piece(file, piece)

    return write


TEXTS = {
    "commas.csv": text((b",", 30 * MB)),
    "commas-below.csv": text(b"a,b\n", (b",", 60 * MB)),
    "semicolons.csv": text((b'"";', 10 * MB)),
    "quotes.csv": text((b'"a"', 10 * MB)),
    "open-quote.csv": text(b'a,b\n"', (b"1,2\n", 10 * MB)),
    "tabs.tsv": text((b"\t", 60 * MB)),
    "pipes.md": text((b"|", 20 * MB), b"\n", (b"|-", 10 * MB)),
    "tables.md": text((b"|a|b|\n|-|-|\n\n", 200_000)),
    "lists.json": text(b"[", (b"[],", 20 * MB), b"0]"),
    "deep.json": text((b"[", 30 * MB)),
    "numbers.json": text(b'{"version": 1, "rules": [', (b"1.5,", 15 * MB), b"0]}"),
    "digits.json": text(b'{"version": ', (b"7", 30 * MB), b"}"),
    "keys.json": text((b'{"a":', 5 * MB)),
    "line.rules": text(b"IF ", (b"a < 1 AND ", 3 * MB), b"a < 1 THEN x\n"),
    "parentheses.rules": text(b"IF ", (b"(", 30 * MB)),
    "lines.rules": text((b"\n", 60 * MB)),
    "signs.rules": text((b"(\n", 30 * MB)),
    "word.rules": text((b"a", 60 * MB)),
    "elements.dmn": text(b"<definitions>", (b"<a/>", 14 * MB), b"</definitions>"),
    # cells for which patterns once tried all ways to split them
    "word-cell.csv": text(b"a,b\n", (b"x", 60_000), b",y\nred,z\n"),
    "name-cell.csv": text(b"a,<", (b"\xc2\xa0", 60_000), b"1,b\n1,2,y\n"),
    "escapes-cell.csv": text(b'a,b\n"', b'""', (b'\\""', 20_000), b'",y\n5,z\n'),
    "declared-cell.csv": text(b"a,b\none of x", (b" ", 60_000), b"y,\nx,1\n"),
    "letters-cell.csv": text(b"a;b\n", (b"ab-", 20_000), b";y\n5;z\n"),
    "attributes.dmn": text(b"<definitions ", (b'a=""', 14 * MB), b"/>"),
    "deep.dmn": text((b"<definitions>", 4 * MB)),
}
INSTANCES = {
    "zipped.csv.gz": zipped(b"age,fare\n", (b"1,x\n", SIZE // 4)),
    "commas.csv.gz": zipped((b",", SIZE)),
}


def parquet_rows(path):
    """Write a hundred million equal rows, which are encoded as one."""
    import pyarrow as pa
    from pyarrow import parquet

    column = pa.DictionaryArray.from_arrays(pa.repeat(pa.scalar(0, pa.int32()), 1_000_000), ["x"])
    table = pa.table({"age": pa.repeat(pa.scalar(1.5), 1_000_000), "fare": column})
    with parquet.ParquetWriter(path, table.schema) as writer:
        for _ in range(100):
            writer.write_table(table)


def parquet_text(path):
    """Write a text of a megabyte in each of 2,000 rows, which are encoded as one."""
    import pyarrow as pa
    from pyarrow import parquet

    texts = pa.array(["x" * MB])
    column = pa.DictionaryArray.from_arrays(pa.repeat(pa.scalar(0, pa.int32()), 2_000), texts)
    parquet.write_table(pa.table({"age": column, "fare": column}), path, compression="zstd")


def parquet_columns(path):
    import pyarrow as pa
    from pyarrow import parquet

    parquet.write_table(pa.table({f"c{n}": [1] for n in range(20_000)}), path)


PARQUETS = (parquet_rows, parquet_text, parquet_columns)


def as_bytes(write, *arguments):
    """Return what a function writes, for tests that need no file."""
    file = io.BytesIO()
    write(file, *arguments)
    return file.getvalue()
