"""Sampling for a classifier: its chains, which can be continued, and messages about them."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from elseif.checks import check_count, check_positive
from elseif.errors import ParamError, SamplingError
from elseif.model.likelihood import log_likelihood
from elseif.parameters import MOST_ITERATIONS, RUN_ONLY, seed_sequence
from elseif.posterior.draws import Posterior
from elseif.posterior.point_estimate import maximum_a_posteriori, point_estimate
from elseif.posterior.steadiness import point_steadiness
from elseif.showing.convergence_text import unsteady_words
from elseif.showing.thin_lines import thin_lines_notes

if TYPE_CHECKING:
    from elseif.antecedents.pool import Pool
    from elseif.estimator import BayesianRuleListClassifier
    from elseif.fitted_model import FittedModel
    from elseif.model.prior import ListPrior
    from elseif.model.problem import Problem
    from elseif.posterior.rule_list import ModelMetadata, RuleList
    from elseif.sampler.chains import Continuation, Sampled, SamplerSettings
    from elseif.sampler.checkpoints import Checkpoints, FitIdentity
    from elseif.sampler.convergence import Convergence
    from elseif.sampler.learning import Learnt

# of the attributes of a fitted classifier, the one that is neither pickled nor saved
CHAINS = "_chains_"
LONGEST_TEXT = 100  # characters of a setting in a checkpoint; of what is longer, also a hash


@dataclass(frozen=True, eq=False)
class Drawn:
    """The results of the draws, and the chains to continue."""

    posterior: Posterior
    convergence: Convergence
    rule_list: RuleList
    map_rule_list: RuleList
    point_note: str | None  # of the fit report; it may change with more draws
    go_on: Continuation | None


@dataclass(frozen=True, eq=False)
class Chains:
    """What is needed to continue sampling: the chains, including the data as packed bits."""

    model: FittedModel  # that these draws made
    drawn: Drawn
    problem: Problem
    identity: FitIdentity | None = None  # of the checkpoints, where there are any


class SamplingMixin:
    """Methods of BayesianRuleListClassifier that draw from the posterior."""

    def sample_more(
        self: Any, n_iter: int | None = None, *, seconds: float | None = None
    ) -> BayesianRuleListClassifier:
        """Continue sampling from the current state of the chains, and update all fitted attributes.

        The result is the same, bit for bit, as that of one run of ``n_iter_`` iterations: the first
        half is discarded, so more iterations also discard more. The chains, including the data as
        packed bits, stay in memory with the fitted classifier; they are neither pickled nor saved,
        so a copy or a loaded model cannot continue.

        Parameters
        ----------
        n_iter : int, default=None
            Further iterations of each chain.
        seconds : float, default=None
            Instead of ``n_iter``: approximately how long to continue. The number of iterations then
            depends on the machine; ``n_iter_`` has it.

        Returns
        -------
        BayesianRuleListClassifier
            The classifier itself.

        Examples
        --------
        >>> import pandas as pd
        >>> from elseif import BayesianRuleListClassifier
        >>> X = pd.DataFrame({"smoker": [1, 0, 1, 0] * 20, "over 60": [1, 1, 0, 0] * 20})
        >>> y = [1, 0, 1, 0] * 20
        >>> clf = BayesianRuleListClassifier(n_iter=2_000, random_state=0).fit(X, y)
        >>> clf.sample_more(n_iter=2_000).n_iter_
        4000
        """
        check_is_fitted(self)
        if (n_iter is None) == (seconds is None):
            raise ParamError("sample_more takes either n_iter or seconds.")
        if n_iter is not None:
            check_count("n_iter", n_iter, 1, MOST_ITERATIONS)
        else:
            check_positive("seconds", seconds)
        chains: Chains | None = getattr(self, CHAINS, None)
        if chains is None or chains.model is not self.model_ or chains.drawn.go_on is None:
            raise SamplingError(_why_no_chains(self))
        model = chains.model
        with self._checkpointing_more(chains) as kept:
            sampled = chains.drawn.go_on(n_iter, seconds, self._progress(), kept)
        drawn = _of_draws(sampled, model.pool, model.metadata, chains.problem.prior)
        path = self._projected(chains.problem, drawn.posterior, drawn.rule_list)
        projected = None if path is None else path.lists[-1]
        before = thin_lines_notes(model.rule_list, model.projected_rule_list)
        now = thin_lines_notes(drawn.rule_list, projected)
        replaced = (chains.drawn.point_note, *before)
        others = (text for text in model.fit_report.notes if text not in replaced)
        notes = tuple(text for text in (drawn.point_note, *now, *others) if text)
        longer = replace(
            model,
            rule_list=drawn.rule_list,
            map_rule_list=drawn.map_rule_list,
            posterior=drawn.posterior,
            convergence=drawn.convergence,
            fit_report=replace(model.fit_report, notes=notes),
            projection_path=path,
            projected_rule_list=projected,
        )
        # in one step, which nothing can interrupt
        self.__dict__ = {
            **vars(self),
            "model_": longer,
            CHAINS: replace(chains, model=longer, drawn=drawn),
        }
        self._warn_of_convergence()
        classifier: BayesianRuleListClassifier = self
        return classifier

    def _keep_chains(
        self: Any, drawn: Drawn, problem: Problem, kept: Checkpoints | None = None
    ) -> None:
        identity = None if kept is None else kept.identity
        setattr(self, CHAINS, Chains(self.model_, drawn, problem, identity))

    def _check_checkpoint(self: Any) -> None:
        """Make the folder for checkpoints before long work; an error says why it cannot be used."""
        if self.checkpoint is not None:
            from elseif.sampler.checkpoints import check_folder

            check_folder(Path(self.checkpoint))

    @contextmanager
    def _checkpointing(
        self: Any, data: str, settings: Mapping[str, Any]
    ) -> Iterator[tuple[np.random.SeedSequence, Checkpoints | None]]:
        """The seed of the fit, and its checkpoints; without a seed, the first one drawn is kept."""
        seed = seed_sequence(self.random_state)
        if self.checkpoint is None:
            yield seed, None
            return
        from elseif.sampler.checkpoints import open_checkpoints

        identity = _identity(data, settings, seed)
        with open_checkpoints(Path(self.checkpoint), identity) as kept:
            if kept.has_any:
                self._progress().note(f"continuing from the checkpoints in {self.checkpoint}")
            if kept.entropy != identity.entropy:
                seed = np.random.SeedSequence(kept.entropy)
            yield seed, kept

    def _checkpointing_more(self: Any, chains: Chains) -> Any:
        if self.checkpoint is None or chains.identity is None:
            return nullcontext()
        from elseif.sampler.checkpoints import open_checkpoints

        return open_checkpoints(Path(self.checkpoint), chains.identity)

    def _sampler_settings(self: Any, kept: Checkpoints | None = None) -> SamplerSettings:
        from elseif.sampler.chains import SamplerSettings

        return SamplerSettings(
            kernel=self.kernel,
            n_chains=self.n_chains,
            n_iter=self.n_iter,
            max_iter=self.max_iter,
            n_jobs=self.n_jobs,
            max_memory=self.max_memory,
            max_time=self.max_time,
            checkpoints=kept,
        )

    def _learn(
        self: Any,
        problem: Problem,
        names: list[str],
        seed: np.random.SeedSequence,
        kept: Checkpoints | None = None,
    ) -> Learnt:
        """Learn the settings that are "learn"; the seed is not changed."""
        from elseif.sampler.learning import learn

        return learn(problem, names, self._sampler_settings(kept), seed, self._progress())

    def _sample(
        self: Any,
        problem: Problem,
        pool: Pool,
        metadata: ModelMetadata,
        seed: np.random.SeedSequence,
        kept: Checkpoints | None = None,
    ) -> Drawn:
        """Draw from the posterior; an empty pool has only one list."""
        from elseif.posterior.collect import only_the_default_rule
        from elseif.sampler.chains import sample
        from elseif.sampler.convergence import nothing_to_sample

        if not len(pool):
            totals = problem.layout.label_totals
            log_posterior = log_likelihood(
                totals[None, :] * metadata.count_unit, problem.pseudocounts
            )
            posterior = only_the_default_rule(totals, log_posterior, pool, metadata)
            return _of_posterior(posterior, nothing_to_sample(), None)
        sampled = sample(problem, self._sampler_settings(kept), seed, self._progress())
        return _of_draws(sampled, pool, metadata, problem.prior)

    def _warn_of_convergence(self: Any) -> None:
        from elseif.sampler.convergence import is_good_enough

        convergence = self.model_.convergence  # its quantities need no names here
        if not len(self.pool_) or is_good_enough(convergence):
            return
        warnings.warn(_warning(self, convergence), ConvergenceWarning, stacklevel=3)

    def __getstate__(self: Any) -> dict[str, Any]:
        """For pickles and copies: everything but the chains, which contain the data of fit."""
        state: Any = super().__getstate__()
        return {name: value for name, value in state.items() if name != CHAINS}


def _of_draws(sampled: Sampled, pool: Pool, metadata: ModelMetadata, prior: ListPrior) -> Drawn:
    from elseif.posterior.collect import collect

    posterior = collect(sampled.chains, pool, metadata, prior, sampled.exact)
    return _of_posterior(posterior, sampled.convergence, sampled.go_on)


def _of_posterior(
    posterior: Posterior, convergence: Convergence, go_on: Continuation | None
) -> Drawn:
    best, note = point_estimate(posterior)
    if convergence.n_chains:
        found_by, is_steady = point_steadiness(posterior, best, convergence)
        convergence = replace(convergence, point_found_by=found_by, point_is_steady=is_steady)
    posterior.unsteady = convergence.unsteady_inclusions
    return Drawn(
        posterior=posterior,
        convergence=convergence,
        rule_list=posterior.rule_list(best),
        map_rule_list=posterior.rule_list(maximum_a_posteriori(posterior)),
        point_note=note,
        go_on=go_on,
    )


def _identity(data: str, settings: Mapping[str, Any], seed: np.random.SeedSequence) -> FitIdentity:
    """What identifies the fit that checkpoints belong to."""
    import elseif
    from elseif.sampler.checkpoints import FitIdentity

    names = [name for name in settings if name not in (*RUN_ONLY, "random_state")]
    entropy: Any = seed.entropy
    numbers = entropy if isinstance(entropy, list | tuple) else (entropy,)
    return FitIdentity(
        version=elseif.__version__,
        data=data,
        settings={name: _setting_text(settings[name]) for name in names},
        entropy=tuple(int(number) for number in numbers),
        any_seed=settings["random_state"] is None,
    )


def _setting_text(value: Any) -> str:
    """A setting as text, the same for equal values of any type."""
    text = repr(_plain(value))
    if len(text) <= LONGEST_TEXT:
        return text
    return f"{text[:LONGEST_TEXT]}... (SHA-256 {hashlib.sha256(text.encode()).hexdigest()})"


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return sorted(([_plain(key), _plain(item)] for key, item in value.items()), key=repr)
    if isinstance(value, list | tuple | np.ndarray):
        return [_plain(item) for item in value]
    return value.item() if isinstance(value, np.generic) else value


def _warning(classifier: Any, convergence: Convergence) -> str:
    """What went wrong, and what to do about it."""
    if convergence.ended_by == "interrupted":
        return (
            f"The fit was interrupted. The result is that of its first {convergence.n_iter:,} "
            "iterations of each chain, and does not count as converged; sample_more continues."
        )
    longer = "n_iter" if classifier.n_iter is not None else "max_iter"
    if convergence.ended_by == "max_time":
        longer = "max_time"
    shown = "not available" if np.isnan(convergence.r_hat) else f"{convergence.r_hat:.3f}"
    unsteady = unsteady_words(convergence)
    what = f" Not yet steady: {', '.join(unsteady)}." if unsteady else ""
    return (
        f"The chains have not converged after {convergence.n_iter:,} iterations: R-hat {shown}, "
        f"largest rank-normalised R-hat {convergence.max_r_hat:.3f}, fewest effective draws "
        f"{convergence.min_ess:.0f}.{what} Raise {longer}, go on with sample_more, or make the "
        "pool smaller by a higher min_support or a lower max_cardinality. The result can be "
        "used, but another seed may give another list."
    )


def _why_no_chains(classifier: Any) -> str:
    if not len(classifier.pool_):
        return "There is nothing to sample: the default rule is the only list."
    return (
        "The chains are not available: they stay with the classifier that was fitted and are "
        "neither copied, pickled nor saved, because they contain the data. Fit again, with a "
        "larger n_iter."
    )
