"""Raw files in the dialects that people have, with labels that their columns determine."""

import gzip
import io
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet

UNKNOWN = "never seen"  # a category that no file has
ROWS = 120


@dataclass(frozen=True)
class Table:
    """Names of columns, and rows of values; the label is one of the columns."""

    columns: list[str]
    rows: list[list[Any]]
    label: str

    @property
    def labels(self):
        """The labels of all rows, as text."""
        at = self.columns.index(self.label)
        return [str(row[at]) for row in self.rows]

    def without(self, *names):
        """The same table without some of its columns."""
        return self.arranged([name for name in self.columns if name not in names])

    def arranged(self, names):
        """The same rows with these columns, in this order."""
        order = [self.columns.index(name) for name in names]
        return Table(names, [[row[at] for at in order] for row in self.rows], self.label)

    def unusual(self):
        """Two rows without labels: one in which every other value is missing, and one with strings that are new."""
        table = self.without(self.label)
        gaps = ["" if at % 2 == 0 else value for at, value in enumerate(table.rows[0])]
        new = [UNKNOWN if isinstance(value, str) and not _is_typed(value) else value for value in table.rows[1]]
        return Table(table.columns, [table.rows[0], gaps, new], self.label)


def _is_typed(text):
    """Whether a text is a number, a date or a boolean, which a word would not replace."""
    return text == "" or text.lower() in ("true", "false") or any(character.isdigit() for character in text)


# ---- how tables are written ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Delimited:
    """Delimited text."""

    delimiter: str = ","
    header: bool = True
    encoding: str = "utf-8"
    line_end: str = "\n"
    quoted: bool = False  # all strings, and the names of columns
    quote: str = '"'
    decimal: str = "."
    trailing: bool = False
    preamble: str = ""
    missing: str = ""
    compressed: bool = False

    def __call__(self, table):
        """Return the bytes of a file."""
        lines = [[self._field(name) for name in table.columns]] * self.header
        lines += [[self._field(value) for value in row] for row in table.rows]
        text = self.preamble + "".join(self._line(fields) for fields in lines)
        content = text.replace("\n", self.line_end).encode(self.encoding)
        return gzip.compress(content, mtime=0) if self.compressed else content

    def _line(self, fields):
        return self.delimiter.join(fields) + self.delimiter * self.trailing + "\n"

    def _field(self, value):
        if isinstance(value, bool):
            return str(value)
        if isinstance(value, int | float):
            return repr(value).replace(".", self.decimal)
        if value == "":
            return self.missing
        inside = any(character in value for character in (self.delimiter, self.quote, "\n") if character.strip())
        if self.quoted or inside:
            return self.quote + value.replace(self.quote, self.quote * 2) + self.quote
        return value


def aligned(table):
    """Return columns of equal width between blanks, without a header."""
    return "".join(
        "".join(f"{'NA' if value == '' else value!s:>12}" for value in row) + "\n" for row in table.rows
    ).encode()


def badly_named(table):
    """Return text in which two columns have no name, and two have the same."""
    named = {"a": "", "b": "age", "c": ""}
    return Delimited()(Table([named.get(name, name) for name in table.columns], table.rows, table.label))


def row_names(table):
    """Return what R writes: a header without a name for the names of the rows."""
    lines = [" ".join(f'"{name}"' for name in table.columns)]
    for number, row in enumerate(table.rows, 1):
        lines.append(" ".join([f'"{number}"', *(f'"{v}"' if isinstance(v, str) else repr(v) for v in row)]))
    return "\n".join(lines).encode() + b"\n"


def _records(table):
    rows = (
        {name: None if value == "" else value for name, value in zip(table.columns, row, strict=True)}
        for row in table.rows
    )
    return list(rows)


def json_lines(table):
    """Return one JSON object per line."""
    return "".join(json.dumps(record) + "\n" for record in _records(table)).encode()


def parquet(table):
    """Return a Parquet file."""
    content = io.BytesIO()
    pyarrow.parquet.write_table(pa.Table.from_pylist(_records(table)), content)
    return content.getvalue()


# ---- what tables hold ----------------------------------------------------------------------------------------------

