"""The lists that lose least of a target, one for each length: of all, or by local search."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from elseif import compiled
from elseif.posterior.draws import Posterior
from elseif.projection.target import Target

Rules = tuple[int, ...]  # candidates of the target, in order

MOST_LOOKED_AT = 100_000_000  # cells evaluated when all lists are scored
DRAWN = 400  # drawn lists, the most probable, whose beginnings the search may start from
STARTS = 64  # of them for each length, the nearest
BEAM = 8  # lists of a length that the next length is reached from
PAIR_STARTS = 8  # antecedents tried as the first of two that are exchanged together
ROUNDS = 4  # of passing lists on to adjacent lengths
TIE = 1e-11  # losses, in nats per row, closer than this are equal
MOST_TIED = 100  # equal insertions that are compared by how they read


@dataclass(frozen=True)
class ScoredList:
    """A list, its loss, and the criterion among lists with the same loss."""

    rules: Rules
    loss: float
    captured: tuple[int, ...]  # by each rule, in units

    def beats(self, other: ScoredList, tie: float) -> bool:
        """Less loss; or as much, and it captures more rule by rule, or comes first in the pool."""
        if abs(self.loss - other.loss) > tie:
            return self.loss < other.loss
        return (_less_first(self.captured), self.rules) < (_less_first(other.captured), other.rules)


def _less_first(captured: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(-n for n in captured)


def nearest_lists(
    target: Target, starts: Iterable[Rules], max_length: int, exhaustive: bool | None = None
) -> list[ScoredList]:
    """For each length from 0 on, the nearest list of that length.

    All lists are looked at where that is quick, unless ``exhaustive`` says otherwise.
    """
    longest = min(max_length, len(target.candidates))
    if exhaustive is None:
        exhaustive = _n_lists(len(target.candidates), longest) * len(target.cells) <= MOST_LOOKED_AT
    search = Search(target)
    if exhaustive:
        return [search.evaluate(rules) for rules in _nearest_of_all(target, longest)]
    return search.run(starts, longest)


def beginnings_of_drawn(target: Target, posterior: Posterior, max_length: int) -> list[Rules]:
    """The most probable drawn lists and their beginnings that are made of candidates."""
    index_of = {a: i for i, a in enumerate(target.candidates.tolist())}
    beginnings: dict[Rules, None] = {}
    for i in posterior.best_first[:DRAWN].tolist():
        items = posterior.distinct.antecedent_list(i)[:max_length]
        if all(a in index_of for a in items):
            rules = tuple(index_of[a] for a in items)
            beginnings |= dict.fromkeys(rules[:n] for n in range(len(rules) + 1))
    return list(beginnings)


class Search:
    """Local search by removing a rule and putting the best antecedent at its best place."""

    def __init__(self, target: Target) -> None:
        self.target = target
        self.tie = TIE * target.weight
        self._line = np.empty(len(target.cells), dtype=np.int64)
        self._insertions: dict[Rules, tuple[list[ScoredList], list[Rules]]] = {}

    def run(self, starts: Iterable[Rules], longest: int) -> list[ScoredList]:
        """The nearest list found of each length, 0 to the longest."""
        by_length: dict[int, list[ScoredList]] = {m: [] for m in range(longest + 1)}
        for rules in starts:
            if 0 < len(rules) <= longest:
                start = self.evaluate(rules)
                by_length[len(rules)] += [start] if start.loss < math.inf else []
        beam = [self.evaluate(())]
        best = list(beam)
        for m in range(1, longest + 1):
            longer = (candidate for shorter in beam for candidate in self.insertions(shorter.rules))
            trials = [*_nearest(longer, BEAM), *_nearest(by_length[m], STARTS)]
            beam = _nearest((self.improve(candidate) for candidate in trials), BEAM)
            if not beam:  # too few observations for this many lines
                break
            best.append(self._best(beam))
        return self._pass_on(best)

    def _pass_on(self, best: list[ScoredList]) -> list[ScoredList]:
        """The best lists after each length has tried what those beside it found."""
        longest = len(best) - 1
        for _ in range(ROUNDS):
            before = [candidate.rules for candidate in best]
            for m in range(longest - 1, 0, -1):
                best[m] = self._best([best[m], self.improve(self._remove(best[m + 1].rules))])
            for m in range(1, longest + 1):
                extended = map(self.improve, self.insert(best[m - 1].rules))
                best[m] = self._exchange_pairs(self._best([best[m], *extended]))
            if [candidate.rules for candidate in best] == before:
                break
        for m in range(longest - 1, -1, -1):  # a line that nobody is on must not pay
            best[m] = self._best([best[m], self._remove(best[m + 1].rules)])
        return best

    def improve(self, best: ScoredList) -> ScoredList:
        """The end of replacing and moving single rules for as long as that helps."""
        changed = True
        while changed:
            changed = False
            for j in range(len(best.rules)):
                for other in self.insert(best.rules[:j] + best.rules[j + 1 :]):
                    if other.beats(best, self.tie):
                        best, changed = other, True
        return best

    def _exchange_pairs(self, best: ScoredList) -> ScoredList:
        """Replace two rules at once, then single ones, for as long as that helps."""
        changed = True
        while changed:
            changed = False
            for i in range(len(best.rules)):
                for j in range(i + 1, len(best.rules)):
                    kept = best.rules[:i] + best.rules[i + 1 : j] + best.rules[j + 1 :]
                    swapped = list(best.rules)
                    swapped[i], swapped[j] = swapped[j], swapped[i]
                    firsts = self.insertions(kept)[:PAIR_STARTS]
                    trials = [two for one in firsts for two in self.insert(one.rules)]
                    trials.append(self.evaluate(tuple(swapped)))
                    other = self._best(trials)
                    if other.beats(best, self.tie):
                        best, changed = self.improve(other), True
                        break
        return best

    def insert(self, rules: Rules) -> list[ScoredList]:
        """The nearest list with one rule more, if there is any."""
        return self._inserted(rules)[0]

    def insertions(self, rules: Rules) -> list[ScoredList]:
        """The nearest list with one rule more, then such lists with other antecedents, if any."""
        best, others = self._inserted(rules)
        return [*best, *map(self.evaluate, others)]

    def _inserted(self, rules: Rules) -> tuple[list[ScoredList], list[Rules]]:
        known = self._insertions.get(rules)
        if known is None:
            known = self._insertions[rules] = self._best_insertions(rules)
        return known

    def _best_insertions(self, rules: Rules) -> tuple[list[ScoredList], list[Rules]]:
        target = self.target
        totals = self._assign(rules)
        allowed = np.ones(len(target.candidates), dtype=bool)
        allowed[list(rules)] = False
        losses = np.full((len(allowed), len(rules) + 1), np.inf)
        n_lines = len(totals)
        by_label = target.n_labels * n_lines
        leads = (
            np.empty((by_label, 3)),
            np.empty(by_label),
            np.empty((n_lines, 3)),
            np.empty((1, 3)),
        )
        room = (
            np.empty_like(totals),
            np.empty_like(totals),
            np.empty_like(totals[:1]),
            np.empty(n_lines),
            leads,
        )
        compiled.score_insertions(
            len(rules),
            target.covered,
            target.cells,
            self._line,
            totals,
            target.scale,
            allowed,
            target.fewest,
            room,
            losses,
        )
        if np.isinf(losses.min()):
            return [], []
        tied = np.argwhere(losses <= losses.min() + self.tie)[:MOST_TIED]
        lists = [(*rules[:j], a, *rules[j:]) for a, j in tied.tolist()]
        best = self._best(self.evaluate(candidate) for candidate in lists)
        order = np.lexsort((np.arange(len(losses)), losses.min(axis=1)))[: BEAM + 1].tolist()
        others = [
            (*rules[:j], a, *rules[j:])
            for a, j in zip(order, losses[order].argmin(axis=1).tolist(), strict=True)
            if np.isfinite(losses[a].min()) and a not in best.rules
        ]
        return [best], others

    def _remove(self, rules: Rules) -> ScoredList:
        return self._best(self.evaluate(rules[:j] + rules[j + 1 :]) for j in range(len(rules)))

    def evaluate(self, rules: Rules) -> ScoredList:
        """A list's loss, infinite where a line has too few observations."""
        totals = self._assign(rules)
        counts = totals[:, : self.target.n_labels].sum(axis=1)
        if rules and counts.min() < self.target.fewest:
            return ScoredList(rules, math.inf, tuple(counts[:-1].tolist()))
        return ScoredList(rules, self._loss(totals), tuple(counts[:-1].tolist()))

    def loss_of(self, rules: Rules) -> float:
        """The loss of any list, without a minimum number of observations per line."""
        return self._loss(self._assign(rules))

    def _loss(self, totals: np.ndarray) -> float:
        ranks = np.empty((len(totals), 3))
        return float(compiled.list_loss(totals, len(totals), self.target.scale, ranks))

    def label_counts(self, rules: Rules) -> np.ndarray:
        """N[j, l] of a list in units, the default rule last."""
        return self._assign(rules)[:, : self.target.n_labels]

    def _assign(self, rules: Rules) -> np.ndarray:
        totals = np.empty((len(rules) + 1, self.target.cells.shape[1]), dtype=np.int64)
        compiled.assign_lines(
            np.array(rules, dtype=np.int64),
            self.target.covered,
            self.target.cells,
            self._line,
            totals,
        )
        return totals

    def _best(self, trials: Iterable[ScoredList]) -> ScoredList:
        best: ScoredList | None = None
        for trial in trials:
            if best is None or trial.beats(best, self.tie):
                best = trial
        assert best is not None
        return best


