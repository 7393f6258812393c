"""Figure 1: who survived the Titanic."""

from __future__ import annotations

from typing import Any

from elseif import BayesianRuleListClassifier, RuleList
from elseif.datasets import load_titanic
from elseif.studies.running import StudySettings, save_figure


def run(settings: StudySettings) -> None:
    """Fit the paper's split, print the list and what the posterior says beside it, draw it."""
    X, y = load_titanic(split="paper")
    classifier = BayesianRuleListClassifier(random_state=settings.seed, n_jobs=settings.n_jobs)
    classifier.fit(X, y)
    posterior = classifier.posterior_
    print(
        f"Titanic: the {len(X):,} passengers that the paper's authors trained on, "
        f"{len(classifier.pool_)} antecedents\n"
    )
    print(classifier.rule_list_)
    print(f"\n{classifier.convergence_}")
    print(
        f"\nThe list is the best of typical length ({posterior.mean_length:.1f} rules on average). "
        f"Of {len(posterior.distinct):,} drawn\nlists, the most frequent:"
    )
    best = posterior.lists().nlargest(5, "probability")
    for antecedents, share in zip(best["antecedents"], best["probability"], strict=True):
        print(f"  {100 * share:4.1f}%  {'; '.join(antecedents)}")
    save_figure(draw_list(classifier.rule_list_), settings.out, "titanic")


def draw_list(rule_list: RuleList) -> Any:
    """The list as text on the left, its probabilities and intervals on the right."""
    from matplotlib.figure import Figure

    label = rule_list.positive
    n_rules = len(rule_list.rules)
    figure = Figure(figsize=(9, 0.9 + 0.5 * n_rules), layout="constrained")
    axes = figure.subplots()
    place = list(rule_list.classes).index(label)
    for j, rule in enumerate(rule_list.rules):
        low, high = rule.interval(label)
        middle = rule.probabilities[place]
        axes.plot(
            [low, high], [j, j], color="#4477aa", linewidth=5, alpha=0.45, solid_capstyle="butt"
        )
        axes.plot(middle, j, "o", color="#223355", markersize=7)
        text = f"{100 * middle:.0f}% ({100 * low:.0f}%–{100 * high:.0f}%)"
        axes.annotate(text, (1.02, j), xycoords=("axes fraction", "data"), va="center")
    heads = ["if ", *["else if "] * (n_rules - 2), "else"][:n_rules]
    axes.set_yticks(
        range(n_rules),
        [
            f"{head}{rule.antecedent.name}\nn = {rule.n:,.0f}"
            for head, rule in zip(heads, rule_list.rules, strict=True)
        ],
    )
    axes.set_ylim(n_rules - 0.5, -0.5)
    axes.set_xlim(0, 1)
    axes.xaxis.set_major_formatter(lambda x, _: f"{100 * x:.0f}%")
    axes.set_xlabel(f"probability of {label}, with its 95% credible interval")
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x", alpha=0.3)
    return figure
