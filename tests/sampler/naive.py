"""A slow, set-based reference for the posterior over antecedent lists and its sampler.

Written from the paper's sections 2.3 to 2.7 alone: it shares no line with the package and
imports none of it. Every formula can be made wrong on purpose (`MISTAKES`), to show that the
checks which compare the package with this reference would notice.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

MISTAKES = {
    # the three that were published
    "log masses subtracted": "exhausted cardinalities leave a linear sum as logarithms",
    "dropped constant": "the Dirichlet's constant is left out of every rule",
    "forgotten option case": "from length 2 to 1 the option probabilities are taken as equal",
    # and others that are easily made
    "exhausted cardinality kept": "a used-up cardinality stays in the normaliser",
    "drawn with replacement": "used antecedents still share their cardinality's probability",
    "length not truncated": "p(m) is not normalised over 0..|A|",
    "weights forgotten": "antecedents of a cardinality are taken as equally probable",
    "default rule forgotten": "what no rule captures has no likelihood",
    "cover for captured": "every rule counts all it covers",
    "last rule wins": "the last true antecedent captures instead of the first",
    "no Hastings ratio": "every proposal is taken as symmetric",
    "equal option probabilities": "the Hastings ratio takes every option as always possible",
    "additions not weighed": "the Hastings ratio takes additions as uniform",
    "never added last": "an addition never comes after the last rule",
}
REVERSE = {
    "move": "move",
    "add": "remove",
    "remove": "add",
    "replace": "replace",
    "replace by neighbour": "replace by neighbour",
    "add and position": "remove or reposition",
    "remove or reposition": "add and position",
}


@dataclass(frozen=True, eq=False)
class Model:
    """Data and prior; covers are sets of row numbers, and an observation may have a weight."""

    covers: tuple[frozenset[int], ...]
    labels: tuple[int, ...]
    observation_weights: tuple[float, ...]
    n_labels: int
    cardinalities: tuple[int, ...]
    antecedent_weights: tuple[float, ...]
    expected_length: float
    expected_cardinality: float
    pseudocounts: tuple[float, ...]
    mistakes: frozenset[str] = field(default=frozenset())

    @property
    def pool_size(self) -> int:
        return len(self.cardinalities)


@dataclass(frozen=True)
class Proposals:
    """How steps are proposed: relative weights of the options and of the additions.

    neighbours[a] are the antecedents that may replace a as its correlation neighbours.
    """

    option_weights: dict[str, float]
    addition_weights: tuple[float, ...]
    neighbours: tuple[tuple[int, ...], ...]
    mistakes: frozenset[str] = field(default=frozenset())

    def __post_init__(self) -> None:
        unknown = {o for o, w in self.option_weights.items() if w > 0} - set(REVERSE)
        if unknown:
            raise NotImplementedError(f"naive.py has to be taught the option(s) {unknown}.")


class Step(NamedTuple):
    """One way to get from a list to another, and its probability."""

    option: str
    position: int
    target: int
    result: tuple[int, ...]
    probability: float


# ------------------------------------------------------------------- lists and prior


def all_lists(pool_size: int) -> list[tuple[int, ...]]:
    """Every ordered subset of the pool, short lists first."""
    lengths = range(pool_size + 1)
    return [d for m in lengths for d in itertools.permutations(range(pool_size), m)]


def poisson_mass(k: int, mean: float) -> float:
    """p(k) of a Poisson variable."""
    return math.exp(-mean) * mean**k / math.factorial(k)


def length_prior(model: Model) -> list[float]:
    """p(m): a Poisson truncated to 0..|A| (section 2.4)."""
    masses = [poisson_mass(m, model.expected_length) for m in range(model.pool_size + 1)]
    if "length not truncated" in model.mistakes:
        return masses
    return [mass / math.fsum(masses) for mass in masses]


def cardinality_prior(model: Model, used: frozenset[int]) -> dict[int, float]:
    """p(c_j) over the cardinalities that still have an unused antecedent (section 2.4)."""
    unused = set(range(model.pool_size)) - used
    left = {model.cardinalities[a] for a in unused}
    masses = {c: poisson_mass(c, model.expected_cardinality) for c in set(model.cardinalities)}
    total = math.fsum(masses[c] for c in left)
    if "exhausted cardinality kept" in model.mistakes:
        total = math.fsum(masses.values())
    if "log masses subtracted" in model.mistakes:
        total = math.fsum(masses.values())
        total -= math.fsum(math.log(masses[c]) for c in set(masses) - left)
    return {c: masses[c] / total for c in left}


def antecedent_prior(model: Model, used: frozenset[int], cardinality: int) -> dict[int, float]:
    """p(a_j | c_j): in proportion to weight among the unused of that cardinality."""
    same = {a for a in range(model.pool_size) if model.cardinalities[a] == cardinality}
    weights = {a: model.antecedent_weights[a] for a in same}
    if "weights forgotten" in model.mistakes:
        weights = dict.fromkeys(same, 1.0)
    among = same if "drawn with replacement" in model.mistakes else same - used
    return {a: weights[a] / math.fsum(weights[b] for b in among) for a in same - used}


def log_prior(model: Model, antecedent_list: tuple[int, ...]) -> float:
    """log p(d), following the generative model of section 2.4 draw by draw."""
    logs = [math.log(length_prior(model)[len(antecedent_list)])]
    for j, a in enumerate(antecedent_list):
        used, c = frozenset(antecedent_list[:j]), model.cardinalities[a]
        logs.append(math.log(cardinality_prior(model, used)[c]))
        logs.append(math.log(antecedent_prior(model, used, c)[a]))
    return math.fsum(logs)


def log_weighting(model: Model, antecedent_list: tuple[int, ...]) -> float:
    """log p(d), less what it would be with equal weights: tempered along with the likelihood."""
    unweighted = dataclasses.replace(model, antecedent_weights=(1.0,) * model.pool_size)
    return log_prior(model, antecedent_list) - log_prior(unweighted, antecedent_list)


def used_prior(model: Model) -> dict[tuple[int, ...], float]:
    """p(how many antecedents of each cardinality a list has), by recursion over lengths.

    The number of unused antecedents of a cardinality settles all that the next draw of a
    cardinality depends on, so that pools far too large for enumeration are exact too.
    """
    distinct = sorted(set(model.cardinalities))
    sizes = [model.cardinalities.count(c) for c in distinct]
    masses = [poisson_mass(c, model.expected_cardinality) for c in distinct]
    level = {(0,) * len(distinct): 1.0}
    whole: dict[tuple[int, ...], float] = {}
    for probability in length_prior(model):
        whole.update({used: probability * p for used, p in level.items()})
        following: dict[tuple[int, ...], float] = {}
        for used, p in level.items():
            left = [k for k in range(len(distinct)) if used[k] < sizes[k]]
            for k in left:
                more = (*used[:k], used[k] + 1, *used[k + 1 :])
                share = masses[k] / math.fsum(masses[i] for i in left)
                following[more] = following.get(more, 0.0) + p * share
        level = following
    return whole


def draw_from_prior(model: Model, rng: np.random.Generator) -> tuple[int, ...]:
    """An antecedent list from the prior."""
    drawn: list[int] = []
    for _ in range(int(rng.choice(model.pool_size + 1, p=length_prior(model)))):
        by_cardinality = cardinality_prior(model, frozenset(drawn))
        c = int(rng.choice(list(by_cardinality), p=list(by_cardinality.values())))
        by_antecedent = antecedent_prior(model, frozenset(drawn), c)
        drawn.append(int(rng.choice(list(by_antecedent), p=list(by_antecedent.values()))))
    return tuple(drawn)


# ------------------------------------------------------------------------ likelihood


def captured(model: Model, antecedent_list: tuple[int, ...]) -> list[set[int]]:
    """The rows that each rule captures, those of the default rule last."""
    everyone = set(range(len(model.labels)))
    if "cover for captured" in model.mistakes:
        covers = [set(model.covers[a]) for a in antecedent_list]
        return [*covers, everyone - set().union(*covers)]
    by_rule: dict[int, set[int]] = {}
    order = range(len(antecedent_list))
    remaining = set(everyone)
    for j in reversed(order) if "last rule wins" in model.mistakes else order:
        by_rule[j] = remaining & model.covers[antecedent_list[j]]
        remaining -= by_rule[j]
    return [*(by_rule[j] for j in order), remaining]


def label_counts(model: Model, antecedent_list: tuple[int, ...]) -> list[list[float]]:
    """N[j][l]: the weight of label l among what rule j captures, default rule last."""
    return [
        [
            math.fsum(model.observation_weights[i] for i in rows if model.labels[i] == label)
            for label in range(model.n_labels)
        ]
        for rows in captured(model, antecedent_list)
    ]


def dirichlet_multinomial(
    counts: list[float], alphas: tuple[float, ...], with_constant: bool = True
) -> float:
    """log of the integral of prod theta_l^N_l over a Dirichlet(alpha) (section 2.5)."""
    constant = math.lgamma(math.fsum(alphas)) - math.fsum(math.lgamma(a) for a in alphas)
    posterior = [n + a for n, a in zip(counts, alphas, strict=True)]
    value = math.fsum(math.lgamma(a) for a in posterior) - math.lgamma(math.fsum(posterior))
    return value + constant if with_constant else value


def log_likelihood(model: Model, antecedent_list: tuple[int, ...]) -> float:
    """log p(y | x, d, alpha), default rule included."""
    counts = label_counts(model, antecedent_list)
    if "default rule forgotten" in model.mistakes:
        counts = counts[:-1]
    with_constant = "dropped constant" not in model.mistakes
    return math.fsum(dirichlet_multinomial(n, model.pseudocounts, with_constant) for n in counts)


# ------------------------------------------------------------------------- posterior


def posterior(model: Model) -> dict[tuple[int, ...], float]:
    """p(d | x, y) of every list, by enumeration."""
    lists = all_lists(model.pool_size)
    logs = [log_prior(model, d) + log_likelihood(model, d) for d in lists]
    largest = max(logs)
    masses = [math.exp(value - largest) for value in logs]
    total = math.fsum(masses)
    return {d: mass / total for d, mass in zip(lists, masses, strict=True)}


def length_marginal(target: dict[tuple[int, ...], float], pool_size: int) -> list[float]:
    """p(m | x, y)."""
    return [math.fsum(p for d, p in target.items() if len(d) == m) for m in range(pool_size + 1)]


def inclusion(target: dict[tuple[int, ...], float], pool_size: int) -> list[float]:
    """p(a is in d | x, y) of every antecedent."""
    return [math.fsum(p for d, p in target.items() if a in d) for a in range(pool_size)]


def first_true(antecedent_list: tuple[int, ...], true_antecedents: frozenset[int]) -> int:
    """Position of the rule that captures an observation; the default's is the length."""
    for j, a in enumerate(antecedent_list):
        if a in true_antecedents:
            return j
    return len(antecedent_list)


