"""Answers as the workers write them, and how far two sets of them agree."""
import array
import sys
import zlib
from dataclasses import dataclass

# Two f32 sums of the same 512 products in different orders differ by less than this.
ROUNDING = 2e-6
# What the scores of an exact peer may differ by.
SCORE_TOLERANCE = 1e-5


def read(path):
    """For each probe a list of (score, row), in the worker's order."""
    with open(path, "rb") as file:
        data = file.read()
    answers, at = [], 0
    while at < len(data):
        count = int.from_bytes(data[at:at + 4], "little")
        rows = array.array("q", data[at + 4:at + 4 + 8 * count])
        scores = array.array("f", data[at + 4 + 8 * count:at + 4 + 12 * count])
        if sys.byteorder == "big":
            rows.byteswap()
            scores.byteswap()
        at += 4 + 12 * count
        answers.append(list(zip(scores, rows)))
    return answers


def checksum(path):
    with open(path, "rb") as file:
        return f"{zlib.crc32(file.read()):08x}"


@dataclass
class Agreement:
    """How `found` compares with the engine's answers."""
    queries: int
    same: int       # the same rows in the same order, scores within SCORE_TOLERANCE
    rounding: int   # differs only among scores that rounding can exchange, or at the threshold
    recall: float   # of the engine's rows

    @property
    def exact(self):
        return self.same + self.rounding == self.queries


def compare(expected, found, threshold=None):
    """`threshold` is the boundary of a search by threshold; without one, it is each answer's last score."""
    if len(expected) != len(found):
        raise ValueError(f"{len(expected)} answers were expected, found {len(found)}")
    same = rounding = hits = total = 0
    for reference, other in zip(expected, found):
        other = sorted(other, key=lambda hit: (-hit[0], hit[1]))
        rows = {row for _, row in reference}
        hits += sum(row in rows for _, row in other)
        total += len(rows)
        if [row for _, row in reference] == [row for _, row in other] and scores_agree(reference, other):
            same += 1
        elif differs_by_rounding(reference, other, threshold):
            rounding += 1
    return Agreement(len(expected), same, rounding, hits / total if total else 1.0)


def scores_agree(reference, other):
    return all(abs(a[0] - b[0]) <= SCORE_TOLERANCE for a, b in zip(reference, other))


def differs_by_rounding(reference, other, threshold):
    """Scores of shared rows agree, and rows that only one answer has lie at the boundary."""
    if threshold is None:
        if len(reference) != len(other) or not reference:
            return False
        boundary = reference[-1][0]
    else:
        boundary = threshold
    mine = {row: score for score, row in reference}
    theirs = {row: score for score, row in other}
    shared = all(abs(mine[row] - theirs[row]) <= SCORE_TOLERANCE for row in mine.keys() & theirs.keys())
    single = [(mine | theirs)[row] for row in mine.keys() ^ theirs.keys()]
    return shared and all(abs(score - boundary) <= 2 * ROUNDING for score in single)
