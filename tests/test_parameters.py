"""The table of settings: the estimator's signature, docstring and checks say the same."""

from __future__ import annotations

import inspect
import re
from typing import Any

import pytest
from sklearn.base import clone

from elseif import BayesianRuleListClassifier
from elseif.errors import ParamError, ParamTypeError
from elseif.parameters import (
    BY_NAME,
    CHOICES,
    SETTINGS,
    Choice,
    Flag,
    SettingGroup,
    check_parameters,
)


def signature() -> dict[str, inspect.Parameter]:
    return dict(inspect.signature(BayesianRuleListClassifier).parameters)


def documented() -> dict[str, str]:
    """The lines "name : type, default=..." of the docstring's parameters."""
    text = inspect.cleandoc(BayesianRuleListClassifier.__doc__ or "")
    part = text[text.index("Parameters\n") : text.index("Attributes\n")]
    return dict(re.findall(r"^(\w+) : (.+)$", part, re.MULTILINE))


def test_the_signature_is_the_table() -> None:
    """Names in the same order, and the same defaults, to the type."""
    result = {name: parameter.default for name, parameter in signature().items()}
    assert list(result) == [setting.name for setting in SETTINGS]
    for setting in SETTINGS:
        assert repr(result[setting.name]) == repr(setting.default), setting.name


def test_the_docstring_is_the_table() -> None:
    """Every setting is documented once, with its default and its choices."""
    result = documented()
    assert list(result) == list(BY_NAME)
    for setting in SETTINGS:
        default = result[setting.name].rpartition("default=")[2].strip('"').replace("_", "")
        assert default == str(setting.default).replace("_", "").replace("4000000000.0", "4e9")
        if isinstance(setting.kind, Choice):
            assert re.findall(r'"(\w+)"', result[setting.name].partition("}")[0]) == list(
                setting.kind.allowed
            )


def test_groups_are_in_the_order_that_people_ask() -> None:
    """All four are used, and every setting has help that is a sentence."""
    assert {setting.group for setting in SETTINGS} == set(SettingGroup)
    for setting in SETTINGS:
        assert setting.help.endswith("."), setting.name


def test_the_defaults_are_allowed_and_survive_cloning() -> None:
    """scikit-learn's clone makes an estimator of the same settings."""
    classifier = BayesianRuleListClassifier()
    check_parameters(classifier)
    assert clone(classifier).get_params() == classifier.get_params()
    assert list(classifier.get_params()) == sorted(BY_NAME)


@pytest.mark.parametrize(
    "name", [*CHOICES, *(s.name for s in SETTINGS if s.kind.__class__ is Flag)]
)
def test_every_choice_and_flag_is_checked(name: str) -> None:
    """A word that is not allowed is named with those that are."""
    classifier: Any = BayesianRuleListClassifier(**{name: "perhaps"})
    with pytest.raises((ParamError, ParamTypeError), match=f"{name} is 'perhaps'; it must be"):
        check_parameters(classifier)


def test_a_misspelt_setting_names_the_nearest() -> None:
    """In the constructor and in set_params alike."""
    with pytest.raises(ParamTypeError, match="Did you mean 'expected_length'"):
        BayesianRuleListClassifier(expected_lenght=3)
    with pytest.raises(ParamTypeError, match="Did you mean 'expected_length'"):
        BayesianRuleListClassifier().set_params(expected_lenght=3)


def test_names_of_other_libraries_are_answered_with_ours() -> None:
    with pytest.raises(
        ParamTypeError, match=r"no parameter 'max_rules'\. Did you mean 'expected_length'\?"
    ):
        BayesianRuleListClassifier(random_state=0).set_params(max_rules=5)
    with pytest.raises(ParamTypeError, match=r"'class_weight'\. It would change the prob"):
        BayesianRuleListClassifier(class_weight="balanced")
