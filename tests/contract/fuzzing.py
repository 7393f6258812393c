"""A process that feeds mutated input of one kind to the library, and says what went wrong.

    python -m tests.contract.fuzzing KIND SEED TRIALS

Anything but an ElseifError with a sentence, or an exit code of docs/cli.md, is a fault, printed
as a line of JSON. Memory and processor time are limited by the system: what asks for all of either
ends this process.
"""

from __future__ import annotations

import contextlib
import copy
import datetime
import io
import json
import random
import resource
import sys
import tempfile
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from starlette.testclient import TestClient

from elseif import BayesianRuleListClassifier, save_model
from elseif.cli.main import run
from elseif.cohort.definition_file import definition_names, load_definition
from elseif.errors import ElseifError
from elseif.export.formats import FORMATS, export_model
from elseif.export.model_file import checksum, model_from_bytes, read_model, to_classifier
from elseif.files.array_file import read_arrays, write_arrays
from elseif.labelling import labels_template
from elseif.serving import ServedModel, make_app, read_bindings
from elseif.serving.cds_hooks import case_of, prefetch_templates

MOST_MEMORY = 4 << 30  # bytes of address space, libraries included
MOST_SECONDS = 120  # of processor time
LONGEST_SENTENCE = 3000
EXIT_CODES = (0, 2, 3, 4, 5, 6)
ROOT = Path(__file__).parents[2]

ODD_VALUES: list[Any] = [
    None, True, False, 0, 1, -1, 2**31, 2**53 + 1, 2**63 - 1, 2**63, -(2**63), 10**18, 0.0, -0.0,
    1e-300, 5e-324, 1e308, -1e308, 0.1, "", " ", "NaN", "Infinity", "x" * 100_000, "\x1b[2J",
    "\u202e", "é",
    "🫀", "\0", "1", "true", "null", [], [[]], [None], {}, {"": ""}, {"date": "2020-01-01"},
    {"date": "now"}, {"date": "9" * 40}, {"date": "-290000-01-01"}, {"integer": "9" * 1000},
    {"integer": "1"}, {"number": "NaN"}, {"number": "Infinity"}, {"number": "-Infinity"},
    {"tuple": []}, {"tuple": [1, "a"]}, {"list": [1]}, {"set": [1, {"list": []}]},
    {"dict": [[1, 2]]}, {"dict": [[{"list": []}, 2]]}, {"condition": ["a", "=", 1]},
    {"condition": [1, 2, 3]}, {"not stored": "Generator"}, {"tuple": [1], "list": [1]},
]  # fmt: skip
ODD_BYTES = [
    b"\0", b"\xff", b'"', b"'", b",", b"\r", b"\n", b"\x1b[2J", b"\xef\xbb\xbf", b"1e999", b"NaN",
    b"[" * 200, b"{" * 200, b"- " * 200, b"&a [*a]", b"!!python/object:os.system", b"9" * 400,
    b": ", "é".encode("latin-1"), "🫀".encode(), b"\t", b"x" * 100_000,
]  # fmt: skip
BINDINGS = """
m:
  age: {patient: age}
  city: {patient: gender, values: {male: Bonn, female: "Zürich", other: Aachen}}
  smoker: {condition: ["http://a|1", "http://b|2"]}
"""
LABEL_TYPES = ["object", "float16", "int8", "U1", "U999999", "datetime64[ns]"]
ODD_TEXTS = [
    "", " ", "-", "--", "0", "-1", "1e400", "nan", "inf", "1,5", "x" * 10_000, "\x1b[2J", "\u202ea",
    "🫀", "a=b", "=", "a=1,2", "{", "[]", "null", "../..", "/", "/dev/null", ".", "a b", "%s", "{}",
    "10000000000000000000000", "0x10", "1_000", "true", "survival", "sex=category", "age=1,nan",
]  # fmt: skip


def damaged(content: bytes, draw: random.Random) -> bytes:
    """A few bytes changed, left out, doubled or put in."""
    made = bytearray(content)
    for _ in range(draw.randint(1, 4)):
        position = draw.randrange(len(made) + 1)
        end = min(len(made), position + draw.choice([1, 1, 2, 10, 1000]))
        what = draw.randrange(5)
        if what == 0:
            made[position:end] = bytes(draw.randrange(256) for _ in range(end - position))
        elif what == 1:
            del made[position:end]
        elif what == 2:
            made[position:position] = made[position:end]
        elif what == 3:
            made[position:position] = draw.choice(ODD_BYTES)
        elif made:
            made[draw.randrange(len(made))] ^= 1 << draw.randrange(8)
    return bytes(made)


