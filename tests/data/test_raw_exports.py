"""Exports as other programs write them are read as they are meant, and what was assumed is told."""

import io

import pytest

from rosenblatt.cli import run
from rosenblatt.data import batches, read
from rosenblatt.data.source import HEAD_BYTES, BufferSizes
from rosenblatt.errors import FileError, SettingError

GREEN = "Größe,Farbe\n1,grün\n2,€ “rot”\n"


def cells(content, **options):
    return read(io.BytesIO(content), as_text=True, **options)


@pytest.mark.parametrize("encoding", ["windows-1252", "utf-16", "utf-16-le", "utf-16-be"])
def test_other_encodings_hold_the_same_table_and_are_told(encoding):
    mark = "\ufeff" if encoding in ("utf-16-le", "utf-16-be") else ""
    data = cells((mark + GREEN).encode(encoding))
    expected = cells(GREEN.encode())
    assert data.rows.equals(expected.rows)
    assert expected.notes == ()
    (note,) = data.notes
    assert "was read as" in note


def test_an_encoding_that_is_named_needs_no_note():
    data = cells(GREEN.replace("€ “rot”", "rot").encode("cp850"), encoding="cp850")
    assert data.rows.columns == ["Größe", "Farbe"]
    assert data.notes == ()
    assert cells("naam,y\nжук,1\n".encode("koi8-r"), encoding="koi8-r").rows["naam"].to_list() == ["жук"]
    with pytest.raises(SettingError, match="no encoding 'klingon'"):
        cells(b"a,b\n1,2\n", encoding="klingon")


@pytest.mark.parametrize("letter", ["é", "é".encode().decode("latin-1")])
@pytest.mark.parametrize("shift", range(4))
def test_a_letter_beyond_the_beginning_decides_for_whole_files_and_for_batches(letter, shift):
    """Also where a block ends within the letter: in Latin-1 `Ã©` is the two bytes that é is in UTF-8."""
    plain = b"a,b\n" + b"x" * shift + b"1,2\n" * (HEAD_BYTES // 4 + 10)
    content = plain + f"{letter},3\nü,4\n".encode("latin-1")
    if letter == "é":
        assert cells(content).rows["a"].to_list()[-2:] == ["é", "ü"]
    else:
        with pytest.raises(FileError, match="0xfc is not UTF-8, and characters before it are"):
            cells(content)
        content = plain + "é,3\nü,4\n".encode()
    for block in (len(plain) + 1, 1000, 1 << 23):
        parts = list(batches(io.BytesIO(content), as_text=True, sizes=BufferSizes(table_block=block)))
        assert parts[-1].rows["a"].to_list()[-2:] == ["é", "ü"]
        assert bool(parts[-1].notes) == (letter == "é")


def test_lines_of_text_are_decoded_too():
    data = read(io.BytesIO("ham\tsee you\nspam\tgünstig\n".encode("latin-1")), format="text")
    assert data.rows["text"].to_list() == ["see you", "günstig"]
    assert len(data.notes) == 1
    assert read(io.BytesIO("ä\nö\n".encode("utf-16")), format="lines").rows["text"].to_list() == ["ä", "ö"]


def test_notes_go_to_standard_error_once_and_into_json(tmp_path, capsys):
    path, model = tmp_path / "rows.csv", tmp_path / "m.rosenblatt"
    path.write_bytes(b"colour,kind\n" + "grün,apple\nrot,pear\n".encode("latin-1") * 5)
    assert run(["train", str(path), "--target", "kind", "-o", str(model)]) == 0
    told = capsys.readouterr().err
    assert told.count("note: ") == 1
    assert "pass --encoding '…'" in told
    for verb in (["predict", str(model), str(path)], ["evaluate", str(model), str(path)]):
        assert run(verb) == 0
        assert "read as Windows-1252" in capsys.readouterr().err
        assert run([*verb, "--quiet"]) == 0
        assert capsys.readouterr().err == ""
        assert run([*verb, "--json"]) == 0
        captured = capsys.readouterr()
        assert '"notes": ["' in captured.out
        assert captured.err == ""
