"""The model file: one JSON document that is checked before it is used, and runs no code."""

from __future__ import annotations

import hashlib
import json
import os
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

import elseif
from elseif.errors import ElseifError, ModelFileError, ParamError
from elseif.export.checks import check_document
from elseif.export.decoding import decode_model
from elseif.export.disclosed import disclosed
from elseif.export.document import FORMAT, VERSION, Document
from elseif.export.encoding import encode_model
from elseif.export.migrations import migrate
from elseif.files.atomic import check_writable, write_atomically
from elseif.files.bounded import read_bounded
from elseif.files.strict_json import LARGEST_FILE, parse
from elseif.fitted_model import FittedModel
from elseif.parameters import check_saved_settings
from elseif.visible import show_name

if TYPE_CHECKING:
    from elseif.estimator import BayesianRuleListClassifier

LONGEST_REASON = 500
# characters that are not seen, or turn the reading direction: spelt out in the file
_UNSEEN = re.compile(
    "[\x7f-\x9f\xad\u0600-\u0605\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\ufff9-\ufffb]|[\U000e0000-\U000e0fff]"
)


def save_model(
    classifier: BayesianRuleListClassifier | FittedModel,
    path: str | os.PathLike[str],
    posterior: str | None = "lists",
    force: bool = False,
    min_cell: int | None = None,
) -> Path:
    """Save a fitted classifier as a model file.

    Parameters
    ----------
    classifier : BayesianRuleListClassifier or FittedModel
        What to save.
    path : str or path
        The file.
    posterior : {"lists", None}, default="lists"
        Whether to save the sampled lists. Without them the file is small, and predicts only with
        the point estimate and the most probable list.
    force : bool, default=False
        Replace a file that exists.
    min_cell : int, default=None
        Round every number of people to multiples of this, and leave out what would reveal more,
        such as the sampled lists.

    Returns
    -------
    Path
        The file.

    Examples
    --------
    >>> import elseif
    >>> from elseif import BayesianRuleListClassifier
    >>> from elseif.datasets import load_titanic
    >>> X, y = load_titanic(split="paper")
    >>> clf = BayesianRuleListClassifier(random_state=0).fit(X, y)
    >>> elseif.save_model(clf, "titanic.json").name
    'titanic.json'
    """
    check_writable(path, force)
    text = model_text(disclosed(classifier, min_cell), posterior)
    return write_atomically(path, text, force)


def model_text(model: FittedModel, posterior: str | None = "lists") -> str:
    """The text of a model's file."""
    if posterior not in ("lists", None):
        raise ParamError(f"posterior is {posterior!r}; it must be 'lists' or None.")
    if posterior is None and model.predict_with == "posterior":
        raise ParamError(
            "predict_with is 'posterior', so the file needs the posterior: say posterior='lists'."
        )
    content = encode_model(model, with_posterior=posterior is not None)
    try:
        content["sha256"] = checksum(content)
    except UnicodeEncodeError as error:
        raise ModelFileError(
            f"The text {error.object[error.start : error.end]!a} in a name, category or label is "
            "an unpaired surrogate, not Unicode; a model file cannot hold it. Rename it."
        ) from error
    _checked(content, "The model")
    head = {key: content[key] for key in ("format", "format_version", "made_by", "sha256")}
    text = _laid_out({**head, **content}) + "\n"
    if len(text.encode("utf-8")) > LARGEST_FILE:
        raise ModelFileError(
            f"The file would have more than {LARGEST_FILE:,} bytes; save it with posterior=None."
        )
    return text


def read_model(path: str | os.PathLike[str]) -> FittedModel:
    """Read a model file for showing and predicting, without scikit-learn.

    Parameters
    ----------
    path : str or path
        The file.

    Returns
    -------
    FittedModel
        The model.

    Examples
    --------
    >>> from elseif.export import read_model, save_model
    >>> from elseif import BayesianRuleListClassifier
    >>> from elseif.datasets import load_titanic
    >>> X, y = load_titanic(split="paper")
    >>> clf = BayesianRuleListClassifier(random_state=0).fit(X, y)
    >>> model = read_model(save_model(clf, "titanic.json"))
    >>> len(model.rule_list.rules)
    4
    """
    path = Path(path)
    return model_from_bytes(_content(path), show_name(path.name))


def model_from_bytes(content: bytes, name: str = "The model") -> FittedModel:
    """The model in the content of a file."""
    raw = parse(content, name)
    version = _version(raw, name)
    if raw.get("sha256") != _checksum_or_none(raw):
        raise ModelFileError(
            f"{name} is not as it was saved: its checksum differs. It was damaged or edited. To "
            "change a model, load it, change it in Python and save it again; a damaged file "
            "must be fetched or made again."
        )
    document = _checked(migrate(raw, version), name)
    try:
        model = decode_model(document)
    except (ElseifError, ValueError, TypeError, KeyError, OverflowError) as error:
        raise ModelFileError(
            f"{name} cannot be read: {show_name(str(error), LONGEST_REASON)}"
        ) from error
    try:
        check_saved_settings(model.settings)
    except (ElseifError, TypeError) as error:
        raise ModelFileError(
            f"{name} has settings that are not possible: {show_name(str(error), LONGEST_REASON)}"
        ) from error
    return known_by(model, raw["sha256"])