JOBS = ("clerk", "cook", "smith", "teacher", "nurse")
EFFECTS = np.linspace(-1.5, 1.5, len(JOBS))


@dataclass
class People:
    """Rows about people: numbers and a category, and a score that is linear in them."""

    count: int = ROWS
    seed: int = 0
    age: Any = field(init=False)
    income: Any = field(init=False)
    job: Any = field(init=False)
    score: Any = field(init=False)

    def __post_init__(self):
        self.random = np.random.default_rng(self.seed)
        self.age = self.random.integers(18, 90, self.count)
        self.income = np.round(self.random.normal(2500, 800, self.count), 2)
        code = self.random.integers(len(JOBS), size=self.count)
        self.job = np.array(JOBS)[code]
        self.score = (self.age - 54) / 21 + (self.income - 2500) / 800 + EFFECTS[code]

    def labels(self, negative, positive):
        """The label of each row."""
        return [positive if score > 0 else negative for score in self.score]

    def table(self, label="label", classes=("no", "yes"), **more):
        """A table with the label last, and further columns before it."""
        columns = {"age": self.age, "job": self.job, "income": self.income} | more
        columns[label] = self.labels(*classes)
        return table_of(columns, label)


def table_of(columns, label):
    """A table of columns, with plain values."""
    rows = zip(*(np.asarray(values, dtype=object).tolist() for values in columns.values()), strict=True)
    plain = [[value.item() if isinstance(value, np.generic) else value for value in row] for row in rows]
    return Table(list(columns), plain, label)


def with_gaps(values, random, share):
    """Values of which a share is missing."""
    return ["" if gap else value for value, gap in zip(values, random.random(len(values)) < share, strict=True)]


def bank():
    people = People(seed=1)
    contact = people.random.choice(["cellular", "telephone", "unknown"], people.count)
    return people.table("y", contact=contact, month=people.random.choice(["may", "jun", "nov"], people.count))


def adult():
    people = People(seed=2, count=200)
    kind = with_gaps(
        people.random.choice(["Private", "State-gov", "Self-emp"], people.count).tolist(), people.random, 0.1
    )
    return people.table("label", ("<=50K", ">50K"), workclass=kind, hours=people.random.integers(10, 80, people.count))


def cities():
    people = People(seed=3)
    city = np.array(["Köln", "München", "Düsseldorf", "Zürich"])[people.random.integers(4, size=people.count)]
    people.score += np.where(city == "Zürich", 1.0, -0.5)
    return people.table("class", ("nein", "größer"), city=city)


def plain():
    return People(seed=4).table()


def comments():
    people = People(seed=5)
    texts = np.array(['He said "no", twice', "two\nlines, and a comma", "plain", "a; b | c"])
    return people.table(comment=texts[people.random.integers(4, size=people.count)])


def thousands():
    people = People(seed=6)
    people.score = (people.income - 2500) / 800 + EFFECTS[np.searchsorted(sorted(JOBS), people.job)] / 2
    columns = {"salary": [f"{1000 * income:,.0f}" for income in people.income], "job": people.job}
    return table_of(columns | {"label": people.labels("low", "high")}, "label")


def wine():
    """The label first, three classes, numbers only, no header."""
    random = np.random.default_rng(7)
    label = random.integers(1, 4, ROWS)
    columns = {
        f"x{j + 2}": np.round(random.normal(scale, scale / 5, ROWS) + (label == j + 1) * scale, 3)
        for j, scale in enumerate((1, 10, 100))
    }
    return table_of({"x1": label} | columns, "x1")


def messages():
    people = People(seed=8)
    return people.table("class", ("not spam", "spam"), links=people.random.integers(0, 9, people.count))


def orders():
    people = People(seed=9)
    days = people.random.integers(0, 700, people.count)
    minutes = people.random.integers(0, 24 * 60, people.count)
    people.score = (days - 350) / 200 + (minutes - 720) / 2880
    dates = [str(np.datetime64("2022-01-01") + int(day)) for day in days]
    times = [str(np.datetime64("2024-05-01T00:00") + int(m)).replace("T", " ") + ":00" for m in minutes]
    return people.table(ordered=dates, called=times)


