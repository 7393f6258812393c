"""A methods paragraph for a paper: settings, sampler, evaluation, references."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Any

from elseif.phrases import joined
from elseif.report.wording import count, number, percent, quoted

Data = Mapping[str, Any]

LETHAM = (
    "Letham B, Rudin C, McCormick TH, Madigan D. Interpretable classifiers using rules and "
    "Bayesian analysis: building a better stroke prediction model. Annals of Applied Statistics "
    "2015; 9(3): 1350–1371. doi:10.1214/15-AOAS848"
)
DELONG = (
    "DeLong ER, DeLong DM, Clarke-Pearson DL. Comparing the areas under two or more correlated "
    "receiver operating characteristic curves: a nonparametric approach. Biometrics 1988; 44(3): "
    "837–845."
)
LEDELL = (
    "LeDell E, Petersen M, van der Laan M. Computationally efficient confidence intervals for "
    "cross-validated area under the ROC curve estimates. Electronic Journal of Statistics 2015; "
    "9(1): 1583–1607."
)
COX = (
    "Cox DR. Two further applications of a model for binary regression. Biometrika 1958; 45: "
    "562–565."
)
VICKERS = (
    "Vickers AJ, Elkin EB. Decision curve analysis: a novel method for evaluating prediction "
    "models. Medical Decision Making 2006; 26(6): 565–574."
)
CUTTING = {
    "mdl": "where an entropy criterion with minimum description length indicated",
    "evidence": "at quantiles between which the evidence for different outcomes was strong enough",
}
PREDICTORS = {
    "point": "Predictions were made with the point estimate of [1]: the most probable list "
    "whose number of rules and mean number of conditions are those of the posterior on average, "
    "rounded up or down.",
    "posterior": "Predictions were averaged over all lists of the posterior.",
    "map": "Predictions were made with the list of highest posterior probability.",
    "projected": "Predictions were made with the projected list: of the lists with at least 10 "
    "training observations on every line, the one that loses least of the "
    "posterior predictive, as a share of its Kullback–Leibler divergence from the base rate and as "
    "a share of its expected AUC above one half, weighted equally.",
}


def methods_text(summary: Any) -> str:
    """Write a methods paragraph for a paper, with references.

    It describes what was done and with which settings; the authors have to add what only they know
    (setting, eligibility, definition of the outcome).

    Parameters
    ----------
    summary : Summary or dict
        A summary, or what its ``to_dict`` gave.

    Returns
    -------
    str
        A paragraph, and a line for each reference.

    Examples
    --------
    >>> from elseif import BayesianRuleListClassifier
    >>> from elseif.datasets import load_titanic
    >>> X, y = load_titanic(split="paper")
    >>> clf = BayesianRuleListClassifier(random_state=0).fit(X, y)
    >>> from elseif.report import methods_text, summarise
    >>> print(methods_text(summarise(clf, X, y, folds=2))[:68])
    We fitted a Bayesian rule list [1] to predict “survived” from 3 colu
    """
    document: Data = summary if isinstance(summary, Mapping) else summary.to_dict()
    settings = {s["name"]: _literal(s["value"]) for s in document["settings"]}
    paragraph = " ".join(
        [*_model(document), *_conditions(document, settings), *_prior(settings, document),
         *_posterior(document, settings), *_evaluation(document, settings)]
    )  # fmt: skip
    return "\n".join([paragraph, "", *_references(document)])


def _references(summary: Data) -> list[str]:
    sources = [LETHAM, DELONG, *([LEDELL] if _over_folds(summary) else []), COX, VICKERS]
    return [f"[{i}] {source}" for i, source in enumerate(sources, 1)]


def _over_folds(summary: Data) -> bool:
    """Whether the AUC is a mean over folds, with the interval that belongs to it."""
    return bool(summary["validation"]["n_folds"]) and not summary["about"]["rounded_to"]


def _literal(text: str) -> Any:
    """The value of a setting from its Python literal; the text itself if it is not one."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def _model(summary: Data) -> Iterator[str]:
    about, people = summary["about"], summary["people"]
    # what fit left out, such as an identifier, predicts nothing
    n_columns = sum(not c["left_out"] for c in people["columns"]) + people["n_columns_left_out"]
    columns = "1 column" if n_columns == 1 else f"{n_columns:,} columns"
    if len(about["labels"]) > 2:
        outcome = f"{quoted(about['outcome'])} " if about["outcome"] else "an outcome "
        predicted = f"{outcome}with {len(about['labels'])} categories"
    else:
        predicted = quoted(about["event"])
    version = about["trained_with"].get("elseif") or about["versions"]["elseif"]
    yield (
        f"We fitted a Bayesian rule list [1] to predict {predicted} from {columns}, with the "
        f"software elseif, version {version}."
    )
    counts = joined(
        [
            f"{count(n)} {quoted(name)}"
            for name, n in zip(about["labels"], people["n"][1:], strict=True)
        ]
    )
    rounded = f", rounded to multiples of {about['rounded_to']:,}" if about["rounded_to"] else ""
    yield f"The training data were {count(about['n'])} observations ({counts}{rounded})."
    if about["n_without_label"]:
        yield f"{count(about['n_without_label'])} rows without an outcome were excluded."
    if about["weighted"]:
        yield "Observations were weighted."


