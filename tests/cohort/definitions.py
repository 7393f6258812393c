"""The definitions that the tests extract."""

from __future__ import annotations

from elseif.cohort import CohortDefinition, Concept, ConceptSet
from tests.cohort import handmade as made

HANDMADE = CohortDefinition(
    name="stroke_by_hand",
    title="Stroke within a year of atrial fibrillation",
    index=ConceptSet(
        name="atrial fibrillation",
        include=(Concept(made.AF, "Atrial fibrillation"),),
        exclude=(Concept(made.AFTER_SURGERY, "Atrial fibrillation after surgery"),),
    ),
    outcome=ConceptSet(
        name="stroke",
        include=(
            Concept(made.INFARCTION, "Cerebral infarction"),
            Concept(made.OCCLUSION, "Cerebral artery occlusion", descendants=False),
        ),
    ),
    groups={
        "hypertension": ConceptSet(
            name="hypertension", include=(Concept(made.HYPERTENSION, "Hypertensive disorder"),)
        ),
        "diabetes": ConceptSet(
            name="diabetes",
            include=(Concept(made.DIABETES, "Diabetes mellitus"),),
            exclude=(Concept(made.SECONDARY_DIABETES, "Secondary diabetes mellitus"),),
        ),
        # the outcome has the same concept, but without what lies beneath it
        "occlusion": ConceptSet(
            name="occlusion", include=(Concept(made.OCCLUSION, "Cerebral artery occlusion"),)
        ),
    },
)
