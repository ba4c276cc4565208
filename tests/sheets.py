"""Spreadsheets written by hand, for tests: workbooks of Excel and OpenDocument sheets."""

import io
import zipfile

OFFICE = "http://schemas.openxmlformats.org"
DAY = "2024-01-02"  # 45293 days after Excel's beginning


def zipped(**files):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def xlsx(merged=(), **sheets):
    """A workbook with these sheets; None is an empty cell, DAY a date. In the first, blocks are merged that are given by
    their first row and column and their last, from 0.
    """

    def cell(value):
        if value is None:
            return ""
        if value == DAY:
            return '<c s="1"><v>45293</v></c>'
        if isinstance(value, bool):
            return f'<c t="b"><v>{value:d}</v></c>'
        return f'<c t="inlineStr"><is><t>{value}</t></is></c>' if isinstance(value, str) else f"<c><v>{value}</v></c>"

    def row_of(i, values):
        cells = "".join(cell(value).replace("<c", f'<c r="{chr(65 + j)}{i}"', 1) for j, value in enumerate(values))
        return f'<row r="{i}">{cells}</row>'

    def rows(sheet):
        return "".join(row_of(i, values) for i, values in enumerate(sheet, 1))

    def letters(column):
        return (letters(column // 26 - 1) if column > 25 else "") + chr(65 + column % 26)

    def blocks(number):
        if number > 1 or not merged:
            return ""
        refs = [f"{letters(left)}{top + 1}:{letters(right)}{bottom + 1}" for top, left, bottom, right in merged]
        return f"<mergeCells>{''.join(f'<mergeCell ref={chr(34)}{ref}{chr(34)}/>' for ref in refs)}</mergeCells>"

    main, types = f"{OFFICE}/spreadsheetml/2006/main", f"{OFFICE}/officeDocument/2006/relationships"
    package = f"{OFFICE}/package/2006"
    listed = "".join(f'<sheet name="{name}" sheetId="{i}" r:id="r{i}"/>' for i, name in enumerate(sheets, 1))
    links = "".join(
        f'<Relationship Id="r{i}" Type="{types}/worksheet" Target="worksheets/s{i}.xml"/>' for i in range(1, len(sheets) + 1)
    )
    styles = '<cellXfs><xf numFmtId="0"/><xf numFmtId="14" applyNumberFormat="1"/></cellXfs>'
    return zipped(
        **{
            "[Content_Types].xml": f'<Types xmlns="{package}/content-types"/>',
            "_rels/.rels": f'<Relationships xmlns="{package}/relationships"><Relationship Id="r" '
            f'Type="{types}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
            "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{types}"><sheets>{listed}</sheets></workbook>',
            "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{package}/relationships">{links}<Relationship Id="st" '
            f'Type="{types}/styles" Target="styles.xml"/></Relationships>',
            "xl/styles.xml": f'<styleSheet xmlns="{main}">{styles}</styleSheet>',
        },
        **{
            f"xl/worksheets/s{i}.xml": f'<worksheet xmlns="{main}"><sheetData>{rows(sheet)}</sheetData>'
            + blocks(i)
            + "</worksheet>"
            for i, sheet in enumerate(sheets.values(), 1)
        },
    )


def ods(merged=(), **sheets):
    """The same as an OpenDocument file."""
    names = "urn:oasis:names:tc:opendocument:xmlns"
    spans = {(top, left): (bottom - top + 1, right - left + 1) for top, left, bottom, right in merged}

    def cell(i, j, value, first_sheet):
        rows, columns = spans.get((i, j), (1, 1)) if first_sheet else (1, 1)
        span = f' table:number-columns-spanned="{columns}" table:number-rows-spanned="{rows}"' if rows * columns > 1 else ""
        covered = any(t <= i <= b and left <= j <= r and (t, left) != (i, j) for t, left, b, r in merged) and first_sheet
        if covered:
            return "<table:covered-table-cell/>"
        if value is None:
            return f"<table:table-cell{span}/>"
        kind = (
            'office:value-type="string"' if isinstance(value, str) else f'office:value-type="float" office:value="{value}"'
        )
        return f"<table:table-cell {kind}{span}><text:p>{value}</text:p></table:table-cell>"

    tables = []
    for number, (name, sheet) in enumerate(sheets.items()):
        cells = ("".join(cell(i, j, value, not number) for j, value in enumerate(row)) for i, row in enumerate(sheet))
        rows = "".join(f"<table:table-row>{row or '<table:table-cell/>'}</table:table-row>" for row in cells)
        tables.append(f'<table:table table:name="{name}">{rows}</table:table>')
    content = (
        f'<office:document-content xmlns:office="{names}:office:1.0" xmlns:table="{names}:table:1.0" '
        f'xmlns:text="{names}:text:1.0"><office:body><office:spreadsheet>{"".join(tables)}'
        "</office:spreadsheet></office:body></office:document-content>"
    )
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    return zipped(**{"mimetype": kind, "content.xml": content, "META-INF/manifest.xml": "<manifest></manifest>"})