def german_dates():
    people = People(seed=10)
    days = people.random.integers(0, 700, people.count)
    people.score += (days - 350) / 200
    dates = [np.datetime64("2022-01-01") + int(day) for day in days]
    return people.table("label", ("nein", "ja"), datum=[f"{d.item():%d.%m.%Y}" for d in dates])


def identifiers():
    people = People(seed=11)
    uuids = [people.random.bytes(16).hex() for _ in range(people.count)]
    uuids = [f"{u[:8]}-{u[8:12]}-{u[12:16]}-{u[16:20]}-{u[20:]}" for u in uuids]
    table = people.table(uuid=uuids)
    columns = {"row": range(1, people.count + 1)} | {
        name: [row[at] for row in table.rows] for at, name in enumerate(table.columns)
    }
    return table_of(columns, "label")


def constants():
    people = People(seed=12)
    return people.table(country=["AT"] * people.count, version=[3] * people.count, empty=[""] * people.count)


def thousand_categories():
    random = np.random.default_rng(13)
    code = np.concatenate([np.arange(1000), random.integers(1000, size=1400)])
    effect, size = random.choice([-1.0, 1.0], 1000), random.normal(size=len(code)).round(3)
    shop = [f"shop-{c}" for c in code]
    return table_of({"shop": shop, "size": size, "label": np.where(effect[code] + size > 0, "good", "bad")}, "label")


def gaps():
    people = People(seed=14, count=300)
    columns = {"age": people.age.tolist(), "job": people.job.tolist(), "income": people.income.tolist()}
    columns = {name: with_gaps(values, people.random, 0.3) for name, values in columns.items()}
    filled = [
        sum((row[0] != "" and (row[0] - 54) / 21, row[2] != "" and (row[2] - 2500) / 800))
        + (row[1] != "" and EFFECTS[JOBS.index(row[1])])
        for row in zip(*columns.values(), strict=True)
    ]
    return table_of(columns | {"label": ["yes" if score > 0 else "no" for score in filled]}, "label")