def _conditions(summary: Data, settings: Data) -> Iterator[str]:
    kinds = {c["kind"] for c in summary["people"]["columns"] if not c["left_out"]}
    if kinds & {"numeric", "date"} and "cutting" in settings:
        what = joined([k for k in ("numeric", "date") if k in kinds]).capitalize()
        how = CUTTING.get(settings["cutting"]) or (
            f"at quantiles, moved to readable values, into {settings.get('n_quantiles')} groups"
        )
        own = ", some at cut points that we supplied" if settings.get("cuts") else ""
        yield f"{what} columns were cut {how}{own}."
    levels = (level for column in summary["people"]["columns"] for level in column["levels"])
    if any(level["is_missing"] for level in levels) and settings.get("missing") == "own_level":
        yield (
            "Missing values were not imputed: a condition on a missing value is not met, and “is "
            "missing” may itself be a condition."
        )
    yield from _candidates(summary["about"]["n_antecedents"], settings)


def _candidates(n_antecedents: int | None, settings: Data) -> Iterator[str]:
    """What the lists were made of."""
    size = f" ({n_antecedents:,})" if n_antecedents else ""
    if settings.get("antecedents") is not None:
        yield f"We supplied the candidate rules{size}."
        return
    if not {"min_support", "max_cardinality", "max_antecedents"} <= set(settings):
        return
    least, most = settings["min_support"], _of(settings["max_cardinality"], "condition")
    among = "the observations with any one outcome" if _by_class(settings) else "the observations"
    enough = f"{100 * least:g}% of {among}" if isinstance(least, float) else f"{least:,} of {among}"
    yield (
        f"Candidate rules{size} were conjunctions of at most {most} that hold for at least "
        f"{enough}."
    )
    limit = settings["max_antecedents"]
    if n_antecedents is None or n_antecedents >= limit:
        yield f"If there were more than {limit:,}, those with most evidence were kept."
    if settings.get("merge_equivalents"):
        yield "Of candidates that hold for the same observations, the simplest was kept."
    if settings.get("max_correlation") is not None:
        yield (
            f"Of candidates with a correlation above {settings['max_correlation']:g}, the most "
            "readable was kept."
        )


def _by_class(settings: Data) -> bool:
    return bool(settings.get("support_in") == "any_class")


def _of(n: float, what: str) -> str:
    """A number of things."""
    return f"{n:g} {what}" if n == 1 else f"{n:g} {what}s"


