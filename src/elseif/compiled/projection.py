"""Distances of lists from a target: rows as cells, each with counts and sums of the target.

A cell stands for the rows that the candidates do not distinguish. ``cells[c]`` holds, in whole
numbers, the label counts of its rows and then the sums of their target probabilities, in units of
``unit``, so that sums are the same in any order. A rule's loss is the sum over its rows of
-q log p, with q the target and p the mean of q over the rule's rows: what differs between lists in
the Kullback-Leibler divergence. From the loss of a list is taken how well it ranks, if the target
is right: for each label, the pairs of rows that its probabilities rank rightly less those that they
rank wrongly, times the label's ``rank_weights``. A ``scale`` is the unit of the target, the unit of
counts, the pseudocounts and the rank weights.
"""

import math

import numpy as np

from elseif.compiled.jit import compiled, inlined, keep_small

SAME_RISK = 1e-12  # probabilities that differ by less are a tie


@inlined
def line_loss(sums, row, unit):
    """What a rule that captures such sums adds to a list's loss."""
    keep_small()
    n_labels = sums.shape[1] // 2
    total = 0.0
    for k in range(n_labels):
        total += sums[row, n_labels + k] * unit
    if total <= 0:
        return 0.0
    log_total = math.log(total)
    loss = 0.0
    for k in range(n_labels):
        share = sums[row, n_labels + k] * unit
        if share > 0:
            loss -= share * (math.log(share) - log_total)
    return loss


@inlined
def line_rank(sums, row, k, scale, ranks, line):
    """What ranking by a label needs of a line: its target, its rows, and what it predicts."""
    target_unit, count_unit, pseudocounts, _ = scale
    n_labels = sums.shape[1] // 2
    rows = 0.0
    counts = 0.0
    for c in range(n_labels):
        rows += sums[row, n_labels + c] * target_unit
        counts += sums[row, c] * count_unit + pseudocounts[c]
    ranks[line, 0] = sums[row, n_labels + k] * target_unit
    ranks[line, 1] = rows
    ranks[line, 2] = (sums[row, k] * count_unit + pseudocounts[k]) / counts


@inlined
def lead(one, i, two, j):
    """Pairs of rows on two lines, one with the label, ranked rightly less those ranked wrongly."""
    difference = one[i, 2] - two[j, 2]
    pairs = one[i, 0] * two[j, 1] - two[j, 0] * one[i, 1]
    if difference > SAME_RISK:
        return pairs
    if difference < -SAME_RISK:
        return -pairs
    return 0.0


@inlined
def list_lead(totals, n_lines, k, scale, ranks):
    """The pairs of rows that a list ranks rightly by a label less those that it ranks wrongly."""
    ahead = 0.0
    for j in range(n_lines):
        line_rank(totals, j, k, scale, ranks, j)
        for i in range(j):
            ahead += lead(ranks, i, ranks, j)
    return ahead


@compiled
def assign_lines(rules, covered, cells, line, totals):
    """The line that captures each cell, and every line's sums; the default rule is the last.

    ``covered`` is which cells a candidate covers: ``members[starts[a] : starts[a + 1]]`` in
    ascending order, or, where ``inverted[a]``, all others.
    """
    members, starts, inverted = covered
    n_cells, n_rules, width = len(line), len(rules), totals.shape[1]
    for c in range(n_cells):
        line[c] = n_rules
    for j in range(n_rules - 1, -1, -1):
        a = rules[j]
        if inverted[a]:
            t = starts[a]
            for c in range(n_cells):
                if t < starts[a + 1] and members[t] == c:
                    t += 1
                else:
                    line[c] = j
        else:
            for t in range(starts[a], starts[a + 1]):
                line[members[t]] = j
    for j in range(n_rules + 1):
        for s in range(width):
            totals[j, s] = 0
    for c in range(n_cells):
        for s in range(width):
            totals[line[c], s] += cells[c, s]


@compiled
def list_loss(totals, n_lines, scale, ranks):
    """A list's loss, from its lines' sums; ``ranks`` is room for ranking."""
    return list_loss_of(totals, n_lines, scale, ranks)


@inlined
def list_loss_of(totals, n_lines, scale, ranks):
    """The same, compiled into whatever calls it."""
    unit, rank_weights = scale[0], scale[3]
    loss = 0.0
    for j in range(n_lines):
        loss += line_loss(totals, j, unit)
    for k in range(len(rank_weights)):
        if rank_weights[k] > 0:
            loss -= rank_weights[k] * list_lead(totals, n_lines, k, scale, ranks)
    return loss


@inlined
def lead_lines(n_lines, totals, scale, leads):
    """For each label, the lines as they are, and the lead among those before each."""
    before, between, _, _ = leads
    for k in range(len(scale[3])):
        first = k * n_lines
        ahead = 0.0
        for j in range(n_lines):
            line_rank(totals, j, k, scale, before, first + j)
            between[first + j] = ahead
            for i in range(j):
                ahead += lead(before, first + i, before, first + j)


@inlined
def rank_insertions(a, k, taken, left, captured, scale, leads, losses):
    """Take from a candidate's losses at each position how well the list then ranks by a label.

    Put at position j, the lines before j are as they are, and those from j on are what is left of
    them. From one position to the one before it, one line changes sides.
    """
    before, between, after, own = leads
    weight = scale[3][k]
    n_lines, width = taken.shape
    first = k * n_lines  # of the lines as they are
    for s in range(width):
        captured[0, s] = 0
    for j in range(n_lines):
        line_rank(left, j, k, scale, after, j)
    across, among_left = 0.0, 0.0
    for j in range(n_lines - 1, -1, -1):
        for s in range(width):
            captured[0, s] += taken[j, s]
        line_rank(captured, 0, k, scale, own, 0)
        with_own = 0.0
        for i in range(j):
            across += lead(before, first + i, after, j)
            with_own += lead(before, first + i, own, 0)
        for i in range(j, n_lines):
            with_own += lead(after, i, own, 0)
        for i in range(j + 1, n_lines):
            across -= lead(before, first + j, after, i)
            among_left += lead(after, j, after, i)
        losses[a, j] -= weight * (between[first + j] + across + among_left + with_own)


