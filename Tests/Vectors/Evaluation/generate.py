#!/usr/bin/env python3
"""Writes the vectors of this folder, apart from hand-worked.json, with other people's code and wider arithmetic.

    python3 generate.py REFERENCE      REFERENCE holds baselines.py; needs numpy, scipy, mpmath
"""
import json, os, sys
import mpmath as mp
import numpy as np
from scipy.optimize import isotonic_regression
from scipy.spatial import ConvexHull

sys.path.insert(0, sys.argv[1])
import baselines

mp.mp.dps = 40
here = os.path.dirname(os.path.abspath(__file__))


def write(name, made_by, cases):
    with open(os.path.join(here, name), "w") as f:
        f.write('{"madeBy": %s, "cases": [\n' % json.dumps(made_by))
        text = ",\n".join(json.dumps(c) for c in cases)
        f.write(text.replace("Infinity", '"inf"') + "\n]}\n")


def tails(a, b, x):
    """Both tails for whole a and b at 40 digits, as sums of binomial probabilities from the mean outwards."""
    x, n = mp.mpf(x), a + b - 1

    def probability(k):
        return mp.exp(mp.loggamma(n + 1) - mp.loggamma(k + 1) - mp.loggamma(n - k + 1)
                      + k * mp.log(x) + (n - k) * mp.log1p(-x))

    def outwards(k, ratio, step):
        term, total = probability(k), mp.mpf(0)
        while 0 <= k <= n and term > total * mp.mpf(10) ** -32:
            total += term
            term *= ratio(k)
            k += step
        return total

    if a > n * x:
        low = outwards(a, lambda k: mp.mpf(n - k) / (k + 1) * x / (1 - x), 1)
        return low, 1 - low
    up = outwards(a - 1, lambda k: mp.mpf(k) / (n - k + 1) * (1 - x) / x, -1)
    return 1 - up, up


def root(f, low, high):
    low, high = mp.mpf(low), mp.mpf(high)
    for _ in range(70):
        mid = (low + high) / 2
        low, high = (mid, high) if f(mid) else (low, mid)
    return (low + high) / 2


def incomplete_beta():
    cases = []
    for a, b, x in [(1, 1, 0.25), (1, 9, 0.5), (2, 3, 0.1), (5, 5, 0.5), (0x10, 3, 0.75), (1, 10000, 2.0**-12),
                    (11, 9990, 2.0**-10), (500, 500, 0.4375), (100, 99901, 2.0**-10), (3000, 7000, 0.3125),
                    (87307, 87219964, 0.00099945068359375), (50, 4999999951, 2.0**-26),
                    (873072, 86434200, 0.010009765625)]:
        low, up = tails(a, b, x)
        cases.append({"a": a, "b": b, "x": x, "lower": float(low), "upper": float(up)})
    return cases


def intervals():
    cases = []
    for k, n, c in [(0, 1, 0.95), (1, 1, 0.95), (0, 10000, 0.95), (10000, 10000, 0.95), (1, 10, 0.95), (9, 10, 0.95),
                    (5, 10, 0.99), (3, 120000, 0.95), (17, 1800, 0.95), (500, 1000, 0.9), (999, 1000, 0.95),
                    (873, 87307271, 0.95), (87307, 87307271, 0.999), (0, 5000000000, 0.95), (5, 5000000000, 0.95)]:
        for sides, doubt in [("two", (1 - mp.mpf(c)) / 2), ("upper", 1 - mp.mpf(c)), ("lower", 1 - mp.mpf(c))]:
            near = mp.mpf(k) / n
            reach = 12 * mp.sqrt((k + 1) * mp.mpf(n - k + 1) / n) / n + mp.mpf(30) / n
            lo, hi = max(near - reach, mp.mpf(10) ** -30), min(near + reach, 1 - mp.mpf(10) ** -30)
            low = 0 if k == 0 or sides == "upper" else root(lambda p: tails(k, n - k + 1, p)[0] < doubt, lo, hi)
            high = 1 if k == n or sides == "lower" else root(lambda p: tails(k + 1, n - k, p)[1] > doubt, lo, hi)
            z = mp.sqrt(2) * mp.erfinv(1 - 2 * doubt)
            centre = (near + z * z / (2 * n)) / (1 + z * z / n)
            half = z / (1 + z * z / n) * mp.sqrt(near * (1 - near) / n + z * z / (4 * mp.mpf(n) * n))
            cases.append({"count": k, "total": n, "confidence": c, "sides": sides,
                          "clopperPearson": [float(low), float(high)],
                          "wilson": [float(0 if k == 0 or sides == "upper" else centre - half),
                                     float(1 if k == n or sides == "lower" else centre + half)]})
    return cases


def score_sets():
    cases = []
    for seed, m, n, step in [(1, 40, 200, 0.05), (2, 30, 30, 0.25), (3, 7, 900, 1e-6), (4, 100, 1200, 0.01)]:
        r = np.random.default_rng(seed)
        gen = np.sort(np.round(r.normal(2, 1, m) / step) * step)
        imp = np.sort(np.round(r.normal(0, 1, n) / step) * step)
        s, y = np.concatenate([gen, imp]), np.concatenate([np.ones(m), np.zeros(n)])
        u, inverse = np.unique(s, return_inverse=True)
        weight = np.bincount(inverse)
        p = isotonic_regression(np.bincount(inverse, y) / weight, weights=weight).x[inverse]
        with np.errstate(divide="ignore"):
            llr = np.log(p) - np.log1p(-p) - np.log(m / n)
        cost = lambda l: float((np.logaddexp(0, -l[y == 1]).mean() + np.logaddexp(0, l[y == 0]).mean()) / 2 / np.log(2))
        thresholds = np.append(u, np.inf)
        fmr = 1 - np.searchsorted(imp, thresholds) / n
        fnmr = np.searchsorted(gen, thresholds) / m
        points = np.stack([fmr, fnmr], 1)
        lower = [e for e in ConvexHull(points).equations if e[0] < 0 and e[1] < 0]
        fold = r.integers(0, 5, m + n)
        order = r.permutation(m + n)
        P = np.stack([fold, fold, fold, y.astype(int)], 1)[order]
        cases.append({"mated": gen.tolist(), "nonMated": imp.tolist(),
                      "auc": float((np.searchsorted(imp, gen, "left") + np.searchsorted(imp, gen, "right")).mean() / 2 / n),
                      "dPrime": float((gen.mean() - imp.mean()) / np.sqrt((gen.var() + imp.var()) / 2)),
                      "cllr": cost(s), "minCllr": cost(llr),
                      "hullEER": float(max(-e[2] / (e[0] + e[1]) for e in lower)),
                      "eer": baselines.eer(gen, imp), "atTargets": baselines.at_targets(gen, imp),
                      "folds": P[:, 0].tolist(), "isMated": P[:, 3].tolist(), "foldScores": s[order].tolist(),
                      "kfold": baselines.kfold(P, s[order])})
    return cases


write("incomplete-beta.json", "mpmath 1.3.0, 40 digits", incomplete_beta())
write("binomial-intervals.json", "mpmath 1.3.0, 40 digits", intervals())
write("score-sets.json", "baselines.py, numpy 2.4.6, scipy 1.17.1 (isotonic_regression, ConvexHull)", score_sets())
