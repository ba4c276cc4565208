"""Bad files, one of each kind: what they hold, how they are read, and what must be said of them."""

import bz2
import gzip
import io
import lzma
import os
import sqlite3
import tarfile
import zipfile
from contextlib import closing

import numpy as np
import polars as pl

ROWS = b"".join(b"%d,x,%s\n" % (i, b"yes" if i % 2 else b"no") for i in range(40))
TABLE = b"age,job,buys\n" + ROWS
LONG_ROWS = ROWS.replace(b",x,", b"," + b"x" * 200 + b",")  # 600 of them are more than BufferSizes.coded_above


def idx(*sizes, data=b"", kind=8):
    return bytes([0, 0, kind, len(sizes)]) + np.array(sizes, dtype=">u4").tobytes() + data


def parquet(**columns):
    buffer = io.BytesIO()
    pl.DataFrame(columns).write_parquet(buffer)
    return buffer.getvalue()


def arrow(**columns):
    buffer = io.BytesIO()
    pl.DataFrame(columns).write_ipc(buffer)
    return buffer.getvalue()


def tar(**files):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for name, data in files.items():
            entry = tarfile.TarInfo(name.replace("__", "/"))
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return buffer.getvalue()


def linked(kind):
    """An archive with a message and a link to it."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("a/1"))
        link = tarfile.TarInfo("b/2")
        link.type, link.linkname = kind, "a/1"
        archive.addfile(link)
    return buffer.getvalue()


def sheet(*cells, claimed=None, spelled=("", ""), part="worksheets/sheet1.xml", shared=None):
    """An xlsx file with texts in these cells of its sheet, which may claim to be of another size when it is unpacked.

    Its XML may be spelled in another way, and the part with the sheet be called something else.
    """
    buffer = io.BytesIO()
    types = "http://schemas.openxmlformats.org/package/2006/content-types"
    relations = "http://schemas.openxmlformats.org/package/2006/relationships"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    rows = "".join(f'<row><c r="{cell}" t="inlineStr"><is><t>{cell}</t></is></c></row>' for cell in cells)
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{types}"><Default Extension="xml" ContentType="application/xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{relations}"><Relationship Id="r1" Type="{office}/officeDocument" '
        'Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{office}"><sheets><sheet name="S" sheetId="1" r:id="r1"/>'
        "</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{relations}"><Relationship Id="r1" Type="{office}/worksheet" '
        f'Target="{part}"/></Relationships>',
    }
    if shared is not None:
        parts["xl/sharedStrings.xml"] = f'<sst xmlns="{main}">{shared}</sst>'
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
        text = f'<worksheet xmlns="{main}"><sheetData>{rows.replace(*spelled)}</sheetData></worksheet>'.encode()
        archive.writestr(f"xl/{part}", text)
    size = len(text).to_bytes(4, "little")
    return buffer.getvalue().replace(size, (claimed or len(text)).to_bytes(4, "little"))


FAR = ("A1", "B2", "XFD1048576")
CORNER = 'r="XFD1048576"'
SPELLINGS = {
    "single quotes": {"spelled": (CORNER, "r='XFD1048576'")},
    "a line feed": {"spelled": (f"<c {CORNER}", f"<c\n{CORNER}")},
    "blanks": {"spelled": (CORNER, 'r = "XFD1048576"')},
    "an angle before it": {"spelled": (CORNER, f'x=">" {CORNER}')},
    "much before it": {"spelled": (CORNER, f'x="{"z" * 9999}" {CORNER}')},
    "no place but the row's": {"spelled": (f"<row><c {CORNER}", '<row r="1048576">' + "<c><v>1</v></c>" * 9999 + "<c")},
    "zeros before its row": {"spelled": (CORNER, f'r="XFD{"0" * 16}1048576"')},
    "another name of its part": {"part": "deep/rows.dat"},
}


def repeated(number):
    """An xlsx file of which 2,999 cells name one text of a megabyte, by a number that is spelled like this."""
    return sheet(
        *(f"A{row}" for row in range(1, 3000)),
        spelled=('t="inlineStr"><is><t>', f't="s">{number}<is><t>'),
        shared=f"<si><t>{'a' * 10**6}</t></si>",
    )


def ods(rows):
    """An ods file with these rows."""
    names = " ".join(f'xmlns:{one}="urn:oasis:names:tc:opendocument:xmlns:{one}:1.0"' for one in ("office", "table", "text"))
    table = f'<table:table table:name="S">{rows}</table:table>'
    body = f"<office:body><office:spreadsheet>{table}</office:spreadsheet></office:body>"
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet", zipfile.ZIP_STORED)
        archive.writestr("META-INF/manifest.xml", "<manifest/>")
        archive.writestr("content.xml", f"<office:document-content {names}>{body}</office:document-content>")
    return buffer.getvalue()


def ods_row(times, text):
    cell = f'<table:table-cell office:value-type="string"><text:p>{text}</text:p></table:table-cell>'
    return f'<table:table-row table:number-rows-repeated="{times}">{cell}</table:table-row>'


def cut_database():
    """An SQLite file without its last page, in which the cells are."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE TABLE t (a, y)")
        connection.executemany("INSERT INTO t VALUES (?, ?)", [(1, "u"), (2, "v")])
        connection.commit()
        return connection.serialize()[:5000]


