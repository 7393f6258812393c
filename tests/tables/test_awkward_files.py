"""Files as people have them: each is read right, or refused with what to do."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import lzma
import zipfile
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from elseif.errors import DataError, ParamError
from elseif.tables.text_files import TextFormat, read_file
from elseif.tables.thousands import certain_separator

ROWS = [(61.5, "Zürich", True), (47.25, "Bâle", False), (None, "Genève", None), (70.0, None, True)]


def written(sep: str = ",", decimal: str = ".", missing: str = "", end: str = "\n") -> str:
    """The table as text."""

    def text(value: Any) -> str:
        if value is None:
            return missing
        return str(value).replace(".", decimal) if isinstance(value, float) else str(value)

    rows = [["age", "town", "smoker"], *([text(v) for v in row] for row in ROWS)]
    return "".join(sep.join(row) + end for row in rows)


def zstandard(content: bytes) -> bytes:
    """Content compressed by Zstandard."""
    pa = pytest.importorskip("pyarrow")
    packed: bytes = pa.compress(content, codec="zstd", asbytes=True)
    return packed


def zipped(*contents: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for i, content in enumerate(contents):
            archive.writestr(f"table{i}.csv", content)
    return out.getvalue()


def zipped_by_macintosh(content: bytes) -> bytes:
    """With the shadow that macOS adds to every file."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("t.csv", content)
        archive.writestr("__MACOSX/._t.csv", b"\x00\x05\x16\x07")
    return out.getvalue()


def numbered(text: str, *names: Any) -> str:
    """The same with a column of row names in front, which has no name itself."""
    header, *rows = text.splitlines()
    pairs = zip(names or range(len(rows)), rows, strict=True)
    return "".join(f"{line}\n" for line in [f",{header}", *(f"{n},{row}" for n, row in pairs)])


def quoted(text: str, sep: str) -> str:
    """The same with every field in quotes, as R and many databases write it."""
    rows = [line.split(sep) for line in text.splitlines()]
    return "".join(sep.join(f'"{cell}"' for cell in row) + "\n" for row in rows)


