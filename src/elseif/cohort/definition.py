"""A cohort definition: index event, observation, outcomes, features and concept groups."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from elseif.cohort.concepts import (
    NO_CONCEPT as NO_CONCEPT,
    AnyOf as AnyOf,
    Concept as Concept,
    ConceptSet as ConceptSet,
    Event,
    ExistingCohort as ExistingCohort,
    check_event,
)
from elseif.cohort.feature import GROUPS, Feature
from elseif.cohort.inclusion import OLDEST as OLDEST, Inclusion
from elseif.cohort.value_checks import (
    LARGEST_ID as LARGEST_ID,
    LONGEST_SPAN,
    as_tuple,
    check_flag,
    check_name,
    check_text,
    check_whole,
)
from elseif.errors import ParamError, ParamTypeError
from elseif.files.sealed import fingerprint

DOMAINS = ("condition", "drug")
TAKEN = ("age", "sex", "person_id", "index_date")  # columns that the score table has anyway


@dataclass(frozen=True)
class CohortDefinition:
    """Whom to include, and which time before and after to look at.

    The index date is the first record of the index condition. Days are counted from it.

    Parameters
    ----------
    name : str
        Lower-case letters, digits and underscores.
    title : str
        One line for readers.
    index : ConceptSet, AnyOf or ExistingCohort
        Its first record, or entry, is the index date.
    outcome : ConceptSet, AnyOf or ExistingCohort
        The event to be predicted.
    observation_before : int
        Days of observation required before the index date.
    observation_after : int
        Days of observation required after it.
    outcome_window : tuple[int, int]
        First and last day on which the outcome counts.
    outcome_must_be_new : bool
        Exclude persons who had the outcome on or before the index date.
    include_all_outcomes : bool
        Include persons with the outcome who were observed for less than ``observation_after``
        days, as ``includeAllOutcomes`` does in OHDSI's PatientLevelPrediction.
    age_cuts : tuple[int, ...]
        Cut points of age, in years.
    domains : tuple[str, ...]
        Which records become features: drugs and conditions, as recorded at any time before.
    groups : Mapping[str, ConceptSet]
        Concept sets used by scores, by name.
    features : tuple[Feature, ...]
        Which records become features, instead of ``domains``, with windows, roll-ups and numbers.
    inclusion : Inclusion, default=None
        Whom to include by age, sex, year of the index date and earlier records.
    outcomes : Mapping[str, Event]
        Further outcomes by name, recorded in the same window.
    first_after_days : int, default=None
        Use as index date the first record at least this many days after the start of an observation
        period; by default the first record ever, observed or not.

    Examples
    --------
    >>> from elseif.cohort import CohortDefinition, Concept, ConceptSet
    >>> fibrillation = ConceptSet("atrial fibrillation", (Concept(313217, "Atrial fibrillation"),))
    >>> stroke = ConceptSet("stroke", (Concept(443454, "Cerebral infarction"),))
    >>> definition = CohortDefinition("af", "Stroke within a year", fibrillation, stroke)
    >>> definition.as_dict()["name"]
    'af'
    """

    name: str
    title: str
    index: Event
    outcome: Event
    observation_before: int = 365
    observation_after: int = 365
    outcome_window: tuple[int, int] = (1, 365)
    outcome_must_be_new: bool = False
    age_cuts: tuple[int, ...] = (50, 60, 70, 80)
    domains: tuple[str, ...] = DOMAINS
    groups: Mapping[str, ConceptSet] = field(default_factory=dict)
    include_all_outcomes: bool = False
    features: tuple[Feature, ...] = ()
    inclusion: Inclusion | None = None
    outcomes: Mapping[str, Event] = field(default_factory=dict)
    first_after_days: int | None = None

    def __post_init__(self) -> None:
        check_name("name", self.name)
        check_text("title", self.title)
        for key in ("index", "outcome"):
            check_event(key, getattr(self, key))
        check_whole("observation_before", self.observation_before, 0, LONGEST_SPAN)
        check_whole("observation_after", self.observation_after, 0, LONGEST_SPAN)
        if self.first_after_days is not None:
            check_whole("first_after_days", self.first_after_days, 0, LONGEST_SPAN)
        for key in ("outcome_must_be_new", "include_all_outcomes"):
            check_flag(key, getattr(self, key))
        if self.inclusion is not None and not isinstance(self.inclusion, Inclusion):
            raise ParamTypeError(f"inclusion must be an Inclusion, not {self.inclusion!r:.200}.")
        self._check_window()
        self._check_cuts()
        self._check_features()
        self._check_domains()
        self._check_groups()
        self._check_outcomes()

    def __hash__(self) -> int:
        return hash((self.name, self.title, self.index, self.outcome))

    @property
    def events(self) -> dict[str, Event]:
        """The index event and the outcomes, by role."""
        more = {f"outcome {name}": event for name, event in self.outcomes.items()}
        return {"index": self.index, "outcome": self.outcome, **more}

    @property
    def outcome_names(self) -> tuple[str, ...]:
        """The names of the outcome and of the further ones."""
        return (self.outcome.name, *self.outcomes)

    @property
    def criteria(self) -> Inclusion:
        """Whom to include; by default everybody."""
        return self.inclusion or Inclusion()

    @property
    def concept_sets(self) -> dict[str, ConceptSet]:
        """Every concept set, by its role."""
        events = {**self.events, **{k: c.records for k, c in self.criteria.records.items()}}
        sets = {set_key(name, i): s for name, e in events.items() for i, s in enumerate(e.sets)}
        sets |= {f"group {name}": group for name, group in self.groups.items()}
        columns = enumerate(self.columns)
        return sets | {f"feature {i}": f.concepts for i, f in columns if f.concepts is not None}

    @property
    def columns(self) -> tuple[Feature, ...]:
        """What becomes columns, by ``features`` or by ``domains``."""
        return self.features or tuple(Feature(domain) for domain in self.domains)

    @property
    def columns_text(self) -> str:
        """What columns are of, in words."""
        return "features" if self.features else "drugs and conditions"

    @property
    def group_domains(self) -> tuple[str, ...]:
        """Where records of groups are looked for."""
        return tuple(dict.fromkeys((*DOMAINS, *self.domains))) if self.features else self.domains

    @property
    def event_domains(self) -> tuple[str, ...]:
        """Every domain that is read."""
        events = [*self.events.values(), *(c.records for c in self.criteria.records.values())]
        of_events = {domain for event in events for each in event.sets for domain in each.domain}
        of_groups = self.group_domains if self.groups else ()
        domains = of_events | {feature.domain for feature in self.columns} | set(of_groups)
        return tuple(sorted(domains))

    @property
    def plain_domains(self) -> tuple[str, ...]:
        """The domains of plain definitions: conditions, and drugs if wanted."""
        return tuple(sorted({"condition", *self.domains}))

    @property
    def cohort_ids(self) -> tuple[int, ...]:
        """Cohort definition ids of the cohorts that exist already."""
        events = self.events.values()
        return tuple(sorted({e.cohort for e in events if isinstance(e, ExistingCohort)}))

    def as_dict(self) -> dict[str, Any]:
        """Convert to plain data, in the form of a definition file.

        Returns
        -------
        dict
            The definition.
        """
        # unset keys are left out, so that a definition keeps its SHA-256 when keys are added
        more: dict[str, Any] = {}
        if self.include_all_outcomes:
            more["include_all_outcomes"] = True
        if self.first_after_days is not None:
            more["first_after_days"] = self.first_after_days
        if self.outcomes:
            more["outcomes"] = {name: event.as_dict() for name, event in self.outcomes.items()}
        if self.criteria.as_dict():
            more["inclusion"] = self.criteria.as_dict()
        columns: dict[str, Any] = {"domains": list(self.domains)}
        if self.features:
            columns = {"features": [feature.as_dict() for feature in self.features]}
        return {
            "name": self.name,
            "title": self.title,
            "index": self.index.as_dict(),
            "outcome": self.outcome.as_dict(),
            "observation_before": self.observation_before,
            "observation_after": self.observation_after,
            "outcome_window": list(self.outcome_window),
            "outcome_must_be_new": self.outcome_must_be_new,
            **more,
            "age_cuts": list(self.age_cuts),
            **columns,
            "groups": {name: group.as_dict() for name, group in self.groups.items()},
        }

    @property
    def sha256(self) -> str:
        """SHA-256 of the definition as JSON with sorted keys and without white space."""
        return fingerprint(self.as_dict())

    def _check_window(self) -> None:
        window = as_tuple("outcome_window", self.outcome_window)
        if len(window) != 2:
            raise ParamError(
                "outcome_window must be two days, the first and the last, not "
                f"{list(window)!r:.100}."
            )
        check_whole("outcome_window: its first day", window[0], 1, LONGEST_SPAN)
        check_whole("outcome_window: its last day", window[1], window[0], LONGEST_SPAN)
        if window[1] > self.observation_after:
            raise ParamError(
                f"outcome_window ends on day {window[1]}, but observation_after asks for only "
                f"{self.observation_after} days: later outcomes would be missed. Lengthen it."
            )
        object.__setattr__(self, "outcome_window", window)

    def _check_cuts(self) -> None:
        cuts = as_tuple("age_cuts", self.age_cuts)
        for cut in cuts:
            check_whole("age_cuts: each", cut, 1, OLDEST)
        if sorted(set(cuts)) != list(cuts):
            raise ParamError(f"age_cuts must increase, which {list(cuts)} does not.")
        object.__setattr__(self, "age_cuts", cuts)

    def _check_features(self) -> None:
        features = as_tuple("features", self.features)
        seen: set[tuple[str, str]] = set()
        for feature in features:
            if not isinstance(feature, Feature):
                raise ParamTypeError(f"features holds {feature!r:.80}, which is not a Feature.")
            keys = {(feature.domain, key) for key in feature.keys}
            if keys & seen:
                raise ParamError(
                    f"features: {feature.domain} ({feature.keys[0]}) is listed twice. Combine its "
                    "concepts in one feature."
                )
            seen |= keys
        if any(feature.rollup == GROUPS for feature in features) and not self.groups:
            raise ParamError("features: rollup: groups needs groups, and the definition has none.")
        object.__setattr__(self, "features", features)
        if features:
            read = {feature.domain for feature in features}
            object.__setattr__(self, "domains", tuple(sorted(read)))

    def _check_domains(self) -> None:
        if self.features:
            return
        domains = as_tuple("domains", self.domains)
        unknown = [domain for domain in domains if domain not in DOMAINS]
        if unknown or not domains or len(set(domains)) < len(domains):
            raise ParamError(
                f"domains must be one or both of {', '.join(DOMAINS)}, each once, "
                f"not {list(domains)!r:.100}. For other records, write features."
            )
        ordered = tuple(domain for domain in DOMAINS if domain in domains)
        object.__setattr__(self, "domains", ordered)

    def _check_groups(self) -> None:
        if not isinstance(self.groups, Mapping):
            raise ParamTypeError("groups must map names to concept sets.")
        if self.groups and "condition" not in self.group_domains:
            raise ParamError("groups are found among conditions, which domains leaves out.")
        for name, group in self.groups.items():
            check_name("groups: a name", name)
            if name in TAKEN:
                raise ParamError(
                    f"groups: the name {name!r:.100} is taken by a column of every cohort."
                )
            if not isinstance(group, ConceptSet):
                raise ParamTypeError(f"groups[{name!r:.100}] must be a ConceptSet, not {group!r}.")
        object.__setattr__(self, "groups", MappingProxyType(dict(self.groups)))

    def _check_outcomes(self) -> None:
        if not isinstance(self.outcomes, Mapping):
            raise ParamTypeError("outcomes must map names to concept sets or cohorts.")
        for name, event in self.outcomes.items():
            check_name("outcomes: a name", name)
            check_event(f"outcomes[{name!r:.100}]", event)
            if name in TAKEN or name in (self.outcome.name, "outcome"):
                raise ParamError(f"outcomes: the name {name!r:.100} is taken.")
        object.__setattr__(self, "outcomes", MappingProxyType(dict(self.outcomes)))

    def __getstate__(self) -> dict[str, Any]:  # a view cannot be pickled
        return {**self.__dict__, "groups": dict(self.groups), "outcomes": dict(self.outcomes)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        views = {key: MappingProxyType(state.get(key, {})) for key in ("groups", "outcomes")}
        self.__dict__.update(state, **views)


def set_key(event: str, number: int) -> str:
    """What a concept set of an event is called; of several, all but the first have a number."""
    return event if number == 0 else f"{event}, set {number + 1}"
