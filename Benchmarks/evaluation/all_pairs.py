"""All pairs, beside numpy: the same rows, the same counts, strictly one after the other.

    python3 Benchmarks/evaluation/all_pairs.py lfw FOLDER        exact EER of a data set, one core, beside numpy + sklearn
    python3 Benchmarks/evaluation/all_pairs.py scale [COUNT]     COUNT x 512 synthetic rows, beside sgemm + histogram

OPENBLAS_CORETYPE is removed for numpy, so that its own OpenBLAS chooses. Prints a table; --json FILE keeps the figures.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent


def child(arguments, threads):
    """Runs another Python with so many BLAS threads and without a core type chosen for another library."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("OPENBLAS_")}
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        environment[name] = str(threads)
    command = [sys.executable, str(HERE / "numpy_pairs.py")] + arguments
    return json.loads(subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout)


def pinned(command, threads):
    """The command on as many cores as threads, so that one thread means one core."""
    return ["taskset", "-c", ",".join(str(i) for i in range(threads))] + command


def lfw(folder):
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        command = [os.environ.get("REVERIFY", str(ROOT / ".build/release/reverify")), "eval", "--data", folder, "--metrics", "cosine",
                   "--replicates", "0", "--threads", "1", "--json", file.name]
        subprocess.run(pinned(command, 1), check=True)
        found = json.load(open(file.name))["all_pairs"]["cosine"]
    peer = child(["exact", folder], 1)
    same = abs(found["eer"]["eer_argmin"] - peer["eer"]) < 1e-9 and abs(found["auc"] - peer["auc"]) < 1e-9
    print(f"all pairs of {folder}, exact EER, one core: ReVerify {found['seconds']:.2f} s, numpy + sklearn "
          f"{peer['seconds']:.2f} s, ratio {peer['seconds'] / found['seconds']:.1f}; figures equal: {same}")
    assert same, (found["eer"], found["auc"], peer)
    return {"engine": found["seconds"], "peer": peer["seconds"]}


def scale(count, threads):
    engine = os.environ.get("ALL_PAIRS_BENCHMARK", str(ROOT / "Benchmarks/.build/release/AllPairsBenchmark"))
    results = []
    with tempfile.TemporaryDirectory() as folder:
        rows = os.path.join(folder, "rows.npy")
        subprocess.run([engine, "rows", rows, str(count), "512"], check=True)
        for number in threads:
            output = subprocess.run(pinned([engine, "score", rows, str(number)], number), check=True,
                                    capture_output=True, text=True).stdout
            found = json.loads(output)
            peer = child(["histogram", rows], number)
            same = (found["mated"] == peer["mated"] and found["nonMated"] == peer["nonMated"]
                    and abs(found["meanNonMated"] - peer["meanNonMated"]) < 1e-6)
            beyond = (found["peakBytes"] - found["embeddingBytes"]) / 2**30
            print(f"{count} x 512, {found['comparisons']:.3g} comparisons, {number} thread(s): ReVerify "
                  f"{found['seconds']:.1f} s, {found['comparisonsPerSecond']:.3g} a second, {beyond:.2f} GiB beyond the "
                  f"embeddings; numpy sgemm + histogram {peer['seconds']:.1f} s; ratio "
                  f"{peer['seconds'] / found['seconds']:.2f}; counts equal: {same}", flush=True)
            assert same, (found, peer)
            results.append({"threads": number, "engine": found, "peer": peer})
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["lfw", "scale"])
    parser.add_argument("argument", nargs="?")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--json")
    given = parser.parse_args()
    start = time.time()
    if given.what == "lfw":
        result = lfw(given.argument or str(ROOT / "../shared/data/lfw-edgeface"))
    else:
        result = scale(int(given.argument or 100_000), [int(n) for n in given.threads.split(",")])
    if given.json:
        json.dump(result, open(given.json, "w"), indent=1)
    print(f"{time.time() - start:.0f} s in all")


if __name__ == "__main__":
    main()
