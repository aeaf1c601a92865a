"""What `make bench` can be told."""
import argparse
import os
from dataclasses import dataclass

from peer_facts import PEER_NAMES

OPERATIONS = ("topK", "threshold", "batch64", "batch1024")
POPULATIONS = ("cohort", "lfw", "near-equal", "iid")
K = 10
THRESHOLD = 0.35


@dataclass(frozen=True)
class Operation:
    """`name` as the JSON has it; a call searches for `batch` probes."""
    name: str
    batch: int

    @property
    def title(self):
        if self.name == "topK":
            return f"top {K}"
        return f"threshold {THRESHOLD}" if self.name == "threshold" else f"top {K}, batch of {self.batch}"


def operation(text):
    if text in ("topK", "threshold"):
        return Operation(text, 1)
    if text.startswith("batch") and text[5:].isdigit() and 0 < int(text[5:]) <= 1024:
        return Operation("batch", int(text[5:]))
    raise argparse.ArgumentTypeError(f"'{text}': topK, threshold or batchN (N of 1 to 1024) was expected")


def size(text):
    unit = {"k": 1_000, "M": 1_000_000}.get(text[-1:])
    digits = text[:-1] if unit else text
    if not digits.isdigit() or int(digits) == 0:
        raise argparse.ArgumentTypeError(f"'{text}': a number such as 10k, 1M or 5000 was expected")
    return int(digits) * (unit or 1)


def listed(parse, allowed=None):
    def items(text):
        values = [parse(item.strip()) for item in text.split(",") if item.strip()]
        for value in values:
            if allowed and value not in allowed:
                raise argparse.ArgumentTypeError(f"'{value}' is none of: {', '.join(allowed)}")
        if not values:
            raise argparse.ArgumentTypeError("at least one was expected")
        return values
    return items


def peers(text):
    """Names or their beginnings; `none` and `all`."""
    if text in ("none", "all"):
        return [] if text == "none" else list(PEER_NAMES)
    chosen = []
    for word in listed(str)(text):
        found = [name for name in PEER_NAMES if name.startswith(word)]
        if not found:
            raise argparse.ArgumentTypeError(f"no peer is called '{word}': {', '.join(PEER_NAMES)}")
        chosen += [name for name in found if name not in chosen]
    return chosen


def parse(arguments=None):
    parser = argparse.ArgumentParser(description="The engine beside other libraries, in turn, on the same rows.")
    add = parser.add_argument
    add("--engine", required=True, help="the SearchBenchmark executable")
    add("--python", help="the Python that has the peers' libraries; this one unless given")
    add("--sizes", type=listed(size), default=[10_000, 100_000, 1_000_000])
    add("--dimensions", type=listed(size), default=[512])
    add("--populations", type=listed(str, POPULATIONS), default=["cohort"])
    add("--operations", type=listed(operation), default=[operation(name) for name in OPERATIONS])
    add("--peers", type=peers, help="names or their beginnings, none, all; beyond the first number of threads and "
        "unless given, faiss-flat alone")
    add("--threads", type=listed(size), default=[1, 2])
    add("--levels", type=listed(str), help="SIMD levels; the best of the processor unless given")
    add("--seed", type=int, default=1)
    add("--seconds", type=float, default=5, help="about how long the turns of one operation may take")
    add("--longest", type=float, default=4, help="a peer whose one call would take more seconds is left out")
    add("--shared", default=os.environ.get("REVERIFY_SHARED", "../shared"), help="where data/lfw-edgeface and data/lfw-dlib are, for --populations lfw")
    add("--folder", help="where the rows are written; a temporary folder unless given")
    add("--json")
    add("--svg")
    options = parser.parse_args(arguments)
    options.peers_for_threads = ["faiss-flat"] if options.peers is None else options.peers
    options.peers = list(PEER_NAMES) if options.peers is None else options.peers
    return options
