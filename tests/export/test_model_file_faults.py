"""Model files that are damaged, edited, foreign or made to harm are refused with a reason."""

from __future__ import annotations

import copy
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from elseif import BayesianRuleListClassifier, load_model, save_model
from elseif.errors import ElseifError, ModelFileError
from elseif.export import migrations
from elseif.export.model_file import checksum, model_from_bytes, model_text, read_model
from elseif.files.strict_json import LARGEST_FILE, nesting, parse
from elseif.fitted_model import as_model
from elseif.posterior.rule_list import RuleList
from tests.export.tables import every_operator, model_of


@pytest.fixture(scope="module")
def small() -> bytes:
    """A file of a few rules, without a posterior: small enough to damage it everywhere."""
    whole = every_operator()
    few = RuleList([*whole.rules[3:5], whole.rules[-1]], whole.metadata)
    return model_text(model_of(few), None).encode()


@pytest.fixture(scope="module")
def whole(classifier: BayesianRuleListClassifier) -> dict[str, Any]:
    """The document of a fitted classifier, with its posterior."""
    return json.loads(model_text(as_model(classifier)))


def sealed(content: dict[str, Any]) -> bytes:
    """A document with the checksum that belongs to it, as a forger would make it."""
    content["sha256"] = checksum(content)
    return json.dumps(content).encode()


def refused(content: bytes, *words: str) -> str:
    """The reason why a file is refused; it must hold every one of the words."""
    with pytest.raises(ModelFileError) as caught:
        model_from_bytes(content, "m.json")
    message = str(caught.value)
    for word in words:
        assert word in message, f"{word!r} is not in {message!r}"
    assert len(message) < 1000
    return message


def test_the_error_is_ours_and_a_value_error() -> None:
    """So that either can be caught."""
    assert issubclass(ModelFileError, ElseifError)
    assert issubclass(ModelFileError, ValueError)


@pytest.mark.fault(
    "65-70",
    "a model file that is truncated, damaged, edited, forged, too deeply nested, too "
    "large, from a newer release or has duplicate keys",
    "`ModelFileError` with the reason; nothing in it is executed or unpickled",
)
def test_cut_short_at_every_byte(small: bytes) -> None:
    """No beginning of a file is a file; the line end after it may go."""
    model_from_bytes(small.rstrip(b"\n"))
    for length in range(len(small.rstrip(b"\n"))):
        refused(small[:length])


def test_a_bit_flipped_at_every_byte(small: bytes) -> None:
    """It is refused, or says the same in other letters (1e-05 for 1E-05)."""
    original = json.loads(small)
    for index in range(len(small)):
        damaged = bytearray(small)
        damaged[index] ^= 1 << index % 8
        try:
            model_from_bytes(bytes(damaged))
        except ModelFileError:
            continue
        assert json.loads(bytes(damaged)) == original


def test_an_edited_file_says_what_to_do(small: bytes) -> None:
    """Edits by hand are refused, with the way to do it."""
    content = json.loads(small)
    content["rule_list"][0]["label_counts"][0] += 1
    refused(json.dumps(content).encode(), "checksum", "load it, change it in Python and save")


def test_other_white_space_is_the_same_model(small: bytes) -> None:
    """The checksum is of what a file says."""
    spaced = json.dumps(json.loads(small), indent=4, ensure_ascii=True).encode()
    assert spaced != small
    assert str(model_from_bytes(spaced).rule_list) == str(model_from_bytes(small).rule_list)


def change(path: str, value: Any) -> Callable[[dict[str, Any]], None]:
    """A change of one value of a document, by its path."""

    def apply(content: dict[str, Any]) -> None:
        *keys, last = [int(k) if k.lstrip("-").isdigit() else k for k in path.split("/")]
        target: Any = content
        for key in keys:
            target = target[key]
        target[last] = value(target[last]) if callable(value) else value

    return apply


def labels_of(label_type: str, *labels: Any) -> dict[str, Any]:
    """An outcome with labels of a type."""
    return {
        "name": "survival",
        "label_type": label_type,
        "labels": list(labels),
        "pseudocounts": [1.0, 1.0],
    }