@compiled
def score_insertions(n_rules, covered, cells, line, totals, scale, allowed, fewest, room, losses):
    """The loss after each candidate is put at each position of a list.

    It is infinite where a line would have fewer rows than ``fewest``. One pass over a candidate's
    cells gives what it takes from each line, wherever it is put: put at position j, it takes from
    the lines from j on. ``room`` holds the rows taken from each line, left in each line, and
    captured by the new one; the loss of each line as it is; and, for ranking, the lines as they are
    by label, the lead among those before each, the lines as they are left, and the new one.
    """
    members, starts, inverted = covered
    taken, left, captured, present, leads = room
    unit, rank_weights = scale[0], scale[3]
    n_lines, width = n_rules + 1, cells.shape[1]
    for j in range(n_lines):
        present[j] = line_loss(totals, j, unit)
    lead_lines(n_lines, totals, scale, leads)
    for a in range(len(allowed)):
        if not allowed[a]:
            continue
        for j in range(n_lines):
            for s in range(width):
                taken[j, s] = 0
        for t in range(starts[a], starts[a + 1]):
            c = members[t]
            j = line[c]
            for s in range(width):
                taken[j, s] += cells[c, s]
        for j in range(n_lines):
            for s in range(width):
                if inverted[a]:
                    taken[j, s] = totals[j, s] - taken[j, s]
                left[j, s] = totals[j, s] - taken[j, s]
        for s in range(width):
            captured[0, s] = 0
        after, own = 0.0, 0.0
        n_captured, is_possible = 0, True
        for j in range(n_lines - 1, -1, -1):
            n_taken = 0
            n_left = 0
            for k in range(width // 2):
                n_taken += taken[j, k]
                n_left += left[j, k]
            n_captured += n_taken
            is_possible &= n_left >= fewest
            for s in range(width // 2, width):
                n_taken += taken[j, s]
            if n_taken:  # logarithms are what takes time
                after += line_loss(left, j, unit)
                for s in range(width):
                    captured[0, s] += taken[j, s]
                own = line_loss(captured, 0, unit)
            else:
                after += present[j]
            losses[a, j] = after + own if is_possible and n_captured >= fewest else np.inf
        before = 0.0
        for j in range(n_lines):
            losses[a, j] += before
            before += present[j]
        for k in range(len(rank_weights)):
            if rank_weights[k] > 0:
                rank_insertions(a, k, taken, left, captured, scale, leads, losses)


@inlined
def reads_better(depth, trial, trial_captured, best, best_captured):
    """Whether a list reads better than another of its loss: as among equal point estimates."""
    for i in range(depth):
        if trial_captured[i] != best_captured[depth, i]:
            return trial_captured[i] > best_captured[depth, i]
    for i in range(depth):
        if trial[i] != best[depth, i]:
            return trial[i] < best[depth, i]
    return False


@compiled
def search_all(truth, cells, scale, tie, fewest, walk, best_loss, best, best_captured):
    """The best list of every length, by looking at all: a walk through the tree of lists.

    No line may have fewer rows than ``fewest``. ``walk`` holds, for every depth, the cells that are
    left, how many, and the sums of what is left; the sums of every line; the rules and how much
    they capture; and room for ranking.
    """
    remaining, n_remaining, rest, lines, trial, trial_captured, ranks = walk
    n_candidates, n_labels, longest = len(truth), cells.shape[1] // 2, len(best_loss) - 1
    depth = 0
    trial[0] = -1
    while depth >= 0:
        trial[depth] += 1
        while trial[depth] < n_candidates and _is_used(trial, depth):
            trial[depth] += 1
        if trial[depth] >= n_candidates:
            depth -= 1
            continue
        a, size = trial[depth], depth + 1
        for s in range(cells.shape[1]):
            lines[depth, s] = 0
        n_left = 0
        for i in range(n_remaining[depth]):
            c = remaining[depth, i]
            if truth[a, c]:
                for s in range(cells.shape[1]):
                    lines[depth, s] += cells[c, s]
            else:
                remaining[size, n_left] = c
                n_left += 1
        n_remaining[size] = n_left
        for s in range(cells.shape[1]):
            rest[size, s] = rest[depth, s] - lines[depth, s]
            lines[size, s] = rest[size, s]
        captured, n_rest = 0, 0
        for k in range(n_labels):
            captured += lines[depth, k]
            n_rest += rest[size, k]
        if captured < fewest or n_rest < fewest:  # so are all longer lists that begin like this
            continue
        trial_captured[depth] = captured
        loss = list_loss_of(lines, size + 1, scale, ranks)
        if loss < best_loss[size] - tie or (
            loss <= best_loss[size] + tie
            and reads_better(size, trial, trial_captured, best, best_captured)
        ):
            best_loss[size] = loss
            for i in range(size):
                best[size, i] = trial[i]
                best_captured[size, i] = trial_captured[i]
        if size < longest:
            depth += 1
            trial[depth] = -1


@inlined
def _is_used(trial, depth):
    """Whether a list holds its newest antecedent already."""
    for i in range(depth):
        if trial[i] == trial[depth]:
            return True
    return False
