"""T1 for the options that weigh all positions of an antecedent, as a plain function."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import logsumexp

from elseif.compiled import OPTION_NAMES
from tests.sampler import naive
from tests.sampler.cases import Case
from tests.sampler.checks import largest
from tests.sampler.drivers import Drivers, production
from tests.sampler.variants import Variant, flat, log_target, state_at


@dataclass(frozen=True)
class PositionBalance:
    """Transitions of the package against those of the reference, and the exact target."""

    transitions: float  # the largest difference of two probabilities
    detailed_balance: float  # of probability flows
    invariance: float  # of the target under one step
    n_wrong_states: int  # accepted states that are not what a fresh entry gives


def position_balance(
    case: Case,
    variant: Variant,
    *,
    drivers: Drivers | None = None,
    beta: float = 1.0,
    temperature: int = 0,
) -> PositionBalance:
    """Every antecedent, in or outside of every list, at all its positions."""
    ladder = beta * np.array(variant.kernel.betas)
    logs = log_target(case, float(ladder[temperature]))
    proposals = variant.proposals(case.pool_size, temperature=temperature)
    lists = list(logs)
    number = {d: i for i, d in enumerate(lists)}
    owned = [
        (d, step)
        for d in lists
        for step in naive.steps_from(proposals, d, case.pool_size)
        if step.option in ("add and position", "remove or reposition")
    ]
    ends = np.zeros((len(owned), case.pool_size + 2), dtype=np.int64)
    for row, (d, step) in zip(ends, owned, strict=True):
        a = d[step.position] if step.option == "remove or reposition" else step.target
        rest = tuple(b for b in d if b != a)
        reached = [d, rest, *naive.at_every_position(rest, a)]
        row[: len(reached)] = [number[e] for e in reached]
    steps = np.array(
        [(OPTION_NAMES.index(s.option), s.position, s.target) for _, s in owned], dtype=np.int64
    )
    values, wrong = np.zeros(ends.shape), np.zeros(len(owned), dtype=np.int64)
    state, fresh = (state_at(case, variant, (), temperature)[0] for _ in range(2))
    items, offsets = flat(lists)
    tuning = variant.tuning(case.pool_size)._replace(beta=ladder)
    (drivers or production()).weigh_steps(
        case.compiled.data, case.compiled.prior, tuning, temperature, state, fresh,
        items, offsets, ends, steps, values, wrong,
    )  # fmt: skip
    totals = np.zeros((len(lists), len(lists)))
    for (d, step), end, (decided, *below) in zip(owned, ends, values, strict=True):
        adds = step.option == "add and position"
        n_positions = len(d) + 1 if adds else len(d)
        stays = step.probability * (decided if adds else 1.0 - decided)
        if not adds:
            totals[number[d], end[1]] += step.probability * decided
        at = np.diff(below[:n_positions], prepend=0.0)
        np.add.at(totals, (number[d], end[2 : 2 + n_positions]), stays * at)
    np.fill_diagonal(totals, 0.0)
    expected = np.zeros_like(totals)
    for d, i in number.items():
        for e, p in naive.positioned(proposals, logs, d, case.pool_size).items():
            expected[i, number[e]] = p
    target = np.array([logs[d] for d in lists])
    flows = np.exp(target - logsumexp(target))[:, None] * totals
    return PositionBalance(
        transitions=largest((totals - expected).ravel()),
        detailed_balance=largest((flows - flows.T).ravel()),
        invariance=largest(flows.sum(axis=0) - flows.sum(axis=1)),
        n_wrong_states=int((wrong > 0).sum()),
    )