def date(text: str) -> dict[str, str]:
    """A date as a file has it."""
    return {"date": text}


FORGED = [
    ("rule_list/0/label_counts/0", -1.0, "greater than or equal to 0"),
    ("rule_list/0/label_counts/0", lambda n: n + 1, "rule 1"),
    ("rule_list/0/label_counts", [1.0], "needs 2 counts"),
    ("rule_list/0/label_counts/0", True, "rule_list.0.label_counts.0"),
    ("rule_list/0/label_counts/0", "12", "rule_list.0.label_counts.0"),
    ("rule_list/0/probabilities/0", 0.5, "do not follow from its counts"),
    ("rule_list/0/probabilities/0", 1.5, "less than or equal to 1"),
    ("rule_list/0/conditions", [], "no other, has no condition"),
    ("rule_list", lambda rules: rules[:-1], "no other, has no condition"),
    ("rule_list", lambda rules: rules[1:], "and there were"),
    ("rule_list", [], "rule_list"),
    ("rule_list/0/conditions/0/column", "unheard of", "unknown column"),
    ("rule_list/0/conditions/0/operator", "eval", "operator"),
    ("rule_list/0/conditions/0/operator", "is true", "'is true'"),
    ("rule_list/0/conditions/0/value", "V", "category that the column does not have"),
    ("rule_list/0/conditions/0/value", None, "category that the column does not have"),
    ("rule_list/0/conditions/0/value", {"tuple": ["IV"]}, "needs one value"),
    ("rule_list/0/conditions/0/value", {"number": "Infinity"}, "does not have"),
    ("rule_list/0/conditions/0/order", 99, "order that is not there"),
    ("rule_list/0/conditions/0/order", None, "lacks the order"),
    ("rule_list/0/conditions/0/extra", "x", "Extra inputs"),
    ("orders/0", ["a", "b"], "order"),
    ("orders/0", lambda order: order[:1], "not in its order"),
    ("orders/0", lambda order: [*order[:1], *order[:-1]], "twice"),
    ("table/columns/0/levels", [{"number": "NaN"}], "has NaN among its values"),
    ("table/n_rows", 2**63, "less than or equal to"),
    ("outcome/labels", [0, 0], "occurs twice"),
    ("outcome/labels", [0, 1, 2], "as many pseudocounts"),
    ("outcome/labels", [0, True], "not of type int64"),
    ("outcome/labels", [0, "1"], "not of type int64"),
    ("outcome/labels", [0, 1.0], "not of type int64"),
    ("outcome/label_type", "int8; import os", "label_type"),
    ("outcome/label_type", "uint8", None),
    ("outcome", labels_of("U999999", "no", "yes"), "far wider than the longest"),
    ("outcome", labels_of("U1", "no", "yes"), "longer than its type U1"),
    ("outcome", labels_of("object", 0, {"number": "Infinity"}), "infinite or not a number"),
    ("outcome", labels_of("object", 0, {"number": "NaN"}), "infinite or not a number"),
    ("outcome", labels_of("float16", 0.0, 1e300), "infinite or not a number"),
    ("outcome", labels_of("int8", 0, 300), "labels cannot be read"),
    ("outcome", labels_of("datetime64[D]", date("now"), date("2020-01-01")), "'now' is not a date"),
    ("outcome", labels_of("datetime64[D]", date("NaT"), date("2020-01-01")), "'NaT' is not a date"),
    ("outcome", labels_of("datetime64[ns]", date("3000-01-01"), date("2020-01-01")), "dates"),
    ("outcome", labels_of("object", {"tuple": [1]}, 2), "labels"),
    ("outcome/pseudocounts", [1e308, 1e308], "pseudocounts are too large"),
    ("outcome/pseudocounts/0", 0.0, "greater than 0"),
    ("table/columns/0/kind", "secret", "kind"),
    ("table/columns/0/name", "age", "occurs twice"),
    ("table/columns/0/n_missing", 10**9, "more missing values than rows"),
    ("table/feature_names", ["a"], "as many names"),
    ("table/n_features", 10**18, "as many names"),
    ("training/label_counts/0", 0.0, "and there were"),
    ("training/label_counts", [1e308, 1e308], "more cases than can be counted"),
    ("training/count_unit", 5e-324, "more cases than can be counted"),
    ("rule_list/0/label_counts", [1.7e308, 1.7e308], "do not follow from its counts"),
    ("training/count_unit", 0.0, "count_unit"),
    ("training/count_unit", 0.5, "do not add up"),
    ("training/fingerprint", "abc", "fingerprint"),
    ("pool/antecedents/0", [10_000], "do not exist"),
    ("pool/antecedents/0", [], "do not exist"),
    ("pool/antecedents/0", [0, 0], "do not exist"),
    ("pool/antecedents/0/0", -1, "greater than or equal to 0"),
    ("pool/supports", [], "needs a support"),
    ("pool/supports/0", 1.5, "less than or equal to 1"),
    ("pool/conditions/0/column", "unheard of", "unknown column"),
    ("posterior/lists/0", [10_000], "not in the pool"),
    ("posterior/lists/0", [0, 0], "twice"),
    ("posterior/label_counts/0/0/0", lambda n: n + 1, "do not add up"),
    ("posterior/label_counts/0/0/0", -5, "greater than or equal to 0"),
    ("posterior/label_counts/0", [[1, 2]] * 40, "one row of counts for each rule"),
    ("posterior/log_posterior", [0.0], "log posterior"),
    ("posterior/chains/0/lists/0", 10**9, "lists that do not exist"),
    ("posterior/chains/0/n_draws/0", 2**40, "n_draws"),
    ("posterior/chains/0/n_draws/0", lambda n: n + 1, "lengths"),
    ("posterior/chains/0/n_draws/0", 0, "greater than or equal to 1"),
    ("posterior/chains", [], "chains"),
    ("convergence/status", "splendid", "status"),
    ("convergence/r_hat", "eval()", "r_hat"),
    ("settings/n_chains", {"exec": "os.system"}, "settings"),
    ("settings/n_chains", {"dict": [[{"list": []}, 1]]}, "cannot be read"),
    ("settings/kinds", {"integer": "9" * 2000}, "settings"),
    ("settings/random_state", {"date": "yesterday"}, "not a date"),
    ("format", "other", "not a model file"),
    ("format_version", 0, "format_version"),
    ("format_version", True, "format_version"),
    ("format_version", "1", "format_version"),
]


