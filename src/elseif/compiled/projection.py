"""Distances of lists from a target: rows as cells, each with counts and sums of the target.

A cell stands for the rows that the candidates cannot tell apart. ``cells[c]`` holds, in whole
numbers, the label counts of its rows and then the sums of their target probabilities, in units of
``unit``, so that sums are the same in any order. A rule's loss is the sum over its rows of
-q log p, with q the target and p the mean of q over the rule's rows: what differs between lists in
the Kullback-Leibler divergence.
"""

import math

from elseif.compiled.jit import compiled, inlined, keep_small


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
def list_loss(totals, n_lines, unit):
    """A list's loss, from its lines' sums."""
    loss = 0.0
    for j in range(n_lines):
        loss += line_loss(totals, j, unit)
    return loss


@compiled
def score_insertions(n_rules, covered, cells, line, totals, unit, allowed, room, losses):
    """The loss after each candidate is put at each position of a list.

    One pass over a candidate's cells gives what it takes from each line, wherever it is put: put
    at position j, it takes from the lines from j on. ``room`` holds the rows taken from each line,
    left in each line, and captured by the new one.
    """
    members, starts, inverted = covered
    taken, left, captured = room
    n_lines, width = n_rules + 1, cells.shape[1]
    before = 0.0
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
        after = 0.0
        for j in range(n_lines - 1, -1, -1):
            after += line_loss(left, j, unit)
            for s in range(width):
                captured[0, s] += taken[j, s]
            losses[a, j] = after + line_loss(captured, 0, unit)
        before = 0.0
        for j in range(n_lines):
            losses[a, j] += before
            before += line_loss(totals, j, unit)


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
def search_all(truth, cells, unit, tie, walk, best_loss, best, best_captured):
    """The best list of every length, by looking at all: a walk through the tree of lists.

    ``walk`` holds, for every depth, the cells that are left, how many, the loss of the rules so
    far, and the sums of what is left; the rules and how much they capture; and two rows of room.
    """
    remaining, n_remaining, prefix, rest, trial, trial_captured, room = walk
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
        a = trial[depth]
        for s in range(cells.shape[1]):
            room[0, s] = 0
        n_left = 0
        for i in range(n_remaining[depth]):
            c = remaining[depth, i]
            if truth[a, c]:
                for s in range(cells.shape[1]):
                    room[0, s] += cells[c, s]
            else:
                remaining[depth + 1, n_left] = c
                n_left += 1
        n_remaining[depth + 1] = n_left
        captured = 0
        for k in range(n_labels):
            captured += room[0, k]
        trial_captured[depth] = captured
        for s in range(cells.shape[1]):
            rest[depth + 1, s] = rest[depth, s] - room[0, s]
        prefix[depth + 1] = prefix[depth] + line_loss(room, 0, unit)
        loss = prefix[depth + 1] + line_loss(rest, depth + 1, unit)
        size = depth + 1
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