PLAIN = written().encode()
SEMICOLONS = written(";", ",").encode()
SEMICOLONS_MARKED = written(";", ",").encode("utf-8-sig")
# file name, content, how it is written as far as that must be given
READ: dict[str, tuple[str, bytes, dict[str, Any]]] = {
    "plain": ("t.csv", PLAIN, {}),
    "utf-8 with mark": ("t.csv", written().encode("utf-8-sig"), {}),
    "utf-16 with mark": ("t.csv", written().encode("utf-16"), {}),
    "utf-16, big end first": ("t.csv", b"\xfe\xff" + written().encode("utf-16-be"), {}),
    "utf-16 without mark": ("t.csv", written().encode("utf-16-le"), {}),
    "utf-16, tabs, as Excel's Unicode text": ("t.txt", written("\t").encode("utf-16"), {}),
    "utf-32": ("t.csv", written().encode("utf-32"), {}),
    "utf-16, told": ("t.csv", written().encode("utf-16"), {"encoding": "utf-16"}),
    "cp1252, told": ("t.csv", written().encode("cp1252"), {"encoding": "cp1252"}),
    "latin-1, told": ("t.csv", written().encode("latin-1"), {"encoding": "ISO-8859-1"}),
    "windows lines": ("t.csv", written(end="\r\n").encode(), {}),
    "macintosh lines": ("t.csv", written(end="\r").encode(), {}),
    "semicolons": ("t.csv", written(";").encode(), {}),
    "semicolons and decimal commas": ("t.csv", SEMICOLONS, {}),
    "the same as Excel writes it": (
        "t.csv",
        written(";", ",", end="\r\n").encode("cp1252"),
        {"encoding": "cp1252"},
    ),
    "decimal commas, told": ("t.csv", SEMICOLONS, {"decimal": ","}),
    "tabs in .csv": ("t.csv", written("\t").encode(), {}),
    "tabs and decimal commas": ("t.tsv", written("\t", ",").encode(), {}),
    "commas in .tsv": ("t.tsv", PLAIN, {}),
    "commas in .txt": ("t.txt", PLAIN, {}),
    "bars": ("t.csv", written("|").encode(), {}),
    "carets, told": ("t.csv", written("^").encode(), {"sep": "^"}),
    "tabs, told": ("t.csv", written("\t").encode(), {"sep": "tab"}),
    "a line sep=": ("t.csv", b"sep=;\n" + SEMICOLONS, {}),
    "gzip": ("t.csv.gz", gzip.compress(PLAIN), {}),
    "gzip of utf-16": ("t.csv.gz", gzip.compress(written().encode("utf-16")), {}),
    "gzip, tabs": ("t.tsv.gz", gzip.compress(written("\t").encode()), {}),
    "bzip2": ("t.csv.bz2", bz2.compress(PLAIN), {}),
    "xz": ("t.csv.xz", lzma.compress(PLAIN), {}),
    "zip": ("t.zip", zipped(PLAIN), {}),
    "zstandard": ("t.csv.zst", zstandard(PLAIN), {}),
    "zstandard of utf-16": ("t.csv.zst", zstandard(written().encode("utf-16")), {}),
    "n/a": ("t.csv", written(missing="n/a").encode(), {}),
    "NA": ("t.csv", written(missing="NA").encode(), {}),
    "#N/A": ("t.csv", written(missing="#N/A").encode(), {}),
    "null": ("t.csv", written(missing="null").encode(), {}),
    "unknown, told": ("t.csv", written(missing="unk").encode(), {"na_values": ["unk"]}),
    "upper-case ending": ("T.CSV", PLAIN, {}),
    "all in quotes, semicolons and decimal commas": (
        "t.csv",
        quoted(written(";", ","), ";").encode(),
        {},
    ),
    "all in quotes, a mark": ("t.csv", quoted(written(), ",").encode("utf-8-sig"), {}),
    "a semicolon after every line": ("t.csv", written(";", ",", end=";\n").encode(), {}),
    "a comma after every line": ("t.csv", written(end=",\r\n").encode(), {}),
    "a mark, semicolons, decimal commas": ("t.csv", SEMICOLONS_MARKED, {}),
    "numbers of rows, as pandas writes them": ("t.csv", numbered(written()).encode(), {}),
    "numbers of some rows": ("t.csv", numbered(written(), 17, 3, 5, 11).encode(), {}),
    "names of rows, as R writes them": (
        "t.csv",
        numbered(quoted(written(), ","), *"abcd").encode(),
        {},
    ),
    "blanks for missing": ("t.csv", written(missing="  ").encode(), {}),
    "a macintosh's zip": ("t.zip", zipped_by_macintosh(PLAIN), {}),
    "macintosh lines, semicolons": ("t.csv", written(";", ",", end="\r").encode(), {}),
}
# file name, content, words of the refusal
REFUSED: dict[str, tuple[str, bytes, tuple[str, ...]]] = {
    "cp1252": ("t.csv", written().encode("cp1252"), ("line 2", "not UTF-8", "encoding='cp1252'")),
    "xlsx": ("t.xlsx", zipped(PLAIN), ("spreadsheet", "CSV UTF-8")),
    "xls": ("t.xls", b"\xd0\xcf\x11\xe0", ("spreadsheet", "CSV UTF-8")),
    "xlsx called csv": ("t.csv", zipped(PLAIN), ("Excel workbook", "CSV UTF-8")),
    "parquet called csv": ("t.csv", b"PAR1....", ("Parquet", ".parquet")),
    "gzip called csv": ("t.csv", gzip.compress(PLAIN), ("gzip", ".csv.gz")),
    "csv called gzip": ("t.csv.gz", PLAIN, ("cannot be decompressed",)),
    "csv called bzip2": ("t.csv.bz2", PLAIN, ("cannot be decompressed",)),
    "csv called xz": ("t.csv.xz", PLAIN, ("cannot be decompressed",)),
    "csv called zst": ("t.csv.zst", PLAIN, ("cannot be decompressed",)),
    "zstandard called csv": ("t.csv", zstandard(PLAIN), ("Zstandard", ".csv.zst")),
    "zstandard cut short": ("t.csv.zst", zstandard(PLAIN)[:-9], ("cannot be decompressed",)),
    "cp1252 after a megabyte": (
        "t.csv", b"a,b\n" + b"1,x\n" * 300_000 + "2,ü\n".encode("cp1252"),
        ("line 300002", "byte 1200006", "not UTF-8"),
    ),
    "csv called zip": ("t.csv.zip", PLAIN, ("cannot be decompressed",)),
    "gzip cut short": ("t.csv.gz", gzip.compress(PLAIN)[:-9], ("cannot be decompressed",)),
    "two tables in a zip": ("t.zip", zipped(PLAIN, PLAIN), ("2 files", "Unpack")),
    "commas that may be thousands": (
        "t.csv", b"n;x\n1,234;a\n2,345;b\n", ("line 2", "'1,234'", "decimal=','"),
    ),
    "decimal commas between commas": (
        "t.csv", b'n,x\n"1,5",a\n"2,5",b\n', ("line 2", "'1,5'", "decimal=','"),
    ),
    "points that may be thousands": (
        "t.csv", b"n;x;m\n1.234;a;0,5\n2.345;b;1,5\n", ("line 2", "'0,5'"),
    ),
    "an empty file": ("t.csv", b"", ("is empty", "name the columns")),
    "blank lines alone": ("t.csv", b"\n\n", ("is empty",)),
    "two columns of one name": ("t.csv", b"a,b,a\n1,2,3\n", ("'a' occurs twice",)),
    "a column without a name": ("t.csv", b"a,,c\n1,2,3\n", ("column 2 has no name",)),
    "a separator too many in each row": ("t.csv", b"a;b\n1;2;\n3;4;\n", ("3 fields",)),
    "a row cut short": ("t.csv", b"a,b,c\n1,2,3\n4,5\n", ("line 3", "2 fields")),
    "a quote that is not closed": ("t.csv", b'a,b\n1,"x\n2,y\n', ("quote",)),
    "ods": ("t.ods", zipped(PLAIN), ("spreadsheet", "CSV UTF-8")),
    "Word": ("t.docx", zipped(PLAIN), ("ending must be",)),
    "no ending": ("table", PLAIN, ("ending must be",)),
    "pdf called csv": ("t.csv", b"%PDF-1.7 ...", ("PDF", "CSV")),
    "SPSS called csv": ("t.csv", b"$FL2@(#) SPSS", ("SPSS", "CSV")),
    "zeros among text": ("t.csv", b"a,b\n1,\x00\n", ("NUL",)),
    "a word among numbers": (
        "t.csv", b"n,x\n1,a\n2,b\nnot done,c\n", ("line 4", "'not done'", "na_values='not done'"),
    ),
    "another separator": ("t.csv", b"a\n1,2\n", ("2 fields", "sep=")),
    "a title above the header": (
        "t.csv", b"Export of May\n\nage,bmi\n50,21\n", ("line 3", "a title stands above"),
    ),
    "units below the header": (
        "t.csv", b"age,bmi\nyears,kg/m2\n50,21\n60,22\n", ("If line 2 is a second header",),
    ),
    "a total at the end": (
        "t.csv", b"age,bmi\n50,21\n60,22\nall,43\n", ("If line 4 is a total", "delete it"),
    ),
    "amounts below no name": ("t.csv", b",b\n1.5,2\n2.5,3\n", ("column 1 has no name",)),
    "the same number twice below no name": ("t.csv", b",b\n1,2\n1,3\n", ("column 1 has no name",)),
    "names of rows without a place in the header": (
        "t.csv", b'"a","b"\n"1",1,2\n"2",3,4\n', ("3 fields", "rows begin with a name"),
    ),
    "quotes not doubled": ("t.csv", b'a,b\n"x\\"y",1\n', ("must be doubled",)),
    "a very long value": ("t.csv", b"a,b\n" + b"x" * 200_000 + b",1\n", ("131,072 characters",)),
    "a tar of gzip": ("t.tar.gz", gzip.compress(PLAIN), ("ending must be", "Unpack it")),
    "gzip twice": ("t.csv.gz", gzip.compress(gzip.compress(PLAIN)), ("compressed once more",)),
    "XML called csv": ("t.csv", b"<?xml version='1.0'?><a/>", ("XML", "CSV")),
    "Feather called csv": ("t.csv", b"ARROW1\x00\x00", ("Feather", "CSV")),
    "a value below no name": ("t.csv", b"a,b,\n1,2,3\n", ("line 2", "column 3", "no name")),
    "blanks between fields": ("t.txt", b"a b c\n1 2 3\n4 5 6\n", ("sep=' '",)),
    "the euro sign in cp1252": (
        "t.csv", "price;town\n\u20ac 5;Bonn\n".encode("cp1252"), ("line 2", "encoding='cp1252'"),
    ),
    "Stata": ("t.dta", b"<stata_dta>", ("ending must be", "Export the table as CSV")),
    "Stata called csv": ("t.csv", b"<stata_dta>...", ("Stata", "CSV")),
    "SQLite called csv": ("t.csv", b"SQLite format 3\x00", ("SQLite", "CSV")),
    "a web page called csv": ("t.csv", b"<!DOCTYPE html><table>", ("web page", "CSV")),
    "JSON called csv": ("t.csv", b'{"age": [1, 2]}', ("JSON", "CSV")),
    "RTF called csv": ("t.csv", b"{\\rtf1", ("RTF", "CSV")),
}  # fmt: skip


