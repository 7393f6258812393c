from elseif.cohort.attrition import extraction_text as extraction_text
from elseif.cohort.cohort import (
    Cohort as Cohort,
    read_cohort as read_cohort,
)
from elseif.cohort.database import (
    Database as Database,
    connect as connect,
)
from elseif.cohort.definition import (
    CohortDefinition as CohortDefinition,
    Concept as Concept,
    ConceptSet as ConceptSet,
)
from elseif.cohort.definition_file import (
    definition_names as definition_names,
    load_definition as load_definition,
)
from elseif.cohort.extraction import extract as extract
