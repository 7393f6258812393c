from elseif.cohort.atlas import (
    AtlasCohort as AtlasCohort,
    read_atlas as read_atlas,
)
from elseif.cohort.attrition import extraction_text as extraction_text
from elseif.cohort.cohort import (
    Cohort as Cohort,
    read_cohort as read_cohort,
)
from elseif.cohort.concepts import (
    AnyOf as AnyOf,
    Concept as Concept,
    ConceptSet as ConceptSet,
    ExistingCohort as ExistingCohort,
)
from elseif.cohort.database import (
    Database as Database,
    connect as connect,
)
from elseif.cohort.definition import CohortDefinition as CohortDefinition
from elseif.cohort.definition_file import (
    definition_names as definition_names,
    load_definition as load_definition,
)
from elseif.cohort.extraction import extract as extract
from elseif.cohort.feature import (
    Ancestors as Ancestors,
    Feature as Feature,
)
from elseif.cohort.inclusion import (
    Inclusion as Inclusion,
    PriorRecords as PriorRecords,
)