@pytest.mark.parametrize("name", READ)
def test_read_right(name: str, tmp_path: Path) -> None:
    """Every way of writing gives the same table."""
    file, content, told = READ[name]
    path = tmp_path / file
    path.write_bytes(content)
    table = read_file(path, text=TextFormat(**told))
    expected = pd.DataFrame(
        {
            "age": [row[0] for row in ROWS],
            "town": pd.Categorical([row[1] for row in ROWS]),
            "smoker": pd.array([row[2] for row in ROWS], dtype="boolean"),
        }
    )
    pd.testing.assert_frame_equal(table, expected, check_categorical=False)


@pytest.mark.parametrize("name", REFUSED)
def test_refused_with_what_to_do(name: str, tmp_path: Path) -> None:
    """What cannot be read, or could be read in two ways, is an error that helps."""
    file, content, words = REFUSED[name]
    path = tmp_path / file
    path.write_bytes(content)
    limit = csv.field_size_limit(131_072)  # of the process, which other packages may have raised
    try:
        with pytest.raises((DataError, ParamError)) as refusal:
            read_file(path)
    finally:
        csv.field_size_limit(limit)
    for word in (file, *words):
        assert word in str(refusal.value)


@pytest.mark.parametrize("sign", [".", "-", "--", "?", "–"])
def test_signs_are_missing_among_numbers_and_levels_among_words(sign: str, tmp_path: Path) -> None:
    """A rhesus factor of + and - has two levels; a dash among numbers is not a number."""
    path = tmp_path / "t.csv"
    path.write_text(f"n,day,truth,word,sign\n1,2020-01-01,true,+,{sign}\n"
                    f"{sign},{sign},{sign},{sign},{sign}\n")  # fmt: skip
    table = read_file(path)
    assert table["n"].isna().tolist() == [False, True]
    assert table["day"].isna().tolist() == [False, True]
    assert table["truth"].isna().tolist() == [False, True]
    assert table["word"].tolist() == ["+", sign]
    assert table["sign"].tolist() == [sign, sign]


