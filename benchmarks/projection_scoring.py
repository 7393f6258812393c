"""Ways to compare a list with the posterior, and which finds lists that predict better.

Every sample of a table for tuning is fitted once. Tables below 1,500 rows give their three folds;
of larger ones 300 or 900 rows are drawn, and up to 4,000 others are predicted, which tells small
differences from noise. Lists of at most the point estimate's length are then searched for by

    means         divergence of the posterior predictive from its mean on each line
    counts        from what the list itself predicts, out of its lines' label counts
    leave one out as means, with the posterior predictive of each row learnt without that row
    likelihood    as means, plus a tenth of minus the log marginal likelihood of the lines
    squares       squared differences in place of the divergence
    AUC           the AUC of those means, if the posterior predictive is right
    ranking 1     the share of that divergence that is lost, plus 1 times the share that is lost of
                  the AUC above one half, as the posterior expects it; "order of counts": of what
                  the list itself predicts, which is elseif's way
    counts mixed  as means, plus a share of what the counts lose beyond the means
    inclusion     as means, with antecedents alone that 1 % or 5 % of the draws include

and predict with their counts, as any list, or with the means. The search is a plain one, by beams
and single replacements. Results are kept, and what is there is not run again:

    python benchmarks/projection_scoring.py --seconds 600
    python benchmarks/projection_scoring.py --seconds 0       # print what there is
"""

from __future__ import annotations

import argparse
import math
import pickle
import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from kept_fits import FITS, Fold, default_fit, folds_of
from numba import njit
from projection import score
from public_tables import SMALL, PublicTable, public_tables
from sklearn.model_selection import StratifiedShuffleSplit

from elseif import BayesianRuleListClassifier
from elseif.posterior.predictive import predictive_probabilities
from elseif.posterior.rule_list import antecedent_truth

RESULTS = FITS.parent / "projection_scoring.csv"
DATA = FITS.parent / "projection_scoring"
SIZES = ((300, 3), (900, 2))  # rows drawn of larger tables, and how often
MOST_TESTED = 4000
DRAWN = 400  # the most probable lists, whose beginnings the search starts from
MOST_LISTS = 20_000  # of which leaving one out is computed
BEAM, STARTS, ROUNDS = 4, 12, 2
MEANS, COUNTS, SQUARES, RANKS = range(4)
LIKELIHOOD, MIXED, RANKING, BY_COUNTS = range(4)  # weights of what is added to a loss
WAYS: dict[str, dict[str, Any]] = {
    "means": {},
    "counts": {"loss": COUNTS},
    "leave one out": {"target": "left_out"},
    "likelihood": {"likelihood": 0.1},
    "squares": {"loss": SQUARES},
    "AUC": {"loss": RANKS},
    "ranking 0.25": {"ranking": 0.25},
    "ranking 0.5": {"ranking": 0.5},
    "ranking 1": {"ranking": 1.0},
    "ranking 2": {"ranking": 2.0},
    "ranking 0.5, order of counts": {"ranking": 0.5, "by_counts": 1.0},
    "ranking 1, order of counts": {"ranking": 1.0, "by_counts": 1.0},
    "ranking 2, order of counts": {"ranking": 2.0, "by_counts": 1.0},
    "counts mixed 0.1": {"mixed": 0.1},
    "counts mixed 0.3": {"mixed": 0.3},
    "ranking 1, counts mixed 0.3": {"ranking": 1.0, "mixed": 0.3},
    "inclusion 1 %": {"inclusion": 0.01},
    "inclusion 5 %": {"inclusion": 0.05},
}
Rules = tuple[int, ...]
Data = dict[str, Any]


def samples(table: PublicTable) -> Iterator[tuple[str, Fold]]:
    """Folds of a small table, samples of a large one."""
    X, y = table.load()
    if len(y) < SMALL:
        for fold in folds_of(table):
            yield f"{table.name}-f{fold.number}", fold
        return
    codes = np.unique(y.to_numpy(), return_inverse=True)[1]
    for size, times in SIZES:
        n_tested = min(len(codes) - size, MOST_TESTED)
        draws = StratifiedShuffleSplit(
            times, train_size=size, test_size=n_tested, random_state=size
        )
        for number, (train, test) in enumerate(draws.split(X, codes)):
            parts = [X.iloc[rows].reset_index(drop=True) for rows in (train, test)]
            fold = Fold(table, number, parts[0], codes[train], parts[1], codes[test])
            yield f"{table.name}-s{size}-{number}", fold


