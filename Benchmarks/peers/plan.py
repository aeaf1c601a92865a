"""What is measured together: galleries, stages of each, and groups of peers that fit into memory."""
from dataclasses import dataclass

from galleries import GallerySpec
from peer_facts import PEER_NAMES

# Galleries up to this size are also searched at every lower SIMD level.
SMALL = 10_000
# Of the populations other than the cohort, one size is measured, beside these peers.
LARGEST_OTHER = 1_000_000
OTHER_PEERS = ("faiss-flat", "numkong-8bit")
# The engine's rows in all their forms, as multiples of the f32 ones, and what it keeps beside each.
ENGINE_MEMORY, ENGINE_ROW_BYTES = 1.5, 600
MEMORY_SHARE = 0.8


@dataclass(frozen=True)
class Key:
    """A participant: the engine at a level (None: the best), or a peer."""
    name: str
    threads: int
    level: str = None

    @property
    def is_engine(self):
        return self.name == "engine"


@dataclass(frozen=True)
class Stage:
    """Measured together: `engine` is the one in question; `companion` a faster or single-threaded one beside it."""
    engine: Key
    companion: Key
    peers: tuple


def galleries(options):
    """The cohort at every size; the others once for each dimension."""
    for dimension in options.dimensions:
        for population in options.populations:
            if population == "cohort":
                for count in options.sizes:
                    yield GallerySpec(population, count, dimension)
            else:
                yield GallerySpec(population, min(max(options.sizes), LARGEST_OTHER), dimension)


def stages(spec, options, available_levels):
    levels = [None if level == "best" else level for level in options.levels or ["best"]]
    if not options.levels and spec.population == "cohort" and spec.count <= SMALL:
        levels += list(reversed(available_levels[:-1]))
    base = Key("engine", options.threads[0], levels[0])
    for threads in options.threads if spec.population == "cohort" else options.threads[:1]:
        names = [name for name in (options.peers if threads == options.threads[0] else options.peers_for_threads)
                 if (spec.population == "cohort" or name in OTHER_PEERS)
                 and (threads == 1 or PEER_NAMES[name].threads)]
        engine = Key("engine", threads, levels[0])
        yield Stage(engine, base if engine != base else None, tuple(Key(name, threads) for name in names))
    for level in levels[1:]:
        peers = tuple(Key(name, options.threads[0]) for name in options.peers if name == "faiss-flat")
        yield Stage(Key("engine", options.threads[0], level), base, peers)


def groups(stage, spec, say):
    """Lists of keys that fit into memory together: the engines and faiss flat in the first, the engine in each."""
    budget = available_bytes() * MEMORY_SHARE
    engines = [key for key in (stage.engine, stage.companion) if key]
    flat = [key for key in stage.peers if key.name == "faiss-flat"]
    others = [key for key in stage.peers if key.name != "faiss-flat"]
    if engines and memory(engines + flat, spec) > budget:
        engines = [stage.engine]
    base = engines + flat
    if memory(base, spec) > budget:
        say(f"faiss flat is left out: it and the engine need {memory(base, spec) / 1e9:.0f} GB")
        base = engines
    made, current = [], base
    for key in others:
        alone = [stage.engine, key]
        if memory(alone, spec) > budget:
            say(f"{key.name} is left out: with the engine it needs {memory(alone, spec) / 1e9:.0f} GB")
        elif memory(current + [key], spec) > budget:
            made.append(current)
            current = alone
        else:
            current = current + [key]
    return made + [current]


def memory(keys, spec):
    engine = spec.f32_bytes * ENGINE_MEMORY + spec.count * ENGINE_ROW_BYTES
    return sum(engine if key.is_engine else spec.f32_bytes * PEER_NAMES[key.name].memory for key in keys)


def available_bytes():
    with open("/proc/meminfo") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith("MemAvailable"))
