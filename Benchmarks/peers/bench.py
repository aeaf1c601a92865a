#!/usr/bin/env python3
"""Runs the engine beside its peers: the same rows and probes, in turn, all exact answers compared.

Needs no library by itself: peers that can't be loaded are named and left out. Ends with status 1 when an exact
answer differs.
"""
import json
import sys
import tempfile
from contextlib import nullcontext

import chart
import galleries
import options as settings
import plan
import report
import tuning
from measuring import Gallery, tuning_key
from worker_process import Unavailable


def say(text):
    print(text, flush=True)


def main():
    options = settings.parse()
    options.python = options.python or sys.executable
    made, failures, about = [], [], {}
    tuned = {}
    for spec in plan.galleries(options):
        reason = galleries.missing_reason(spec, options.shared)
        if reason:
            say(f"{spec.title} is left out: {reason}")
            continue
        folder = nullcontext(options.folder) if options.folder else tempfile.TemporaryDirectory(prefix="bench-")
        with folder as path:
            rows, queries = galleries.write(spec, options.engine, options.seed, options.shared, path)
            gallery = Gallery(spec, rows, queries, path, options, say)
            try:
                run(gallery, options, tuned, made, about)
            except Unavailable as reason:
                gallery.failures.append(f"{spec.title}: ReVerify can't be measured: {reason}")
            finally:
                gallery.stop()
                failures += gallery.failures
                write(options, made, failures, about, tuned)
    if failures:
        say("\nFAILED:")
        for failure in failures:
            say(f"  {failure}")
        return 1
    if not made:
        say("nothing was measured")
        return 1
    return 0


def run(gallery, options, tuned, made, about):
    first = plan.Key("engine", options.threads[0], None if not options.levels or options.levels[0] == "best"
                     else options.levels[0])
    introduction = gallery.bring_up([first])[first].introduction
    if not about:
        about.update({name: introduction[name] for name in ("processor", "version", "availableLevels")})
        say(f"processor {about['processor']}; levels {', '.join(about['availableLevels'])}; ReVerify {about['version']}")
    tune(gallery, options, tuned)
    for stage in plan.stages(gallery.spec, options, introduction["availableLevels"]):
        introductions = {}
        outcome = gallery.measure(stage, introductions)
        rows = report.rows(gallery, stage, outcome, introductions, options.seed)
        report.print_stage(gallery, stage, rows, say)
        made += rows


def tune(gallery, options, tuned):
    """Once for each dimension."""
    dimension = gallery.spec.dimension
    if "faiss-flat" not in options.peers:
        return
    if dimension not in tuned:
        key = tuning_key(options.threads[0])
        try:
            tuned[dimension] = tuning.tune_faiss(
                lambda environment: gallery.start(key, environment, limit=tuning.SAMPLE_ROWS), options.operations, say)
        except Unavailable as reason:
            say(f"faiss can't be tuned: {reason}")
            tuned[dimension] = ({}, {}, [])
        environment, modes, _ = tuned[dimension]
        say(f"faiss flat at {dimension} dimensions is fastest with OpenBLAS core type "
            f"{environment.get('OPENBLAS_CORETYPE', 'as it comes')}, " +
            (", ".join(f"batches of {batch}: {mode}" for batch, mode in modes.items()) or "no batches"))
    gallery.faiss = tuned[dimension][:2]


def write(options, made, failures, about, tuned):
    """After each gallery, so that a run that is stopped leaves what it has."""
    if options.json:
        with open(options.json, "w") as file:
            json.dump({**about, "seed": options.seed, "failures": failures,
                       "faissTuning": {str(key): value[2] for key, value in tuned.items()}, "rows": made}, file,
                      indent=1)
            file.write("\n")
    if options.svg:
        with open(options.svg, "w") as file:
            file.write(chart.svg(made, f"Search, {about.get('processor', '')}, one thread"))


if __name__ == "__main__":
    sys.exit(main())
