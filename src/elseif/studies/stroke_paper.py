"""The paper's published figures on stroke: tables 2 and 3, of another database."""

from __future__ import annotations

from dataclasses import dataclass

DATABASE = "MarketScan Medicaid"
DEFINITION = "stroke"  # the only definition that these figures are about
EVERYBODY, WOMEN, MEN = "everybody", "women", "men"


@dataclass(frozen=True)
class Published:
    """Mean and standard deviation over five folds."""

    auc: tuple[float, float]
    minutes: tuple[float, float] | None  # of training; None: no training


# the paper's order; Bayesian CART ran out of memory and has no row
PUBLISHED: dict[str, dict[str, Published]] = {
    EVERYBODY: {
        "BRL-point": Published((0.756, 0.007), (21.48, 6.78)),
        "CHADS2": Published((0.721, 0.014), None),
        "CHA2DS2-VASc": Published((0.677, 0.007), None),
        "CART": Published((0.704, 0.010), (12.62, 0.09)),
        "C5.0": Published((0.704, 0.011), (2.56, 0.27)),
        "l1 logistic regression": Published((0.767, 0.010), (0.05, 0.00)),
        "SVM": Published((0.753, 0.014), (302.89, 8.28)),
        "random forests": Published((0.774, 0.013), (698.56, 59.66)),
        "BRL-post": Published((0.775, 0.015), (21.48, 6.78)),
    },
    WOMEN: {
        "BRL-point": Published((0.747, 0.028), (9.12, 4.70)),
        "CHADS2": Published((0.717, 0.018), None),
        "CHA2DS2-VASc": Published((0.671, 0.021), None),
        "CART": Published((0.704, 0.024), (7.41, 0.14)),
        "C5.0": Published((0.707, 0.023), (1.30, 0.09)),
        "l1 logistic regression": Published((0.755, 0.025), (0.04, 0.00)),
        "SVM": Published((0.739, 0.021), (56.00, 0.73)),
        "random forests": Published((0.764, 0.022), (389.28, 33.07)),
        "BRL-post": Published((0.765, 0.025), (9.12, 4.70)),
    },
    MEN: {
        "BRL-point": Published((0.738, 0.027), (6.25, 3.70)),
        "CHADS2": Published((0.730, 0.035), None),
        "CHA2DS2-VASc": Published((0.701, 0.030), None),
        "CART": Published((0.581, 0.111), (2.69, 0.04)),
        "C5.0": Published((0.539, 0.086), (0.55, 0.01)),
        "l1 logistic regression": Published((0.739, 0.036), (0.01, 0.00)),
        "SVM": Published((0.753, 0.035), (11.05, 0.18)),
        "random forests": Published((0.773, 0.029), (116.98, 12.12)),
        "BRL-post": Published((0.778, 0.018), (6.25, 3.70)),
    },
}
