"""Turns: every participant does the same work one after the other, again and again."""
import statistics
import time
from dataclasses import dataclass, field

import answers
from options import K, THRESHOLD
from worker_process import Unavailable

PROBES = 1024
# A turn is repeated within until the fastest has worked about this long: clocks and caches settle.
SHORTEST_TURN_MS = 20
FEWEST_TURNS, FEWEST_LONG_TURNS, MOST_TURNS = 5, 3, 21
# OpenMP's threads spin for some milliseconds after their work; the next one in turn should not feel that.
PAUSE_SECONDS = 0.01


@dataclass
class Result:
    """One participant's part in one operation."""
    ms_per_query: list = field(default_factory=list)   # one a turn
    agreement: object = None
    checksum: str = None
    skipped: str = None

    @property
    def median(self):
        return statistics.median(self.ms_per_query)


def request(operation, first, queries, pool, **more):
    return dict(operation=operation.name, batch=operation.batch, first=first, queries=queries, pool=pool, k=K,
                threshold=THRESHOLD, **more)


def checked_queries(operation, count):
    """How many probes are compared, and so searched at all: fewer where one takes long."""
    if operation.name == "batch":
        return operation.batch
    return 64 if count <= 100_000 else 24 if count <= 1_000_000 else 8


def answer(participant, operation, queries, path, exhaustive=False):
    """The answers' checksum, the answers, and the milliseconds of the calls."""
    reply = participant.ask(**request(operation, 0, queries, queries, answer=path, exhaustive=exhaustive))
    return answers.checksum(path), answers.read(path), reply["milliseconds"]


def take_turns(participants, operation, pool, slowest_ms, seconds):
    """Milliseconds per query by key, one a turn, every turn on the same probes; and why a peer fell out, by key."""
    calls = max(1, min(pool // operation.batch, int(SHORTEST_TURN_MS / max(1e-6, min(slowest_ms.values())))))
    turn_seconds = sum(slowest_ms.values()) * calls / 1e3
    fewest = FEWEST_TURNS if turn_seconds * FEWEST_TURNS < 2 * seconds else FEWEST_LONG_TURNS
    turns = int(max(fewest, min(MOST_TURNS, seconds / max(1e-9, turn_seconds))))
    times, lost = {key: [] for key in participants}, {}
    for turn in range(turns):
        order = list(times) if turn % 2 == 0 else list(reversed(times))
        first = turn * calls * operation.batch % pool
        for key in order:
            time.sleep(PAUSE_SECONDS)
            try:
                reply = participants[key].ask(**request(operation, first, calls * operation.batch, pool))
            except Unavailable as reason:
                if key.is_engine:
                    raise
                lost[key] = str(reason)
                del times[key]
                continue
            times[key].append(statistics.median(reply["milliseconds"]) / operation.batch)
    return times, lost


def ratio(numerator, denominator):
    """The median of the turns' ratios."""
    return statistics.median(a / b for a, b in zip(numerator, denominator))
