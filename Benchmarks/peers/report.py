"""What was measured, as rows of the JSON and as a table."""
import alternate
from options import K

COLUMNS = "    {:<30} {:>12} {:>11} {:>11}  {}"


def rows(gallery, stage, outcome, participants, seed):
    """A row for each participant and operation; the companion was reported in its own stage."""
    made = []
    flat = next((key for key in stage.peers if key.name == "faiss-flat"), None)
    for operation, (results, turns) in outcome.items():
        for key, result in results.items():
            if key == stage.companion:
                continue
            introduction = participants[key]
            row = {
                "engine": introduction["name"], "operation": operation.name, "population": gallery.spec.population,
                "count": gallery.spec.count, "dimension": gallery.spec.dimension, "batch": operation.batch, "k": K,
                "threads": key.threads, "level": stage_level(key, participants), "kernels": introduction["kernels"],
                "version": introduction.get("version"), "seed": seed, "msPerQuery": None, "ratioToFaissFlat": None,
                "reVerifyTimesFaster": None, "exact": None, "skipped": result.skipped}
            own = [turn for turn in turns if key in turn]
            if own:
                row["msPerQuery"] = alternate.ratio([turn[key] for turn in own], [1] * len(own))
                row["ratioToFaissFlat"] = ratio_to_flat(turns, flat, key, stage.engine)
                row["reVerifyTimesFaster"] = ratio(turns, key, stage.engine)
                row["timesAsFastAsCompanion"] = ratio(turns, stage.companion, key) if stage.companion else None
                row["turns"] = len(own)
            if result.agreement:
                row.update(exact=result.agreement.exact and not (key.is_engine and operation in gallery.wrong), recall=result.agreement.recall,
                           answersCompared=result.agreement.queries, answersSame=result.agreement.same,
                           answersRounding=result.agreement.rounding, checksum=result.checksum)
            row.update(loadSeconds=introduction["loadSeconds"], residentBytes=introduction["residentBytes"])
            made.append(row)
    return made


def stage_level(key, participants):
    return participants[key]["level"] if key.is_engine else None


def ratio(turns, numerator, denominator):
    both = [turn for turn in turns if numerator in turn and denominator in turn]
    if not both:
        return None
    return alternate.ratio([turn[numerator] for turn in both], [turn[denominator] for turn in both])


def ratio_to_flat(turns, flat, key, engine):
    """In common turns; between groups that don't fit into memory together, by way of the engine, which is in both."""
    direct = ratio(turns, flat, key)
    if direct is not None:
        return direct
    flat_by_engine, by_engine = ratio(turns, flat, engine), ratio(turns, key, engine)
    return flat_by_engine / by_engine if flat_by_engine and by_engine else None


def print_stage(gallery, stage, made, say):
    engine = next(row for row in made if row["engine"] == "ReVerify")
    spec = gallery.spec
    say("")
    say(f"{spec.title}, threads {stage.engine.threads}, ReVerify with {engine['kernels']}; seed {engine['seed']}")
    say(f"  enrolled in {engine['loadSeconds']:.1f} s, {engine['residentBytes'] / 1e9:.2f} GB resident "
        f"({engine['residentBytes'] / spec.count:.0f} bytes a row)")
    for operation in dict.fromkeys((row["operation"], row["batch"]) for row in made):
        chosen = [row for row in made if (row["operation"], row["batch"]) == operation]
        say("  " + (f"{operation[0]}{operation[1]}" if operation[1] > 1 else operation[0]))
        say(COLUMNS.format("", "ms a query", "x faiss", "ReVerify x", "answers"))
        for row in sorted(chosen, key=lambda row: (row["msPerQuery"] is None, row["msPerQuery"])):
            if row["msPerQuery"] is None:
                say(COLUMNS.format(row["engine"], "", "", "", f"not run: {row['skipped']}"))
            else:
                say(COLUMNS.format(
                    row["engine"], figure(row["msPerQuery"]), figure(row["ratioToFaissFlat"]),
                    figure(row["reVerifyTimesFaster"]), answers(row)))
        faster = engine_of(chosen).get("timesAsFastAsCompanion")
        if faster:
            say(f"    ReVerify here is {faster:.2f} times as fast as with {stage.companion.threads} thread(s) at "
                f"{stage.companion.level or 'the best level'}")


def engine_of(rows):
    return next(row for row in rows if row["engine"] == "ReVerify")


def figure(value):
    if value is None:
        return "-"
    return f"{value:.3g}" if value < 100 else f"{value:.0f}"


def answers(row):
    if row["engine"] == "ReVerify":
        return (f"{row['answersSame']} of {row['answersCompared']} equal the exhaustive scan's bits, "
                f"checksum {row['checksum']}")
    if row["exact"]:
        within = f", {row['answersRounding']} within rounding" if row["answersRounding"] else ""
        return f"exact: {row['answersSame']} of {row['answersCompared']} the same{within}"
    return f"inexact: recall {row['recall']:.4f}"
