"""The projected list and its path as plain data, with a chart of distance and loss by length."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from elseif.fitted_model import FittedModel
from elseif.posterior.rule_list import RuleList
from elseif.projection.path import PathScores
from elseif.report.svg import Frame, Svg, element, marker, nice_ticks, picture
from elseif.showing.path_text import path_lines, path_table

PANEL_HEIGHT = 280.0
WHAT_FOR = (
    "The point estimate is a list that was drawn: the most probable one of typical length. The "
    "projected list is the one whose predictions are closest to the whole posterior’s, of the "
    "lists with at least 10 training observations on every line; it is for predicting, and need "
    "not be probable itself."
)


@dataclass(frozen=True)
class ShownList:
    """A list as its rules with the probability of the evaluated label."""

    name: str
    predicts: bool
    rules: list[tuple[str, float]]


@dataclass(frozen=True)
class LossesByLength:
    """Out-of-sample log loss of every length, with its standard error above the lowest."""

    projected: list[float]
    errors: list[float]
    point: float
    posterior: float


@dataclass(frozen=True)
class ProjectionSummary:
    """How close to the posterior lists of each length come, and what is suggested."""

    words: list[str]
    heads: list[str]
    rows: list[list[str]]
    distances: list[float]
    point_distance: float
    point_length: int
    suggested: int | None
    losses: LossesByLength | None  # where the path was scored out of sample
    lists: list[ShownList]


def describe_projection(
    model: FittedModel, position: int, is_exact: bool
) -> ProjectionSummary | None:
    """The path in a report, if there is one; distances would reveal exact counts."""
    path, projected = model.projection_path, model.projected_rule_list
    if path is None or projected is None or not is_exact:
        return None
    heads, rows = path_table(path)
    shown = {"Point estimate": model.rule_list, "Projected list": projected}
    return ProjectionSummary(
        words=[WHAT_FOR, *path_lines(path)],
        heads=list(heads),
        rows=[list(row) for row in rows],
        distances=path.distances.tolist(),
        point_distance=path.point_distance,
        point_length=len(model.rule_list),
        suggested=path.suggested,
        losses=_losses(path.scores),
        lists=[
            ShownList(name, rule_list is model.chosen_list(), _rules(rule_list, position))
            for name, rule_list in shown.items()
        ],
    )


def with_path_scores(
    model: FittedModel, fresh: Any, data: tuple[Any, Any, Any], how: Mapping[str, Any]
) -> FittedModel:
    """A model whose path, where it has one, is scored out of sample."""
    path = model.projection_path
    if path is None or path.scores is not None:
        return model
    from elseif.evaluation.projection_scores import score_path  # with it, scikit-learn

    scores = score_path(fresh, *data, path.max_length, **how)
    return replace(model, projection_path=path.of(None, scores))


def _rules(rule_list: RuleList, position: int) -> list[tuple[str, float]]:
    return [(rule.text, float(rule.probabilities[position])) for rule in rule_list]


def _losses(scores: PathScores | None) -> LossesByLength | None:
    if scores is None:
        return None
    return LossesByLength(
        scores.log_loss.tolist(),
        scores.log_loss_gap_error.tolist(),
        scores.point_log_loss,
        scores.posterior_log_loss,
    )


def path_chart(projection: Mapping[str, Any]) -> Svg:
    """Distance from the posterior by the most rules allowed and, where it is known, log loss."""
    panel, description = _distance_panel(projection)
    parts, height = [panel], PANEL_HEIGHT
    if projection["losses"] is not None:
        parts.append(element("g", _loss_panel(projection), transform=f"translate(0 {height})"))
        losses, suggested = projection["losses"], projection["suggested"]
        description += (
            f"; out-of-sample log loss {losses['projected'][suggested]:.4f} at the suggested "
            f"length, {suggested}, {losses['point']:.4f} for the point estimate and "
            f"{losses['posterior']:.4f} for the posterior"
        )
        height *= 2
    return picture(
        "projection", (Frame.width, height), "Projected lists by length",
        f"Distance from the posterior {description}.", *parts, class_="chart",
    )  # fmt: skip


def _distance_panel(projection: Mapping[str, Any]) -> tuple[Svg, str]:
    distances: Sequence[float] = projection["distances"]
    top = max(max(distances), 1e-6) * 1.05
    frame = Frame(_lengths(projection), (0, top), height=PANEL_HEIGHT, top=12)
    parts = [
        frame.axes(
            "Most rules", "Distance (nats per row)", _length_ticks(projection),
            nice_ticks(0, top, 4), show=lambda v: f"{v:.0f}", show_y=lambda v: f"{v:g}",
        ),
        frame.line(list(enumerate(distances)), "curve"),
        *_dots(frame, distances, projection["suggested"]),
    ]  # fmt: skip
    description = f"from {distances[0]:.4f} with no rule to {distances[-1]:.4f} with at most "
    return element("g", *parts), description + f"{len(distances) - 1}"


def _loss_panel(projection: Mapping[str, Any]) -> Svg:
    """Log loss by length with one standard error, and that of point estimate and posterior."""
    by_kind = projection["losses"]
    losses: Sequence[float] = by_kind["projected"]
    errors = zip(losses, by_kind["errors"], strict=True)
    bars = [(m, loss - error, loss + error) for m, (loss, error) in enumerate(errors)]
    low = min(by_kind["point"], by_kind["posterior"], *(bar[1] for bar in bars))
    high = max(by_kind["point"], by_kind["posterior"], *(bar[2] for bar in bars))
    room = max(high - low, 1e-6) * 0.05
    frame = Frame(_lengths(projection), (low - room, high + room), height=PANEL_HEIGHT)
    references = ((by_kind["point"], "reference"), (by_kind["posterior"], "none"))
    legend = (("reference", "point estimate"), ("none", "posterior"), ("dot line", "suggested"))
    parts = [
        frame.legend(*legend),
        frame.axes(
            "Most rules", "Log loss out of sample", _length_ticks(projection),
            nice_ticks(low - room, high + room, 4), show=lambda v: f"{v:.0f}",
            show_y=lambda v: f"{v:g}",
        ),
        *(frame.line([(x, loss) for x in frame.x_range], class_) for loss, class_ in references),
        frame.line(list(enumerate(losses)), "curve"),
        *(frame.line([(m, below), (m, above)], "whisker line") for m, below, above in bars),
        *_dots(frame, losses, projection["suggested"]),
    ]  # fmt: skip
    return element("g", *parts)


def _dots(frame: Frame, heights: Sequence[float], suggested: int | None) -> list[Svg]:
    """A dot for each length, the suggested one filled."""
    return [
        marker(frame.x(m), frame.y(y), "dot line" if m == suggested else "dot hollow group")
        for m, y in enumerate(heights)
    ]


def _lengths(projection: Mapping[str, Any]) -> tuple[float, float]:
    last = len(projection["distances"]) - 1
    return -0.4, max(last, projection["point_length"]) + 0.4


def _length_ticks(projection: Mapping[str, Any]) -> list[float]:
    ticks = [float(m) for m in range(len(projection["distances"]))]
    return ticks[:: max(1, len(ticks) // 12)]
