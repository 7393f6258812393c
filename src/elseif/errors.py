"""What went wrong, in the user's words."""


class ElseifError(Exception):
    """Base of everything that elseif raises on purpose."""


class ParamError(ElseifError, ValueError):
    """A setting has a value that it cannot have."""


class ParamTypeError(ParamError, TypeError):
    """A setting has a value of a type that it cannot have."""


class CheckpointError(ParamError):
    """The folder for checkpoints has those of another fit: other data, settings or version."""


class DataError(ElseifError, ValueError):
    """The table or the labels cannot be used as they are."""


class DataTypeError(DataError, TypeError):
    """The table or the labels are of a type that cannot be read."""


class DisclosureError(DataError):
    """What would be written tells of fewer people than allowed."""


class MiningError(ElseifError, ValueError):
    """No pool of antecedents, or too large a pool, comes of the settings."""


class NothingFrequentError(MiningError):
    """Not a single condition reaches the support."""


class ResourceError(ElseifError, OSError):
    """Memory, disk or time does not suffice."""


class DatabaseError(ElseifError, OSError):
    """A database cannot be reached, cannot be read, or does not hold what is asked of it."""


class SamplingError(ElseifError, ArithmeticError):
    """A chain met a posterior that is not a number."""


class ModelFileError(ElseifError, ValueError):
    """A model file is damaged, edited, of another program or of a newer release."""


class FederationError(ModelFileError):
    """A plan or a site's counts are damaged, impossible, or not those that were agreed on."""


class ExportError(ElseifError, ValueError):
    """A model cannot be said in a format."""


class FileExistsAlreadyError(ElseifError, FileExistsError):
    """A file would be overwritten, and nobody asked for that."""


class LargeDataWarning(UserWarning):
    """A fit is about to take much memory; the text says how much."""


class MeasuredLabelWarning(UserWarning):
    """The label looks like a measurement, of which every value would be a class."""


class ValuesShownWarning(UserWarning):
    """A warning that shows values of the table to whoever has the table.

    Pages say ``without_values`` in its place.
    """

    def __init__(self, message: str, without_values: str) -> None:
        super().__init__(message, without_values)
        self.message, self.without_values = message, without_values

    def __str__(self) -> str:
        return self.message


def public_text(warning: Warning | str) -> str:
    """What a warning says, without values of the table."""
    return str(getattr(warning, "without_values", warning))


def install(extra: str) -> str:
    """How to install an extra: from a clone, since no release is published."""
    return f"pip install '.[{extra}]' in a clone of elseif"
