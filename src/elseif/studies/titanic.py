"""Figure 1: who survived the Titanic."""

from __future__ import annotations

from elseif import BayesianRuleListClassifier
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
    save_figure(classifier.rule_list_.plot(), settings.out, "titanic")