def _prior(settings: Data, summary: Data) -> Iterator[str]:
    names = ("expected_length", "expected_cardinality", "pseudocounts")
    if not all(name in settings for name in names):
        return
    learnt = summary["about"]["learnt"] or {}

    def setting_text(name: str, what: str) -> str:
        value = settings[name]
        if value != "learn":
            is_one = isinstance(value, (int, float))
            return _of(value, what) if is_one else f"a different number of {what}s"
        shown = (
            _of(float(f"{learnt[name]:.3g}"), what) if name in learnt else f"a number of {what}s"
        )
        return f"{shown} (chosen by maximum marginal likelihood)"

    whats = ("rule", "condition", "pseudocount")
    length, cardinality, pseudocounts = map(setting_text, names, whats)
    yield (
        f"A priori, {length} and {cardinality} per rule were expected; the Dirichlet prior of each "
        f"rule had {pseudocounts} for each outcome."
    )
    if settings.get("antecedent_weights"):
        yield "Some rules had a higher or lower prior weight than others."


def _posterior(summary: Data, settings: Data) -> Iterator[str]:
    convergence, about = summary["convergence"], summary["about"]
    if convergence is not None and convergence["n_chains"]:
        if convergence["summed"]:
            yield "The posterior distribution was computed exactly, by summing over all lists."
        elif convergence["independent"]:
            yield "Lists were drawn independently from the exact posterior distribution."
        else:
            yield from _chains(convergence, settings)
    if about["edited"]:
        yield "The fitted list was then changed by hand, and predictions were made with that list."
    else:
        yield PREDICTORS[about["predicts"]]


def _chains(convergence: Data, settings: Data) -> Iterator[str]:
    n, tempered = convergence["n_chains"], settings.get("kernel") in ("auto", "tempered")
    how = "parallel tempering" if tempered else "the Metropolis–Hastings algorithm"
    yield (
        f"The posterior distribution was sampled by {how}, with {n} "
        f"{'chain' if n == 1 else 'independent chains'} of {convergence['n_iter']:,} iterations, "
        "the first half of which was discarded."
    )
    r_hat = convergence["r_hat"]
    shown = "" if r_hat is None else f" (R-hat of the log posterior {number(r_hat)})"
    yield {
        "converged": f"The chains converged{shown}.",
        "warn": f"The chains converged by the criterion of [1]{shown}.",
        "not converged": f"The chains had not converged{shown}.",
        "undetermined": "Convergence could not be assessed.",
    }[convergence["status"]]


def _evaluation(summary: Data, settings: Data) -> Iterator[str]:
    about, validation = summary["about"], summary["validation"]
    n_folds = validation["n_folds"]
    is_supplied = settings.get("antecedents") is not None
    learnt = "cut points and list" if is_supplied else "cut points, candidate rules and list"
    if n_folds:
        yield (
            f"Performance was estimated by {n_folds}-fold cross-validation, stratified by outcome; "
            f"{learnt} were learnt anew in each fold."
        )
    else:
        people = f"{count(validation['n'])} cases, {count(validation['n_events'])} with the event"
        yield f"Performance was estimated on a held-out table ({people})."
    if about["edited"] and n_folds:
        yield "The lists of the folds were not changed by hand."
    if summary["other_labels"]:
        yield "Each outcome was evaluated against all others together."
    elif len(about["labels"]) > 2:
        yield f"{quoted(about['positive'])} was evaluated against all other outcomes together."
    if about["weighted"]:
        yield "In evaluation, every case counted once."
    over_folds = _over_folds(summary)
    auc = "as the mean over folds with an interval from DeLong’s variance in each fold [2,3]"
    first = 4 if over_folds else 3
    yield (
        "Discrimination was measured by the area under the ROC curve (AUC), "
        f"{auc if over_folds else 'with DeLong’s interval [2]'}. Calibration was "
        f"assessed by the calibration slope and intercept [{first}] and the Brier score, and "
        f"usefulness for decisions by net benefit [{first + 1}]. All intervals are "
        f"{percent(about['level'], 0)} intervals."
    )
    if about["rounded_to"]:
        yield "To protect privacy, all measures were computed from rounded counts."
