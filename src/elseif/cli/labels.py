"""elseif labels MODEL: a file of names, units and words to fill in, for --labels."""

from __future__ import annotations

from elseif.cli.arguments import Force, LabelsFile, ModelFile, OutFile
from elseif.cli.output import check_outputs, save, write_data


def labels(
    model: ModelFile,
    out: OutFile = None,
    labels: LabelsFile = None,
    force: Force = False,
) -> None:
    """Write a labels file to fill in: the model's columns, levels, outcome and conditions.

    With --labels, the entries of that file are filled in.
    """
    check_outputs([out], force, [model, labels])
    from elseif.cli.models import read
    from elseif.labelling import labels_template

    content = labels_template(read(model, labels))
    if out is None:
        write_data(content)
    else:
        save("Labels", out, content, force)