def _nearest(trials: Iterable[ScoredList], n: int) -> list[ScoredList]:
    """Some distinct lists of least loss."""
    distinct = {trial.rules: trial for trial in trials}
    return sorted(distinct.values(), key=lambda trial: (trial.loss, trial.rules))[:n]


def _n_lists(n_candidates: int, longest: int) -> int:
    return sum(math.perm(n_candidates, m) for m in range(longest + 1))


def _nearest_of_all(target: Target, longest: int) -> Sequence[Rules]:
    """The nearest of all lists of each length."""
    n_cells, width = target.cells.shape
    remaining = np.empty((longest + 1, n_cells), dtype=np.int64)
    remaining[0] = np.arange(n_cells)
    n_remaining = np.zeros(longest + 1, dtype=np.int64)
    n_remaining[0] = n_cells
    rest = np.zeros((longest + 1, width), dtype=np.int64)
    rest[0] = target.cells.sum(axis=0)
    walk = (
        remaining,
        n_remaining,
        rest,
        np.zeros((longest + 1, width), dtype=np.int64),
        np.zeros(longest + 1, dtype=np.int64),
        np.zeros(longest + 1, dtype=np.int64),
        np.empty((longest + 1, 3)),
    )
    loss = np.full(longest + 1, np.inf)
    best = np.zeros((longest + 1, longest + 1), dtype=np.int64)
    captured = np.zeros_like(best)
    if longest:
        tie = TIE * target.weight
        compiled.search_all(
            target.truth(), target.cells, target.scale, tie, target.fewest, walk, loss, best,
            captured,
        )  # fmt: skip
    possible = (m for m in range(longest + 1) if m == 0 or loss[m] < np.inf)
    return [tuple(best[m, :m].tolist()) for m in possible]
