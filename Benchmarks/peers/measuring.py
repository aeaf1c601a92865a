"""One gallery: its participants started, compared, measured in turns."""
import os
import statistics
import sys
from collections import defaultdict

import alternate
import answers
from peer_facts import PEER_NAMES
from options import THRESHOLD, Operation
from plan import Key, groups
from worker_process import Participant, Unavailable

PEER_WORKER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "peer_worker.py")
EXHAUSTIVE_QUERIES = 8
# How much faster than alone a peer may be in a batch, for the guess whether the batch takes too long to be tried.
LARGEST_BATCH_GAIN = 15


class Gallery:
    """The workers over the rows of one gallery, and what was measured with them."""

    def __init__(self, spec, rows, queries, folder, options, say):
        self.spec, self.options, self.say = spec, options, say
        self.paths = ["--rows", rows, "--queries", queries]
        self.answer_path = os.path.join(folder, "answer.bin")
        self.running = {}
        self.faiss = ({}, {})       # environment and modes by batch, once tuned
        self.engine_answers = {}    # by operation: checksum and answers, the same at every level
        self.exhaustive = {}        # by kind of search: answers of the first probes
        self.failures = []
        self.wrong = set()          # operations with a failure
        self.unavailable = {}

    def start(self, key, environment=None, limit=None):
        more = ["--threads", str(key.threads)] + (["--limit-rows", str(limit)] if limit else [])
        threads = {name: str(key.threads) for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")}
        if key.is_engine or PEER_NAMES[key.name].swift:
            command = [self.options.engine, "serve", key.name] + self.paths + more
            level = {"REVERIFY_SIMD": key.level} if key.level else {}
            return Participant(command, level if key.is_engine else threads, key.name)
        command = [self.options.python, PEER_WORKER, key.name] + self.paths + more
        if key.name == "faiss-flat" and environment is None:
            tuned, modes = self.faiss
            return Participant(command, {**threads, **tuned}, key.name,
                               mode=lambda request: modes.get(request["batch"]) if request["operation"] == "batch"
                               else None)
        return Participant(command, {**threads, **(environment or {})}, key.name)

    def bring_up(self, keys):
        """Stops whoever is not in `keys`, starts who is missing; those who can't take part are told once."""
        for key in [key for key in self.running if key not in keys]:
            self.running.pop(key).stop()
        for key in keys:
            if key in self.running or key in self.unavailable:
                continue
            try:
                self.running[key] = self.start(key)
            except Unavailable as reason:
                if key.is_engine:
                    raise
                self.unavailable[key] = str(reason)
                self.say(f"{key.name} is left out: {reason}")
        return {key: self.running[key] for key in keys if key in self.running}

    def stop(self):
        self.bring_up([])

    def measure(self, stage, introductions):
        """For each operation, results by key and a list of turns, {key: ms per query}; fills `introductions`."""
        spent = defaultdict(dict)
        outcome = {}
        for group in groups(stage, self.spec, self.say):
            participants = self.bring_up(group)
            introductions.update({key: one.introduction for key, one in participants.items()})
            for operation in self.options.operations:
                if operation.name == "threshold" and not self.spec.has_threshold_search:
                    continue
                results, turns = outcome.setdefault(operation, ({}, []))
                able = {key: one for key, one in participants.items() if self.can(key, operation)}
                self.progress(f"{self.spec.title}, {operation.title}, threads {stage.engine.threads}")
                taking = self.check(able, operation, results, spent)
                turns += self.turns(taking, operation, spent, results)
        self.progress("")
        return outcome

    def progress(self, text):
        if sys.stderr.isatty():
            print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)

    def can(self, key, operation):
        return key.is_engine or operation.name != "threshold" or PEER_NAMES[key.name].threshold

    def check(self, participants, operation, results, spent):
        """Compares the answers of each with the engine's; returns those that are worth turns."""
        queries = alternate.checked_queries(operation, self.spec.count)
        taking = {}
        for key, participant in participants.items():
            result = results.setdefault(key, alternate.Result())
            if self.takes_too_long(key, operation, spent):
                result.skipped = f"a batch of {operation.batch} would take over {self.options.longest:g} s"
                continue
            try:
                checksum, found, times = alternate.answer(participant, operation, queries, self.answer_path)
            except Unavailable as reason:
                if key.is_engine:
                    raise
                result.skipped = str(reason)
                continue
            spent[key][operation] = statistics.median(times)
            result.checksum = checksum
            if key.is_engine:
                result.agreement = self.check_engine(key, participant, operation, checksum, found)
            else:
                result.agreement = answers.compare(
                    self.engine_answers[operation][1], found, THRESHOLD if operation.name == "threshold" else None)
                if PEER_NAMES[key.name].exact and not result.agreement.exact:
                    self.fail(key, operation, f"agrees in {result.agreement.same + result.agreement.rounding} of "
                              f"{result.agreement.queries} answers only")
            if self.may_be_skipped(key) and spent[key][operation] > self.options.longest * 1e3:
                result.skipped = f"one call took {spent[key][operation] / 1e3:.1f} s"
                continue
            taking[key] = participant
        return taking

    def check_engine(self, key, participant, operation, checksum, found):
        """Bit for bit: every level and thread count alike, batches like single queries, the first ones like the
        exhaustive scan."""
        kind = "threshold" if operation.name == "threshold" else "topK"
        if kind not in self.exhaustive:
            self.exhaustive[kind] = alternate.answer(
                participant, Operation(kind, EXHAUSTIVE_QUERIES), EXHAUSTIVE_QUERIES, self.answer_path,
                exhaustive=True)[1]
        first_checksum, first_found = self.engine_answers.setdefault(operation, (checksum, found))
        if checksum != first_checksum:
            self.fail(key, operation, f"answers have the checksum {checksum}, {first_checksum} elsewhere")
        wanted = self.exhaustive[kind][:len(found)]
        same = sum(a == b for a, b in zip(found, wanted))
        if same != len(wanted):
            self.fail(key, operation, f"differs from the exhaustive scan in {len(wanted) - same} of {len(wanted)}")
        for other, (_, other_found) in self.engine_answers.items():
            if (other.name == "threshold") == (operation.name == "threshold"):
                if any(a != b for a, b in zip(found, other_found)):
                    self.fail(key, operation, f"answers differ from those of {other.title}")
        return answers.Agreement(len(wanted), same, 0, 1.0)

    def takes_too_long(self, key, operation, spent):
        known = max(spent[key], key=lambda other: other.batch, default=None)
        if known is None or operation.name != "batch" or not self.may_be_skipped(key):
            return False
        gain = LARGEST_BATCH_GAIN if known.batch == 1 else 1
        return spent[key][known] / known.batch * operation.batch / gain > self.options.longest * 1e3

    def may_be_skipped(self, key):
        return not key.is_engine and key.name != "faiss-flat"

    def turns(self, participants, operation, spent, results):
        if not participants:
            return []
        queries = alternate.checked_queries(operation, self.spec.count)
        pool = queries if operation.batch == 1 else alternate.PROBES // operation.batch * operation.batch
        times, lost = alternate.take_turns(
            participants, operation, pool, {key: spent[key][operation] for key in participants}, self.options.seconds)
        for key, reason in lost.items():
            results[key].skipped = reason
        return [dict(zip(times, turn)) for turn in zip(*times.values())]

    def fail(self, key, operation, text):
        label = "ReVerify" if key.is_engine else key.name
        level = f" at {key.level}" if key.level else ""
        failure = f"{self.spec.title}, {operation.title}, {label}{level}, threads {key.threads}: {text}"
        self.failures.append(failure)
        self.wrong.add(operation)
        self.say(f"WRONG: {failure}")


def tuning_key(threads):
    return Key("faiss-flat", threads)