PARQUET = parquet(a=list(range(500)), y=["u", "v"] * 250)
ARROW = arrow(a=list(range(500)), y=["u", "v"] * 250)
THREE = gzip.decompress(tar(a__1=b"one", b__2=b"two", a__3=b"three"))  # each is a header and a block of 512 bytes
NEWS = tar(a__1=b"hello there" * 500, b__2=os.urandom(5000))

ARFF = b"@relation r\n@attribute a numeric\n@attribute y {u, 'v', \"w x\"}\n@data\n"

# file name, content, options, line (None: no line applies), words of the message
BAD = {
    # what a tiny file makes of memory, and what a cut one makes of cells
    "a cell in the last corner of a sheet": ("a.xlsx", sheet("A1", "B2", "XFD1048576"), {}, None, "row 1,048,576"),
    "a cell beyond all sheets": ("a.xlsx", sheet("A1", "ZZZZZZZZ2"), {}, None, "column 217,180,147,158"),
    **{
        f"such a cell, with {how}": ("a.xlsx", sheet(*FAR, **kw), {}, None, "row 1,048,576") for how, kw in SPELLINGS.items()
    },
    **{
        f"a text of a megabyte in 3,000 cells, as {number}": ("a.xlsx", repeated(number), {}, None, "repeat texts, 2,99")
        for number in ("<v>0</v>", "<f>A1</f><v>0</v>", "<!-- --><v>0</v>", "<v>+0</v>")
    },
    "a row that is there 900,000 times": (
        "a.ods",
        ods(ods_row(1, "a") + ods_row(900_000, "z" * 999)),
        {},
        None,
        "repeat texts",
    ),
    "such a row, counted in entities": ("a.ods", ods(ods_row("&#57;00000", "z" * 999)), {}, None, "repeat texts"),
    "such a row, with its text in the tag": (
        "a.ods",
        ods(ods_row(900_000, "").replace('e="string"', f'e="string" office:string-value="{"z" * 999}"')),
        {},
        None,
        "repeat texts",
    ),
    "a sheet that unpacks to 300 MB": ("a.xlsx", sheet("A1", claimed=300_000_000), {}, None, "as no table does"),
    # a line that is a row, or a cell, and would be the names
    "labels and words of Vowpal Wabbit": ("a.txt", b"1 | cheap good\n-1 | dear\n", {}, 1, "format='vw'"),
    "words without labels": ("a.txt", b"| cheap good\n| dear\n", {}, 1, "format='vw'"),
    "rows that psql shows by cell": (
        "a.txt",
        b"-[ RECORD 1 ]-\nid | 1\ny  | u\n-[ RECORD 2 ]-\nid | 2\ny  | v\n",
        {},
        None,
        "a line for each cell",
    ),
    "rows that MySQL shows by cell": (
        "a.txt",
        b"%b 1. row %b\nid: 1\n y: u\n" % (b"*" * 27, b"*" * 27),
        {},
        None,
        "a line for each cell",
    ),
    "a database without its end": ("a.db", cut_database(), {}, None, "5,000 bytes of the 8,192"),
    "JSON without end": ("a.json", b'{"a": ' + b"[" * 50_000 + b"]" * 50_000 + b"}\n", {}, 1, "too deep"),
    "a list in JSON without end": ("a.json", b'[{"a": ' + b"[" * 50_000 + b"]" * 50_000 + b"}]", {}, None, "too deep"),
    "UTF-16 that is UTF-8": ("a.csv", TABLE, {"encoding": "utf-16"}, None, "encoding='utf-16-le'"),
    "bzip2 in two streams, the second damaged": ("a.csv", bz2.compress(TABLE) + b"CZh91AY" + bytes(40), {}, None, "damaged"),
    "xz with rows behind it": ("a.csv.xz", lzma.compress(TABLE) + ROWS, {}, None, "truncated or damaged"),
    "a value that is not declared": ("a.arff", ARFF + b"1,u\n2,v % last\n", {}, 6, "'v % last' is none of the values"),
    # what other programs make of a table
    "a web page": ("a.csv", b"<!DOCTYPE html>\n<html>\n<body>Please, log in</body></html>\n", {}, None, "web page"),
    "XML": ("a.xml", b"<rows><row><a>1</a></row><row><a>2</a></row></rows>\n", {}, None, "it is XML"),
    "row names of R": ("a.csv", b'"a","y"\n"1",5,"u"\n"2",6,"v"\n', {}, 2, "as R writes them"),
    "single quotes": ("a.csv", b"a,y\n'1','u'\n'2','v'\n", {}, 2, "single quotes"),
    "formulas": ("a.csv", b'a,y\n="1",u\n="2",v\n', {}, 2, "is a formula"),
    "Qualtrics": ("a.csv", b'q,y\nHow?,So?\n"{""ImportId"":""1""}","{""ImportId"":""2""}"\n1,u\n', {}, 3, "Qualtrics"),
    "psql, cells of two lines": ("a.txt", b" a   | y\n-----+---\n one+| u\n two | \n", {}, 3, "goes on in the next line"),
    "sqlcmd, a cell too wide": ("a.txt", b"a   y\n--- ---\n1   u\n12345 v\n", {}, 4, "crosses the columns"),
    "psql, a bar in a cell": ("a.txt", b" a | y\n---+---\n 1 | u\n 2|3 | v\n", {}, 4, "3 cells, expected 2"),
    # tables
    "empty file": ("a.csv", b"", {}, None, "empty"),
    "empty file without a suffix": ("a", b"", {}, None, "empty"),
    "empty gzip": ("a.csv.gz", gzip.compress(b"", mtime=0), {}, None, "empty"),
    "blank lines only": ("a.csv", b"\n\n  \n", {}, None, "blank"),
    "header only": ("a.csv", b"age,job,buys\n", {}, 1, "no rows"),
    "header only, no newline": ("a.csv", b"age,job,buys", {}, 1, "no rows"),
    "one line of data, taken for a header": ("a.csv", b"39,Private,<=50K\n", {}, 1, "--no-header"),
    "short row": ("a.csv", TABLE + b"1,x\n" + ROWS, {}, 42, "2 cells, expected 3"),
    "long row": ("a.csv", TABLE + b"1,x,no,7\n" + ROWS, {}, 42, "4 cells, expected 3"),
    "short and long row": ("a.csv", TABLE + b"1,x\n1,x,no,7\n", {}, 42, "2 cells"),
    "long first row": ("a.csv", b"a,b\n1,2,3\n4,5,6\n", {}, 2, "3 cells"),
    "short last row": ("a.csv", TABLE + b"1,x", {}, 42, "2 cells"),
    "short row after blank lines": ("a.csv", TABLE + b"\n\n1,x\n", {}, 44, "2 cells"),
    "short row with CRLF": ("a.csv", TABLE.replace(b"\n", b"\r\n") + b"1,x\r\n", {}, 42, "2 cells"),
    "short row after a quoted line end": ("a.csv", b'a,b\n"x\ny",2\n3\n', {}, 4, "1 cell"),
    "short row far down": ("a.csv", TABLE + LONG_ROWS * 600 + b"1,x\n", {}, 24_042, "2 cells"),
    "ragged TSV": ("a.tsv", b"a\tb\n1\t2\n3\n", {}, 3, "1 cell"),
    "ragged blanks": ("a.data", b"1 2 3\n" * 9 + b"1 2\n", {"header": False, "format": "blanks"}, 10, "2 cells"),
    "wrong delimiter named": ("a.csv", TABLE.replace(b",", b";"), {"delimiter": ","}, 1, "delimiter=';'"),
    "wrong delimiter, target named": ("a.csv", b"a:b\n1:2\n", {"target": "b"}, 1, "one column found"),
    "one column and a target": ("a.csv", b"a\n1\n2\n", {"target": "a"}, 1, "one column"),
    "NUL byte": ("a.csv", TABLE + b"1,\0,no\n", {}, 42, "NUL"),
    "NUL far down": ("a.csv", TABLE + ROWS * 2000 + b"1,\0,no\n", {}, 80_042, "NUL"),
    "binary garbage": ("a.csv", bytes(range(256)) * 10, {}, 1, "NUL"),
    "UTF-16 that is cut": ("a.csv", TABLE.decode().encode("utf-16")[:-1], {}, 41, "is not utf-16"),
    "UTF-16 without its mark": ("a.csv", TABLE.decode().encode("utf-16-le"), {}, 1, "encoding='utf-16-le'"),
    "UTF-16 with its high bytes first": ("a.csv", TABLE.decode().encode("utf-16-be"), {}, 1, "encoding='utf-16-be'"),
    "Latin-1 behind UTF-8": ("a.csv", TABLE + "1,é,no\n".encode() + b"1,\xe9,no\n", {}, 43, "encoding='windows-1252'"),
    "Latin-1 far down": ("a.csv", TABLE + "ü,é,no\n".encode() + ROWS * 2000 + b"1,\xe9,no\n", {}, 80_043, "0xe9"),
    "a byte that Windows-1252 lacks": ("a.csv", TABLE + b"1,f\x81r,no\n", {}, 42, "neither UTF-8 nor Windows-1252"),
    "Latin-1 as UTF-8": ("a.csv", TABLE + b"1,\xe9,no\n", {"encoding": "utf-8"}, 42, "0xe9"),
    "twin columns": ("a.csv", b"a,b,a\n1,2,3\n", {}, 1, "'a' occurs 2 times"),
    "twin cells of a file without header": ("a.csv", b"1,1,x\n2,3,y\n", {}, 1, "--no-header"),
    "twin names": ("a.csv", b"1,2\n", {"header": False, "names": ["a", "a"]}, 1, "rename"),
    "too few names": ("a.csv", b"1,2\n", {"header": False, "names": ["a"]}, 1, "1 name given"),
    "no such target": ("a.csv", TABLE, {"target": "buy"}, None, "Did you mean 'buys'"),
    "no such target, all named": ("a.csv", TABLE, {"target": "zzz"}, None, "age, job, buys"),
    "no such target, as there is no header": ("a.csv", ROWS, {"target": "income"}, None, "--no-header"),
    "target 0": ("a.csv", ROWS, {"target": "0", "header": False}, None, "from 1 to 3"),
    "target 4 of 3": ("a.csv", ROWS, {"target": 4, "header": False}, None, "from 1 to 3"),
    "target -4 of 3": ("a.csv", ROWS, {"target": "-4", "header": False}, None, "from 1 to 3"),
    "missing label": ("a.csv", TABLE + b"1,x,?\n", {"target": "buys"}, 42, "no label"),
    "empty labels": ("a.csv", TABLE + b"\n1,x,\n1,x,\n", {"target": "buys"}, 43, "2 rows have no label"),
    "infinity": ("a.csv", b"a,b\n1.5,x\n2,y\n\n-inf,y\n", {}, 5, "-inf"),
    "overflow": ("a.csv", b"a,b\n1.5,x\n1e999,y\n", {}, 3, "inf"),
    "open quote": ("a.csv", b'a,b\n1,"x\n2,y\n3,z\n', {}, 2, "quote"),
    "open quote in the header": ("a.csv", b'a,"b\n1,x\n', {"format": "csv"}, 1, "quote"),
    "line ends of an old Mac, and of others": ("a.csv", b"a,b\r1,2\r3,4\r5,6\n", {}, 1, "CR"),
    # compressed and foreign
    "truncated gzip": ("a.csv.gz", gzip.compress(os.urandom(9999).hex().encode(), mtime=0)[:-3000], {}, None, "truncated"),
    "truncated gzip header": ("a.csv.gz", b"\x1f\x8b\x08", {}, None, "truncated"),
    "gzip without its check": ("a.csv.gz", gzip.compress(TABLE, mtime=0)[:-8], {}, None, "truncated"),
    "gzip with a wrong check": ("a.csv.gz", gzip.compress(TABLE, mtime=0)[:-8] + b"12345678", {}, None, "damaged"),
    "zip": ("a.zip", b"PK\x03\x04" + bytes(99), {}, None, "zip archive"),
    "spreadsheet": ("a.xlsx", b"PK\x03\x04" + bytes(99), {}, None, "CSV"),
    "bzip2": ("a.csv.bz2", b"BZh91AY", {}, None, "truncated"),
    "xz": ("a.csv.xz", b"\xfd7zXZ\0", {}, None, "truncated"),
    # Parquet and Arrow
    "truncated Parquet": ("a.parquet", PARQUET[:-100], {}, None, "Parquet data is truncated"),
    "Parquet with a damaged foot": ("a.parquet", PARQUET[:-60] + b"x" * 52 + PARQUET[-8:], {}, None, "damaged"),
    "only the Parquet magic": ("a.parquet", b"PAR1", {}, None, "truncated"),
    "text called Parquet": ("a.parquet", TABLE, {"format": "parquet"}, None, "damaged"),
    "truncated Arrow": ("a.arrow", ARROW[: len(ARROW) // 2], {}, None, "Arrow data is truncated"),
    "only the Arrow magic": ("a.feather", b"ARROW1\0\0", {}, None, "damaged"),
    "old Feather": ("a.feather", b"FEA1" + bytes(50), {}, None, "version 1"),
    "Parquet without rows": ("a.parquet", parquet(a=[], b=[]), {}, None, "no rows"),
    "lists in Parquet": ("a.parquet", parquet(a=[[1], [2]], y=[0, 1]), {"target": "y"}, None, "List"),
    "infinity in Parquet": ("a.parquet", parquet(a=[1.0, float("inf")], y=[0, 1]), {}, None, "row 2"),
    "missing label in Parquet": ("a.parquet", parquet(a=[1, 2], y=["u", None]), {"target": "y"}, None, "row 2"),
    "no such target in Parquet": ("a.parquet", PARQUET, {"target": "x"}, None, "columns are a, y"),
    # libsvm
    "negative index": ("a.libsvm", b"1 1:1\n-1 -3:2\n", {}, 2, "negative"),
    "index 2^31": ("a.libsvm", b"1 1:1\n1 2147483648:2\n", {}, 2, "2,147,483,647"),
    "index 2^40": ("a.libsvm", b"1 1:1\n1 1099511627776:2\n", {}, 2, "2,147,483,647"),
    "index of 30 digits": ("a.libsvm", b"1 1:1\n1 1%s:2\n" % (b"0" * 29), {}, 2, "2,147,483,647"),
    "index no number": ("a.libsvm", b"1 1:1\n1 x:2\n", {}, 2, "whole number"),
    "index a fraction": ("a.libsvm", b"1 1:1\n1 1.5:2\n", {}, 2, "whole number"),
    "index twice": ("a.libsvm", b"# head\n1 1:1\n\n1 3:1 2:1 3:2\n", {}, 4, "index 3 occurs twice"),
    "value NaN": ("a.libsvm", b"1 1:1\n1 2:nan\n", {}, 2, "finite"),
    "value inf": ("a.libsvm", b"1 1:1\n1 2:-inf\n", {}, 2, "finite"),
    "value too large": ("a.libsvm", b"1 1:1\n1 2:1e999\n", {}, 2, "finite"),
    "value missing": ("a.libsvm", b"1 1:1\n1 2: 3:4\n", {}, 2, "finite"),
    "value a word": ("a.libsvm", b"1 1:1\n1 2:abc\n", {}, 2, "'2:abc'"),
    "value 1_000": ("a.libsvm", b"1 1:1\n1 2:1_000\n", {}, 2, "finite"),
    "colon missing": ("a.libsvm", b"1 1:1\n1 2 3:4\n", {}, 2, "index:value"),
    "two colons": ("a.libsvm", b"1 1:1\n1 5 3:4:6\n", {}, 2, "index:value"),
    "label a word": ("a.libsvm", b"1 1:1\nspam 2:1\n", {}, 2, "label 'spam'"),
    "label missing": ("a.libsvm", b"1 1:1\n2:1 3:1\n", {}, 2, "start the line with its label"),
    "two labels": ("a.libsvm", b"1 1:1\n1,2 3:1\n", {}, 2, "'1,2'"),
    "label NaN": ("a.libsvm", b"1 1:1\nnan 3:1\n", {}, 2, "label"),
    "comments only": ("a.libsvm", b"# nothing\n", {"format": "libsvm"}, None, "no line"),
    "index 0 where 1 is first": ("a.libsvm", b"1 0:1\n", {"zero_based": False}, None, "zero_based=True"),
    "index beyond n_features": ("a.libsvm", b"1 7:1\n", {"n_features": 5}, None, "n_features is 5"),
    "NUL in libsvm": ("a.libsvm", b"1 1:1\n1 2:\0\n", {"format": "libsvm"}, 2, "finite"),
    "target for libsvm": ("a.libsvm", b"1 1:1\n", {"target": "y", "format": "libsvm"}, None, "leave the target out"),
    # text
    "text without a tab": ("a.txt", b"ham\thello you\nspam\n", {"format": "text"}, 2, "format='lines'"),
    "text without a label": ("a.txt", b"ham\thello you\n\tbuy\n", {"format": "text"}, 2, "no label"),
    "text in two encodings": ("a.txt", b"ham\thello \xc3\xa9\nham\tcaf\xe9\n", {"format": "text"}, 2, "0xe9"),
    "blank text": ("a.txt", b"\n\n", {"format": "text"}, None, "blank"),
    "truncated tar": ("a.tar.gz", gzip.compress(gzip.decompress(NEWS)[:3000], mtime=0), {}, None, "damaged"),
    "truncated tar.gz": ("a.tar.gz", NEWS[:-2000], {}, None, "truncated"),
    "tar without folders": ("a.tar.gz", tar(a=b"x"), {}, None, "is in no folder"),
    "empty tar": ("a.tar.gz", gzip.compress(bytes(10240), mtime=0), {"format": "tar"}, None, "no files"),
    "tar cut off between two messages": ("a.tar", THREE[:2048], {}, None, "empty header"),
    "tar cut off within a header": ("a.tar", THREE[:2148], {}, None, "truncated header"),
    "tar with a damaged header": ("a.tar", THREE[:2048] + b"x" + THREE[2049:], {}, None, "bad checksum"),
    "two tars in one file": ("a.tar", THREE + THREE, {}, None, "more behind its end"),
    "hard link in a tar": ("a.tar", linked(tarfile.LNKTYPE), {}, None, "'b/2' is a link"),
    "symbolic link in a tar": ("a.tar", linked(tarfile.SYMTYPE), {}, None, "'b/2' is a link"),
    "class in a tar that is not UTF-8": ("a.tar", gzip.decompress(tar(**{"\udcff__1": b"x"})), {}, None, "not UTF-8"),
    # images
    "truncated idx": ("a-images-idx3-ubyte", idx(2, 3, 3, data=bytes(17)), {}, None, "1 bytes are missing"),
    "truncated idx.gz": (
        "a-images-idx3-ubyte.gz",
        gzip.compress(idx(2, 3, 3, data=bytes(17)), mtime=0),
        {},
        None,
        "missing",
    ),
    "idx with half its sizes": ("a-images-idx3-ubyte", idx(2, 3, 3)[:9], {}, None, "missing"),
    "idx too long": ("a-images-idx3-ubyte", idx(2, 3, 3, data=bytes(19)), {}, None, "more bytes"),
    "idx of labels": ("a-labels-idx1-ubyte", idx(3, data=bytes(3)), {}, None, "holds labels"),
    "idx of floats": ("a-images-idx3-ubyte", idx(1, 1, 1, data=bytes(4), kind=13), {}, None, "unsigned bytes"),
    "no images": ("a-images-idx3-ubyte", idx(0, 28, 28), {}, None, "nothing to learn"),
    "text called idx": ("a.csv", TABLE, {"format": "idx"}, None, "no idx file"),
}