def bad_names():
    return People(seed=15).table(a=[1.5, 2.5] * (ROWS // 2), b=["u", "v", "w"] * (ROWS // 3), c=[3, 4] * (ROWS // 2))


def booleans():
    people = People(seed=16)
    flags = people.random.random((3, people.count)) < 0.5
    people.score = flags[0] * 2.0 - flags[1] * 1.5 + flags[2] - 0.7
    return people.table(
        "target",
        ("False", "True"),
        new=flags[0].tolist(),
        old=np.where(flags[1], "yes", "no"),
        hot=np.where(flags[2], "T", "F"),
    )


SPAM_WORDS = ["free", "prize", "call", "now", "winner", "cash", "urgent", "claim"]
HAM_WORDS = ["home", "later", "dinner", "love", "meeting", "see", "sorry", "morning"]
OTHER_WORDS = ["the", "a", "you", "to", "and", "is", "on", "it", "for", "in", "of", "we"]


def sms():
    random = np.random.default_rng(17)
    label = np.where(random.random(ROWS) < 0.4, "spam", "ham")
    texts = []
    for name in label:
        words = [*random.choice(SPAM_WORDS if name == "spam" else HAM_WORDS, 3), *random.choice(OTHER_WORDS, 5)]
        texts.append(" ".join(random.permutation(words)) + random.choice([".", "!", ", ok?", ' "quoted']))
    return table_of({"x1": label, "x2": texts}, "x1")


def titanic():
    random = np.random.default_rng(18)
    sex, klass = random.choice(["male", "female"], ROWS), random.integers(1, 4, ROWS)
    age = with_gaps(random.integers(1, 70, ROWS).tolist(), random, 0.2)
    survived = np.where(sex == "female", 1.5, -1.0) + (2 - klass) * 0.7 > 0
    names = [
        f"{random.choice(['Braund', 'Allen', 'Heikkinen'])} {n}, {'Mr.' if s == 'male' else 'Miss.'} Owen {n}"
        for n, s in enumerate(sex)
    ]
    columns = {
        "PassengerId": range(1, ROWS + 1),
        "Survived": survived.astype(int),
        "Pclass": klass,
        "Name": names,
        "Sex": sex,
        "Age": age,
        "Ticket": [f"A/5 {number}" for number in random.integers(10000, 99999, ROWS)],
        "Fare": random.gamma(2, 15, ROWS).round(4),
        "Cabin": with_gaps([f"C{number}" for number in random.integers(1, 60, ROWS)], random, 0.7),
        "Embarked": random.choice(["S", "C", "Q"], ROWS),
    }
    return table_of(columns, "Survived")


def zip_codes():
    random = np.random.default_rng(19)
    codes = np.array(["01067", "04109", "10115", "00501", "80331", "20095"])[random.integers(6, size=ROWS)]
    size = random.normal(size=ROWS).round(2)
    label = np.where(np.char.startswith(codes, "0") * 2.0 - 1 + size * 0.5 > 0, "east", "west")
    return table_of({"zip": codes, "size": size, "label": label}, "label")


def typos():
    people = People(seed=20, count=300)
    ages = people.age.tolist()
    ages[7] = "4o"
    ages[201] = "thirty"
    return people.table(years=ages)


def flowers():
    random = np.random.default_rng(21)
    kind = random.integers(4, size=ROWS)
    shapes = np.array([[1, 5, 2], [5, 1, 2], [1, 1, 7], [5, 5, 7]])[kind] + random.normal(scale=0.3, size=(ROWS, 3))
    columns = {name: shapes[:, j].round(2) for j, name in enumerate(("sepal length", "sepal width", "petal"))}
    return table_of(columns | {"species": np.array(["setosa", "versicolor", "virginica", "alba"])[kind]}, "species")


def census():
    """Few positive rows, label with a full stop, a column of codes."""
    people = People(seed=22, count=400)
    people.score -= 2.8
    union = people.random.choice(["Not in universe", "No", "Yes"], people.count)
    return people.table("label", ("- 50000.", "50000+."), union=union, code=people.random.integers(0, 50, people.count))


def segments():
    people = People(seed=24)
    people.score = (people.age - 54) / 21
    table = people.table("label", (1, 2))
    return table.without("job")


# ---- the panel -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class RawFile:
    """A raw file: its name, its table, how it is written, and what must be found in it.

    Attributes
    ----------
    name : str
        The name of the file.
    table : function
        Makes the table.
    write : function
        Makes the bytes of a file of a table.
    read_as : str
        What the note says about how the file was read, in part.
    shown : tuple of str
        Columns of the model.
    left_out : tuple of str
        Columns that the model does not use.
    accuracy : float
        The least accuracy on the rows themselves.
    """

    name: str
    table: Callable[[], Table]
    write: Callable[[Table], bytes]
    read_as: str = ""
    shown: tuple[str, ...] = ("age", "job=clerk", "income")
    left_out: tuple[str, ...] = ()
    accuracy: float = 0.95

    @property
    def names_columns(self):
        """Whether all columns have names of their own."""
        return self.write.header if isinstance(self.write, Delimited) else self.write not in (aligned, badly_named)


SEMICOLONS = Delimited(";", quoted=True)
COMMA_BLANK = Delimited(", ", header=False, missing="?")
X_NAMES = ("x1", "x2=clerk", "x3")

FILES = (
    RawFile("bank.csv", bank, SEMICOLONS, ";-separated, header", ("age", "job=clerk", "contact=cellular")),
    RawFile("decimal_comma.csv", plain, Delimited(";", decimal=","), ";-separated, header, decimal comma"),
    RawFile("adult.csv", adult, COMMA_BLANK, "comma-separated, no header, missing: ?", (*X_NAMES, "x4=missing")),
    RawFile("adult.data", adult, COMMA_BLANK, "comma-separated, no header, missing: ?", (*X_NAMES, "x4=missing")),
    RawFile("latin1.csv", cities, Delimited(encoding="latin-1"), "latin-1", ("age", "city=Zürich")),
    RawFile("bom.csv", cities, Delimited(encoding="utf-8-sig"), shown=("age", "city=Köln")),
    RawFile("utf16.csv", cities, Delimited("\t", encoding="utf-16"), "tab-separated, header", ("age", "city=Köln")),
    RawFile("crlf.csv", plain, Delimited(line_end="\r\n")),
    RawFile("mac.csv", plain, Delimited(line_end="\r")),
    RawFile("quoted.csv", comments, Delimited(), shown=("age", "comment=two\nlines, and a comma")),
    RawFile("single_quotes.csv", comments, Delimited(quote="'", quoted=True), "quoted by '", ("age", "job=clerk")),
    RawFile("thousands.csv", thousands, Delimited(), "thousands as 1,234", ("salary", "job=clerk")),
    RawFile("tabs.data", plain, Delimited("\t")),
    RawFile("tabs.txt", adult, Delimited("\t", header=False), "tab-separated, no header", X_NAMES),
    RawFile("blanks.txt", wine, aligned, "blank-separated, no header", ("x2", "x3", "x4")),
    RawFile("pipes.csv", plain, Delimited("|"), "|-separated, header"),
    RawFile("label_first.csv", wine, Delimited(header=False), "comma-separated, no header", ("x2", "x3", "x4")),
    RawFile("label_with_blank.csv", messages, Delimited(), shown=("age", "links")),
    RawFile("dates.csv", orders, Delimited(), shown=("ordered", "called")),
    RawFile("german_dates.csv", german_dates, Delimited(";", decimal=","), "decimal comma", ("datum", "job=cook")),
    RawFile("ids.csv", identifiers, Delimited(), left_out=("row", "uuid")),
    RawFile("constants.csv", constants, Delimited(), left_out=("country", "version", "empty")),
    RawFile("shops.csv", thousand_categories, Delimited(), shown=("shop=shop-17", "size"), accuracy=0.9),
    RawFile(
        "gaps.csv", gaps, Delimited(missing="NA"), "missing: NA", ("age", "age=missing", "job=missing"), accuracy=0.9
    ),
    RawFile("bad_names.csv", bad_names, badly_named, shown=("age", "x4", "age.2=u", "x6")),
    RawFile("booleans.csv", booleans, Delimited(), shown=("new", "old=yes", "hot=T")),
    RawFile(
        "sms.tsv",
        sms,
        Delimited("\t", header=False, quote="\0", missing="NA"),
        "tab-separated, no header",
        ("x2:free", "x2:home"),
    ),
    RawFile(
        "titanic.csv",
        titanic,
        Delimited(),
        shown=("Sex=male", "Pclass", "Age=missing", "Name:owen"),
        left_out=("PassengerId",),
    ),
    RawFile("zip.csv", zip_codes, Delimited(), shown=("zip=01067", "size"), accuracy=0.9),
    RawFile("typos.csv", typos, Delimited(), "years (2, such as '4o'", ("years", "age")),
    RawFile("flowers.csv", flowers, Delimited(), shown=("sepal length", "petal")),
    RawFile("census.csv", census, COMMA_BLANK, "comma-separated, no header", ("x1", "x2=clerk", "x4=Yes")),
    RawFile("numbers.csv", segments, Delimited(header=False), "comma-separated, no header", ("x1", "x2")),
    RawFile("plain.csv.gz", plain, Delimited(compressed=True)),
    RawFile("plain.ndjson", plain, json_lines),
    RawFile("gaps.json", gaps, json_lines, shown=("age", "age=missing", "job=missing"), accuracy=0.9),
    RawFile("gaps.parquet", gaps, parquet, shown=("age", "age=missing", "job=missing"), accuracy=0.9),
    RawFile("trailing.csv", bank, Delimited(";", trailing=True), ";-separated, header", ("age", "month=may")),
    RawFile("preamble.csv", plain, Delimited(preamble="# made by a machine\n# on 2024-01-01\n"), "2 lines skipped"),
    RawFile("excel.csv", plain, Delimited(";", preamble="sep=;\n"), ";-separated, header"),
    RawFile("r.csv", plain, row_names, "blank-separated, header", left_out=("row",)),
)