def kept_data(sample: str, fold: Fold) -> Data:
    """Whatever the searches and scores need of a fit, from the file of a sample if there is one."""
    path = DATA / f"{sample}.pickle"
    if path.exists():
        return pickle.loads(path.read_bytes())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        data = data_of(fold, "-f" in sample)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(pickle.dumps(data))
    return data


def data_of(fold: Fold, small: bool) -> Data:
    """Truths, predictions and lists of a fit."""
    if small:
        model = default_fit(fold).model
    else:
        model = BayesianRuleListClassifier(random_state=0, n_jobs=1).fit(fold.X, fold.y)
    posterior, pool = model.posterior_, model.pool_
    data: Data = {"y": fold.y.astype(int), "y_test": fold.y_test}
    for part, X in (("", fold.X), ("_test", fold.X_test)):
        table = model.model_.read(X)
        kinds = posterior.metadata.kinds
        data["truth" + part] = np.array([antecedent_truth(a, table, kinds) for a in pool])
        data["posterior" + part] = predictive_probabilities(posterior, table)
    index_of = {antecedent: i for i, antecedent in enumerate(pool)}
    data["point"] = tuple(index_of[antecedent] for antecedent in model.rule_list_.antecedents)
    data["inclusion"] = posterior.inclusion_probabilities
    data["pseudocounts"] = np.asarray(posterior.metadata.pseudocounts, dtype=float)
    lists = posterior.distinct
    data["drawn"] = [tuple(lists.antecedent_list(i)) for i in posterior.best_first[:DRAWN].tolist()]
    shares = posterior.list_probabilities
    chosen = np.argsort(-shares, kind="stable")[:MOST_LISTS]
    chosen = chosen[shares[chosen] > 0]
    data["shares"] = shares[chosen]
    data["lists"] = [np.array(lists.antecedent_list(i), dtype=np.int64) for i in chosen.tolist()]
    return data


@njit(cache=True)
def left_out(items, starts, shares, truth, y, alpha):
    """The posterior predictive of each row, had it not been there: lists weighted anew."""
    n, n_labels = len(y), len(alpha)
    below, above = np.zeros(n), np.zeros((n, n_labels))
    line = np.empty(n, np.int64)
    for d in range(len(starts) - 1):
        m = starts[d + 1] - starts[d]
        counts = np.zeros((m + 1, n_labels))
        for i in range(n):
            line[i] = m
            for j in range(m):
                if truth[items[starts[d] + j], i]:
                    line[i] = j
                    break
            counts[line[i], y[i]] += 1
        for i in range(n):
            total = -1.0
            for k in range(n_labels):
                total += counts[line[i], k] + alpha[k]
            own = (counts[line[i], y[i]] - 1 + alpha[y[i]]) / total
            below[i] += shares[d] / own
            for k in range(n_labels):
                count = counts[line[i], k] + alpha[k] - (1 if k == y[i] else 0)
                above[i, k] += shares[d] * count / total / own
    return above / below.reshape(-1, 1)


@njit(cache=True)
def line_loss(sums, row, alpha, loss, added):
    """What a line adds: its counts are followed by the sums of the target."""
    n_labels = len(alpha)
    n, total, targets = 0.0, 0.0, 0.0
    for k in range(n_labels):
        n += sums[row, k]
        total += sums[row, k] + alpha[k]
        targets += sums[row, n_labels + k]
    value = 0.0
    if n == 0 or loss == RANKS:
        return value
    for k in range(n_labels):
        share = sums[row, n_labels + k]
        of_counts = -share * math.log((sums[row, k] + alpha[k]) / total)
        if loss == COUNTS:
            value += of_counts
        elif loss == SQUARES:
            value -= share**2 / targets
        elif share > 0:
            of_means = -share * math.log(share / targets)
            value += of_means + added[MIXED] * (of_counts - of_means)
        if added[LIKELIHOOD] > 0:
            of_label = math.lgamma(alpha[k] + sums[row, k]) - math.lgamma(alpha[k])
            value -= added[LIKELIHOOD] * of_label
    if added[LIKELIHOOD] > 0:
        value += added[LIKELIHOOD] * (math.lgamma(total) - math.lgamma(total - n))
    return value


