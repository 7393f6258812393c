"""A calculator with every condition of an explorer, from which its page makes others."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from elseif.antecedents.antecedent import Antecedent
from elseif.antecedents.pool import pool_of
from elseif.conditions.condition import Condition
from elseif.disclosure.rounding import Rounding
from elseif.errors import ParamError
from elseif.fitted_model import FittedModel
from elseif.posterior.rule_list import RuleList, make_rule_list
from elseif.report.calculator import MEDICAL_NOTE, NOTE, calculator_page
from elseif.tables.origin import SYNTHETIC, says_so

MOST_CONDITIONS = 2_000  # each is a line of the page


def calculator_of_conditions(
    model: FittedModel, conditions: Sequence[Condition], rounding: Rounding | None
) -> str | None:
    """The calculator of a list with one rule for each condition and no observations on any line.

    An explorer takes the questions and lines of a list from it, and fills in the list's own
    numbers, so it contains no number of people. It is compressed (zlib) and in base64; None if a
    column cannot be asked for. Under a minimum cell, only what the conditions themselves reveal is
    used.
    """
    metadata = replace(model.metadata, rounding=rounding)
    rules = [Antecedent([condition]) for condition in conditions[:MOST_CONDITIONS]]
    nobody = np.zeros((len(rules) + 1, len(metadata.classes)))
    rule_list = make_rule_list(rules, nobody, metadata)
    asked = rule_list if rounding is not None else _with_columns(model, rule_list)
    title, note = None, MEDICAL_NOTE if model.is_of_patients else NOTE
    if model.is_synthetic and rounding is not None:  # which a list alone does not know
        event = metadata.probability_of(len(metadata.classes) - 1)
        title = says_so(f"Probability of {event}", is_synthetic=True)
        note = f"{SYNTHETIC} {note}"
    try:
        page = calculator_page(asked, title=title, note=note)
    except ParamError:  # such as a date that no form can hold
        return None
    return base64.b64encode(zlib.compress(page.encode("utf-8"), 9)).decode("ascii")


def _with_columns(model: FittedModel, rule_list: RuleList) -> FittedModel:
    """A model of a list that knows what training saw of its columns, and no other list."""
    return replace(
        model.with_settings(predict_with="point"),
        rule_list=rule_list,
        map_rule_list=rule_list,
        posterior=None,
        convergence=None,
        pool=pool_of(rule_list.antecedents),
        projection_path=None,
        projected_rule_list=None,
    )
