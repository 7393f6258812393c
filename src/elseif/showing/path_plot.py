"""A path of projected lists as a figure: distance and log loss by length."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from elseif.showing.figures import COLOURS, INK, MUTED, SMALL, SOFT, new_figure, tidy

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from elseif.projection.path import ProjectionPath


# next to the picture: within it, a legend would hide points
BESIDE: dict[str, Any] = {
    "loc": "center left",
    "bbox_to_anchor": (1.01, 0.5),
    "frameon": False,
    "fontsize": SMALL,
}


def plot_path(path: ProjectionPath) -> Figure:
    """Distance from the posterior by length; below it, where it was validated, the log loss."""
    scores = path.scores
    figure = new_figure(8.5, 3.0 if scores is None else 5.2)
    panels = figure.subplots(1 if scores is None else 2, 1, sharex=True, squeeze=False).ravel()
    lengths = np.arange(len(path))
    panels[0].plot(lengths, path.distances, "o-", color=SOFT, label="projected list")
    if np.isfinite(path.point_distance):
        panels[0].axhline(path.point_distance, color=MUTED, linestyle=":", label="point estimate")
    panels[0].set_ylabel("distance from the posterior\n(nats per row)")
    panels[0].set_ylim(bottom=0)
    panels[0].legend(**BESIDE)
    if scores is not None:
        error = scores.log_loss_gap_error
        panels[1].errorbar(lengths, scores.log_loss, yerr=error, fmt="o-", color=SOFT, capsize=2)
        panels[1].axhline(scores.posterior_log_loss, color=INK, linestyle="--", label="posterior")
        panels[1].axhline(scores.point_log_loss, color=MUTED, linestyle=":", label="point estimate")
        panels[1].plot(
            scores.suggested,
            scores.log_loss[scores.suggested],
            "o",
            color=COLOURS[1],
            markersize=9,
            label=f"suggested length: {scores.suggested}",
        )
        panels[1].set_ylabel(f"log loss out of sample\n({scores.folds} folds)")
        panels[1].legend(**BESIDE)
    panels[-1].set_xlabel("most rules, the default rule not counted")
    panels[-1].set_xticks(lengths[:: max(1, len(lengths) // 15)])
    panels[-1].set_xlim(-0.3, path.max_length + 0.3)
    for axes in panels:
        tidy(axes, grid="y")
    return figure