@pytest.mark.parametrize(
    ("told", "word"),
    [
        ({"sep": "ab"}, "sep"),
        ({"sep": ""}, "sep"),
        ({"sep": '"'}, "sep"),
        ({"decimal": ";"}, "decimal"),
        ({"encoding": "klingon"}, "'klingon'"),
        ({"encoding": "base64"}, "'base64'"),
    ],
)
def test_settings_that_cannot_be(told: dict[str, Any], word: str, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(PLAIN)
    with pytest.raises(ParamError, match=word):
        read_file(path, text=TextFormat(**told))


def test_numbers_stay_numbers_where_one_column_has_points(tmp_path: Path) -> None:
    """A point in one column says what commas in another are not."""
    path = tmp_path / "t.csv"
    path.write_text("a;b\n1.5;1,25\n2.5;2,75\n")
    with pytest.raises(DataError, match="'1,25'"):
        read_file(path)


@pytest.mark.parametrize(
    ("content", "told", "numbers"),
    [
        ('n,x\n"1,234,567",a\n"12,345",b\n', {}, [1234567, 12345]),
        ('n,x\n"1,234.50",a\n12,b\n', {}, [1234.5, 12]),
        ("n;x\n1.234,5;a\n2.345,5;b\n", {}, [1234.5, 2345.5]),
        ("n;x\n1 234,5;a\n-;b\n", {}, [1234.5, None]),
        ("n;x\n1\u202f234;a\n2;b\n", {}, [1234, 2]),
        ("n;x\n1'234.5;a\n2;b\n", {}, [1234.5, 2]),
        ('n,x\n"37,442",a\n"1,250",b\n', {"thousands": ","}, [37442, 1250]),
        ("n;x\n37.442;a\n1.250;b\n", {"thousands": "."}, [37442, 1250]),
        ('n,x\n"37,442",a\n"1,250",b\n', {"decimal": ","}, [37.442, 1.25]),
    ],
)
def test_thousands(
    content: str, told: dict[str, Any], numbers: list[float | None], tmp_path: Path
) -> None:
    """Read where they can be nothing else, or are told."""
    path = tmp_path / "t.csv"
    path.write_text(content, encoding="utf-8")
    found = read_file(path, text=TextFormat(**told))["n"].tolist()
    assert [None if n != n else n for n in found] == numbers


def test_blanks_and_signs_around_values(tmp_path: Path) -> None:
    """Blanks beside dates and truth values, and a typesetter's minus sign, change no value."""
    path = tmp_path / "t.csv"
    minus = "\N{MINUS SIGN}"
    path.write_text(f"n,day,truth\n{minus}1.5, 2020-01-31, TRUE\n2,31/12/2020 ,false\n")
    table = read_file(path)
    assert table["n"].tolist() == [-1.5, 2]
    assert table["day"].astype(str).tolist() == ["2020-01-31", "2020-12-31"]
    assert table["truth"].tolist() == [True, False]


@pytest.mark.parametrize(
    ("content", "shape"),
    [
        ("a,b\n", (0, 2)),  # a header only
        ("a\n1\n2\n", (2, 1)),  # one column
        ('a,b\n1,"two\nlines"\n3,x\n', (2, 2)),  # quoted line ends
        ('a,b\n1,"say ""yes"""\n', (1, 2)),
        ('a,b\n1,"x, y"\n', (1, 2)),
        ("\ufeffa;b\n1;2\n", (1, 2)),  # a mark and semicolons
        ("a,b\n1,2", (1, 2)),  # no line end at the end
        ("a,b\n1,2\n\n\n", (1, 2)),  # empty lines at the end
    ],
)
def test_shapes(content: str, shape: tuple[int, int], tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(content, encoding="utf-8", newline="")
    table = read_file(path)
    assert table.shape == shape
    assert next(iter(table.columns)) == "a"


@pytest.mark.parametrize(
    ("content", "first", "shape"),
    [
        ('size 5",y\n' + "1,2\n" * 10, 'size 5"', (10, 2)),
        ('size ("),note,y\n' + "1,a,2\n" * 10 + '1,b",2\n' + "1,c,2\n" * 9, 'size (")', (20, 3)),
        ('"a\nb";y\n1;2\n3;4\n', "a\nb", (2, 2)),
        ('"a ""b""\n""c""";y\n1;2\n3;4\n', 'a "b"\n"c"', (2, 2)),
        ("a\u2028b,y\n1,2\n3,4\n", "a\u2028b", (2, 2)),
        ("a\x0cb,y\n1,2\n3,4\n", "a\x0cb", (2, 2)),
    ],
)
def test_names_with_quotes_and_line_ends(
    content: str, first: str, shape: tuple[int, int], tmp_path: Path
) -> None:
    """A quote within a name opens nothing; names in quotes may go on in the next line."""
    path = tmp_path / "t.csv"
    path.write_text(content, encoding="utf-8", newline="")
    table = read_file(path)
    assert table.shape == shape
    assert next(iter(table.columns)) == first


def test_a_quote_in_the_header_that_is_not_closed_loses_no_rows(tmp_path: Path) -> None:
    """Rows that would be taken for the rest of a name are not dropped in silence."""
    path = tmp_path / "t.csv"
    path.write_text('a|"b,y\n' + "1,2\n" * 10)
    with pytest.raises(DataError, match="quote in the names of the columns is not closed"):
        read_file(path)


def test_there_are_more_than_forty_files() -> None:
    assert len(READ) + len(REFUSED) > 80


@pytest.mark.parametrize(
    ("texts", "decimal", "separator"),
    [
        (["1,234"], ".", None),
        (["1,234,567"], ".", ","),
        (["1.234"], ",", None),
        (["1 234"], ".", " "),
    ],
)
def test_what_may_be_a_decimal_sign_is_not_certain(
    texts: list[str], decimal: str, separator: str | None
) -> None:
    assert certain_separator(texts, decimal) == separator


def test_names_in_quotes_may_hold_separators_and_line_ends(tmp_path: Path) -> None:
    """What stands inside quotes says nothing of what separates the names."""
    path = tmp_path / "t.csv"
    path.write_text('"age, years";"day\nseen;"\n50;2020-01-01\n', newline="")
    assert list(read_file(path).columns) == ["age, years", "day\nseen;"]


@pytest.mark.parametrize(
    ("content", "names"),
    [
        ("seen;CRP, first day;age\n2021-08-31;6,5;50\n2022-09-10;2,4;61\n", 3),
        ("seen;CRP, first day;age\n2021-08-31;6,5;50,5\n;;\n", 3),  # as many commas in a row
        ("name|CRP, first day|sex; at birth\nx|6.5|f\n", 3),
        ("a;b,c;d\n1;2,3;4\n", 3),  # either would do: the more frequent one
        ("a;b,c\n1;2,3\n", 2),
        ("a;b,c;d\n", 2),  # no row says more: the usual one
        ('age, years\tnote\n50\t"a, b\nc"\n60\td\n', 2),
    ],
)
def test_names_that_hold_the_usual_separator(content: str, names: int, tmp_path: Path) -> None:
    """What separates the rows separates the names."""
    path = tmp_path / "t.csv"
    path.write_text(content, newline="")
    assert len(read_file(path).columns) == names


def test_an_excel_workbook_with_dates_is_refused_with_the_way_out(tmp_path: Path) -> None:
    """A real workbook, as openpyxl writes it, by its own name and called CSV."""
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.append(["seen", "age"])
    book.active.append([pd.Timestamp("2020-01-31").to_pydatetime(), 50])
    for name in ("t.xlsx", "t.csv"):
        book.save(tmp_path / "t.xlsx")
        (tmp_path / name).write_bytes((tmp_path / "t.xlsx").read_bytes())
        with pytest.raises((DataError, ParamError), match="CSV UTF-8"):
            read_file(tmp_path / name)
