"""The errors and warnings that elseif raises."""


class ElseifError(Exception):
    """Base class of all errors raised by elseif."""


class ParamError(ElseifError, ValueError):
    """A parameter has an invalid value."""


class ParamTypeError(ParamError, TypeError):
    """A parameter has a value of the wrong type."""


class CheckpointError(ParamError):
    """The checkpoints in the folder are of another fit: other data, settings or version."""


class DataError(ElseifError, ValueError):
    """The table or the labels cannot be used as they are."""


class DataTypeError(DataError, TypeError):
    """The table or the labels are of a type that cannot be read."""


class DisclosureError(DataError):
    """The output would reveal counts that are smaller than allowed."""


class MiningError(ElseifError, ValueError):
    """The settings give no antecedents, or too many."""


class NothingFrequentError(MiningError):
    """No condition reaches the minimum support."""


class ResourceError(ElseifError, OSError):
    """Not enough memory, disk space or time."""


class DatabaseError(ElseifError, OSError):
    """A database cannot be reached or read, or lacks what is needed."""


class SamplingError(ElseifError, ArithmeticError):
    """Sampling failed or cannot be continued, or a log posterior is not a finite number."""


class ModelFileError(ElseifError, ValueError):
    """A model file is damaged, edited, from another program or from a newer release."""


class FederationError(ModelFileError):
    """A plan or a site's counts are damaged, invalid, or not as agreed."""


class ExportError(ElseifError, ValueError):
    """A model cannot be expressed in a format."""


class FileExistsAlreadyError(ElseifError, FileExistsError):
    """A file exists and would be overwritten."""


class LargeDataWarning(UserWarning):
    """A fit is about to use much memory; the message says how much."""


class LabelOrderWarning(UserWarning):
    """Probabilities are those of a label that means no, because it comes last in the alphabet."""


class MeasuredLabelWarning(UserWarning):
    """The label looks like a measurement, and every value would be a class."""


class ValuesShownWarning(UserWarning):
    """A warning that shows values of the table.

    Pages show ``without_values`` instead.
    """

    def __init__(self, message: str, without_values: str) -> None:
        super().__init__(message, without_values)
        self.message, self.without_values = message, without_values

    def __str__(self) -> str:
        return self.message


def public_text(warning: Warning | str) -> str:
    """The text of a warning, without values of the table."""
    return str(getattr(warning, "without_values", warning))


def install(extra: str) -> str:
    """How to install an extra: from a clone, since no release is published."""
    return f"pip install '.[{extra}]' in a clone of elseif"
