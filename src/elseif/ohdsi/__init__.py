"""For OHDSI: SQL over the common data model, and PatientLevelPrediction's model folder."""

from elseif.public_names import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
