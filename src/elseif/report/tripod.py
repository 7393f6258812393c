"""TRIPOD+AI (Collins et al. 2024, BMJ 385:e078378): the items that software can fill in."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

FILLED, PARTLY, AUTHORS = "in this report", "in part", "to be written by the authors"


UPDATED: dict[str, Any] = {
    "status": PARTLY,
    "text": "The probabilities were recalibrated to other people; whose, and why, is for the "
    "authors.",
    "anchor": "list",
}


@dataclass(frozen=True)
class Item:
    """One item: where this report answers it, or what the authors must write."""

    number: str
    section: str
    topic: str
    status: str
    text: str
    anchor: str | None = None  # the part of the report


OVERALL = "Out of sample, overall and by the chosen subgroups."
# number, section, topic, status, what is said here, where
_ITEMS: tuple[tuple[str, str, str, str, str, str | None], ...] = (
    ("1", "Title", "Title", AUTHORS, "Name the kind of study, population and outcome.", None),
    ("2", "Abstract", "Abstract", AUTHORS, "Follow TRIPOD+AI for Abstracts.", None),
    ("3a", "Introduction", "Context and existing models", AUTHORS,
     "Why the model is needed, and what there is already.", None),
    ("3b", "Introduction", "Target population and users", AUTHORS,
     "Whom it is for, at which point of care, and who will use it.", None),
    ("3c", "Introduction", "Known health inequalities", AUTHORS,
     "Between which groups, and what that means here.", None),
    ("4", "Introduction", "Objectives", AUTHORS, "Development, evaluation, or both.", None),
    ("5a", "Methods", "Source of data", AUTHORS, "What the source is, and why.", None),
    ("5b", "Methods", "Dates", AUTHORS, "When people entered and follow-up ended.", None),
    ("6a", "Methods", "Setting and centres", AUTHORS, "Where, and how many centres.", None),
    ("6b", "Methods", "Eligibility", AUTHORS, "Who could take part.", None),
    ("6c", "Methods", "Treatments", AUTHORS, "What was given, and how it was handled.", None),
    ("7", "Methods", "Data preparation", PARTLY,
     "What was done with each column in fitting is listed; earlier steps are for the authors.",
     "people"),
    ("8a", "Methods", "Outcome", PARTLY,
     "Name and counts are given; definition, time and assessment are for the authors.",
     "people"),
    ("8b", "Methods", "Outcome assessors", AUTHORS, "If judgement was needed, whose.", None),
    ("8c", "Methods", "Blinding of the outcome", AUTHORS, "To the predictors, if done.", None),
    ("9a", "Methods", "Choice of predictors", AUTHORS, "How the columns were chosen.", None),
    ("9b", "Methods", "Definition of predictors", PARTLY,
     "Kinds, levels and cut points are listed; how and when they were measured is not.",
     "people"),
    ("9c", "Methods", "Predictor assessors", AUTHORS, "If judgement was needed, whose.", None),
    ("10", "Methods", "Sample size", PARTLY,
     "Numbers are given; their justification is for the authors.", "people"),
    ("11", "Methods", "Missing data", FILLED,
     "How missing values are treated, and how many there are.", "reading"),
    ("12a", "Methods", "Use of the data", FILLED, "Folds or held-out table, and seed.", "settings"),
    ("12b", "Methods", "Handling of predictors", FILLED,
     "Cut points of each column.", "people"),
    ("12c", "Methods", "Model type, building, internal validation", FILLED,
     "Bayesian rule list; all settings; everything is learnt anew in each fold.", "settings"),
    ("12d", "Methods", "Differences between clusters", PARTLY,
     "Performance by subgroup, if the cluster is one of them.", "subgroups"),
    ("12e", "Methods", "Measures of performance", FILLED,
     "Discrimination, calibration, net benefit, each explained.", "discrimination"),
    ("12f", "Methods", "Model updating", AUTHORS, "None was done by this software.", None),
    ("12g", "Methods", "How predictions are made", FILLED,
     "By reading the list from the top.", "list"),
    ("13", "Methods", "Class imbalance", FILLED,
     "Labels were not resampled; risks need no correction for it.", "settings"),
    ("14", "Methods", "Fairness", PARTLY,
     "Performance by the chosen subgroups.", "subgroups"),
    ("15", "Methods", "Output of the model", FILLED,
     "A probability with a credible interval; no threshold is built in.", "list"),
    ("16", "Methods", "Training and evaluation data", PARTLY,
     "How they were split; how settings and people differ is for the authors.", "discrimination"),
    ("17", "Methods", "Ethical approval", AUTHORS, "Committee and consent.", None),
    ("18a", "Open science", "Funding", AUTHORS, "Sources, and the funders' part.", None),
    ("18b", "Open science", "Conflicts of interest", AUTHORS, "Of all authors.", None),
    ("18c", "Open science", "Protocol", AUTHORS, "Where it can be read.", None),
    ("18d", "Open science", "Registration", AUTHORS, "Register and number.", None),
    ("18e", "Open science", "Data sharing", AUTHORS, "Whether and how.", None),
    ("18f", "Open science", "Code sharing", PARTLY,
     "Software, versions, settings and seed are given; the authors' own code is not.",
     "settings"),
    ("19", "Patient and public involvement", "Involvement", AUTHORS, "Or that there was none.",
     None),
    ("20a", "Results", "Flow of participants", PARTLY,
     "Rows, and rows without a label; earlier steps are for the authors.", "people"),
    ("20b", "Results", "Characteristics", FILLED, "Every column by label.", "people"),
    ("20c", "Results", "Evaluation compared with development data", AUTHORS,
     "If another table was used.", None),
    ("21", "Results", "Participants and events in each analysis", FILLED,
     "With each measure.", "discrimination"),
    ("22", "Results", "Full model", FILLED, "The list is the whole model.", "list"),
    ("23a", "Results", "Performance with intervals", FILLED,
     OVERALL, "discrimination"),
    ("23b", "Results", "Heterogeneity in performance", PARTLY,
     "By subgroup, if the cluster is one of them.", "subgroups"),
    ("24", "Results", "Updated model", AUTHORS, "None was made by this software.", None),
    ("25", "Discussion", "Interpretation", AUTHORS, "Results, fairness, earlier models.", None),
    ("26", "Discussion", "Limitations", AUTHORS, "Sample, overfitting, missing data.", None),
    ("27a", "Discussion", "Poor or missing input", PARTLY,
     "A condition on a missing value is not met, unless it is \"is missing\".", "reading"),
    ("27b", "Discussion", "Users' part and expertise", AUTHORS, "What users must do and know.",
     None),
    ("27c", "Discussion", "Next steps", AUTHORS, "Other places, other times.", None),
)  # fmt: skip


def tripod_items(has_subgroups: bool, is_recalibrated: bool = False) -> list[Item]:
    """The checklist, with what this report fills; without subgroups, fairness is the authors'."""
    items = [Item(*row) for row in _ITEMS]
    if is_recalibrated:
        items = [replace(i, **UPDATED) if i.number in ("12f", "24") else i for i in items]
    if has_subgroups:
        return items
    return [_without_subgroups(item) for item in items]


def _without_subgroups(item: Item) -> Item:
    if item.anchor == "subgroups":
        return replace(item, status=AUTHORS, text="No subgroups were chosen.", anchor=None)
    if item.text == OVERALL:
        return replace(
            item, status=PARTLY, text="Out of sample, overall; no subgroups were chosen."
        )
    return item