def forged(document: dict[str, Any], draw: random.Random) -> bytes:
    """A document with odd values in it, and the checksum that belongs to it."""
    made = copy.deepcopy(document)
    if draw.random() < 0.1:  # labels of another type, which a single change seldom makes
        made["outcome"].update(
            label_type=draw.choice(
                ["object", "float16", "int8", "U1", "U999999", "datetime64[ns]"]
            ),
            labels=draw.sample(ODD_VALUES, 2),
        )
    for _ in range(draw.choice([1, 1, 1, 2, 5])):
        _change(*_walk(made, draw), _walk(made, draw), draw)
    with contextlib.suppress(UnicodeEncodeError, TypeError, ValueError):
        made["sha256"] = checksum(made)
    return json.dumps(made).encode("utf-8", "surrogatepass")


def _walk(value: Any, draw: random.Random) -> tuple[Any, Any]:
    """A dict or list in a document and one of its keys: every branch is as likely as its twins."""
    while True:
        keys = list(value) if isinstance(value, dict) else list(range(len(value)))
        key = draw.choice(keys)
        if not isinstance(value[key], (dict, list)) or not value[key] or draw.random() < 0.1:
            return value, key
        value = value[key]


def _change(holder: Any, key: Any, other: tuple[Any, Any], draw: random.Random) -> None:
    what = draw.randrange(9)
    value = holder[key]
    if what == 0:
        del holder[key]
    elif what == 1 and isinstance(holder, list):
        holder.insert(key, copy.deepcopy(value))
    elif what == 2 and isinstance(value, (int, float)) and not isinstance(value, bool):
        holder[key] = draw.choice([value + 1, -value, value * 2**40, float(value), int(value)])
    elif what == 3 and isinstance(holder, list):
        draw.shuffle(holder)
    elif what == 4:
        holder[key] = copy.deepcopy(other[0][other[1]])
    elif what == 5 and isinstance(holder, list):
        holder *= draw.choice([0, 2, 50])
    elif what == 6:
        holder[key] = {draw.choice(["tuple", "list", "set"]): [copy.deepcopy(value)]}
    else:
        holder[key] = copy.deepcopy(draw.choice(ODD_VALUES))


def use_model(content: bytes) -> None:
    """Load a model, and do with it what people do."""
    model = model_from_bytes(content, "m.json")
    table = small_table().drop(columns="y")
    uses: list[Callable[[], Any]] = [
        lambda: model.rule_list.to_text(),
        lambda: model.rule_list.to_frame(),
        lambda: repr(model.posterior),
        lambda: str(model.fit_report),
        lambda: str(model.convergence),
        lambda: model.posterior and repr(model.posterior.inclusion()),
        lambda: model.posterior and model.posterior.lists(),
        lambda: to_classifier(model).predict(table),
        lambda: to_classifier(model).set_params(predict_with="posterior").predict_proba(table),
        lambda: to_classifier(model).explain(table, 1).to_text(),
        *(lambda to=to: export_model(model, to) for to in FORMATS),
    ]
    for use in uses:
        with contextlib.suppress(ElseifError):
            use()