@njit(cache=True)
def ranking(sums, n_lines, alpha, by_counts):
    """The AUC of a list where the target is right: lines in the order of its means, or of counts.

    Of two lines, the pairs of people who are ranked rightly exceed those ranked wrongly by the
    difference of s[i] n[j] and s[j] n[i]: n rows are on a line, s of them with the label.
    """
    n_labels = len(alpha)
    value = 0.0
    first = 1 if n_labels == 2 else 0
    for k in range(first, n_labels):
        ahead, events, everyone = 0.0, 0.0, 0.0
        for i in range(n_lines):
            of_i, counts_i = 0.0, 0.0
            for c in range(n_labels):
                of_i += sums[i, n_labels + c]
                counts_i += sums[i, c] + alpha[c]
            events += sums[i, n_labels + k]
            everyone += of_i
            for j in range(i):
                of_j, counts_j = 0.0, 0.0
                for c in range(n_labels):
                    of_j += sums[j, n_labels + c]
                    counts_j += sums[j, c] + alpha[c]
                won = sums[i, n_labels + k] * of_j - sums[j, n_labels + k] * of_i
                if by_counts:
                    order = (sums[i, k] + alpha[k]) * counts_j - (sums[j, k] + alpha[k]) * counts_i
                    ahead += won if order > 0 else -won if order < 0 else 0.0
                else:
                    ahead += abs(won)
        value += 0.5 + 0.5 * ahead / (events * (everyone - events))
    return value / (n_labels - first)


@njit(cache=True)
def list_loss(sums, n_lines, alpha, loss, added):
    value = 0.0
    for row in range(n_lines):
        value += line_loss(sums, row, alpha, loss, added)
    if added[RANKING] > 0:
        value -= added[RANKING] * ranking(sums, n_lines, alpha, added[BY_COUNTS] > 0)
    return value


@njit(cache=True)
def sums_of(rules, truth, cells, line):
    """Each row's line, and the sums of each line."""
    sums = np.zeros((len(rules) + 1, cells.shape[1]))
    for i in range(truth.shape[1]):
        line[i] = len(rules)
        for j in range(len(rules)):
            if truth[rules[j], i]:
                line[i] = j
                break
        sums[line[i]] += cells[i]
    return sums


@njit(cache=True)
def insertion_losses(truth, cells, line, sums, allowed, alpha, loss, added):
    """The loss after each antecedent is put at each position."""
    n_lines, width = sums.shape
    losses = np.full((len(truth), n_lines), np.inf)
    after = np.empty((n_lines + 1, width))
    taken = np.empty((n_lines, width))
    for a in range(len(truth)):
        if not allowed[a]:
            continue
        taken[:] = 0
        for i in range(truth.shape[1]):
            if truth[a, i]:
                taken[line[i]] += cells[i]
        for position in range(n_lines):
            after[position] = 0
            for j in range(n_lines):
                if j < position:
                    after[j] = sums[j]
                else:
                    after[position] += taken[j]
                    after[j + 1] = sums[j] - taken[j]
            losses[a, position] = list_loss(after, n_lines + 1, alpha, loss, added)
    return losses


