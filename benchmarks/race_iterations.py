"""Iterations a CPU second of one chain, against imodels' sampler core and pysbrl.

All get the same antecedents, labels and prior in one run, on one thread. Every chain of ours
and imodels' starts where our chain of the paper's kernel has arrived, so that the lists are
about as long; pysbrl cannot be told where to start.
"""

from __future__ import annotations

import gc

import numpy as np
from iterations import stroke_problem
from measuring import Timed, time_chain
from peers import PeerTime, time_imodels, time_pysbrl
from problems import planted

from elseif.model.problem import Problem
from elseif.sampler.chain import Chain
from elseif.sampler.compiled_problem import CompiledProblem
from elseif.sampler.move_mix import DEFAULT_KERNEL, KERNELS


def race(posed: Problem, start: tuple[int, ...] | None, warm_up: int) -> None:
    n = posed.layout.n_rows
    print(f"{n:,} observations x {posed.pool_size:,} antecedents")
    print(
        f"  {'':<26}{'iterations / CPU s':>19}{'list length':>13}{'paper times':>13}{'default':>9}"
    )
    if start is None:
        start = _arrived(posed, warm_up)
    ours = {}
    for name in ("paper", DEFAULT_KERNEL):
        ours[name] = time_chain(posed, KERNELS[name], warm_up, start)
        steps = len(KERNELS[name].betas)
        note = f"   ({steps} lists step in an iteration)" if steps > 1 else ""
        print(f"  {f'elseif, {name}':<26}{ours[name].rate:>19,.0f}{ours[name].length:>13.1f}{note}")
    _show("pysbrl", time_pysbrl(posed), ours)
    _show("imodels", time_imodels(posed, start), ours)
    gc.collect()  # imodels' sets


def _arrived(posed: Problem, n_iter: int) -> tuple[int, ...]:
    chain = Chain(CompiledProblem.of(posed), KERNELS["paper"], np.random.SeedSequence(2))
    chain.run(4 * n_iter)
    return chain.antecedent_list


def _show(name: str, peer: PeerTime | None, ours: dict[str, Timed]) -> None:
    if peer is None:
        return
    paper = peer.seconds / ours["paper"].seconds
    default = peer.seconds / ours[DEFAULT_KERNEL].seconds
    print(
        f"  {name:<26}{1 / peer.seconds:>19,.0f}{peer.length:>13.1f}{paper:>13,.0f}{default:>9,.0f}"
        f"   ({peer.note})",
        flush=True,
    )


def main() -> None:
    small = planted(5000, 100)
    race(small.problem, small.start, 100_000)
    race(stroke_problem(), None, 100_000)
    large = planted(1_000_000, 500)
    race(large.problem, large.start, 2_000)


if __name__ == "__main__":
    main()