def predict(
    model: Model, antecedent_list: tuple[int, ...], true_antecedents: frozenset[int]
) -> list[float]:
    """E[theta | d, y] for an observation of which the given antecedents are true."""
    counts = label_counts(model, antecedent_list)[first_true(antecedent_list, true_antecedents)]
    alphas = [n + a for n, a in zip(counts, model.pseudocounts, strict=True)]
    return [a / math.fsum(alphas) for a in alphas]


def predictive(
    model: Model, target: dict[tuple[int, ...], float], true_antecedents: frozenset[int]
) -> list[float]:
    """p(label | x, data), averaged over the posterior of lists."""
    by_list = [(p, predict(model, d, true_antecedents)) for d, p in target.items()]
    return [math.fsum(p * theta[label] for p, theta in by_list) for label in range(model.n_labels)]


# --------------------------------------------------------------------------- sampler


def possible_options(proposals: Proposals, length: int, pool_size: int) -> dict[str, float]:
    """Probability of each option that exists for a list of this length (section 2.6)."""
    exists = {
        "move": length >= 2,
        "add": length < pool_size,
        "remove": length >= 1,
        "replace": 1 <= length < pool_size,
        "replace by neighbour": 1 <= length < pool_size,
        "add and position": length < pool_size,
        "remove or reposition": length >= 1,
    }
    weights = {o: w for o, w in proposals.option_weights.items() if w > 0 and exists[o]}
    return {o: w / math.fsum(weights.values()) for o, w in weights.items()}