@pytest.mark.parametrize(("path", "value", "word"), FORGED, ids=[f"{p}-{w}" for p, _, w in FORGED])
def test_a_forged_file_must_still_make_sense(
    path: str, value: Any, word: str | None, whole: dict[str, Any]
) -> None:
    """With the right checksum, contradictions and impossible values are found all the same."""
    content = copy.deepcopy(whole)
    change(path, value)(content)
    if word is None:
        model_from_bytes(sealed(content))
    else:
        refused(sealed(content), word)


def test_forged_settings_are_found_when_they_are_used(
    whole: dict[str, Any], tmp_path: Path
) -> None:
    """A classifier is made of settings that it could have been given."""
    for name, value in (("n_chains", -3), ("unheard_of", 1), ("predict_with", "wishes")):
        content = copy.deepcopy(whole)
        content["settings"][name] = value
        path = tmp_path / f"{name}.json"
        path.write_bytes(sealed(content))
        with pytest.raises(ModelFileError, match="settings that are not possible"):
            load_model(path)


def test_a_newer_format_names_the_release(whole: dict[str, Any]) -> None:
    """Whatever else it holds, and whether or not its checksum is ours."""
    content = {**whole, "format_version": 2, "made_by": "elseif 3.1.4", "new": {"things": 1}}
    refused(json.dumps(content).encode(), "version 2", "Install elseif 3.1.4 or newer")
    content["made_by"] = 5
    refused(json.dumps(content).encode(), "a newer elseif")