def small_table() -> pd.DataFrame:
    """A table of all kinds of columns."""
    n = 60
    return pd.DataFrame(
        {
            "age": [20.0 + k % 7 for k in range(n)],
            "city": ["Aachen", "Bonn", "Zürich"] * (n // 3),
            "smoker": [k % 4 == 0 for k in range(n)],
            "visit": pd.date_range("2020-01-01", periods=n).astype("datetime64[us]"),
            "stage": pd.Categorical([["I", "II", "III"][k % 3] for k in range(n)], ordered=True),
            "y": [["no", "yes"][(k % 7 > 2) ^ (k % 11 == 0)] for k in range(n)],
        }
    )


def small_model(folder: Path) -> Path:
    """The file of a model of that table."""
    table = small_table()
    classifier = BayesianRuleListClassifier(n_iter=300, n_chains=2, random_state=0, negations=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        classifier.fit(table.drop(columns="y"), table["y"])
    return save_model(classifier, folder / "model.json")


Trial = Callable[[random.Random], None]


def model_trials(folder: Path) -> Trial:
    """Model files."""
    content = small_model(folder).read_bytes()
    document = json.loads(content)

    def trial(draw: random.Random) -> None:
        is_sealed = draw.random() < 0.8
        use_model(forged(document, draw) if is_sealed else damaged(content, draw))

    return trial


def definition_trials(folder: Path) -> Trial:
    """Definitions of cohorts."""
    source = ROOT / "src/elseif/cohort/definitions"
    contents = [(source / f"{name}.yaml").read_bytes() for name in definition_names()]

    def trial(draw: random.Random) -> None:
        path = folder / "d.yaml"
        path.write_bytes(damaged(draw.choice(contents), draw))
        load_definition(path)

    return trial


def yaml_trials(folder: Path) -> Trial:
    """Labels files, and files of FHIR bindings."""
    model = read_model(small_model(folder))
    labels, bindings = folder / "labels.yaml", folder / "fhir.yaml"
    labels.write_text(labels_template(model), encoding="utf-8")
    bindings.write_text(BINDINGS, encoding="utf-8")
    contents = labels.read_bytes(), bindings.read_bytes()
    columns = {"m": ["age", "city", "smoker", "visit", "stage"]}

    def trial(draw: random.Random) -> None:
        if draw.random() < 0.5:
            labels.write_bytes(damaged(contents[0], draw))
            model.with_labels(labels).rule_list.to_text()
            return
        bindings.write_bytes(damaged(contents[1], draw))
        for of_model in read_bindings(bindings, columns).values():
            prefetch = {key: {"resourceType": "Bundle"} for key in prefetch_templates(of_model)}
            case_of(prefetch, of_model, datetime.date(2026, 1, 31))

    return trial


def request_trials(folder: Path) -> Trial:
    """Requests to a server: damaged, and with odd values in the places of a case's."""
    served = ServedModel("m", read_model(small_model(folder)))
    bindings = folder / "fhir.yaml"
    bindings.write_text(BINDINGS, encoding="utf-8")
    app = make_app([served], bindings=read_bindings(bindings, {"m": ["age", "city", "smoker"]}))
    client = TestClient(app, raise_server_exceptions=True)
    case = {"age": 22, "city": "Bonn", "smoker": True, "visit": "2020-01-05", "stage": "II"}
    code = {"coding": [{"system": "http://a", "code": "1"}]}
    smoker = {"resourceType": "Condition", "code": code}
    asked: dict[str, dict[str, Any]] = {
        "/predict": {"case": case},
        "/explain": {"model": "m", "case": case},
        "/cds-services/m": {
            "hook": "patient-view",
            "hookInstance": "d1577c69-dfbe-44ad-ba6d-3e05e953b2ea",
            "context": {"patientId": "1"},
            "prefetch": {
                "patient": {
                    "resourceType": "Patient",
                    "birthDate": "1999-02-03",
                    "gender": "other",
                },
                "search1": {"resourceType": "Bundle", "entry": [{"resource": smoker}]},
            },
        },
    }

    def trial(draw: random.Random) -> None:
        path = draw.choice(sorted(asked))
        made = copy.deepcopy(asked[path])
        for _ in range(draw.choice([1, 1, 2, 5])):
            if made:  # a change may have taken the last key
                _change(*_walk(made, draw), _walk(made, draw), draw)
        content = json.dumps(made).encode("utf-8", "surrogatepass")
        if draw.random() < 0.3:
            content = damaged(content, draw)
        response = client.post(path, content=content, headers={"Content-Type": "application/json"})
        if response.status_code not in (200, 404, 413, 422):
            raise AssertionError(f"{path} answers {response.status_code}: {response.text[:200]}")
        if len(response.text) > 100_000:
            raise AssertionError(f"{path} answers {len(response.text):,} characters")

    return trial


def table_trials(folder: Path) -> Trial:
    """Tables in files: predicted for, explained, and fitted."""
    model = small_model(folder)
    content = small_table().to_csv(index=False).encode()

    def trial(draw: random.Random) -> None:
        path = folder / draw.choice(["t.csv", "t.tsv", "t.parquet"])
        path.write_bytes(damaged(content, draw))
        commands = [["predict", model, path], ["explain", model, path, "--row", "2"]]
        commands.append(["fit", path, "--label", "y", "--n-iter", "50", "--n-chains", "1"])
        program([str(word) for word in draw.choice(commands)])
        path.unlink()

    return trial


def argument_trials(folder: Path) -> Trial:
    """Arguments of the program."""
    model, table = str(small_model(folder)), str(folder / "t.csv")
    small_table().to_csv(table, index=False)
    fit = ["fit", table, "--label", "y", "--n-iter", "50", "--n-chains", "1"]
    whole = [
        ["show", model], ["predict", model, table], ["explain", model, table, "--row", "1"],
        ["export", model, "--to", "sql"], fit,
    ]  # fmt: skip
    options = {
        "show": ["--list", "--label", "--level", "--lists"],
        "predict": ["--with", "--out"],
        "explain": ["--row"],
        "export": ["--to", "--out", "--dialect", "--table", "--list"],
        "fit": ["--label", "--positive", "--weight", "--drop", "--kinds", "--cuts", "--cutting",
                "--n-quantiles", "--group-rare", "--missing", "--missing-y", "--infinite",
                "--kernel", "--min-support", "--max-cardinality", "--expected-length",
                "--pseudocounts", "--predict-with", "--random-state", "--antecedents",
                "--model", "--min-cell"],
    }  # fmt: skip

    def trial(draw: random.Random) -> None:
        words = list(draw.choice(whole))
        for _ in range(draw.randint(0, 2)):
            words += [draw.choice(options[words[0]]), draw.choice(ODD_TEXTS)]
        if draw.random() < 0.3:
            words[draw.randrange(len(words))] = draw.choice(ODD_TEXTS)
        program(words)

    return trial


def program(words: list[str]) -> None:
    """Run a command; an internal error, or a code that is not documented, is an error."""
    out, err = io.TextIOWrapper(io.BytesIO()), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run(words)
    if code not in EXIT_CODES or "Traceback" in err.getvalue():
        raise AssertionError(f"{words} ended with {code}: {err.getvalue()[-600:]}")


def checkpoint_trials(folder: Path) -> Trial:
    """Files of a fit that was stopped: damaged, or forged with a checksum that is right."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.random((300, 6)) < 0.4).rename(columns="f{}".format)
    y = rng.integers(0, 2, 300)
    kept = folder / "kept"

    def fit() -> None:
        how: dict[str, Any] = {"kernel": "tempered", "n_iter": 1_000, "n_chains": 2}
        clf = BayesianRuleListClassifier(checkpoint=kept, random_state=0, **how).fit(X, y)
        if not np.isfinite(clf.predict_proba(X)).all():
            raise AssertionError("a probability is not finite")

    fit()
    whole = {path: path.read_bytes() for path in kept.glob("*.checkpoint")}

    def forge(path: Path, draw: random.Random) -> None:
        file = read_arrays(path)
        header: dict[str, Any] = file.header
        arrays = {name: array.copy() for name, array in file.arrays.items()}
        for _ in range(draw.choice([1, 1, 2, 5])):
            if draw.random() < 0.3:
                inner = header.get("snapshot")  # which may be forged by now
                part = draw.choice([header, *([inner] if isinstance(inner, dict) else [])])
                part[draw.choice(sorted(part))] = draw.choice(ODD_VALUES)
                continue
            name = draw.choice(sorted(arrays))
            array = arrays[name]
            if array.size and draw.random() < 0.7:
                limits = np.iinfo(array.dtype) if array.dtype.kind in "iu" else None
                odd = [0, 1, 7, 2**14] if limits is None else [0, 1, 7, limits.min, limits.max]
                odd += [np.nan, np.inf, -1e300] if limits is None else []
                array.flat[draw.randrange(array.size)] = draw.choice(odd)
            else:
                arrays[name] = array[: len(array) // 2]
        with contextlib.suppress(ValueError):  # of what JSON cannot say
            write_arrays(path, header, arrays)

    def trial(draw: random.Random) -> None:
        for path, content in whole.items():
            path.write_bytes(content)
            if draw.random() < 0.7:
                if draw.random() < 0.5:
                    path.write_bytes(damaged(content, draw))
                else:
                    forge(path, draw)
        fit()

    return trial


TRIALS: dict[str, Callable[[Path], Trial]] = {
    "model": model_trials,
    "definition": definition_trials,
    "yaml": yaml_trials,
    "request": request_trials,
    "table": table_trials,
    "arguments": argument_trials,
    "checkpoint": checkpoint_trials,
}


def fault(trial: Trial, draw: random.Random) -> str | None:
    """What is wrong with how a trial ended; None if it was a success or a sentence."""
    try:
        trial(draw)
    except ElseifError as error:
        said = str(error)
        is_sentence = 10 < len(said) <= LONGEST_SENTENCE
        return None if is_sentence else f"{type(error).__name__} says {said[:100]!r} ({len(said)})"
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        index = f"{Path(where.filename).name}:{where.lineno}"
        return f"{type(error).__name__}: {str(error)[:700]} at {index}"
    return None


def main() -> None:
    """Make the trials, and print the faults."""
    kind, seed, n_trials = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))
    warnings.simplefilter("ignore")
    warnings.simplefilter("error", RuntimeWarning)
    # an odd text may be a file to write: let it be written where all is removed at the end
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        trial = TRIALS[kind](Path(folder))
        for number in range(n_trials):
            result = fault(trial, random.Random(f"{kind} {seed} {number}"))
            if result is not None:
                print(json.dumps({"trial": f"{kind} {seed} {number}", "fault": result}), flush=True)
    print(json.dumps({"done": n_trials}))


if __name__ == "__main__":
    main()