def steps_from(
    proposals: Proposals, antecedent_list: tuple[int, ...], pool_size: int
) -> list[Step]:
    """Every step that can be proposed from a list, with its probability.

    A replacement by what the list holds already is proposed, and leads nowhere. Where an option
    leads that weighs positions is up to the posterior (`positioned`): here it stays.
    """
    d, m = antecedent_list, len(antecedent_list)
    outside = [a for a in range(pool_size) if a not in d]
    total = math.fsum(proposals.addition_weights[a] for a in outside)
    share = {a: proposals.addition_weights[a] / total for a in outside}
    steps: list[Step] = []
    for option, chance in possible_options(proposals, m, pool_size).items():
        if option == "move":
            for i, j in itertools.permutations(range(m), 2):
                rest = d[:i] + d[i + 1 :]
                result = (*rest[:j], d[i], *rest[j:])
                steps.append(Step(option, i, j, result, chance / m / (m - 1)))
        elif option == "add":
            slots = m + 1
            if "never added last" in proposals.mistakes and m > 0:
                slots = m
            for i, a in itertools.product(range(slots), outside):
                steps.append(Step(option, i, a, (*d[:i], a, *d[i:]), chance / slots * share[a]))
        elif option == "remove":
            for i in range(m):
                steps.append(Step(option, i, 0, d[:i] + d[i + 1 :], chance / m))
        elif option == "add and position":
            steps += [Step(option, 0, a, d, chance * share[a]) for a in outside]
        elif option == "remove or reposition":
            steps += [Step(option, i, 0, d, chance / m) for i in range(m)]
        elif option == "replace by neighbour":
            for i in range(m):
                others = proposals.neighbours[d[i]] or (d[i],)
                for a in others:
                    result = d if a in d else (*d[:i], a, *d[i + 1 :])
                    steps.append(Step(option, i, a, result, chance / m / len(others)))
        else:
            for i, a in itertools.product(range(m), outside):
                result = (*d[:i], a, *d[i + 1 :])
                steps.append(Step(option, i, a, result, chance / m * share[a]))
    return steps


