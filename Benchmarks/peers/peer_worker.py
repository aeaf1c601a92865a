"""The process of one Python peer: loads the rows, then answers requests as `SearchBenchmark serve` does."""
import argparse
import json
import os
import sys
import time


def main():
    # Libraries print; what the runner reads stays apart from it.
    replies = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    try:
        serve(replies)
    except (ImportError, OSError, MemoryError, RuntimeError, AttributeError, TypeError, ValueError) as error:
        replies.write(json.dumps({"error": f"{type(error).__name__}: {error}"}) + "\n")


def serve(replies):
    options = argparse.ArgumentParser()
    options.add_argument("peer")
    options.add_argument("--rows", required=True)
    options.add_argument("--queries", required=True)
    options.add_argument("--threads", type=int, required=True)
    options.add_argument("--limit-rows", type=int)
    options = options.parse_args()
    import libraries

    started = time.perf_counter()
    peer = libraries.PEERS[options.peer](libraries.read_rows(options.rows, options.limit_rows), options.threads)
    queries = libraries.read_rows(options.queries)
    replies.write(json.dumps({
        "name": peer.name, "kernels": peer.kernels(), "version": peer.version(), "count": peer.count,
        "dimension": peer.dimension, "loadSeconds": time.perf_counter() - started,
        "residentBytes": resident_bytes()}) + "\n")
    for line in sys.stdin:
        try:
            replies.write(json.dumps(reply(json.loads(line), peer, queries)) + "\n")
        except (MemoryError, RuntimeError, TypeError, ValueError) as error:
            replies.write(json.dumps({"error": f"{type(error).__name__}: {error}"}) + "\n")


def reply(request, peer, queries):
    batch, pool = request["batch"], request["pool"]
    milliseconds, answers = [], []
    peer.use_mode(request.get("mode"))
    for offset in range(0, request["queries"], batch):
        first = (request["first"] + offset) % pool
        probes = queries[first:first + batch]
        started = time.perf_counter()
        if request["operation"] == "threshold":
            found = peer.threshold(probes, request["threshold"])
        else:
            found = peer.top(probes, request["k"])
        milliseconds.append((time.perf_counter() - started) * 1e3)
        if request.get("answer"):
            answers += peer.answers(found, request["operation"])
    if request.get("answer"):
        with open(request["answer"], "wb") as file:
            for ids, scores in answers:
                file.write(len(ids).to_bytes(4, "little") + ids.astype("<i8").tobytes() + scores.astype("<f4").tobytes())
    return {"milliseconds": milliseconds}


def resident_bytes():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")


main()
