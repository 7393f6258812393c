"""The stroke study on real people: R's nafld data, and their follow-up."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from elseif.studies.follow_up import DIED, EVENT, LEFT, FollowUp, follow_up, follow_up_text

if TYPE_CHECKING:
    from elseif.cohort import CohortDefinition
    from elseif.datasets import Nafld

NAME = "nafld"  # in place of the address of a database
DATABASE = "nafld.duckdb"
REAL_PEOPLE = "real people, R's nafld data"
INTRODUCTION = (
    "These are real people of a public data set, R's nafld: residents of Olmsted County, "
    "Minnesota, with a diagnosis of non-alcoholic fatty liver disease from 1997 to 2014, and up to "
    "four controls of the same age and sex for each (Allen et al. 2018). One in five entered with "
    "the disease, so that they are no sample of all people with atrial fibrillation. Dates were "
    "removed by the authors; all days are counted from entry into the study."
)
NOT_FOR_PATIENTS = (
    "Made to show the method on a public data set, and not for use with patients: strokes are few, "
    "and the risks are too high, for people who died or left without a stroke are not counted."
)
NOT_RECORDED = (
    "CHADS2 and CHA2DS2-VASc are counted as far as their parts are recorded. Recorded: age, sex, "
    "heart failure, hypertension, diabetes, myocardial infarction. Not recorded: transient "
    "ischaemic attack and other thromboembolism, peripheral artery disease, aortic plaque; nor any "
    "drug. Nobody has points for an earlier stroke, since people with one are left out. The kind "
    "of stroke is not recorded: haemorrhages may be among them."
)


def nafld_definition(definition: CohortDefinition) -> CohortDefinition:
    """The paper's question, where strokes are few and observation begins with the first record.

    A first stroke, since the records of one stroke often repeat; no year before the index date,
    for the first record may be that of atrial fibrillation; and strokes of people who left within
    the time at risk.
    """
    return replace(
        of_real_people(definition),
        name=f"{definition.name}_{NAME}",
        observation_before=0,
        outcome_must_be_new=True,
        include_all_outcomes=True,
        domains=("condition",),
    )


def of_real_people(definition: CohortDefinition) -> CohortDefinition:
    """The same definition with a title that says of whom the cohort is."""
    return replace(definition, title=f"{definition.title}: {REAL_PEOPLE}")


def stroke_free(data: Nafld) -> pd.DataFrame:
    """People with atrial fibrillation and no stroke until its first day.

    Their first day of atrial fibrillation (from entry), the days from it to a stroke, to death or
    to the last contact, and which of these it was. Straight from the published tables, by none of
    the code that extracts cohorts.
    """
    events = data.events
    index = events[events["event"] == "afib"].groupby("id")["days"].min()
    strokes = events[(events["event"] == "stroke") & events["id"].isin(index.index)]
    since = strokes["days"] - strokes["id"].map(index)
    earlier = strokes["id"][since <= 0].unique()
    stroke = since.groupby(strokes["id"]).min()
    people = data.people.set_index("id").loc[index.index.difference(pd.Index(earlier))]
    start = index.loc[people.index]
    last = people["futime"] - start
    to_stroke = stroke.reindex(people.index)
    has_stroke = (to_stroke <= last).to_numpy()
    ends_in = np.where(has_stroke, EVENT, np.where(people["status"] == 1, DIED, LEFT))
    time = np.where(has_stroke, to_stroke, last)
    return pd.DataFrame(
        {"index_day": start.to_numpy(), "time": time, "ends_in": ends_in}, index=people.index
    )


def nafld_follow_up(data: Nafld, days: int) -> dict[str, FollowUp]:
    """Of all who are free of stroke, and of those whose diagnosis came after their entry."""
    people = stroke_free(data)
    after_entry = people[people["index_day"] > 0]
    return {
        "all": follow_up(people["time"].to_numpy(), people["ends_in"].to_numpy(), days),
        "after_entry": follow_up(
            after_entry["time"].to_numpy(), after_entry["ends_in"].to_numpy(), days
        ),
    }


def nafld_paragraphs(follow_ups: dict[str, FollowUp]) -> list[str]:
    """What the follow-up means for the study, in words."""
    everybody, later = follow_ups["all"], follow_ups["after_entry"]
    n_before = everybody.n - later.n
    return [
        follow_up_text(
            everybody, "people with a first atrial fibrillation and no earlier stroke", "a stroke"
        )
        + " The study learns from the latter: its risks are too high by the difference.",
        f"In {n_before:,} of them atrial fibrillation was recorded on the day of entry into the "
        "study or before, sometimes by decades. They were certain to live until entry (immortal "
        "time), and who died of a stroke before is in no table. "
        + follow_up_text(later, "were diagnosed after entry", "a stroke"),
    ]