class Neighbours:
    """The enumerated proposal distribution Q(d* | d), by option and summed over its steps."""

    def __init__(self, proposals: Proposals, pool_size: int) -> None:
        self.pool_size = pool_size
        self.lists = all_lists(pool_size)
        self.steps = {
            d: [step for step in steps_from(proposals, d, pool_size) if step.result != d]
            for d in self.lists
        }
        self.proposals = proposals
        self._q: dict[tuple[str, tuple[int, ...], tuple[int, ...]], float] = {}
        for d in self.lists:
            for step in self.steps[d]:
                key = (step.option, d, step.result)
                self._q[key] = self._q.get(key, 0.0) + step.probability

    def log_ratio(self, d: tuple[int, ...], step: Step) -> float:
        """log Q(d | d*) - log Q(d* | d), where an option is undone by its reverse."""
        mistakes = self.proposals.mistakes
        if "no Hastings ratio" in mistakes:
            return 0.0
        forward = self._q[step.option, d, step.result]
        backward = self._q.get((REVERSE[step.option], step.result, d), 0.0)
        if backward == 0.0:
            return -math.inf
        value = math.log(backward / forward)
        if not mistakes:
            return value
        from_here = possible_options(self.proposals, len(d), self.pool_size)
        there = possible_options(self.proposals, len(step.result), self.pool_size)
        options = math.log(there[REVERSE[step.option]] / from_here[step.option])
        if "equal option probabilities" in mistakes:
            value -= options
        if "forgotten option case" in mistakes and len(d) == 2 and len(step.result) == 1:
            value -= options
        if "additions not weighed" in mistakes and step.option in ("add", "remove"):
            n_outside = self.pool_size - min(len(d), len(step.result))
            log_uniform = math.log(n_outside) * (1 if step.option == "add" else -1)
            value = options + log_uniform
        return value


