"""A rule list as SQL: CASE expressions in many dialects, made as a tree, never as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from elseif.conditions.condition import (
    ABOVE,
    AT_LEAST,
    AT_MOST,
    BELOW,
    FALSE,
    MISSING,
    ONE_OF,
    TRUE,
    UNEQUAL,
)
from elseif.errors import ExportError, ParamError, install
from elseif.export.dialect_names import check_dialect
from elseif.export.plain import (
    BOOLEAN,
    DATE,
    NUMBER,
    SPOKEN,
    TEXT,
    PlainList,
    Test,
    date_parts,
    plain_list,
)
from elseif.export.sqlite_dates import utc_text

Tree = Any  # an expression of sqlglot's, whose classes change names between its releases

# the longest name of a column, in bytes
DIALECTS = {
    "duckdb": 10**6,
    "sqlite": 10**6,
    "postgres": 63,
    "spark": 10**6,
    "databricks": 255,
    "bigquery": 300,
    "snowflake": 255,
    "mysql": 64,
    "tsql": 128,
    "oracle": 128,
    "trino": 10**6,
}
# where NaN is a value: larger than all and equal to itself, or equal to nothing
NAN_EQUAL = ("duckdb", "postgres", "spark", "databricks", "snowflake")
NAN_UNEQUAL = ("bigquery", "trino")
# where truth values are 1 and 0
TRUTH_IS_NUMBER = ("sqlite", "mysql", "tsql", "oracle")
# where a truth value can be cast to a number, so that 0 and 1 may be either
TRUTH_CASTS = ("duckdb", "spark", "databricks", "trino")
# where columns that differ only in case are the same
CASELESS = ("duckdb", "sqlite", "spark", "databricks", "bigquery", "mysql", "tsql", "trino")
TSQL_BINARY = "Latin1_General_100_BIN2"  # a comparison that knows capitals from small letters
TIMES = {"mysql": "DATETIME(6)", "tsql": "DATETIME2", "trino": "TIMESTAMP(6)"}
LARGEST_EXACT = 2.0**53  # whole numbers up to here are the same in any type


def to_sql(
    model: Any,
    which: str | None = None,
    dialect: str = "duckdb",
    table: str | Sequence[str] | None = None,
    columns: Mapping[str, str] | None = None,
) -> str:
    """CASE expressions for a SELECT, or with a table the whole SELECT.

    A table is a name, or a sequence such as (schema, table). By columns, names of the model
    can be given other names in the database.
    """
    try:
        import sqlglot  # noqa: F401
    except ImportError:
        raise ParamError(f"SQL needs sqlglot: {install('export')}.") from None
    check_dialect(dialect, DIALECTS)
    plain = plain_list(model, which)
    unknown = [name for name in columns or {} if name not in plain.all_sorts]
    if unknown:
        raise ParamError(f"columns: the model has no column {unknown[0][:100]!r}.")
    writer = _Writer(plain, dialect, dict(columns or {}))
    writer.refuse_collisions()
    comment = "".join(f"-- {line}\n" for line in (*plain.header, *_meanings(plain)))
    if table is None:
        return comment + ",\n".join(writer.text(part) for part in writer.expressions()) + "\n"
    names = (table,) if isinstance(table, str) else tuple(table)
    return comment + writer.text(writer.select(names)) + "\n"


def _meanings(plain: PlainList) -> list[str]:
    """Which column is about which label, where the label can stand in a comment."""
    return [
        f"elseif_probability_{k} is the probability of {label}."
        for k, label in enumerate(map(str, plain.labels), 1)
        if SPOKEN.fullmatch(label)
    ]


class _Writer:
    """Expressions in one dialect."""

    def __init__(self, plain: PlainList, dialect: str, columns: dict[str, str]) -> None:
        from sqlglot import exp

        self.exp = exp
        self.plain, self.dialect, self.columns = plain, dialect, columns

    def text(self, tree: Tree) -> str:
        return tree.sql(dialect=self.dialect, pretty=True, comments=False)

    def refuse_collisions(self) -> None:
        """Raise where two columns, of the table or new, would have one name."""
        advice = "Give it another name in the table, and say so by columns={...}."
        new, taken = {self.as_one(name) for name in self.names()}, set()
        for name in self.plain.sorts:
            called = self.columns.get(name, name)
            same = self.as_one(called)
            if same in new:
                raise ParamError(
                    f"columns: the model's column {name[:60]!r} would be {called[:60]!r}, as a new "
                    f"column is called. {advice}"
                )
            if same in taken:
                raise ParamError(
                    f"columns: two columns of the model would be {called[:60]!r} to "
                    f"{self.dialect}. {advice}"
                )
            taken.add(same)

    def as_one(self, name: str) -> str:
        """What two names have in common that a database takes for the same."""
        return name.casefold() if self.dialect in CASELESS else name

    # ----------------------------------------------------------- the whole

    def expressions(self) -> list[Tree]:
        """Probability of each label, the rule, the label: one CASE each."""
        tests = self.rule_tests()
        columns = [self.case(tests, results) for results in self.results()]
        return [self.named(c, name) for c, name in zip(columns, self.names(), strict=True)]

    def rule_tests(self) -> list[Tree]:
        """What makes each rule fire, but for the default rule."""
        return [
            self.exp.and_(*(part for test in rule.tests for part in self.test(test)))
            for rule in self.plain.rules[:-1]
        ]

    def results(self) -> list[list[Tree]]:
        """What follows from each rule: for each new column, a value a rule."""
        rules = self.plain.rules
        return [
            *(
                [self.number(rule.probabilities[label]) for rule in rules]
                for label in range(len(self.plain.labels))
            ),
            [self.exp.Literal.number(k) for k in range(1, len(rules) + 1)],
            [self.label(rule.best) for rule in rules],
        ]

    def case(
        self,
        tests: Sequence[Tree],
        results: Sequence[Tree],
        of: Tree | None = None,
    ) -> Tree:
        if not tests:  # a CASE needs a WHEN; a list of one line is that line
            return results[-1]
        made = self.exp.Case(this=of)
        for test, result in zip(tests, results[:-1], strict=True):
            made = made.when(test.copy(), result, copy=False)
        return made.else_(results[-1], copy=False)

    def select(self, table: Sequence[str]) -> Tree:
        """All columns of a table, the rule that fires, and what follows from it."""
        exp = self.exp
        if not 1 <= len(table) <= 3:
            raise ParamError(f"table is {table!r}; it has one to three parts.")
        *path, name = [self.identifier(part, "table") for part in table]
        source = exp.Table(
            this=name,
            db=path[-1] if path else None,
            catalog=path[-2] if len(path) > 1 else None,
        )
        *shares, rules, labels = self.results()
        *share_names, rule_name, label_name = self.names()
        rule = self.case(self.rule_tests(), rules)
        inner = self.star("person").select(self.named(rule, rule_name))
        inner = inner.from_(exp.alias_(source, self.identifier("person"), table=True))
        inner = self.guarded(inner)
        fired = exp.Column(this=self.identifier(rule_name), table=self.identifier("scored"))
        numbers = [exp.Literal.number(k) for k in range(1, len(self.plain.rules))]
        outer = self.star("scored").select(
            *(
                self.named(self.case(numbers, results, of=fired.copy()), name)
                for results, name in zip([*shares, labels], [*share_names, label_name], strict=True)
            )
        )
        return outer.from_(exp.alias_(inner.subquery(), self.identifier("scored"), table=True))

    def guarded(self, select: Tree) -> Tree:
        """The selection beside a row of columns that are called as the new ones are.

        A table that has such a column already, as one scored before, makes its name ambiguous:
        that is an error in every database, where two columns of one name may not be.
        """
        exp = self.exp
        zeros = [self.named(exp.Literal.number(0), name) for name in self.names()]
        row = exp.select(*zeros)
        if self.dialect == "oracle":
            row = row.from_(exp.to_table("DUAL"))
        tests = [
            exp.EQ(this=exp.Column(this=self.identifier(name)), expression=exp.Literal.number(0))
            for name in self.names()
        ]
        names = exp.alias_(row.subquery(), self.identifier("new_names"), table=True)
        return select.join(names, join_type="cross").where(*tests)

    def star(self, table: str) -> Tree:
        return self.exp.select(self.exp.Column(this=self.exp.Star(), table=self.identifier(table)))

    def names(self) -> list[str]:
        """What the new columns are called: by number, for a label can be anything."""
        numbers = range(1, len(self.plain.labels) + 1)
        return [*(f"elseif_probability_{k}" for k in numbers), "elseif_rule", "elseif_label"]

    def named(self, tree: Tree, name: str) -> Tree:
        return self.exp.alias_(tree, self.identifier(name))

    # ----------------------------------------------------------- the tests

    def test(self, test: Test) -> list[Tree]:
        """Expressions that must all be true; NULL is not."""
        exp = self.exp
        value = self.value(test.column, test.sort)
        if test.operator == MISSING:
            raw = exp.Column(this=self.column(test.column))
            is_null = exp.Is(this=raw, expression=exp.Null())
            if not self.may_be_nan(test):
                return [is_null]
            return [exp.or_(is_null, self.nan(value))]
        if test.operator in (TRUE, FALSE):
            one = exp.Literal.number(int(test.operator == TRUE))
            return [exp.EQ(this=value, expression=one)]
        literals = [self.literal(v, test.sort) for v in test.values]
        if test.operator == ONE_OF:
            if not literals:  # no category satisfies the condition
                return [exp.EQ(this=exp.Literal.number(1), expression=exp.Literal.number(0))]
            if len(literals) == 1:
                return [exp.EQ(this=value, expression=literals[0])]
            return [exp.In(this=value, expressions=literals)]
        made = self.comparison(test.operator)(this=value, expression=literals[0])
        largest = test.operator in (ABOVE, AT_LEAST) and self.dialect in NAN_EQUAL
        if self.may_be_nan(test) and (largest or test.operator == UNEQUAL):
            return [made, self.nan(value.copy(), is_so=False)]
        return [made]

    def comparison(self, operator: str) -> Any:
        exp = self.exp
        return {
            ABOVE: exp.GT,
            AT_LEAST: exp.GTE,
            BELOW: exp.LT,
            AT_MOST: exp.LTE,
            UNEQUAL: exp.NEQ,
        }[operator]

    def may_be_nan(self, test: Test) -> bool:
        return test.sort in (NUMBER, BOOLEAN) and self.dialect in (*NAN_EQUAL, *NAN_UNEQUAL)

    def nan(self, value: Tree, is_so: bool = True) -> Tree:
        """Whether a number is NaN, or is not."""
        exp = self.exp
        if self.dialect in NAN_UNEQUAL:
            compare = exp.NEQ if is_so else exp.EQ
            return compare(this=value, expression=value.copy())
        compare = exp.EQ if is_so else exp.NEQ
        return compare(this=value, expression=self.double(exp.Literal.string("NaN")))

    # ---------------------------------------------------- columns and values

    def value(self, name: str, sort: str) -> Tree:
        """A column's value, as comparisons need it."""
        exp = self.exp
        column = exp.Column(this=self.column(name))
        if sort == NUMBER:
            return self.double(column)
        if sort == BOOLEAN:
            return self.zero_or_one(column)
        if sort == DATE:
            return self.time_of(column)
        if sort == TEXT and self.dialect == "mysql":
            return self.bytes_of(column)
        if sort == TEXT and self.dialect == "tsql":
            return exp.Collate(this=column, expression=exp.Var(this=TSQL_BINARY))
        if sort == TEXT and self.dialect in ("duckdb", "postgres"):
            return exp.cast(column, "TEXT")  # an enumeration compares with its own values only
        return column

    def zero_or_one(self, column: Tree) -> Tree:
        """A column of truth values as 0 and 1, whether the table has it as such or as numbers."""
        exp = self.exp
        if self.dialect in TRUTH_IS_NUMBER:
            return column
        if self.dialect in TRUTH_CASTS:
            return self.double(column)
        made = exp.cast(column, "TEXT")
        for word, number in (("true", "1"), ("false", "0")):
            parts = [made, exp.Literal.string(word), exp.Literal.string(number)]
            made = exp.Anonymous(this="REPLACE", expressions=parts)
        return self.double(made)

    def bytes_of(self, text: Tree) -> Tree:
        """Text by its bytes: collations take capitals and blanks at the end for nothing."""
        exp = self.exp
        utf8 = exp.DataType(this=exp.DataType.Type.CHARACTER_SET, kind=exp.Var(this="utf8mb4"))
        return exp.cast(exp.Cast(this=text, to=utf8), exp.DataType.build("BINARY"))

    def column(self, name: str) -> Tree:
        return self.identifier(self.columns.get(name, name))

    def identifier(self, name: str, of: str = "column") -> Tree:
        """A quoted name; names that a database does not allow are refused."""
        size = len(name.encode("utf-8", "surrogatepass"))
        advice = "Give the column another name by columns={...}."
        if of == "table":
            advice = "Rename the table, or make a view of it with a shorter name."
        if "\0" in name or not name:
            raise ExportError(f"The name {name[:100]!r} is empty or holds NUL. {advice}")
        if size > DIALECTS[self.dialect]:
            raise ExportError(
                f"The name {name[:60]!r}... has {size:,} bytes; {self.dialect} has names of at "
                f"most {DIALECTS[self.dialect]}. {advice}"
            )
        if self.dialect == "bigquery" and any(c in name for c in "`\\\n\r"):
            raise ExportError(f"BigQuery has no names such as {name[:100]!r}. {advice}")
        if self.dialect == "oracle" and '"' in name:
            raise ExportError(f"Oracle has no names such as {name[:100]!r}. {advice}")
        return self.exp.to_identifier(name, quoted=True)

    def literal(self, value: Any, sort: str) -> Tree:
        if sort == NUMBER:
            plain = value.is_integer() and 0 <= value <= LARGEST_EXACT
            return self.exp.Literal.number(int(value)) if plain else self.number(value)
        if sort == BOOLEAN:
            return self.exp.Literal.number(int(value))
        if sort == DATE:
            return self.time(date_parts(value))
        text = self.string(value)
        return self.bytes_of(text) if self.dialect == "mysql" else text

    def truth(self, value: bool) -> Tree:
        if self.dialect in TRUTH_IS_NUMBER:
            return self.exp.Literal.number(int(value))
        return self.exp.Boolean(this=bool(value))

    def string(self, text: str) -> Tree:
        if "\0" in text:
            raise ExportError(f"The text {text[:100]!r} holds NUL, which SQL does not have.")
        if self.dialect == "tsql":
            return self.exp.National(this=text)
        return self.exp.Literal.string(text)

    def number(self, value: float) -> Tree:
        """A double, spelt so that no digit is lost on the way."""
        if self.dialect == "oracle":  # its text of a number depends on the country
            return self.exp.Literal.number(repr(float(value)))
        return self.double(self.exp.Literal.string(repr(float(value))))

    def double(self, value: Tree) -> Tree:
        return self.exp.cast(value, self.exp.DataType.build("DOUBLE"))

    def label(self, position: int) -> Tree:
        label = self.plain.labels[position]
        if isinstance(label, bool):
            return self.truth(label)
        if isinstance(label, int):
            return (
                self.exp.Literal.number(label)
                if label >= 0
                else self.exp.Neg(this=self.exp.Literal.number(-label))
            )
        return self.number(label) if isinstance(label, float) else self.string(label)

    def time_of(self, column: Tree) -> Tree:
        """A column of dates or times; in SQLite ISO text, which is made equally long."""
        if self.dialect != "sqlite":
            return self.exp.cast(column, self.time_type())
        return utc_text(column)

    def time(self, text: str) -> Tree:
        exp = self.exp
        if self.dialect == "sqlite":
            return exp.Literal.string(text)
        if self.dialect == "oracle":
            shape = exp.Literal.string("YYYY-MM-DD HH24:MI:SS.FF6")
            return exp.Anonymous(this="TO_TIMESTAMP", expressions=[exp.Literal.string(text), shape])
        return exp.cast(exp.Literal.string(text), self.time_type())

    def time_type(self) -> Tree:
        name = TIMES.get(self.dialect, "TIMESTAMP")
        return self.exp.DataType.build(
            name, dialect=self.dialect if name in TIMES.values() else None
        )