class Search:
    """Beams and single replacements, from the beginnings of drawn lists."""

    def __init__(
        self, data: Data, target: str = "posterior", loss: int = MEANS, inclusion: float = 0.0,
        **added: float,
    ) -> None:  # fmt: skip
        alpha = data["pseudocounts"]
        self.data = data
        if target == "left_out" and target not in data:
            data[target] = left_out(
                np.concatenate(data["lists"]), np.cumsum([0, *map(len, data["lists"])]),
                data["shares"], data["truth"], data["y"], alpha,
            )  # fmt: skip
        labels = np.eye(len(alpha))[data["y"]]
        self.cells = np.hstack([labels, data[target]])
        self.line = np.empty(len(labels), np.int64)
        self.allowed = data["inclusion"] >= inclusion
        self.allowed[list(data["point"])] = True
        self.found: dict[Rules, list[tuple[float, Rules]]] = {}
        weights = np.array(
            [added.get(k, 0.0) for k in ("likelihood", "mixed", "ranking", "by_counts")]
        )
        if loss == RANKS:
            weights[RANKING] = 1.0
        elif weights[RANKING]:  # shares of what the posterior tells apart, in nats
            weights[RANKING] *= information(data[target]) / (auc_of(data[target]) - 0.5)
        self.model = (alpha, loss, weights)

    def loss(self, rules: Rules) -> float:
        sums = sums_of(np.array(rules, np.int64), self.data["truth"], self.cells, self.line)
        return float(list_loss(sums, len(sums), *self.model))

    def insert(self, rules: Rules) -> list[tuple[float, Rules]]:
        """The best lists with one rule more, each with another antecedent."""
        if rules not in self.found:
            truth = self.data["truth"]
            sums = sums_of(np.array(rules, np.int64), truth, self.cells, self.line)
            allowed = self.allowed.copy()
            allowed[list(rules)] = False
            losses = insertion_losses(truth, self.cells, self.line, sums, allowed, *self.model)
            best = np.argsort(losses.min(axis=1), kind="stable")[:BEAM].tolist()
            places = losses.argmin(axis=1)
            self.found[rules] = [
                (float(losses[a, places[a]]), (*rules[: places[a]], a, *rules[places[a] :]))
                for a in best
            ]
        return self.found[rules]

    def improve(self, trial: tuple[float, Rules]) -> tuple[float, Rules]:
        """Replace and move single rules for as long as that helps."""
        changed = True
        while changed:
            changed = False
            for j in range(len(trial[1])):
                other = self.insert(trial[1][:j] + trial[1][j + 1 :])[0]
                if other[0] < trial[0] - 1e-9:
                    trial, changed = other, True
        return trial

    def run(self, longest: int) -> Rules:
        """The best list found of so many rules."""
        begun: dict[int, set[Rules]] = {m: set() for m in range(longest + 1)}
        for drawn in self.data["drawn"]:
            for m in range(1, min(len(drawn), longest) + 1):
                if self.allowed[list(drawn[:m])].all():
                    begun[m].add(drawn[:m])
        beam = [(self.loss(()), ())]
        best: list[tuple[float, Rules]] = list(beam)
        for m in range(1, longest + 1):
            longer = {rules: (loss, rules) for _, b in beam for loss, rules in self.insert(b)}
            starts = sorted((self.loss(rules), rules) for rules in begun[m])[:STARTS]
            trials = sorted(longer.values())[:BEAM] + starts
            beam = sorted({self.improve(trial) for trial in trials})[:BEAM]
            best.append(beam[0])
        for _ in range(ROUNDS):
            for m in range(longest - 1, 0, -1):
                rules = best[m + 1][1]
                shorter = [rules[:j] + rules[j + 1 :] for j in range(m + 1)]
                best[m] = min(best[m], self.improve(min((self.loss(r), r) for r in shorter)))
            for m in range(1, longest + 1):
                best[m] = min(best[m], self.improve(self.insert(best[m - 1][1])[0]))
        return best[-1][1]


def information(q: np.ndarray) -> float:
    """Divergence of the posterior predictive from its mean over all rows, in nats."""
    terms = q * np.log(np.maximum(q, 1e-300) / q.mean(axis=0))
    return float(terms.sum())


def auc_of(q: np.ndarray) -> float:
    """The AUC of the posterior predictive if it is right."""
    labels = [1] if q.shape[1] == 2 else range(q.shape[1])
    shares = []
    for k in labels:
        p = np.sort(q[:, k])
        n, total = len(p), p.sum()
        ahead = float(((2 * np.arange(n) - n + 1) * p).sum())
        shares.append(0.5 + 0.5 * ahead / (total * (n - total)))
    return float(np.mean(shares))


def predictions(data: Data, rules: Rules) -> tuple[np.ndarray, np.ndarray]:
    """What a list predicts for the test rows: by its counts, and by the posterior's means."""
    lines = []
    for part in ("", "_test"):
        line = np.full(data["truth" + part].shape[1], len(rules))
        for j in reversed(range(len(rules))):
            line[data["truth" + part][rules[j]]] = j
        lines.append(line)
    counts = np.tile(data["pseudocounts"], (len(rules) + 1, 1))
    np.add.at(counts, (lines[0], data["y"]), 1)
    sums = np.full(counts.shape, 1e-9)
    np.add.at(sums, lines[0], data["posterior"])
    by_counts, by_means = (each / each.sum(axis=1, keepdims=True) for each in (counts, sums))
    return by_counts[lines[1]], by_means[lines[1]]