def at_every_position(rest: tuple[int, ...], a: int) -> list[tuple[int, ...]]:
    """The lists that have an antecedent beside all of the rest, in their order."""
    return [(*rest[:p], a, *rest[p:]) for p in range(len(rest) + 1)]


def positioned(
    proposals: Proposals,
    log_target: dict[tuple[int, ...], float],
    d: tuple[int, ...],
    pool_size: int,
) -> dict[tuple[int, ...], float]:
    """Where the options that weigh positions lead from a list, and how probably.

    An antecedent a is in one of m + 1 positions of the m others or in none. Adding it is choosing
    it, and a position in proportion to the target; removing is choosing it among m + 1.
    """
    reached: dict[tuple[int, ...], float] = {}
    for step in steps_from(proposals, d, pool_size):
        if step.option not in ("add and position", "remove or reposition"):
            continue
        adds = step.option == "add and position"
        a = step.target if adds else d[step.position]
        rest = tuple(b for b in d if b != a)
        with_it = at_every_position(rest, a)
        weights = [math.exp(log_target[e] - log_target[rest]) for e in with_it]
        (chosen,) = (
            s.probability
            for s in steps_from(proposals, rest, pool_size)
            if (s.option, s.target) == ("add and position", a)
        )
        options = possible_options(proposals, len(with_it[0]), pool_size)
        removed = options["remove or reposition"] / len(with_it[0])
        odds = math.fsum(weights) * removed / chosen
        accepted = min(1.0, odds if adds else 1 / odds)
        if not adds:
            reached[rest] = reached.get(rest, 0.0) + step.probability * accepted
            accepted = 1.0 - accepted
        for e, weight in zip(with_it, weights, strict=True):
            probability = step.probability * accepted * weight / math.fsum(weights)
            reached[e] = reached.get(e, 0.0) + probability
    reached.pop(d, None)
    return reached


def transition_matrix(model: Model, neighbours: Neighbours) -> np.ndarray:
    """The Metropolis-Hastings transition matrix over all lists, in the order of all_lists."""
    index = {d: i for i, d in enumerate(neighbours.lists)}
    log_target = {d: log_prior(model, d) + log_likelihood(model, d) for d in neighbours.lists}
    matrix = np.zeros((len(index), len(index)))
    for d, i in index.items():
        for step in neighbours.steps[d]:
            ratio = log_target[step.result] - log_target[d] + neighbours.log_ratio(d, step)
            matrix[i, index[step.result]] += step.probability * math.exp(min(0.0, ratio))
        reached = positioned(neighbours.proposals, log_target, d, neighbours.pool_size)
        for result, probability in reached.items():
            matrix[i, index[result]] += probability
        matrix[i, i] += 1.0 - matrix[i].sum()
    return matrix


def asymptotic_covariance(
    matrix: np.ndarray, stationary: np.ndarray, functions: np.ndarray
) -> np.ndarray:
    """Covariance of sqrt(n) times a chain's means of functions (lists along the first axis).

    With f centred and g the solution of (I - P) g = f (Poisson's equation), it is
    E[f g' + g f' - f f'] under the stationary distribution.
    """
    centred = functions - stationary @ functions
    n = len(stationary)
    solution = np.linalg.solve(np.eye(n) - matrix + np.ones((n, 1)) * stationary, centred)
    cross = centred.T @ (stationary[:, None] * solution)
    return cross + cross.T - centred.T @ (stationary[:, None] * centred)