def test_an_older_format_is_migrated(
    whole: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Steps from version to version are taken in order."""
    taken: list[int] = []

    def step(number: int) -> Callable[[dict[str, Any]], dict[str, Any]]:
        def apply(content: dict[str, Any]) -> dict[str, Any]:
            taken.append(number)
            return {**content, "format_version": number + 1}

        return apply

    monkeypatch.setattr(migrations, "VERSION", 3)
    monkeypatch.setattr(migrations, "MIGRATIONS", {1: step(1), 2: step(2)})
    assert migrations.migrate(dict(whole), 1)["format_version"] == 3
    assert taken == [1, 2]


@pytest.mark.parametrize(
    ("text", "word"),
    [
        (b'{"a": 1, "a": 2}', "'a' twice"),
        (b'{"x": {"\\u0061": 1, "a": 2}}', "'a' twice"),
        (b'{"a": NaN}', "NaN"),
        (b'{"a": Infinity}', "Infinity"),
        (b'{"a": -Infinity}', "-Infinity"),
        (b'{"a": 1e999}', "1e999"),
        (b'{"a": -1e999}', "-1e999"),
        (b'{"a": ' + b"9" * 5000 + b"}", "5,000 characters"),
        (b'{"a": 99999999999999999999}', "20 characters"),
        (b"[" * 100_000, "100,000 levels"),
        (b"[" * 65 + b"]" * 65, "65 levels"),
        (b'{"a":' * 100_000, "100,000 levels"),
        (b'"' + b'\\"' * 100_000, "not whole JSON"),
        (b'"' + b"\\" * 99_999, "not whole JSON"),
        (b"", "not whole JSON"),
        (b"\xef\xbb\xbf{}", "not whole JSON"),
        (b"\xff\xfe", "UTF-8"),
        (b'{"a": "\xc3"}', "UTF-8"),
        (b'{"a": 1} x', "Extra data"),
        (b"PK\x03\x04", "not whole JSON"),
        (b"[1, 2]", "not a model file"),
        (b"null", "not a model file"),
        (b'{"format": "elseif model"}', "format_version"),
    ],
    ids=range(23),
)
def test_json_that_is_not_strict(text: bytes, word: str) -> None:
    """Two meanings, none, or too much of it."""
    refused(text, word)


def test_brackets_in_strings_do_not_nest() -> None:
    """Depth is counted where it counts."""
    text = json.dumps({"a": "[" * 1000, "b": ['\\"[[[', "]"]}).encode()
    assert nesting(text) == 2
    assert parse(text, "x") == json.loads(text)
    assert nesting(b"[" * 64 + b"]" * 64) == 64


def test_a_file_that_is_too_large(tmp_path: Path) -> None:
    """Is not even read; what is no file neither."""
    path = tmp_path / "large.json"
    with path.open("wb") as file:
        file.truncate(LARGEST_FILE + 1)
    with pytest.raises(ModelFileError, match=r"200,000,001 bytes"):
        read_model(path)
    with pytest.raises(ModelFileError, match="is a folder"):
        read_model(tmp_path)
    with pytest.raises(ModelFileError, match="no such file"):
        read_model(tmp_path / "absent.json")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ModelFileError, match="is not a file"):
        read_model(tmp_path / "pipe")
    with pytest.raises(ModelFileError, match="200,000,001 bytes"):
        parse(bytes(LARGEST_FILE + 1), "x")


def test_half_a_character(whole: dict[str, Any]) -> None:
    """Text that is no Unicode has no checksum."""
    content = copy.deepcopy(whole)
    content["made_by"] = "\ud800"
    refused(json.dumps(content).encode(), "checksum")


def test_nothing_is_pickled(
    classifier: BayesianRuleListClassifier, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither in saving nor in loading."""
    import pickle

    def never(*args: Any, **kwargs: Any) -> None:
        raise AssertionError("pickle was used")

    for name in ("load", "loads", "dump", "dumps", "Unpickler", "Pickler"):
        monkeypatch.setattr(pickle, name, never)
    save_model(classifier, tmp_path / "m.json")
    load_model(tmp_path / "m.json")
    source = Path(migrations.__file__).parent
    for file in source.glob("*.py"):
        assert "pickle" not in file.read_text(), file.name
