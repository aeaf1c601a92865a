"""The settings with which a peer is fastest here, found by trying them."""
import alternate
from worker_process import Unavailable

SAMPLE_ROWS = 50_000


def core_types():
    """OpenBLAS core types that this processor can run; None is what the library chooses by itself."""
    try:
        with open("/proc/cpuinfo") as file:
            flags = next((set(line.split(":")[1].split()) for line in file if line.startswith("flags")), set())
    except OSError:
        flags = set()
    types = [None]
    if {"avx512f", "avx512bw", "avx512dq", "avx512vl"} <= flags:
        types.append("SkylakeX")
    if {"avx2", "fma"} <= flags:
        types.append("Haswell")
    return types


def environment(core_type):
    return {"OPENBLAS_CORETYPE": core_type} if core_type else {}


def tune_faiss(start, operations, say):
    """The core type and, for each batch, the mode (`sgemm` or `default`) in which faiss is fastest.

    `start(environment)` starts faiss on the first rows of the gallery. Returns (environment, modes by batch, notes).
    """
    batches = [operation for operation in operations if operation.name == "batch"]
    if not batches:
        return {}, {}, []
    trials, notes = {}, []
    for core_type in core_types():
        participant = start(environment(core_type))
        try:
            for operation in batches:
                for mode in ("sgemm", "default"):
                    participant.mode = lambda _, mode=mode: mode
                    calls = [trial(participant, operation) for _ in range(3)]
                    trials[core_type, operation.batch, mode] = min(calls)
                    notes.append({"coreType": core_type or "as it comes", "batch": operation.batch, "mode": mode,
                                  "msPerQuery": min(calls) / operation.batch})
        except Unavailable as reason:
            say(f"faiss with {core_type}: {reason}")
        finally:
            participant.stop()

    def total(core_type):
        return sum(min(trials[core_type, operation.batch, mode] for mode in ("sgemm", "default")) /
                   min(value for (_, batch, _), value in trials.items() if batch == operation.batch)
                   for operation in batches)

    complete = [core for core in core_types() if all((core, o.batch, "default") in trials for o in batches)]
    best = min(complete, key=total)
    modes = {o.batch: min(("sgemm", "default"), key=lambda mode: trials[best, o.batch, mode]) for o in batches}
    return environment(best), modes, notes


def trial(participant, operation):
    reply = participant.ask(**alternate.request(operation, 0, operation.batch, operation.batch))
    return reply["milliseconds"][0]
