"""The paper's results: tables 1, 2 and 3, on its own computers and databases."""

from __future__ import annotations

from dataclasses import dataclass

EVERYBODY, WOMEN, MEN = "everybody", "women", "men"


@dataclass(frozen=True)
class Figure:
    """A mean over the paper's five folds, and its standard deviation.

    Attributes
    ----------
    mean : float
        Mean over the folds.
    deviation : float
        Standard deviation over the folds.

    Examples
    --------
    >>> from elseif.evaluation import PUBLISHED
    >>> PUBLISHED["CART"].accuracy
    Figure(mean=0.9, deviation=0.04)
    """

    mean: float
    deviation: float


@dataclass(frozen=True)
class Published:
    """The paper's figures for one classifier; None where the paper reports none.

    Attributes
    ----------
    accuracy : Figure | None
        Accuracy on tic-tac-toe (table 1).
    auc : dict[str, Figure] | None
        AUC of the stroke models by population (tables 2 and 3).
    minutes : dict[str, Figure] | None
        Minutes of training by population.

    Examples
    --------
    >>> from elseif.evaluation import EVERYBODY, PUBLISHED
    >>> PUBLISHED["CHADS2"].auc[EVERYBODY].mean
    0.721
    """

    accuracy: Figure | None = None
    auc: dict[str, Figure] | None = None
    minutes: dict[str, Figure] | None = None


def _stroke(*means_and_deviations: float) -> dict[str, Figure]:
    pairs = zip(means_and_deviations[::2], means_and_deviations[1::2], strict=True)
    figures = [Figure(mean, deviation) for mean, deviation in pairs]
    return dict(zip((EVERYBODY, WOMEN, MEN), figures, strict=True))


PUBLISHED = {
    "BRL": Published(Figure(1.00, 0.00)),  # table 1 does not say which of the two
    "BRL-point": Published(
        None,
        _stroke(0.756, 0.007, 0.747, 0.028, 0.738, 0.027),
        _stroke(21.48, 6.78, 9.12, 4.70, 6.25, 3.70),
    ),
    "CHADS2": Published(None, _stroke(0.721, 0.014, 0.717, 0.018, 0.730, 0.035)),
    "CHA2DS2-VASc": Published(None, _stroke(0.677, 0.007, 0.671, 0.021, 0.701, 0.030)),
    "CART": Published(
        Figure(0.90, 0.04),
        _stroke(0.704, 0.010, 0.704, 0.024, 0.581, 0.111),
        _stroke(12.62, 0.09, 7.41, 0.14, 2.69, 0.04),
    ),
    "C5.0": Published(
        Figure(0.94, 0.01),
        _stroke(0.704, 0.011, 0.707, 0.023, 0.539, 0.086),
        _stroke(2.56, 0.27, 1.30, 0.09, 0.55, 0.01),
    ),
    "l1 logistic regression": Published(
        Figure(0.98, 0.01),
        _stroke(0.767, 0.010, 0.755, 0.025, 0.739, 0.036),
        _stroke(0.05, 0.00, 0.04, 0.00, 0.01, 0.00),
    ),
    "SVM": Published(
        Figure(0.99, 0.01),
        _stroke(0.753, 0.014, 0.739, 0.021, 0.753, 0.035),
        _stroke(302.89, 8.28, 56.00, 0.73, 11.05, 0.18),
    ),
    "random forests": Published(
        Figure(0.99, 0.01),
        _stroke(0.774, 0.013, 0.764, 0.022, 0.773, 0.029),
        _stroke(698.56, 59.66, 389.28, 33.07, 116.98, 12.12),
    ),
    "Bayesian CART": Published(Figure(0.71, 0.04)),
    "BRL-post": Published(
        None,
        _stroke(0.775, 0.015, 0.765, 0.025, 0.778, 0.018),
        _stroke(21.48, 6.78, 9.12, 4.70, 6.25, 3.70),
    ),
}