def compare(sample: str, data: Data, ways: Sequence[str]) -> list[dict[str, Any]]:
    """Records of some ways; the point estimate and the posterior are ways too."""
    records = []
    for way in ways:
        start = time.process_time()
        about: dict[str, Any] = {"sample": sample, "way": way}
        if way == "posterior":
            predicted: tuple[np.ndarray, ...] = (data["posterior_test"],)
        else:
            rules = data["point"]
            if way != "point":
                rules = Search(data, **WAYS[way]).run(len(data["point"]))
            about |= {"rules": " ".join(map(str, rules)), **expected(data, rules)}
            predicted = predictions(data, rules)
        about["seconds"] = time.process_time() - start
        for how, probabilities in zip(("counts", "means"), predicted, strict=False):
            loss, auc = score(data["y_test"], probabilities)
            records.append({**about, "predicts": how, "loss": loss, "auc": auc})
    return records


def expected(data: Data, rules: Rules) -> dict[str, float]:
    """Distance of a list from the posterior, in nats per row, and the AUC that it expects."""
    search = Search(data)
    alpha, n = data["pseudocounts"], len(data["y"])
    sums = sums_of(np.array(rules, np.int64), data["truth"], search.cells, search.line)
    base = search.loss(()) - information(data["posterior"])
    return {
        "distance": (search.loss(rules) - base) / n,
        "expected_auc": ranking(sums, len(sums), alpha, False),
        "expected_auc_of_counts": ranking(sums, len(sums), alpha, True),
    }


def show(frame: pd.DataFrame) -> None:
    """Each way minus the point estimate, by table and size: mean, its error, share better."""
    frame["table"] = frame["sample"].str.replace(r"-(f\d|\d)$", "", regex=True)
    point = frame[(frame.way == "point") & (frame.predicts == "counts")].set_index("sample")
    for measure in ("loss", "auc"):
        frame[measure] -= frame["sample"].map(point[measure])
    print(f"{frame['sample'].nunique()} samples of {frame.table.nunique()} tables and sizes\n")
    print("| search | predicts with | log loss | better on | AUC | better on | both |")
    print("|---|---|---|---|---|---|---|")
    for (way, how), some in frame[frame.way != "point"].groupby(["way", "predicts"], sort=False):
        gain = some.groupby("table")[["loss", "auc"]].mean()
        loss, auc = gain.loss, gain.auc
        errors = gain.std() / np.sqrt(len(gain))
        print(
            f"| {way} | {'' if way == 'posterior' else how} | {loss.mean():+.4f} ± "
            f"{errors.loss:.4f} | {(loss < 0).mean():.0%} | {auc.mean():+.4f} ± {errors.auc:.4f} "
            f"| {(auc > 0).mean():.0%} | {((loss < 0) & (auc > 0)).mean():.0%} |"
        )


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tables", nargs="*", default=[])
    parser.add_argument("--seconds", type=float, default=600, help="after which no sample begins")
    parser.add_argument("--ways", nargs="*", default=list(WAYS), help="only these searches")
    parser.add_argument("--results", type=Path, default=RESULTS)
    options = parser.parse_args([] if arguments is None else arguments)
    kept = pd.read_csv(options.results).to_dict("records") if options.results.exists() else []
    done = {(record["sample"], record["way"]) for record in kept}
    end = time.monotonic() + options.seconds
    for table in public_tables("tune", options.tables):
        if time.monotonic() > end:
            break
        for sample, fold in samples(table):
            ways = [w for w in ("point", "posterior", *options.ways) if (sample, w) not in done]
            if not ways or time.monotonic() > end:
                continue
            kept += compare(sample, kept_data(sample, fold), ways)
            pd.DataFrame(kept).to_csv(options.results, index=False)
            print(f"  {sample}", file=sys.stderr, flush=True)
    if kept:
        show(pd.DataFrame(kept))


if __name__ == "__main__":
    main(sys.argv[1:])
