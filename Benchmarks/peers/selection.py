"""Selection of the best scores for peers that only give scores."""
import numpy as np


class Best:
    """The `k` best of each of `probes`, fed with blocks of scores; later blocks only cost what beats the k-th."""

    def __init__(self, probes, k):
        self.k = k
        self.ids = np.empty((probes, 0), np.int64)
        # Of the blocks' own type: a comparison with another one would convert the whole block.
        self.scores = None

    def add(self, scores, first):
        probes = len(scores)
        if self.scores is None:
            self.scores = np.empty((probes, 0), scores.dtype)
        if self.ids.shape[1] < self.k:
            return self._fill(scores, first)
        probe, column = np.nonzero(scores > self.scores[:, -1:])
        if not len(probe):
            return
        probe = np.concatenate([np.repeat(np.arange(probes), self.k), probe])
        ids = np.concatenate([self.ids.ravel(), column + first])
        values = np.concatenate([self.scores.ravel(), scores[probe[probes * self.k:], column]])
        order = np.lexsort((-values, probe))
        start = np.searchsorted(probe[order], np.arange(probes))
        kept = order[start[:, None] + np.arange(self.k)]
        self.ids, self.scores = ids[kept], values[kept]

    def _fill(self, scores, first):
        taken = min(self.k, scores.shape[1])
        column = np.argpartition(scores, scores.shape[1] - taken, axis=1)[:, -taken:]
        ids = np.concatenate([self.ids, column + first], 1)
        values = np.concatenate([self.scores, np.take_along_axis(scores, column, 1)], 1)
        order = np.argsort(-values, axis=1, kind="stable")[:, :self.k]
        self.ids, self.scores = np.take_along_axis(ids, order, 1), np.take_along_axis(values, order, 1)