def load_model(path: str | os.PathLike[str]) -> BayesianRuleListClassifier:
    """Load a fitted classifier from a model file. Loading runs no code.

    Parameters
    ----------
    path : str or path
        The file.

    Returns
    -------
    BayesianRuleListClassifier
        The classifier, as it was after ``fit``.

    Examples
    --------
    >>> import elseif
    >>> from elseif import BayesianRuleListClassifier
    >>> from elseif.datasets import load_titanic
    >>> X, y = load_titanic(split="paper")
    >>> clf = BayesianRuleListClassifier(random_state=0).fit(X, y)
    >>> path = elseif.save_model(clf, "titanic.json")
    >>> bool((elseif.load_model(path).predict(X) == clf.predict(X)).all())
    True
    """
    return to_classifier(read_model(path))


def to_classifier(model: FittedModel) -> BayesianRuleListClassifier:
    """A fitted classifier made of a model."""
    from elseif.estimator import BayesianRuleListClassifier  # scikit-learn takes a second

    classifier = BayesianRuleListClassifier(**model.settings)
    classifier.model_ = model
    return classifier


def checksum(content: dict[str, Any]) -> str:
    """SHA-256 of a document's content, independent of its layout."""
    kept = {key: value for key, value in content.items() if key != "sha256"}
    text = json.dumps(
        kept, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False
    )
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def known_by(model: FittedModel, sha256: str | None) -> FittedModel:
    """The same model, which knows the checksum of its file."""
    known = replace(model)
    object.__setattr__(known, "sha256", sha256)
    return known


def model_hash(model: FittedModel, posterior: str | None = "lists") -> str | None:
    """The checksum of a model's file: the one that it was read from, or that saving would make.

    None for a model that no file can hold.
    """
    if model.sha256 is not None:
        return model.sha256
    try:
        return checksum(encode_model(model, with_posterior=posterior is not None))
    except ValueError:  # half a character, or the supports of a pool that nobody counted
        return None


def _checksum_or_none(content: dict[str, Any]) -> str | None:
    try:
        return checksum(content)
    except UnicodeEncodeError:  # half a character, which no file was saved with
        return None


def _content(path: Path) -> bytes:
    """The bytes of an ordinary file of bearable size."""
    limit = f"a model file has at most {LARGEST_FILE:,}"
    return read_bounded(path, show_name(str(path), 500), LARGEST_FILE, ModelFileError, limit)


def _version(raw: Any, name: str) -> int:
    """The format's version, when it is one that this release reads."""
    if not isinstance(raw, dict) or raw.get("format") != FORMAT:
        raise ModelFileError(
            f"{name} is JSON but not a model file: its 'format' is not {FORMAT!r}. "
            "Model files are made by save_model."
        )
    version = raw.get("format_version")
    if type(version) is not int or version < 1:
        raise ModelFileError(f"{name}: format_version is {version!r:.40}; it must be 1 or more.")
    if version > VERSION:
        maker = raw.get("made_by")
        maker = show_name(maker, 60) if isinstance(maker, str) else "a newer elseif"
        raise ModelFileError(
            f"{name} has format version {version} and was made by {maker}; this is elseif "
            f"{elseif.__version__}, which reads up to version {VERSION}. Install {maker} or newer."
        )
    return version


def _checked(content: dict[str, Any], name: str) -> Document:
    """The document, with every field of its type and no contradiction."""
    try:
        document = Document.model_validate(content)
        check_document(document)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = show_name(".".join(map(str, first["loc"])), 200)
        raise ModelFileError(
            f"{name} is not a valid model ({error.error_count()} faults): {where}: {first['msg']}."
        ) from error
    except ModelFileError as error:
        raise ModelFileError(f"{name} contradicts itself: {error}") from error
    return document


def _laid_out(value: Any, level: int = 0) -> str:
    """JSON that can be read: parts on lines of their own, small things on one line."""
    is_list = isinstance(value, list)
    whole = level >= 3 or not isinstance(value, (dict, list)) or not value
    if (
        whole
        or (is_list and not isinstance(value[0], (dict, list)))
        or (level == 2 and not is_list)
    ):
        text = json.dumps(value, ensure_ascii=False, separators=(", ", ": "), allow_nan=False)
        return _UNSEEN.sub(lambda m: json.dumps(m[0])[1:-1], text)
    inner = " " * (level + 1)
    if is_list:
        parts = [inner + _laid_out(part, level + 1) for part in value]
    else:
        parts = [
            f"{inner}{_laid_out(key, 9)}: {_laid_out(part, level + 1)}"
            for key, part in value.items()
        ]
    opening, closing = "[]" if is_list else "{}"
    return "\n".join([opening, ",\n".join(parts), " " * level + closing])
